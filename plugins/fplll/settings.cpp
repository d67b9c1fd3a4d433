// See settings.hpp.
#include "plugins/fplll/settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace slicepool::fplll_plugin {
namespace {

constexpr std::array<const char*, 6> kNames = {"min_dimension", "min_nodes", "engine_nodes",
                                               "threads",       "mode",      "dual"};

template <class Number>
bool parse(const std::string& text, Number least, Number most, Number& value) {
  Number parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc{} || end != text.data() + text.size() || !(parsed >= least && parsed <= most))
    return false;
  value = parsed;
  return true;
}

bool parseModeName(const std::string& text, Mode& mode) {
  constexpr std::array<std::pair<const char*, Mode>, 5> kModes = {{{"cpu", Mode::cpu},
                                                                   {"gpu", Mode::gpu},
                                                                   {"hybrid", Mode::hybrid},
                                                                   {"emulated", Mode::emulated},
                                                                   {"auto", Mode::automatic}}};
  for (const auto& [name, value] : kModes) {
    if (text != name) continue;
    mode = value;
    return true;
  }
  return false;
}

bool change(Settings& settings, const std::string& name, const std::string& value) {
  constexpr double kMaximum = 1e300;
  if (name == "min_dimension") return parse(value, 0, 1 << 20, settings.minDimension);
  if (name == "min_nodes") return parse(value, 0.0, kMaximum, settings.minNodes);
  if (name == "engine_nodes") return parse(value, 0.0, kMaximum, settings.engineNodes);
  if (name == "threads") return parse(value, 0, 4096, settings.threads);
  if (name == "dual") return parse(value, 0, 1, settings.dual);
  return name == "mode" && parseModeName(value, settings.mode);
}

/// Values that are not accepted are ignored: a library that is being loaded has no way to report them.
Settings fromEnvironment() {
  Settings settings;
  for (const char* name : kNames) {
    std::string variable = "SLICEPOOL_FPLLL_" + std::string(name);
    std::transform(variable.begin(), variable.end(), variable.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (const char* value = std::getenv(variable.c_str())) (void)change(settings, name, value);
  }
  return settings;
}

struct State {
  std::mutex mutex;
  Settings settings = fromEnvironment();
};

State& state() {
  static State theState;
  return theState;
}

}  // namespace

Settings currentSettings() {
  const std::lock_guard lock(state().mutex);
  return state().settings;
}

bool changeSetting(const std::string& name, const std::string& value) {
  const std::lock_guard lock(state().mutex);
  return change(state().settings, name, value);
}

}  // namespace slicepool::fplll_plugin
