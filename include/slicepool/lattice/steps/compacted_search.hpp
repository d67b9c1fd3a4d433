// Lattice enumeration by a warp over the compacted tree (S. Pohmann, M. Stevens, J. Zumbraegel, "Lattice
// Enumeration on GPUs for fplll", eprint 2021/430): kNodeLevels levels of the tree make one
// stored level, all lanes work on nodes of one stored level, and each lane runs a small recursion over the
// levels below its node that pauses and is resumed from what is stored with the node. Nodes and vectors are
// those of Search (search.hpp); tests compare the two. Driven by compacted_turn.hpp.
//
// Flow control. A list has room for `places` entries. step() is told how many children there is room for,
// takes no more nodes than that, and makes another pass of tests only while there is room for a child of
// every lane that is still at work; so it never makes more. That there is room in the list below is the
// caller's part: compacted_turn.hpp. Hosts check both. One file, because every pass of a step needs most of
// the lanes' state.
#pragma once

#include <cstddef>
#include <cstdint>
#if !SLICEPOOL_ON_DEVICE
#include <stdexcept>
#endif

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/lattice/steps/compacted_lists.hpp"
#include "slicepool/lattice/steps/search.hpp"
#include "slicepool/lattice/steps/warp_frontier.hpp"
#include "slicepool/lattice/steps/warp_paths.hpp"

namespace slicepool::lattice {

/// kCapacity: capacityOf(d); kBits: 8 where every coefficient is at most PackedNode<8>::kMaximum, else 16.
template <class LanesType, int kCapacity, int kBits>
class CompactedSearch {
 public:
  using Lanes = LanesType;
  using Lists = CompactedLists<kBits>;
  using Frontier = WarpFrontier<Lanes, Lists, kMaximumStoredLevels>;
  using Pack = PackedNode<kBits>;
  using Plain = Search<kCapacity>;
  using Slice = typename Plain::Slice;
  template <class T>
  using Per = typename Lanes::template Per<T>;

  /// Passes of tests of one step: a lane pauses after that many at the latest.
  static constexpr int kMaximumTests = 64;

  /// Elements of the table, and the parts that fillTable fills. Of `lists` the dimension is read.
  SLICEPOOL_HD static std::size_t tableSize(const Lists& lists) {
    return CompactedTable::size(lists.dimension);
  }
  SLICEPOOL_INLINE static int tableParts(int dimension) { return storedLevels(dimension); }
  SLICEPOOL_INLINE static void fillTable(const Lists&, const SearchView& view, int part, int first, int step,
                                         double* filled) {
    CompactedTable::fill(view, part, first, step, filled);
  }

  /// `filled`: by fillTable. Empty lists.
  SLICEPOOL_INLINE CompactedSearch(const SearchView& searchView, const double* filled, const Lists& warpLists)
      : view(searchView), table(filled), frontier(warpLists, storedLevels(searchView.dimension)) {
    require(Lists::mayHave(lists().places));
    Lanes::all([&](int lane, int) {
      for (int q = lane; q < view.dimension; q += kWarpSize) lists().nodes[q] = 0;
      for (int s = lane; s < levels(); s += kWarpSize) lists().raw[s] = 0;
    });
    Lanes::sync();
  }

  [[nodiscard]] SLICEPOOL_INLINE const Lists& lists() const { return frontier.lists; }
  [[nodiscard]] SLICEPOOL_INLINE int levels() const { return storedLevels(view.dimension); }
  [[nodiscard]] SLICEPOOL_INLINE bool isLast(int stored) const { return stored == levels() - 1; }
  /// Children that the list below a stored level, which is not the last, has room for.
  [[nodiscard]] SLICEPOOL_INLINE int roomBelow(int stored) const {
    return lists().places - frontier.count(stored + 1);
  }

