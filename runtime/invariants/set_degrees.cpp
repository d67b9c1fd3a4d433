// Implementation of set_degrees.hpp, and of what its searches have in common.
#include "runtime/invariants/set_degrees.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "runtime/invariants/set_search.hpp"

namespace slicepool::invariants {

Classes oneClass(const RowSet& set) {
  Classes classes{std::vector<std::uint32_t>(set.size()), {0, set.size()}};
  std::iota(classes.order.begin(), classes.order.end(), 0U);
  return classes;
}

Classes classesByLength(const RowSet& set) {
  Classes classes = oneClass(set);
  const auto& lengths = set.lengths();
  std::stable_sort(classes.order.begin(), classes.order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return lengths[a] < lengths[b]; });
  classes.bounds = {0};
  for (std::uint32_t at = 1; at < set.size(); ++at)
    if (lengths[classes.order[at]] != lengths[classes.order[at - 1]]) classes.bounds.push_back(at);
  classes.bounds.push_back(set.size());
  return classes;
}

SetDegrees::SetDegrees(const RowSet& set, std::optional<WholeSet> whole, RunProblem run)
    : search_(std::make_unique<SetSearch>(set, std::move(whole), std::move(run))) {}
SetDegrees::~SetDegrees() = default;
RowPair SetDegrees::catenary() const { return chainDegree(*search_, false); }
RowPair SetDegrees::equalCatenary() const { return chainDegree(*search_, true); }
RowPair SetDegrees::adjacentCatenary() const { return adjacentDegree(*search_); }
RowPair SetDegrees::tame() const { return tameDegreeOf(*search_); }

}  // namespace slicepool::invariants
