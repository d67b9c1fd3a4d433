// The delta set of a numerical semigroup.
//
// Length sets of large elements consist of three parts, and the outer two repeat. That delta sets are
// periodic is a theorem of Chapman, Hoyer and Kaplan (2009); the bound here is smaller than theirs and made
// for each semigroup. Let delta be the greatest common divisor of all g_j - g_i. The pairs (n, l), l a length
// of n, form the semigroup H that the (g_i, 1) generate. With u = n - l g_1 and v = l g_d - n, the lengths of
// n that are possible modulo delta have a class of u modulo (g_d - g_1). For each class c choose a shortest
// sum of (g_j, 1), 1 < j < d, in this class, and let (u_c, v_c) be its coordinates. A pair of the class with
// u >= u_c and v >= v_c is the sum plus some (g_1, 1) and (g_d, 1), so it is in H. With U and V the greatest
// u_c and v_c:
//   middle: all possible lengths from (n + V) / g_d to (n - U) / g_1 are lengths; their gaps are delta.
//   top: for u < U, (n, l) is in H when u is a sum of at most l numbers g_j - g_1. At most U / (g_2 - g_1)
//     are possible, so for l above that only u matters: n and n + g_1 have the same gaps here.
//   bottom: likewise for v < V with g_d - g_j; n and n + g_d have the same gaps.
// Below, deltaSetBound() is the first n for which all this holds and the middle has two lengths, plus g_d.
#include <algorithm>
#include <numeric>
#include <set>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/invariants/length_sets.hpp"
#include "runtime/invariants/tables.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/invariants/numerical_semigroup.hpp"

namespace slicepool::invariants {
namespace {

/// U and V of the head of this file.
struct Margins {
  std::uint64_t top = 0;
  std::uint64_t bottom = 0;
};

std::uint64_t commonDifference(const std::vector<std::uint64_t>& generators) {
  std::uint64_t delta = generators.back() - generators.front();  // above 0: there are two
  for (const std::uint64_t generator : generators) delta = std::gcd(delta, generator - generators.front());
  return delta;
}

/// By breadth-first search over the classes.
Margins marginsOf(const std::vector<std::uint64_t>& generators, std::uint64_t delta,
                  std::size_t memoryLimit) {
  const std::uint64_t classes = (generators.back() - generators.front()) / delta;
  constexpr std::uint64_t kOpen = std::numeric_limits<std::uint64_t>::max();
  requireTable(classes, 3 * sizeof(std::uint64_t), memoryLimit, "delta set: classes of lengths");
  std::vector<std::uint64_t> top(classes, kOpen);
  std::vector<std::uint64_t> bottom(classes, 0);
  std::vector<std::uint64_t> reached{0};
  top[0] = 0;
  Margins margins;
  for (std::size_t at = 0; at < reached.size(); ++at) {
    const std::uint64_t from = reached[at];
    margins.top = std::max(margins.top, top[from]);
    margins.bottom = std::max(margins.bottom, bottom[from]);
    for (std::size_t j = 1; j + 1 < generators.size(); ++j) {
      const std::uint64_t up = generators[j] - generators.front();
      const std::uint64_t to = (from + up / delta) % classes;
      if (top[to] != kOpen) continue;
      top[to] = top[from] + up;
      bottom[to] = bottom[from] + (generators.back() - generators[j]);
      reached.push_back(to);
    }
  }
  return margins;
}

}  // namespace

std::uint64_t NumericalSemigroup::deltaSetBound() const {
  if (generators_.size() < 2) return 0;
  using Wide = unsigned __int128;
  const std::uint64_t delta = commonDifference(generators_);
  const Margins margins = marginsOf(generators_, delta, memoryLimit_);
  const Wide low = generators_.front();
  const Wide high = generators_.back();
  const Wide top = margins.top + low * (margins.top / (generators_[1] - generators_[0]) + 1);
  const Wide bottom = high * (margins.bottom / (high - generators_[generators_.size() - 2]) + 1);
  if (high >= (Wide{1} << 40) || margins.top >= (std::uint64_t{1} << 60))
    throw LimitError("delta set: its bound is too large for generators beyond 2^40");
  const Wide middle =
      (Wide{2} * delta * low * high + margins.top * high + margins.bottom * low) / (high - low) + 1;
  const Wide bound = std::max({top, bottom, middle}) + high;
  if (bound > std::numeric_limits<std::uint32_t>::max())
    throw LimitError("delta set: length sets of too many elements would be needed");
  return static_cast<std::uint64_t>(bound);
}

std::vector<std::uint64_t> NumericalSemigroup::deltaSet() const {
  std::set<std::uint64_t> gaps;
  const std::uint64_t bound = deltaSetBound();
  if (bound == 0) return {};
  forLengthSets(generators_, bound - 1, memoryLimit_, [&](std::uint64_t, const LengthSet& lengths) {
    lengths.forGaps([&](std::uint64_t gap) { gaps.insert(gap); });
  });
  return {gaps.begin(), gaps.end()};
}

}  // namespace slicepool::invariants