  /// Works on up to 32 nodes of a stored level that has some, and adds at most `room` (at least 1) children
  /// to the level below. False if a vector was refused; its node is as it was.
  template <class Emit>
  SLICEPOOL_INLINE bool step(int stored, int room, Emit& emit) {
    const Level level = levelOf(stored);
    Work work;
    frontier.pop(stored, level.last ? kWarpSize : room, work);
    require(work.count > 0);
    load(stored, level, work);
    const int there = level.last ? 0 : frontier.count(stored + 1);
    std::uint32_t refused = 0;
    int made = 0;
    int active = 0;
    int passes = 0;
    do {
      Per<bool> found;
      Lanes::all([&](int, int held) { found[held] = work.active[held] && test(level, work, held); });
      const std::uint32_t paths = Lanes::ballot(found);
      if (paths != 0 && level.last) refused = takeVectors(stored, level, work, found, emit);
      if (paths != 0 && !level.last) made += addChildren(stored, work, found, paths, there + made, made);
      active = bitCount32(Lanes::ballot(work.active));
      ++passes;
    } while (active != 0 && refused == 0 && passes < kMaximumTests && 2 * active > work.count &&
             (level.last || made + active <= room));
    turns += static_cast<std::uint32_t>(passes);
    const int staying = putBack(stored, work);
    const int kept = made == 0 ? 0 : prime(stored + 1, there, made, true);
    account(stored, level, work, work.first + staying, there + kept);
    frontier.total += static_cast<std::uint32_t>(kept + staying - work.count);
    Lanes::sync();
    return refused == 0;
  }

  /// Makes entries of what is left of a slice: one for each stored level with siblings at most, for which
  /// there is room. settle() follows, before the next step.
  SLICEPOOL_HD void take(const Slice& slice, const PathState& known) {
    if (slice.level == Slice::kNothing) return;
    const int last = view.dimension - 1;
    const int pending = last - slice.level;
    const int top = last - slice.top;
    const int deepest = pending / kNodeLevels;
    if (top >= kNodeLevels * deepest && known.centre == known.centre) {
      push(slice, deepest, known.norm, pending, top, false);
      return;
    }
    findCentres<Lanes>(view, slice, lists().scratch());
    double norm = 0;
    for (int depth = 0; depth <= pending; ++depth) {
      const int stored = depth / kNodeLevels;
      if (depth == kNodeLevels * deepest)
        push(slice, deepest, norm, pending, top, false);
      else if (depth == kNodeLevels * stored && top < depth + kNodeLevels)
        push(slice, stored, norm, depth + kNodeLevels - 1, top, true);
      norm = Plain::extend(view, norm, slice.path[depth].coefficient, lists().scratch()[last - depth],
                           last - depth);
    }
  }

  /// Computes the centres of the entries that take() made.
  SLICEPOOL_HD void settle() {
    for (int stored = 0; stored < levels(); ++stored) {
      const int raw = static_cast<int>(lists().raw[stored]);
      if (raw == 0) continue;
      prime(stored, frontier.count(stored) - raw, raw, false);
      Lanes::all([&](int lane, int) {
        if (lane == 0) lists().raw[stored] = 0;
      });
      Lanes::sync();
    }
  }

  /// Writes all entries as slices; `frontier.total` of them.
  SLICEPOOL_HD void give(Slice* slices, PathState* states) const {
    frontier.forEach(
        levels(),
        [&](int stored, int place, std::uint32_t i) { giveOne(stored, place, slices[i], states[i]); });
  }

  SearchView view;
  const double* table;
  Frontier frontier;         ///< a list for each stored level
  double squaredRadius = 0;  ///< read by every step; may be lowered between steps
  std::uint32_t turns = 0;   ///< passes of tests, one a lane

 private:
  /// What all lanes know about the levels of the tree below the nodes of a stored level.
  struct Level {
    double norms[kNodeLevels];
    double bounds[kNodeLevels];
    const double* among;
    int inner;  ///< how many: fewer than kNodeLevels at the end
    bool last;
  };
  /// A recursion.
  struct Recursion {
    double above[kNodeLevels];    ///< squared norm of the path above a level
    double centre[kNodeLevels];   ///< of the levels down to `at`
    double centres[kNodeLevels];  ///< of the node's path alone
    Choice choice[kNodeLevels];
    double norm;  ///< of the path that was found
    int at;
    int top;
    std::uint32_t nodes[kNodeLevels];
  };
  /// The nodes that a step works on, one a lane.
  struct Work : Frontier::Popped {
    Per<bool> active;  ///< has siblings left
    Per<Recursion> recursion;
  };

  SLICEPOOL_INLINE static void require(bool holds) {
#if !SLICEPOOL_ON_DEVICE
    if (!holds) throw std::logic_error("compacted lattice search: a list overflows");
#else
    (void)holds;
#endif
  }

