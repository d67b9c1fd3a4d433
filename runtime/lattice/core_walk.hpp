// A search on the calling thread, by the walk of the CPU workers, and whether it is one for a single core.
// Used by core_task.hpp, one_lattice.cpp, one_target.cpp and exact_search.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu_workers/lattice/search.hpp"
#include "slicepool/lattice/squared_radius.hpp"

namespace slicepool::lattice {

/// Nodes between two questions whether to stop.
inline constexpr std::uint64_t kTurnNodes = 1U << 18;
/// Nodes that are walked one by one before many are searched at a time: choosing these takes as long as some
/// thousand nodes.
inline constexpr std::uint64_t kWalkedNodes = 1U << 10;

/// What the last row of a search is.
enum class LastRow : std::uint8_t {
  vector,  ///< a basis vector
  target   ///< a target, whose coefficient stays 1
};

/// expectedSteps() of a search. `shrinking`: the radius is where one for a shortest or closest vector begins.
/// O(d).
[[nodiscard]] double expectedNodes(const SearchView& view, LastRow last, bool shrinking);

/// Whether more than `most` are expected. O(d); of up to 45 rows and kNodesOfCore nodes nothing.
[[nodiscard]] bool isTooLarge(const SearchView& view, LastRow last, bool shrinking, double most);

/// Nodes of a search for the closest vector of a target anywhere, or for all vectors within a radius of it,
/// in a lattice with these r_i, on average. O(d).
[[nodiscard]] double expectedNodesOfTarget(std::vector<double> norms,
                                           const SquaredRadius& squaredRadius = {});

/// What take() returns where it wants no more: that is complete, too.
inline constexpr double kEnough = -1;

/// take(search) for each vector within the radius that it returned last; nodes are added to `nodes`, but for
/// that of a target. False where stop() has ended it, which is asked every few milliseconds.
template <class Stop, class Take>
bool walkOnCore(const SearchView& view, LastRow last, const Stop& stop, std::uint64_t& nodes,
                const Take& take) {
  FastSearch& search = FastSearch::ofThread(FastSearch::newNumber(), view, latticeKernels());
  search.walkFirst(kWalkedNodes);
  const int top = view.dimension - 1;
  const Choice first{static_cast<std::int16_t>(last == LastRow::target ? 1 : 0), Choice::kUpwards};
  search.load(&first, top, last == LastRow::target ? top - 1 : top, view.squaredRadius);
  bool complete = false;
  while (!complete && !stop()) {
    std::uint64_t left = kTurnNodes;
    for (;;) {
      const LatticeStop reason = search.run(left);
      complete = reason == LatticeStop::exhausted;
      if (reason != LatticeStop::vector) break;
      const double radius = take(search);
      complete = radius == kEnough;
      if (complete) break;
      search.setRadius(radius);
      search.accept();
    }
  }
  for (int k = 0; k < (last == LastRow::target ? top : view.dimension); ++k) nodes += search.nodes(k);
  return complete;
}

}  // namespace slicepool::lattice
