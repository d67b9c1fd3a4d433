// Lattice enumeration by a warp: all lanes work on open nodes of one depth at a time, each on one of its own,
// so that no lane waits for another and the column of mu for the next centre is the same for all. Steps,
// nodes and results are those of Search (search.hpp); tests compare the two. Driven by warp_turn.hpp.
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
#include "slicepool/lattice/steps/search.hpp"
#include "slicepool/lattice/steps/warp_lists.hpp"

namespace slicepool::lattice {

/// What follows from the path of a slice; kept beside slices that the same device wrote, because computing it
/// takes d^2 operations. A centre that is not a number: unknown.
struct PathState {
  double norm;
  double centre;
};

/// Centres of all levels of a slice's path: centres[k] for level k. All lanes call.
template <class Lanes, class Slice>
SLICEPOOL_HD inline void findCentres(const SearchView& view, const Slice& slice, double* centres) {
  const int d = view.dimension;
  Lanes::sync();
  Lanes::all([&](int lane, int) {
    for (int k = slice.level + lane; k < d; k += kLanes) {
      double sum = 0;
      SLICEPOOL_NO_UNROLL
      for (int j = d - 1; j > k; --j)
        sum -= slice.path[d - 1 - j].coefficient * view.rows[j * view.stride + k];
      centres[k] = sum;
    }
  });
  Lanes::sync();
}

/// kCapacity: capacityOf(d); kBits: what every coefficient fits, with one sign.
template <class LanesType, int kCapacity, int kBits>
class WarpSearch {
 public:
  using Lanes = LanesType;
  using Lists = WarpLists<kBits>;
  using Pack = Packing<kBits>;
  using Plain = Search<kCapacity>;
  using Slice = typename Plain::Slice;
  template <class T>
  using Per = typename Lanes::template Per<T>;

  /// Elements of the table, and the parts that fillTable fills.
  SLICEPOOL_HD static std::size_t tableSize(int dimension) { return packedColumns<kBits>(dimension); }
  SLICEPOOL_INLINE static int tableParts(int dimension) { return dimension; }
  SLICEPOOL_INLINE static void fillTable(const SearchView& view, int part, int first, int step,
                                         double* packed) {
    if (part != 0) packColumn<kBits>(view, part, first, step, packed);
  }