  // Elements by a number that differs between lanes: selected, because registers have no addresses.
  template <class T>
  SLICEPOOL_INLINE static T pick(const T (&from)[kNodeLevels], int at) {
    T value = from[0];
    SLICEPOOL_UNROLL
    for (int i = 1; i < kNodeLevels; ++i)
      if (at == i) value = from[i];
    return value;
  }
  template <class T>
  SLICEPOOL_INLINE static void put(T (&to)[kNodeLevels], int at, const T& value) {
    SLICEPOOL_UNROLL
    for (int i = 0; i < kNodeLevels; ++i)
      if (at == i) to[i] = value;
  }

  SLICEPOOL_INLINE Level levelOf(int stored) const {
    Level level;
    const int below = view.dimension - kNodeLevels * stored;
    level.inner = below < kNodeLevels ? below : kNodeLevels;
    level.last = isLast(stored);
    level.among = table + CompactedTable::among(stored);
    SLICEPOOL_UNROLL
    for (int i = 0; i < kNodeLevels; ++i) {
      level.norms[i] = i < below ? view.norms[below - 1 - i] : 0;
      level.bounds[i] = i < below ? view.pruning[below - 1 - i] * squaredRadius : 0;
    }
    return level;
  }

  /// The centre at level `next` below the node.
  SLICEPOOL_INLINE static double centreAt(const Level& level, const Recursion& lane, int next) {
    double centre = pick(lane.centres, next);
    SLICEPOOL_UNROLL
    for (int i = 0; i + 1 < kNodeLevels; ++i)
      if (i < next)
        centre -= exactDouble(lane.choice[i].coefficient) * level.among[next * (next - 1) / 2 + i];
    return centre;
  }

  /// Takes the recursions of all lanes up where they paused.
  SLICEPOOL_INLINE void load(int stored, const Level& level, Work& work) const {
    Lanes::all([&](int lane, int held) {
      work.active[held] = lane < work.count;
      frontier.find(stored, work, lane, held);
      const int place = work.place[held];
      Recursion& own = work.recursion[held];
      const PausedNode paused = lists().paused(stored)[place];
      own.at = paused.at;
      own.top = paused.top;
      own.norm = 0;
      SLICEPOOL_UNROLL
      for (int i = 0; i < kNodeLevels; ++i) {
        own.choice[i] = paused.choice[i];
        own.centres[i] = lists().centres(stored, i)[place];
        own.above[i] = own.centre[i] = 0;
        own.nodes[i] = 0;
      }
      own.above[0] = lists().norms(stored)[place];
      own.centre[0] = own.centres[0];
      SLICEPOOL_UNROLL
      for (int i = 0; i + 1 < kNodeLevels; ++i) {
        if (i >= own.at) continue;
        own.above[i + 1] =
            extendedNorm(own.above[i], own.choice[i].coefficient, own.centre[i], level.norms[i]);
        own.centre[i + 1] = centreAt(level, own, i + 1);
      }
    });
  }

  /// Tries the next sibling at `moved`, or ends the recursion.
  SLICEPOOL_INLINE static void moveOn(Work& work, int held, int moved) {
    Recursion& lane = work.recursion[held];
    if (moved < lane.top) {
      work.active[held] = false;
      return;
    }
    lane.at = moved;
    put(lane.choice, moved, pick(lane.choice, moved).next());
  }

  /// One test of a lane. True if it completes a path, which is not yet counted nor left.
  SLICEPOOL_INLINE static bool test(const Level& level, Work& work, int held) {
    Recursion& lane = work.recursion[held];
    const int at = lane.at;
    const double own = extendedNorm(pick(lane.above, at), pick(lane.choice, at).coefficient,
                                    pick(lane.centre, at), pick(level.norms, at));
    if (!(own <= pick(level.bounds, at))) {
      moveOn(work, held, at - 1);
      return false;
    }
    if (at == level.inner - 1) {
      lane.norm = own;
      return true;
    }
    put(lane.nodes, at, pick(lane.nodes, at) + 1);
    const double centre = centreAt(level, lane, at + 1);
    put(lane.above, at + 1, own);
    put(lane.centre, at + 1, centre);
    put(lane.choice, at + 1, firstChoice(own, centre));
    lane.at = at + 1;
    return false;
  }

  /// Counts a path and goes on behind it.
  SLICEPOOL_INLINE static void leavePath(Work& work, int held, int at) {
    put(work.recursion[held].nodes, at, pick(work.recursion[held].nodes, at) + 1);
    moveOn(work, held, at);
  }

