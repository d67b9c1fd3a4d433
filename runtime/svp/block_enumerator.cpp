// See block_enumerator.hpp.
#include "runtime/svp/block_enumerator.hpp"

#ifdef SLICEPOOL_HAVE_FPLLL

#include <fplll/fplll.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <vector>

#include "runtime/svp/thread_search.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::svp {
namespace {

using NodeCounts = std::array<std::uint64_t, FPLLL_EXTENUM_MAX_EXTENUM_DIM>;
using Enumerator = std::function<extenum_fc_enumerate>;

/// Smaller blocks have so few nodes that making a problem of them costs more than it gains.
constexpr int kLeastBlock = 36;

thread_local int reducing = 0;

NodeCounts declined() {
  NodeCounts counts{};
  counts[0] = ~std::uint64_t{0};
  return counts;
}

/// fplll writes neither the diagonal of mu nor the half above it; its numbers and the radius share one scale.
lattice::ProblemSpec specOf(int dimension, double squaredRadius,
                            const std::function<extenum_cb_set_config>& config) {
  const auto d = static_cast<std::size_t>(dimension);
  lattice::ProblemSpec spec;
  spec.dimension = dimension;
  spec.mu.assign(d * d, 0);
  spec.norms.assign(d, 0);
  spec.pruning.assign(d, 1);
  config(spec.mu.data(), d, false, spec.norms.data(), spec.pruning.data());
  spec.squaredRadius = squaredRadius;
  spec.shrinking = true;
  spec.findsLower = false;
  spec.collect = true;
  return spec;
}

NodeCounts searchBlock(int dimension, double squaredRadius,
                       const std::function<extenum_cb_set_config>& config,
                       const std::function<extenum_cb_process_sol>& process) {
  std::vector<double> coefficients(static_cast<std::size_t>(dimension));
  double radius = squaredRadius;
  const auto take = [&](const std::byte* result) {
    double norm = 0;
    std::memcpy(&norm, result, sizeof norm);
    if (norm > radius) return;
    const std::byte* from = result + sizeof norm;
    for (double& coefficient : coefficients) {
      std::int16_t value = 0;
      std::memcpy(&value, from, sizeof value);
      from += sizeof value;
      coefficient = value;
    }
    radius = process(norm, coefficients.data());
  };
  const auto problem = lattice::makeProblem(specOf(dimension, squaredRadius, config));
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
                    : declined();
  if (dual || findsSubsolutions || dimension < kLeastBlock || dimension > lattice::kMaximumDimension)
    return declined();
  try {
    return searchBlock(dimension, squaredRadius, config, process);
  } catch (const std::exception&) {  // such as bounds that increase: fplll's own
    return declined();
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
