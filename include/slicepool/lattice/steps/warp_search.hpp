// Lattice enumeration by a warp: all lanes work on open nodes of one depth at a time, each on one of its own,
// so that no lane waits for another and the column of mu for the next centre is the same for all. Steps,
// nodes and results are those of Search (search.hpp). Driven by warp_shortest.hpp, for lattices so small that
// a warp has one of its own. team_search.hpp is for large ones.
//
// Depth q holds entries with q accepted coefficients (warp_lists.hpp). One step pops up to 32 entries of a
// depth; each lane tests the choice of its entry, moves it on to the next sibling, which it tests as well,
// and computes the centre of the child. An entry without a further sibling goes, and a child whose first
// choice is within its bound becomes an entry one depth below. So all that lies in the lists is known to be a
// node, unless the radius shrinks meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/lattice/steps/held_path.hpp"
#include "slicepool/lattice/steps/search.hpp"
#include "slicepool/lattice/steps/warp_frontier.hpp"
#include "slicepool/lattice/steps/warp_lists.hpp"
#include "slicepool/lattice/steps/warp_paths.hpp"

namespace slicepool::lattice {

/// kCapacity: capacityOf(d); LayoutType: a PathLayout that every path fits. The last
/// coefficient of a vector is never part of a path.
template <class LanesType, int kCapacity, class LayoutType>
class WarpSearch {
 public:
  using Lanes = LanesType;
  using Lists = WarpLists<LayoutType>;
  using Frontier = WarpFrontier<Lanes, Lists, kCapacity>;
  using Plain = Search<kCapacity>;
  using Slice = typename Plain::Slice;
  template <class T>
  using Per = typename Lanes::template Per<T>;

  /// `packed`: the columns of mu (packColumn). Empty lists.
  SLICEPOOL_INLINE WarpSearch(const SearchView& searchView, const double* packed, const Lists& warpLists)
      : view(searchView), columns(packed), frontier(warpLists, searchView.dimension) {
    Lanes::all([&](int lane, int) {
      for (int q = lane; q < view.dimension; q += kWarpSize) lists().nodes[q] = 0;
    });
    Lanes::sync();
  }

  /// One step at `depth`, which is not empty and below which there is room for 32 entries. False if a vector
  /// was refused; its entry is as it was.
  template <class Emit>
  SLICEPOOL_INLINE bool step(int depth, Emit& emit) {
    if (depth == view.dimension - 1) return leaves(depth, emit);
    branch(depth);
    return true;
  }

  /// Makes entries of what is left of a slice: one for each depth with siblings. Room for one at each depth.
  SLICEPOOL_HD void take(const Slice& slice, const PathState& known) {
    if (slice.level == Slice::kNothing) return;
    const int last = view.dimension - 1;
    if (slice.top <= slice.level && known.centre == known.centre) {
      push(slice, last - slice.level, pendingChoice(view, slice), known);
      return;
    }
    findCentres<Lanes>(view, slice, lists().scratch());
    forEachEntry(view, slice, lists().scratch(), [&](int depth, Choice choice, const PathState& state) {
      push(slice, depth, choice, state);
    });
  }

  [[nodiscard]] SLICEPOOL_INLINE const Lists& lists() const { return frontier.lists; }

  SearchView view;
  const double* columns;
  Frontier frontier;         ///< a list for each depth
  double squaredRadius = 0;  ///< read by every step; may be lowered between steps

 private:
  SLICEPOOL_INLINE double bound(int level) const { return view.pruning[level] * squaredRadius; }

  /// What the lanes of a step hold of the entries that they popped.
  struct Popped : Frontier::Popped {
    Per<Choice> next;
    Per<bool> accepted;
    Per<bool> stays;
  };

  /// Tests the choice of a lane's entry and moves on to its sibling. Returns the squared norm of the node.
  SLICEPOOL_INLINE double test(int depth, Popped& popped, int lane, int held, Choice& choice, double bound,
                               double norm) const {
    const bool active = lane < popped.count;
    const int place = popped.place[held];
    const double above = lists().norms(depth)[place];
    const double centre = lists().centres(depth)[place];
    choice = lists().choices(depth)[place];
    const double own = extendedNorm(above, choice.coefficient, centre, norm);
    const Choice next = choice.next();
    popped.next[held] = next;
    popped.accepted[held] = active && own <= bound;
    popped.stays[held] = popped.accepted[held] && choice.step != kNoSiblings &&
                         extendedNorm(above, next.coefficient, centre, norm) <= bound;
    return own;
  }

  /// Entries that stay move on to their siblings. Returns how many stay.
  SLICEPOOL_INLINE int putBack(int depth, const Popped& popped) const {
    return frontier.putBack(
        depth, popped, popped.stays,
        [&](int held) { lists().choices(depth)[popped.place[held]] = popped.next[held]; });
  }

