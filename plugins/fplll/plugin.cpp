// The functions that fplll, fpylll and ctypes call (slicepool_fplll.h): takes a block that is worth it,
// declines the rest, mostly before it has reported anything. fplll enumerates what is declined itself.
#include <fplll/fplll.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "plugins/fplll/block_search.hpp"
#include "plugins/fplll/dual_block.hpp"
#include "plugins/fplll/running_pools.hpp"
#include "plugins/fplll/settings.hpp"
#include "plugins/fplll/slicepool_fplll.h"
#include "plugins/fplll/subsolutions.hpp"
#include "runtime/lattice/fplll_block.hpp"
#include "runtime/lattice/gram_schmidt.hpp"
#include "slicepool/core/error.hpp"
#ifdef SLICEPOOL_HAVE_CUDA
#include "kernels/core/registration.hpp"
#endif

namespace slicepool::fplll_plugin {
namespace {

using lattice::NodeCounts;

/// For the estimate of a block: an order of magnitude is enough, and there are many blocks.
constexpr std::size_t kCells = 128;

std::atomic<std::uint64_t> declinedCalls{0};
std::atomic<std::uint64_t> sequentialCalls{0};
std::atomic<std::uint64_t> pooledCalls{0};
std::atomic<std::uint64_t> searchedNodes{0};

/// fpylll may be given the function without a registration.
void registerKernels() {
#ifdef SLICEPOOL_HAVE_CUDA
  static std::once_flag once;
  std::call_once(once, registerCudaKernels);
#endif
}

NodeCounts declined() {
  declinedCalls.fetch_add(1, std::memory_order_relaxed);
  return lattice::declinedBlock();
}

/// fplll counts the zero path once, not once a level.
NodeCounts countsOf(const std::vector<std::uint64_t>& levels) {
  NodeCounts counts{};
  for (std::size_t k = 0; k < levels.size(); ++k) {
    counts[k] = levels[k] - (k > 0 && levels[k] > 0 ? 1 : 0);
    searchedNodes.fetch_add(levels[k], std::memory_order_relaxed);
  }
  return counts;
}

/// The block once it has a vector: where the radius is beyond the Gaussian heuristic there soon is one at
/// about that, and the radius is its norm.
lattice::ProblemSpec onceFound(lattice::ProblemSpec spec) {
  constexpr double kFirstFound = 1.2;
  spec.squaredRadius = std::min(spec.squaredRadius, kFirstFound * lattice::gaussianSquaredRadius(spec.norms));
  return spec;
}

double treeSize(const lattice::ProblemSpec& block) {
  const lattice::ProblemSpec spec = onceFound(block);
  const auto expected = lattice::expectedNodes(spec, kCells);
  return std::accumulate(expected.begin(), expected.end(), 0.0);
}

/// fplll passes a third of the nodes a second, but only those of the block.
constexpr double kWorthParts = 3;
/// To make problems of all parts takes as long as fplll's search of a smaller block.
constexpr double kLeastWithParts = 2e6;

/// Whether the trees of all subsolutions are too large beside that of the block, of so many nodes, or that is
/// too small.
bool partsAreDear(const lattice::ProblemSpec& block, double nodes) {
  if (nodes < kLeastWithParts) return true;
  const lattice::ProblemSpec soon = onceFound(block);
  double parts = 0;
  for (int offset = block.dimension - 2; offset > 0; --offset)
    parts += treeSize(subsolutionSpec(soon, offset));
  return parts > kWorthParts * nodes;
}

/// `nodes`: that are expected. `pooled`: whether a pool did it.
std::vector<std::uint64_t> search(const lattice::ProblemSpec& spec, double nodes, const Settings& settings,
                                  SolutionGate& gate, bool& pooled) {
  pooled = nodes >= settings.engineNodes && !RunningPool::wouldBeAlone(settings);
  return pooled ? searchTogether(spec, settings, gate) : searchAlone(spec, gate);
}

/// What fplll gives with a block.
struct Callbacks {
  const std::function<extenum_cb_set_config>& config;
  const ProcessSolution& solution;
  const ProcessSubsolution& subsolution;
};

NodeCounts enumerate(int dimension, double squaredRadius, const Callbacks& callbacks, bool dual,
                     bool findsSubsolutions) {
  const Settings settings = currentSettings();
  if ((dual && (findsSubsolutions || settings.dual == 0)) || dimension < settings.minDimension ||
      dimension > lattice::kMaximumDimension || dimension < 1 || !(squaredRadius > 0))
    return declined();
  std::optional<DualBlock> dualBlock;
  const ProcessSolution processDual = [&](double squaredNorm, double* coefficients) {
    return dualBlock->process(squaredNorm, coefficients, callbacks.solution);
  };
  Shortest shortest(dimension);
  const ProcessSolution processAndKeep = [&](double squaredNorm, double* coefficients) {
    shortest.offer(squaredNorm, coefficients);
    return callbacks.solution(squaredNorm, coefficients);
  };
  std::optional<SolutionGate> gate;
  std::vector<std::uint64_t> levels;
  std::exception_ptr thrown;  // by the caller's subsolutions
  try {
    const lattice::ProblemSpec given = lattice::blockSpec(dimension, squaredRadius, callbacks.config);
    if (dual) dualBlock.emplace(given);
    if (dual && !dualBlock->isPlausible()) return declined();
    const lattice::ProblemSpec& spec = dual ? dualBlock->spec() : given;
    gate.emplace(dimension, spec.squaredRadius,
                 dual                ? processDual
                 : findsSubsolutions ? processAndKeep
                                     : callbacks.solution);
    if (findsSubsolutions && !spec.pruning.empty()) return declined();
    const double nodes = settings.minNodes > 0 || settings.engineNodes > 0 ? treeSize(spec) : 0;
    if (!(nodes >= settings.minNodes)) return declined();
    if (findsSubsolutions && settings.minNodes > 0 && partsAreDear(spec, nodes)) return declined();
    registerKernels();
    bool pooled = false;
    levels = search(spec, nodes, settings, *gate, pooled);
    if (dual && dualBlock->wantsMore()) return declined();
    if (findsSubsolutions && !gate->closed()) {
      lattice::ProblemSpec within = spec;
      within.squaredRadius = gate->squaredRadius();
      findSubsolutions(
          within, shortest,
          [&](const lattice::ProblemSpec& part, SolutionGate& partGate) {
            bool partPooled = false;
            return search(part, treeSize(part), settings, partGate, partPooled);
          },
          [&](double squaredNorm, double* coefficients, int offset) {
            try {
              callbacks.subsolution(squaredNorm, coefficients, offset);
            } catch (...) {
              thrown = std::current_exception();
              throw;
            }
          },
          levels);
    }
    (pooled ? pooledCalls : sequentialCalls).fetch_add(1, std::memory_order_relaxed);
  } catch (const std::exception&) {
    if (thrown) throw;
    // What cannot be searched here - bounds that increase, coefficients or memory beyond the limits, no
    // device for the mode - is fplll's own. Solutions that it has been given by then it will only find again.
    return declined();
  }
  gate->rethrow();
  return countsOf(levels);
}

/// fplll has an external enumerator of its own, or that of another library, which is back in place
/// afterwards.
class Registration {
 public:
  void begin() {
    const std::lock_guard lock(mutex_);
    if (registered_) return;
    before_ = fplll::get_external_enumerator();
    fplll::set_external_enumerator(slicepool_fplll_enumerate);
    registered_ = true;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    if (!registered_) return;
    fplll::set_external_enumerator(std::move(before_));
    registered_ = false;
  }

