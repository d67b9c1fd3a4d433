// See strategies.hpp.
#include "runtime/svp/strategies.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "slicepool/core/error.hpp"
#include "slicepool/svp/enumeration.hpp"

#ifdef SLICEPOOL_HAVE_FPLLL
#include <dlfcn.h>

#include <fplll/fplll.h>
#endif

namespace slicepool::svp {

void straighten(std::vector<double>& coefficients) {
  double before = 1;
  for (double& coefficient : coefficients) {
    coefficient = std::clamp(coefficient, 1e-9, before);
    before = coefficient;
  }
}

#ifdef SLICEPOOL_HAVE_FPLLL

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

std::vector<fplll::Strategy> readStrategies() {
  const std::string path = strategiesPath();
  try {
    return fplll::load_strategies_json(path);
  } catch (const std::exception& error) {
    throw ConfigError(kVariable, "\"" + path + "\" (" + error.what() + ")", kAccepted);
  }
}

}  // namespace

std::vector<fplll::Strategy>& strategies() {
  static std::vector<fplll::Strategy> all = readStrategies();
  return all;
}

void findStrategies() { (void)strategiesPath(); }

BlockStrategy strategyOf(int size, double squaredGhFactor) {
  const auto index = static_cast<std::size_t>(size);
  BlockStrategy result;
  result.pruning.probability = 1;
  if (index >= strategies().size()) return result;
  const fplll::Strategy& strategy = strategies()[index];
  result.preprocessing.assign(strategy.preprocessing_block_sizes.begin(),
                              strategy.preprocessing_block_sizes.end());
  if (strategy.pruning_parameters.empty()) return result;
  const fplll::PruningParams& found = strategy.get_pruning(squaredGhFactor, 1);
  result.pruning.coefficients = found.coefficients;
  if (found.coefficients.empty()) return result;
  straighten(result.pruning.coefficients);
  result.pruning.probability = found.expectation;
  return result;
}

#else

BlockStrategy strategyOf(int, double) { return {}; }

#endif

}  // namespace slicepool::svp
