// See invariants.hpp.
#include "runtime/factorizations/invariants.hpp"

#include <cstddef>
#include <numeric>
#include <set>

namespace slicepool::factorizations {

std::vector<std::uint64_t> deltaSet(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& lengths) {
  std::set<std::uint64_t> gaps;
  for (std::size_t i = 1; i < lengths.size(); ++i) gaps.insert(lengths[i].first - lengths[i - 1].first);
  return {gaps.begin(), gaps.end()};
}

std::pair<std::uint64_t, std::uint64_t> elasticity(std::uint64_t shortest, std::uint64_t longest) {
  if (shortest == 0) return {1, 1};  // only the zero element has a factorization of length 0, and no other
  const std::uint64_t divisor = std::gcd(shortest, longest);
  return {longest / divisor, shortest / divisor};
}

}  // namespace slicepool::factorizations
