// See running_pools.hpp.
#include "plugins/fplll/running_pools.hpp"

#include <algorithm>

#include "cpu_workers/core/cpu_workers.hpp"

namespace slicepool::fplll_plugin {

RunningPool::RunningPool(const Settings& settings) : threads_(shareOf(settings, pools_.fetch_add(1) + 1)) {}

RunningPool::~RunningPool() { pools_.fetch_sub(1); }

bool RunningPool::wouldBeAlone(const Settings& settings) {
  const int others = pools_.load();
  return others > 0 && settings.mode == Mode::cpu && shareOf(settings, others + 1) == 1;
}

int RunningPool::shareOf(const Settings& settings, int pools) {
  const int cores = settings.threads > 0 ? settings.threads : availableCores();
  return std::max(1, cores / pools);
}

}  // namespace slicepool::fplll_plugin