  /// `packed`: filled by fillTable. Empty lists.
  SLICEPOOL_INLINE WarpSearch(const SearchView& searchView, const double* packed, const Lists& warpLists)
      : view(searchView), columns(packed), lists(warpLists) {
    full.clear();
    some.clear();
    Lanes::all([&](int lane, int) {
      for (int q = lane; q < view.dimension; q += kLanes) lists.count[q] = lists.nodes[q] = 0;
      for (int i = lane; i < view.dimension * kPlaces; i += kLanes)
        lists.order[i] = static_cast<std::uint8_t>(i % kPlaces);
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
      push(slice, last - slice.level, pendingChoice(slice), known);
      return;
    }
    findCentres<Lanes>(view, slice, lists.scratch());
    double norm = 0;
    for (int k = last; k >= slice.level; --k) {
      const PathState state{norm, lists.scratch()[k]};
      const Choice taken = slice.path[last - k];
      if (k == slice.level)
        push(slice, last - k, pendingChoice(slice), state);
      else if (k <= slice.top)
        push(slice, last - k, taken.next(), state);
      norm = Plain::extend(view, norm, taken.coefficient, state.centre, k);
    }
  }

  /// Writes all entries as slices; `total` of them.
  SLICEPOOL_HD void give(Slice* slices, PathState* states) const {
    std::uint32_t at = 0;
    for (int depth = 0; depth < view.dimension; ++depth) {
      const std::uint32_t count = lists.count[depth];
      for (std::uint32_t i = 0; i < count; ++i, ++at)
        giveOne(depth, lists.order[depth * kPlaces + static_cast<int>(i)], slices[at], states[at]);
    }
  }

  SearchView view;
  const double* columns;
  Lists lists;
  double squaredRadius = 0;  ///< read by every step; may be lowered between steps
  std::uint32_t total = 0;   ///< entries
  DepthSet<kCapacity> full;  ///< depths with 32 entries or more
  DepthSet<kCapacity> some;  ///< depths with entries

 private:
  static constexpr int kFours = (kCapacity + Pack::kPerFour - 1) / Pack::kPerFour;

  /// The next choice of a slice as that of an entry.
  SLICEPOOL_INLINE Choice pendingChoice(const Slice& slice) const {
    Choice choice = slice.path[view.dimension - 1 - slice.level];
    if (slice.top < slice.level) choice.step = kNoSiblings;
    return choice;
  }
  SLICEPOOL_INLINE double bound(int level) const { return view.pruning[level] * squaredRadius; }
  SLICEPOOL_INLINE static double extend(double above, int coefficient, double centre, double norm) {
    const double distance = exactDouble(coefficient) - centre;
    return above + distance * distance * norm;
  }
  SLICEPOOL_INLINE void setCount(int depth, int count) {
    full.put(depth, count >= kLanes);
    some.put(depth, count > 0);
  }

  /// What the lanes of a step hold of the entries that they popped.
  struct Popped {
    int first = 0;  ///< in the order of the depth
    int count = 0;
    Per<int> place;
    Per<Choice> next;
    Per<bool> accepted;
    Per<bool> stays;
  };

  /// Tests the choice of a lane's entry and moves on to its sibling. Returns the squared norm of the node.
  SLICEPOOL_INLINE double test(int depth, Popped& popped, int lane, int held, Choice& choice, double bound,
                               double norm) const {
    const bool active = lane < popped.count;
    const int place = popped.place[held];
    const double above = lists.norms(depth)[place];
    const double centre = lists.centres(depth)[place];
    choice = lists.choices(depth)[place];
    const double own = extend(above, choice.coefficient, centre, norm);
    const Choice next = choice.next();
    popped.next[held] = next;
    popped.accepted[held] = active && own <= bound;
    popped.stays[held] = popped.accepted[held] && choice.step != kNoSiblings &&
                         extend(above, next.coefficient, centre, norm) <= bound;
    return own;
  }

  /// Where a lane's entry lies; lanes without one look at the first.
  SLICEPOOL_INLINE void find(int depth, Popped& popped, int lane, int held) const {
    popped.place[held] = lists.order[depth * kPlaces + popped.first + (lane < popped.count ? lane : 0)];
  }

  SLICEPOOL_INLINE Popped pop(int depth) const {
    Popped popped;
    const int count = static_cast<int>(lists.count[depth]);
    popped.count = count < kLanes ? count : kLanes;
    popped.first = count - popped.count;
    return popped;
  }

  /// Entries that stay come first in the order of those that were popped; returns how many stay.
  SLICEPOOL_INLINE int putBack(int depth, const Popped& popped) const {
    const std::uint32_t staying = Lanes::ballot(popped.stays);
    const int count = bitCount32(staying);
    Lanes::sync();
    Lanes::all([&](int lane, int held) {
      if (lane >= popped.count) return;
      const int before = bitCount32(staying & ((1U << lane) - 1U));
      const int rank = popped.stays[held] ? before : count + lane - before;
      lists.order[depth * kPlaces + popped.first + rank] = static_cast<std::uint8_t>(popped.place[held]);
      if (popped.stays[held]) lists.choices(depth)[popped.place[held]] = popped.next[held];
    });
    return count;
  }

  struct Path {
    FourWords four[kFours];
  };

  /// The path of an entry. Read before anything is computed from the entry: its parts are far apart in
  /// memory, and waiting for one after the other was three quarters of the time.
  SLICEPOOL_INLINE void loadPath(int depth, int place, Path& path) const {
    const FourWords* const from = lists.fours(depth) + place;
    const int held = Pack::foursOf(depth);
    SLICEPOOL_UNROLL
    for (int v = 0; v < kFours; ++v) {
      path.four[v] = FourWords{{Pack::kZeros, Pack::kZeros, Pack::kZeros, Pack::kZeros}};
      if (v < held) path.four[v] = from[v * kPlaces];
    }
  }

  /// Adds a choice to the path of an entry; returns the centre below.
  SLICEPOOL_INLINE double extendPath(int depth, int coefficient, Path& path) const {
    const int below = depth + 1;
    const double* const column = columns + Pack::kPerFour * Pack::foursBelow(below);
    const int wanted = Pack::foursOf(below);
    double even = 0;
    double odd = 0;
    SLICEPOOL_UNROLL
    for (int v = 0; v < kFours; ++v) {
      if (v >= wanted) continue;
      if (v == wanted - 1) Pack::insert(path.four[v], depth % Pack::kPerFour, coefficient);
      SLICEPOOL_UNROLL
      for (int w = 0; w < 4; ++w) {
        const int at = v * Pack::kPerFour + w * Pack::kPerWord;
        if (at >= below) continue;
        const std::uint32_t word = path.four[v].word[w];
        even += Pack::template unpack<0>(word) * column[at];
        odd += Pack::template unpack<1>(word) * column[at + 1];
        if constexpr (Pack::kPerWord == 4) {
          even += Pack::template unpack<2>(word) * column[at + 2];
          odd += Pack::template unpack<3>(word) * column[at + 3];
        }
      }
    }
    return 0.0 - (even + odd);
  }

  /// A step above level 0.
  SLICEPOOL_INLINE void branch(int depth) {
    const int level = view.dimension - 1 - depth;
    const int below = depth + 1;
    const double ownBound = bound(level);
    const double ownNorm = view.norms[level];
    const double childBound = bound(level - 1);
    const double childNorm = view.norms[level - 1];
    Popped popped = pop(depth);
    const int there = static_cast<int>(lists.count[below]);
    Per<Path> path;
    Per<double> norm;
    Per<double> centre;
    Per<Choice> child;
    Per<bool> pushes;
    Lanes::all([&](int lane, int held) {
      Choice choice{};
      find(depth, popped, lane, held);
      loadPath(depth, popped.place[held], path[held]);
      norm[held] = test(depth, popped, lane, held, choice, ownBound, ownNorm);
      centre[held] = extendPath(depth, choice.coefficient, path[held]);
      // Only the zero path has the norm 0.
      child[held] = norm[held] == 0 ? Choice{0, Choice::kUpwards} : nearestChoice(centre[held]);
      pushes[held] = popped.accepted[held] &&
                     extend(norm[held], child[held].coefficient, centre[held], childNorm) <= childBound;
    });
    const int accepted = bitCount32(Lanes::ballot(popped.accepted));
    const int staying = putBack(depth, popped);
    const std::uint32_t pushing = Lanes::ballot(pushes);
    const int pushed = bitCount32(pushing);
    Lanes::all([&](int lane, int held) {
      if (lane == 0) {
        lists.nodes[depth] += static_cast<std::uint32_t>(accepted);
        lists.count[depth] = static_cast<std::uint32_t>(popped.first + staying);
        lists.count[below] = static_cast<std::uint32_t>(there + pushed);
      }
      if (!pushes[held]) return;
      const int rank = bitCount32(pushing & ((1U << lane) - 1U));
      const int place = lists.order[below * kPlaces + there + rank];
      lists.norms(below)[place] = norm[held];
      lists.centres(below)[place] = centre[held];
      lists.choices(below)[place] = child[held];
      FourWords* const to = lists.fours(below) + place;
      const int wanted = Pack::foursOf(below);
      SLICEPOOL_UNROLL
      for (int v = 0; v < kFours; ++v)
        if (v < wanted) to[v * kPlaces] = path[held].four[v];
    });
    setCount(depth, popped.first + staying);
    setCount(below, there + pushed);
    total += static_cast<std::uint32_t>(pushed + staying - popped.count);
    Lanes::sync();
  }

  /// A step at level 0: vectors.
  template <class Emit>
  SLICEPOOL_INLINE bool leaves(int depth, Emit& emit) {
    const double ownBound = bound(0);
    const double ownNorm = view.norms[0];
    Popped popped = pop(depth);
    Per<bool> refused;
    Lanes::all([&](int lane, int held) {
      Choice choice{};
      find(depth, popped, lane, held);
      const double norm = test(depth, popped, lane, held, choice, ownBound, ownNorm);
      refused[held] = popped.accepted[held] && norm > 0 &&
                      !emitVector(lists, popped.place[held], choice.coefficient, norm, emit);
      if (refused[held]) {
        popped.accepted[held] = false;
        popped.stays[held] = true;
        popped.next[held] = choice;
      }
    });
    const int accepted = bitCount32(Lanes::ballot(popped.accepted));
    const int staying = putBack(depth, popped);
    Lanes::all([&](int lane, int) {
      if (lane != 0) return;
      lists.nodes[depth] += static_cast<std::uint32_t>(accepted);
      lists.count[depth] = static_cast<std::uint32_t>(popped.first + staying);
    });
    setCount(depth, popped.first + staying);
    total -= static_cast<std::uint32_t>(popped.count - staying);
    Lanes::sync();
    return Lanes::ballot(refused) == 0;
  }

  template <class Emit>
  SLICEPOOL_HD static bool emitVector(const Lists& lists, int place, int lowest, double norm, Emit& emit) {
    const int last = lists.dimension - 1;
    ShortVector<kCapacity> found{};
    found.squaredNorm = norm;
    found.coefficients[0] = static_cast<std::int16_t>(lowest);
    SLICEPOOL_NO_UNROLL
    for (int k = 1; k <= last; ++k)
      found.coefficients[k] = static_cast<std::int16_t>(Pack::load(lists.coefficient(last, place, last - k)));
    return emit(found);
  }

  /// Adds an entry with the path of a slice down to `depth`, unless its choice is beyond the bound.
  SLICEPOOL_HD void push(const Slice& slice, int depth, Choice choice, const PathState& state) {
    const int level = view.dimension - 1 - depth;
    if (!(extend(state.norm, choice.coefficient, state.centre, view.norms[level]) <= bound(level))) return;
    const int count = static_cast<int>(lists.count[depth]);
    const int place = lists.order[depth * kPlaces + count];
    Lanes::all([&](int lane, int) {
      for (int i = lane; i < Pack::kPerFour * Pack::foursOf(depth); i += kLanes)
        lists.coefficient(depth, place, i) = Pack::store(i < depth ? slice.path[i].coefficient : 0);
      if (lane != 0) return;
      lists.norms(depth)[place] = state.norm;
      lists.centres(depth)[place] = state.centre;
      lists.choices(depth)[place] = choice;
    });
    Lanes::sync();
    Lanes::all([&](int lane, int) {
      if (lane == 0) lists.count[depth] = static_cast<std::uint32_t>(count + 1);
    });
    Lanes::sync();
    setCount(depth, count + 1);
    ++total;
  }

  SLICEPOOL_HD void giveOne(int depth, int place, Slice& slice, PathState& state) const {
    const double norm = lists.norms(depth)[place];
    Choice choice = lists.choices(depth)[place];
    const bool alone = choice.step == kNoSiblings;
    if (alone) choice.step = norm == 0 ? Choice::kUpwards : std::int16_t{1};
    bool zeroAbove = true;
    for (int from = 0; from < depth; from += kLanes) {
      Per<int> coefficient;
      Per<bool> other;
      Lanes::all([&](int lane, int held) {
        const int i = from + lane;
        coefficient[held] = i < depth ? Pack::load(lists.coefficient(depth, place, i)) : 0;
        other[held] = coefficient[held] != 0;
      });
      const std::uint32_t others = Lanes::ballot(other);
      Lanes::all([&](int lane, int held) {
        if (from + lane >= depth) return;
        const bool upwards = zeroAbove && (others & ((1U << lane) - 1U)) == 0;
        slice.path[from + lane] = {static_cast<std::int16_t>(coefficient[held]),
                                   upwards ? Choice::kUpwards : std::int16_t{1}};
      });
      zeroAbove = zeroAbove && others == 0;
    }
    Lanes::all([&](int lane, int) {
      if (lane != 0) return;
      const int level = view.dimension - 1 - depth;
      slice.level = static_cast<std::int16_t>(level);
      slice.top = static_cast<std::int16_t>(alone ? level - 1 : level);
      slice.dimension = static_cast<std::int16_t>(view.dimension);
      slice.unused = 0;
      slice.path[depth] = choice;
      state = {norm, lists.centres(depth)[place]};
    });
  }
};

}  // namespace slicepool::lattice
