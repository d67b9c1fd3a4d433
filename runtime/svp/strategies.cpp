// See strategies.hpp.
#include "runtime/svp/strategies.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "slicepool/core/error.hpp"
#include "slicepool/svp/enumeration.hpp"

#ifdef SLICEPOOL_HAVE_FPLLL
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

/// Where they are: a program that travelled without its packages says so by the environment.
std::string strategiesPath() {
  const char* given = std::getenv("SLICEPOOL_FPLLL_STRATEGIES");
  std::string path = given != nullptr && *given != '\0'
                         ? std::string(given)
                         : fplll::strategy_full_path(fplll::default_strategy());
  if (std::ifstream(path).good()) return path;
  throw ConfigError("SLICEPOOL_FPLLL_STRATEGIES", "no file \"" + path + "\"",
                    "in the environment, the strategies of fplll (Debian: default.json of libfplll8-data)");
}

}  // namespace

std::vector<fplll::Strategy>& strategies() {
  static std::vector<fplll::Strategy> all = fplll::load_strategies_json(strategiesPath());
  return all;
}

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