  /// The paths that were found are nodes of the level below, whose list they join from `next` on in its
  /// order; `made` before in this step. Returns how many.
  SLICEPOOL_INLINE int addChildren(int stored, Work& work, const Per<bool>& found, std::uint32_t paths,
                                   int next, int made) const {
    const int below = stored + 1;
    const int count = bitCount32(paths);
    require(next + count <= lists().places);
    Lanes::all([&](int lane, int held) {
      if (!found[held]) return;
      const int rank = bitsBelow(paths, lane);
      const int place = frontier.place(below, next + rank);
      lists().norms(below)[place] = work.recursion[held].norm;
      lists().path(below, stored)[place] = Pack::pack(work.recursion[held].choice);
      lists().parents[made + rank] = static_cast<std::uint8_t>(work.place[held]);
      leavePath(work, held, kNodeLevels - 1);
    });
    return count;
  }

  /// The paths that were found are vectors. Returns the lanes whose vector was refused.
  template <class Emit>
  SLICEPOOL_INLINE std::uint32_t takeVectors(int stored, const Level& level, Work& work,
                                             const Per<bool>& found, Emit& emit) const {
    Per<bool> refused;
    Lanes::all([&](int, int held) {
      const Recursion& lane = work.recursion[held];
      refused[held] = found[held] && lane.norm > 0 && !emitVector(stored, work.place[held], lane, emit);
      if (found[held] && !refused[held]) leavePath(work, held, level.inner - 1);
    });
    return Lanes::ballot(refused);
  }

  template <class Emit>
  SLICEPOOL_HD bool emitVector(int stored, int place, const Recursion& lane, Emit& emit) const {
    const int last = view.dimension - 1;
    const int path = kNodeLevels * stored;
    ShortVector<kCapacity> found{};
    found.squaredNorm = lane.norm;
    SLICEPOOL_NO_UNROLL
    for (int i = 0; i < path; ++i)
      found.coefficients[last - i] = static_cast<std::int16_t>(lists().coefficient(stored, place, i));
    SLICEPOOL_UNROLL
    for (int i = 0; i < kNodeLevels; ++i)
      if (path + i <= last) found.coefficients[last - path - i] = lane.choice[i].coefficient;
    changeBasis(view, view.change, found.coefficients);
    return emit(found);
  }

  /// Entries that stay keep their recursion as it paused. Returns how many stay.
  SLICEPOOL_INLINE int putBack(int stored, const Work& work) const {
    const int count = frontier.putBack(stored, work, work.active, [&](int held) {
      const Recursion& own = work.recursion[held];
      PausedNode paused;
      SLICEPOOL_UNROLL
      for (int i = 0; i < kNodeLevels; ++i) paused.choice[i] = own.choice[i];
      paused.at = static_cast<std::int16_t>(own.at);
      paused.top = static_cast<std::int16_t>(own.top);
      lists().paused(stored)[work.place[held]] = paused;
    });
    Lanes::sync();
    return count;
  }

  /// Books what a step did: nodes, and the new lengths of two lists.
  SLICEPOOL_INLINE void account(int stored, const Level& level, const Work& work, int own, int below) {
    std::uint32_t sums[kNodeLevels];
    SLICEPOOL_UNROLL
    for (int i = 0; i < kNodeLevels; ++i) {
      Per<std::uint32_t> nodes;
      Lanes::all([&](int, int held) { nodes[held] = work.recursion[held].nodes[i]; });
      sums[i] = Lanes::sum(nodes);
    }
    Lanes::all([&](int lane, int) {
      if (lane != 0) return;
      SLICEPOOL_UNROLL
      for (int i = 0; i < kNodeLevels; ++i)
        if (i < level.inner) lists().nodes[kNodeLevels * stored + i] += sums[i];
    });
    frontier.setCount(stored, own);
    if (!level.last) frontier.setCount(stored + 1, below);
  }

