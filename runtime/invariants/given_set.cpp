// invariantsOfSet(): a set of factorizations that is given as a list.
#include <algorithm>

#include "runtime/invariants/forest.hpp"
#include "runtime/invariants/set_degrees.hpp"
#include "slicepool/invariants/enumeration.hpp"

namespace slicepool::invariants {
namespace {

/// Components of the rows, where two are joined that have a coordinate in common that is not 0.
std::uint64_t rClassesIn(const RowSet& set) {
  Forest forest(set.size());
  std::uint64_t classes = set.size();
  for (std::uint32_t i = 0; i < set.dimension(); ++i) {
    std::uint32_t first = set.size();
    for (std::uint32_t row = 0; row < set.size(); ++row) {
      if (set.at(row, i) == 0) continue;
      if (first == set.size())
        first = row;
      else if (forest.join(first, row))
        --classes;
    }
  }
  return classes;
}

}  // namespace

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
  found.rClasses = rClassesIn(set);
  return found;
}

}  // namespace slicepool::invariants
