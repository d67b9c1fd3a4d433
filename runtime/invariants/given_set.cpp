// A set of factorizations that is given as a list: its R-classes, and invariantsOfSet().
#include <algorithm>

#include "runtime/invariants/forest.hpp"
#include "runtime/invariants/set_degrees.hpp"
#include "slicepool/invariants/enumeration.hpp"

namespace slicepool::invariants {
std::vector<std::uint32_t> firstOfRClasses(const RowSet& set) {
  Forest forest(set.size());
  for (std::uint32_t i = 0; i < set.dimension(); ++i) {
    std::uint32_t first = set.size();
    for (std::uint32_t row = 0; row < set.size(); ++row) {
      if (set.at(row, i) == 0) continue;
      if (first == set.size())
        first = row;
      else
        (void)forest.join(first, row);
    }
  }
  std::vector<bool> seen(set.size(), false);
  std::vector<std::uint32_t> firsts;
  for (std::uint32_t row = 0; row < set.size(); ++row) {
    const std::uint32_t root = forest.root(row);
    if (!seen[root]) firsts.push_back(row);
    seen[root] = true;
  }
  return firsts;
}

SetInvariants invariantsOfSet(const std::vector<Factorization>& rows) {
  const RowSet set(rows);
  const SetDegrees degrees(set, std::nullopt, advanceHere);
  const auto degreeOf = [&](const RowPair& pair) {
    return DegreeOfSet{pair.value, set.row(pair.left), set.row(pair.right)};
  };
  SetInvariants found;
  found.catenary = degreeOf(degrees.catenary());
  found.equalCatenary = degreeOf(degrees.equalCatenary());
  found.adjacentCatenary = degreeOf(degrees.adjacentCatenary());
  found.monotoneCatenary = found.equalCatenary.value >= found.adjacentCatenary.value ? found.equalCatenary
                                                                                     : found.adjacentCatenary;
  found.tame = degreeOf(degrees.tame());
  found.rClasses = firstOfRClasses(set).size();
  return found;
}

}  // namespace slicepool::invariants
