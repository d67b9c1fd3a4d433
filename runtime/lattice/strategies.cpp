// See strategies.hpp.
#include "runtime/lattice/strategies.hpp"

#ifdef SLICEPOOL_HAVE_FPLLL

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>

#include <fplll/fplll.h>

#include "runtime/lattice/strategy_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {

namespace {

constexpr const char* kVariable = "SLICEPOOL_FPLLL_STRATEGIES";
constexpr const char* kAccepted =
    "in the environment, the strategies of fplll (Debian: default.json of libfplll8-data)";

bool canRead(const std::string& path) { return std::ifstream(path).good(); }

/// Beside the program or extension that this code is in, where the Python wheel has them.
std::string bundledStrategies() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<const void*>(&canRead), &found) == 0 || found.dli_fname == nullptr) return {};
  return (std::filesystem::path(found.dli_fname).parent_path() / "strategies" / "default.json").string();
}

/// Where they are: a program that travelled without its packages says so by the environment.
std::string strategiesPath() {
  const char* given = std::getenv(kVariable);
  std::string path = given != nullptr ? given : "";
  if (path.empty()) {
    path = bundledStrategies();
    if (canRead(path)) return path;
    path = fplll::strategy_full_path(fplll::default_strategy());
  }
  if (canRead(path)) return path;
  throw ConfigError(kVariable, "no file \"" + path + "\"", kAccepted);
}

std::vector<fplll::Strategy> readStrategies(int largest) {
  const std::string path = strategiesPath();
  try {
    return readStrategyFile(path, largest);
  } catch (const std::exception& error) {
    throw ConfigError(kVariable, "\"" + path + "\" (" + error.what() + ")", kAccepted);
  }
}

}  // namespace

// Each list reaches further than the one before, which fplll may still refer to.
std::vector<fplll::Strategy>& strategies(int largest) {
  static std::mutex mutex;
  static std::vector<std::unique_ptr<std::vector<fplll::Strategy>>> lists;
  static int reach = -1;
  const std::lock_guard lock(mutex);
  if (largest > reach) {
    const int further = (largest + 9) / 10 * 10;  // blocks may grow by and by
    auto list = std::make_unique<std::vector<fplll::Strategy>>(readStrategies(further));
    // fplll takes the strategy of every size and one of its prunings without looking whether they are there.
    while (list->size() <= static_cast<std::size_t>(further))
      list->push_back(fplll::Strategy::EmptyStrategy(list->size()));
    for (fplll::Strategy& strategy : *list)
      if (strategy.pruning_parameters.empty()) strategy.pruning_parameters.emplace_back();  // none
    lists.push_back(std::move(list));
    reach = further;
  }
  return *lists.back();
}

}  // namespace slicepool::lattice

#endif