  /// Computes the centres of the `added` entries from `there` on. `children` of nodes one level above get the
  /// paths of their parents and a first choice, and those whose first choice is too long leave the list at
  /// once. Returns how many stay.
  SLICEPOOL_HD int prime(int stored, int there, int added, bool children) const {
    const Level level = levelOf(stored);
    std::uint8_t* const order = lists().order + stored * lists().places + there;
    int kept = 0;
    int dead = 0;
    for (int from = 0; from < added; from += kWarpSize) {
      Per<int> place;
      Per<bool> stays;
      Lanes::all([&](int lane, int held) {
        const bool in = from + lane < added;
        place[held] = order[in ? from + lane : from];
        stays[held] =
            in && primeOne(stored, level, place[held], children ? lists().parents[from + lane] : kNoParent);
      });
      const std::uint32_t staying = Lanes::ballot(stays);
      Lanes::sync();
      Lanes::all([&](int lane, int held) {
        if (from + lane >= added) return;
        const int before = bitsBelow(staying, lane);
        // The places of parents that were read are free for those that leave.
        std::uint8_t& to = stays[held] ? order[kept + before] : lists().parents[dead + lane - before];
        to = static_cast<std::uint8_t>(place[held]);
      });
      const int count = bitCount32(staying);
      kept += count;
      dead += (added - from < kWarpSize ? added - from : kWarpSize) - count;
      Lanes::sync();
    }
    Lanes::all([&](int lane, int) {
      for (int i = lane; i < dead; i += kWarpSize) order[kept + i] = lists().parents[i];
    });
    Lanes::sync();
    return kept;
  }

  static constexpr int kNoParent = -1;

  SLICEPOOL_INLINE bool primeOne(int stored, const Level& level, int place, int parent) const {
    double centres[kNodeLevels] = {};
    const double* mu = table + CompactedTable::begin(stored);
    SLICEPOOL_NO_UNROLL
    for (int t = 0; t < stored; ++t) {
      const bool copied = parent != kNoParent && t < stored - 1;
      const auto word = copied ? lists().path(stored - 1, t)[parent] : lists().path(stored, t)[place];
      if (copied) lists().path(stored, t)[place] = word;
      SLICEPOOL_UNROLL
      for (int j = 0; j < kNodeLevels; ++j) {
        const double coefficient = exactDouble(Pack::unpack(word, j));
        SLICEPOOL_UNROLL
        for (int i = 0; i < kNodeLevels; ++i) centres[i] -= coefficient * *mu++;
      }
    }
    SLICEPOOL_UNROLL
    for (int i = 0; i < kNodeLevels; ++i) lists().centres(stored, i)[place] = centres[i];
    if (parent == kNoParent) return true;
    const double norm = lists().norms(stored)[place];
    PausedNode paused{};
    paused.choice[0] = firstChoice(norm, centres[0]);
    lists().paused(stored)[place] = paused;
    return extendedNorm(norm, paused.choice[0].coefficient, centres[0], level.norms[0]) <= level.bounds[0];
  }

  /// Adds an entry with the path of a slice. `pending` and `top` are numbers of levels from d-1 downwards; of
  /// the pending choice, or of its next sibling.
  SLICEPOOL_HD void push(const Slice& slice, int stored, double norm, int pending, int top, bool next) {
    const int path = kNodeLevels * stored;
    require(frontier.count(stored) < lists().places);
    frontier.push(stored, [&](int lane, int place) {
      for (int t = lane; t < stored; t += kWarpSize) {
        Choice choice[kNodeLevels];
        for (int i = 0; i < kNodeLevels; ++i) choice[i] = slice.path[kNodeLevels * t + i];
        lists().path(stored, t)[place] = Pack::pack(choice);
      }
      if (lane != 0) return;
      PausedNode paused{};
      paused.at = static_cast<std::int16_t>(pending - path);
      paused.top = static_cast<std::int16_t>(top > path ? top - path : 0);
      for (int i = 0; i < kNodeLevels; ++i) {
        if (i <= paused.at) paused.choice[i] = slice.path[path + i];
        if (i == paused.at && next) paused.choice[i] = paused.choice[i].next();
      }
      lists().paused(stored)[place] = paused;
      lists().norms(stored)[place] = norm;
      ++lists().raw[stored];
    });
  }

  SLICEPOOL_HD void giveOne(int stored, int place, Slice& slice, PathState& state) const {
    const int path = kNodeLevels * stored;
    writePath<Lanes>(slice, path, [&](int i) { return lists().coefficient(stored, place, i); });
    Lanes::all([&](int lane, int) {
      if (lane != 0) return;
      const PausedNode paused = lists().paused(stored)[place];
      const int first = view.dimension - 1 - path;
      slice.level = static_cast<std::int16_t>(first - paused.at);
      slice.top = static_cast<std::int16_t>(first - paused.top);
      slice.dimension = static_cast<std::int16_t>(view.dimension);
      slice.unused = 0;
      for (int i = 0; i < kNodeLevels; ++i)
        if (i <= paused.at) slice.path[path + i] = paused.choice[i];
      state = {lists().norms(stored)[place], 0};
    });
  }
};

}  // namespace slicepool::lattice
