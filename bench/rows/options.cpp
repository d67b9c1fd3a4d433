// See options.hpp.
#include "bench/rows/options.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "runtime/app/config/suggest.hpp"
#include "runtime/app/report/machine.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::bench {
namespace {

using factorizations::Algorithm;

constexpr int kRepetitions = 9;
constexpr int kQuickRepetitions = 3;
constexpr int kMaximumThreads = 4096;

std::vector<std::string> splitCommas(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t comma = text.find(',', begin);
    parts.push_back(text.substr(begin, comma - begin));
    if (comma == std::string::npos) return parts;
    begin = comma + 1;
  }
}

int numberIn(const std::string& text, const char* field, const std::vector<int>& accepted,
             const char* words) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  const bool known = accepted.empty() ? value >= 1 && value <= kMaximumThreads
                                      : std::find(accepted.begin(), accepted.end(), value) != accepted.end();
  if (!whole || !known) throw ConfigError(field, "\"" + text + "\"", words);
  return value;
}

std::vector<int> threadCounts(const std::string& text) {
  std::vector<int> counts;
  if (text.empty()) counts = {1, report::usableCores()};
  for (const auto& part : text.empty() ? std::vector<std::string>{} : splitCommas(text))
    counts.push_back(numberIn(part, "--threads", {}, "numbers of threads from 1 to 4096, such as 1,16"));
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

std::vector<unsigned> elementWidths(const std::string& text) {
  std::vector<unsigned> widths;
  for (const auto& part : splitCommas(text)) {
    widths.push_back(static_cast<unsigned>(
        numberIn(part, "--element-bytes", {0, 1, 2, 4, 8}, "0 (the narrowest), 1, 2, 4 or 8, such as 0,2")));
  }
  return widths;
}

Algorithm algorithmFrom(const std::string& text) {
  std::vector<std::string> names;
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::candidate, Algorithm::tabulated,
                                    Algorithm::dynamic, Algorithm::ranked}) {
    if (text == factorizations::algorithmName(algorithm)) return algorithm;
    names.push_back(factorizations::algorithmName(algorithm));
  }
  throw ConfigError("--algorithm", "\"" + text + "\"", config::joinWords(names));
}

void addMode(Settings& settings, const std::string& mode) {
  if (mode == "cpu") {
    settings.cpu = true;
  } else if (mode == "gpu") {
    settings.gpu = true;
  } else if (mode == "hybrid") {
    settings.gpu = settings.hybrid = true;  // a hybrid run is held against the GPU alone
  } else if (mode == "peer") {
    settings.peer = true;
  } else if (mode == "reductions") {
    settings.reductions = true;
  } else {
    throw ConfigError("--modes", "\"" + mode + "\"",
                      "cpu, gpu, hybrid, peer, reductions, separated by commas");
  }
}

void setModes(Settings& settings, const std::string& text) {
  if (text.empty()) {
    settings.cpu = settings.peer = settings.reductions = true;
    settings.gpu = settings.hybrid = !listGpus().gpus.empty();
    return;
  }
  for (const auto& mode : splitCommas(text)) addMode(settings, mode);
  if (settings.reductions && !settings.cpu && !settings.gpu)
    throw ConfigError("--modes", text, "reductions beside the modes that they are to run in: cpu, gpu");
  if (!settings.gpu) return;
  const GpuList list = listGpus();
  if (list.gpus.empty()) throw DeviceError("--modes: no usable GPU: " + list.whyNone);
}

}  // namespace

void addOptions(CLI::App& app, Arguments& arguments) {
  app.add_option("--instances", arguments.instances,
                 "dimensions and elements (default: those that figures are published for)")
      ->type_name("D:N,..");
  app.add_option("--threads", arguments.threads,
                 "CPU threads, each measured; hybrid uses the most (default 1,cores)")
      ->type_name("N,..");
  app.add_option("--element-bytes", arguments.elementBytes,
                 "bytes of a coordinate, a pass over all instances for each; 0 is the narrowest")
      ->type_name("B,..")
      ->default_str("0");
  app.add_option("--modes", arguments.modes,
                 "cpu, gpu, hybrid, peer, reductions (default: all there is a device for)")
      ->type_name("M,..");
  app.add_option("--algorithm", arguments.algorithm, "the library's algorithm")
      ->type_name("NAME")
      ->default_str("auto");
  app.add_option("--repetitions", arguments.repetitions, "timed runs of each; medians are shown (default 9)")
      ->type_name("R")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--table", arguments.table,
                 "instead of the instances every row of this table, "
                 "configs/factorizations-dynamic-table-1.json, from command to "
                 "result")
      ->type_name("FILE");
  app.add_option("--json", arguments.json, "where the record goes")->type_name("FILE");
  app.add_flag("--quick", arguments.quick, "small instances, three repetitions: does it run?");
}

Settings settingsFrom(const Arguments& arguments) {
  Settings settings;
  settings.instances = arguments.quick ? quickInstances() : publishedInstances();
  if (!arguments.instances.empty()) settings.instances = parseInstances(arguments.instances);
  settings.threads = threadCounts(arguments.threads);
  settings.elementBytes = elementWidths(arguments.elementBytes.empty() ? "0" : arguments.elementBytes);
  settings.repetitions = arguments.quick ? kQuickRepetitions : kRepetitions;
  if (arguments.repetitions != 0) settings.repetitions = arguments.repetitions;
  settings.algorithm = algorithmFrom(arguments.algorithm.empty() ? "auto" : arguments.algorithm);
  settings.tablePath = arguments.table;
  settings.jsonPath = arguments.json;
  setModes(settings, arguments.modes);
  if (!settings.tablePath.empty() && !settings.cpu && !settings.gpu)
    throw ConfigError("--modes", arguments.modes, "with --table at least one of cpu, gpu, hybrid");
  return settings;
}

}  // namespace slicepool::bench
