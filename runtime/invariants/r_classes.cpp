// See r_classes.hpp.
#include "runtime/invariants/r_classes.hpp"

#include <algorithm>

#include "runtime/invariants/tables.hpp"

namespace slicepool::invariants {

std::vector<std::vector<std::size_t>> rClassesOf(const NumericalSemigroup& semigroup,
                                                 const std::vector<std::uint64_t>& generators,
                                                 std::uint64_t n) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < generators.size(); ++i)
    if (generators[i] <= n && semigroup.contains(n - generators[i])) open.push_back(i);
  std::vector<std::vector<std::size_t>> classes;
  while (!open.empty()) {
    std::vector<std::size_t> found{open.back()};
    open.pop_back();
    for (std::size_t at = 0; at < found.size(); ++at) {
      const std::uint64_t rest = n - generators[found[at]];
      const auto joined = std::stable_partition(open.begin(), open.end(), [&](std::size_t i) {
        return generators[i] > rest || !semigroup.contains(rest - generators[i]);
      });
      found.insert(found.end(), joined, open.end());
      open.erase(joined, open.end());
    }
    std::sort(found.begin(), found.end());
    classes.push_back(std::move(found));
  }
  std::sort(classes.begin(), classes.end());
  return classes;
}

Factorization shortestOf(const std::vector<std::uint64_t>& generators,
                         const std::vector<std::uint32_t>& least, std::uint64_t n,
                         const std::vector<std::size_t>& members) {
  const std::size_t first = *std::min_element(
      members.begin(), members.end(),
      [&](std::size_t i, std::size_t j) { return least[n - generators[i]] < least[n - generators[j]]; });
  Factorization factorization = traced(generators, least, n - generators[first]);
  ++factorization[first];
  return factorization;
}

}  // namespace slicepool::invariants
