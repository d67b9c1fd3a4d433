// See block_enumerator.hpp.
#include "runtime/svp/block_enumerator.hpp"

#ifdef SLICEPOOL_HAVE_FPLLL

#include <fplll/fplll.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

#include "runtime/lattice/fplll_block.hpp"
#include "runtime/svp/thread_search.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::svp {
namespace {

using lattice::declinedBlock;
using lattice::NodeCounts;
using Enumerator = std::function<extenum_fc_enumerate>;

/// Smaller blocks have so few nodes that making a problem of them costs more than it gains.
constexpr int kLeastBlock = 36;

thread_local int reducing = 0;

NodeCounts searchBlock(int dimension, double squaredRadius,
                       const std::function<extenum_cb_set_config>& config,
                       const std::function<extenum_cb_process_sol>& process) {
  std::vector<double> coefficients(static_cast<std::size_t>(dimension));
  double radius = squaredRadius;
  const auto take = [&](const std::byte* result) {
    const double norm = lattice::readShortVector(result, coefficients);
    if (norm <= radius) radius = process(norm, coefficients.data());
  };
  const auto problem = lattice::makeProblem(lattice::blockSpec(dimension, squaredRadius, config));
  const ThreadSearch done = searchOnThisThread(
      *problem, dimension, [&] { return radius; }, take, [&] { return !(radius > 0); });
  NodeCounts counts{};
  std::copy(done.levels.begin(), done.levels.end(), counts.begin());
  return counts;
}

Enumerator& before() {
  static Enumerator other;
  return other;
}

NodeCounts enumerate(int dimension, double squaredRadius, std::function<extenum_cb_set_config> config,
                     std::function<extenum_cb_process_sol> process,
                     std::function<extenum_cb_process_subsol> subsolution, bool dual,
                     bool findsSubsolutions) {
  if (reducing == 0)
    return before() ? before()(dimension, squaredRadius, std::move(config), std::move(process),
                               std::move(subsolution), dual, findsSubsolutions)
                    : declinedBlock();
  if (dual || findsSubsolutions || dimension < kLeastBlock || dimension > lattice::kMaximumDimension)
    return declinedBlock();
  try {
    return searchBlock(dimension, squaredRadius, config, process);
  } catch (const std::exception&) {  // such as bounds that increase: fplll's own
    return declinedBlock();
  }
}

bool isOurs(const Enumerator& enumerator) {
  using Function =
      NodeCounts (*)(int, double, std::function<extenum_cb_set_config>, std::function<extenum_cb_process_sol>,
                     std::function<extenum_cb_process_subsol>, bool, bool);
  const Function* function = enumerator.target<Function>();
  return function != nullptr && *function == enumerate;
}

}  // namespace

BlockEnumerator::BlockEnumerator() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (Enumerator now = fplll::get_external_enumerator(); !isOurs(now)) {
    before() = std::move(now);
    fplll::set_external_enumerator(enumerate);
  }
  ++reducing;
}

BlockEnumerator::~BlockEnumerator() { --reducing; }

}  // namespace slicepool::svp

#else

namespace slicepool::svp {

BlockEnumerator::BlockEnumerator() = default;
BlockEnumerator::~BlockEnumerator() = default;

}  // namespace slicepool::svp

#endif