 private:
  std::mutex mutex_;
  bool registered_ = false;
  std::function<extenum_fc_enumerate> before_;
};

Registration& registration() {
  static Registration ofProcess;
  return ofProcess;
}

}  // namespace
}  // namespace slicepool::fplll_plugin

extern "C" {

// NOLINTBEGIN(performance-unnecessary-value-param): fplll gives the signature
std::array<std::uint64_t, FPLLL_EXTENUM_MAX_EXTENUM_DIM> slicepool_fplll_enumerate(
    const int dimension, fplll_extenum_enumf squaredRadius, std::function<extenum_cb_set_config> config,
    std::function<extenum_cb_process_sol> process, std::function<extenum_cb_process_subsol> subsolution,
    bool dual, bool findsSubsolutions) {
  return slicepool::fplll_plugin::enumerate(dimension, squaredRadius, {config, process, subsolution}, dual,
                                            findsSubsolutions);
}
// NOLINTEND(performance-unnecessary-value-param)

void slicepool_fplll_register(void) { slicepool::fplll_plugin::registration().begin(); }

void slicepool_fplll_unregister(void) { slicepool::fplll_plugin::registration().end(); }

int slicepool_fplll_set(const char* name, const char* value) {
  return name != nullptr && value != nullptr && slicepool::fplll_plugin::changeSetting(name, value) ? 0 : -1;
}

void slicepool_fplll_statistics(slicepool_fplll_counts* counts) {
  using namespace slicepool::fplll_plugin;
  *counts = {declinedCalls.load(), sequentialCalls.load(), pooledCalls.load(), searchedNodes.load()};
}

}  // extern "C"