  /// A step above level 0.
  SLICEPOOL_INLINE void branch(int depth) {
    const int level = view.dimension - 1 - depth;
    const int below = depth + 1;
    const double ownBound = bound(level);
    const double ownNorm = view.norms[level];
    const double childBound = bound(level - 1);
    const double childNorm = view.norms[level - 1];
    Popped popped;
    frontier.pop(depth, kWarpSize, popped);
    const int there = frontier.count(below);
    Per<HeldPath<LayoutType::mostFours(kCapacity), LayoutType>> path;
    Per<double> norm;
    Per<double> centre;
    Per<Choice> child;
    Per<bool> pushes;
    Lanes::all([&](int lane, int held) {
      Choice choice{};
      frontier.find(depth, popped, lane, held);
      path[held].read(lists().layout, depth, lists().fours(depth) + popped.place[held], kPlaces);
      norm[held] = test(depth, popped, lane, held, choice, ownBound, ownNorm);
      centre[held] = path[held].extend(lists().layout, depth, choice.coefficient, columns);
      child[held] = firstChoice(norm[held], centre[held]);
      pushes[held] = popped.accepted[held] &&
                     extendedNorm(norm[held], child[held].coefficient, centre[held], childNorm) <= childBound;
    });
    const int accepted = bitCount32(Lanes::ballot(popped.accepted));
    const int staying = putBack(depth, popped);
    const std::uint32_t pushing = Lanes::ballot(pushes);
    const int pushed = bitCount32(pushing);
    frontier.setCount(depth, popped.first + staying);
    frontier.setCount(below, there + pushed);
    frontier.total += static_cast<std::uint32_t>(pushed + staying - popped.count);
    Lanes::all([&](int lane, int held) {
      if (lane == 0) lists().nodes[depth] += static_cast<std::uint32_t>(accepted);
      if (!pushes[held]) return;
      const int place = frontier.place(below, there + bitsBelow(pushing, lane));
      lists().norms(below)[place] = norm[held];
      lists().centres(below)[place] = centre[held];
      lists().choices(below)[place] = child[held];
      path[held].write(0, lists().layout.foursOf(below), lists().fours(below) + place, kPlaces);
    });
    Lanes::sync();
  }

  /// A step at level 0: vectors.
  template <class Emit>
  SLICEPOOL_INLINE bool leaves(int depth, Emit& emit) {
    const double ownBound = bound(0);
    const double ownNorm = view.norms[0];
    Popped popped;
    frontier.pop(depth, kWarpSize, popped);
    Per<bool> refused;
    Lanes::all([&](int lane, int held) {
      Choice choice{};
      frontier.find(depth, popped, lane, held);
      const double norm = test(depth, popped, lane, held, choice, ownBound, ownNorm);
      refused[held] = popped.accepted[held] && norm > 0 &&
                      !emitVector<kCapacity>(
                          view, [&](int i) { return lists().coefficient(depth, popped.place[held], i); },
                          choice.coefficient, norm, emit);
      if (refused[held]) {
        popped.accepted[held] = false;
        popped.stays[held] = true;
        popped.next[held] = choice;
      }
    });
    const int accepted = bitCount32(Lanes::ballot(popped.accepted));
    const int staying = putBack(depth, popped);
    Lanes::all([&](int lane, int) {
      if (lane == 0) lists().nodes[depth] += static_cast<std::uint32_t>(accepted);
    });
    frontier.setCount(depth, popped.first + staying);
    frontier.total -= static_cast<std::uint32_t>(popped.count - staying);
    Lanes::sync();
    return Lanes::ballot(refused) == 0;
  }

  /// Adds an entry with the path of a slice down to `depth`, unless its choice is beyond the bound.
  SLICEPOOL_HD void push(const Slice& slice, int depth, Choice choice, const PathState& state) {
    const int level = view.dimension - 1 - depth;
    if (!(extendedNorm(state.norm, choice.coefficient, state.centre, view.norms[level]) <= bound(level)))
      return;
    frontier.push(depth, [&](int lane, int place) {
      const int words = 4 * lists().layout.foursOf(depth);
      for (int w = lane; w < words; w += kWarpSize)
        lists().setWord(depth, place, w / 4, w % 4, lists().layout.wordOf(w / 4, w % 4, [&](int i) {
          return i < depth ? slice.path[i].coefficient : 0;
        }));
      if (lane != 0) return;
      lists().norms(depth)[place] = state.norm;
      lists().centres(depth)[place] = state.centre;
      lists().choices(depth)[place] = choice;
    });
  }
};

}  // namespace slicepool::lattice
