// Lattice enumeration by a team of warps: all lanes of a warp work on open nodes of one depth at a time, each
// on one of its own, so that no lane waits for another and the column of mu for the next centre is the same
// for all. The warps of a team share one set of open nodes, which is so small that it stays in the first
// cache of a multiprocessor; a set for each warp would not fit the second. Steps, nodes and results are those
// of Search (search.hpp); tests compare the two. Driven by team_turn.hpp.
//
// A round has two phases, with a barrier behind each. By a plan (team_plan.hpp) a warp takes up to 32 entries
// of one depth. In the first phase each lane tests the choice of its entry, moves it on to the next sibling,
// which it tests as well, computes the centre of the child, and writes parent and child to their places; the
// warp counts what goes to which list. In the second the warps write the lists: an entry with a sibling left
// goes back to its list, and a child whose first choice is within its bound becomes an entry one depth below.
// Numbers of entries are all that a plan needs: one warp makes that of the next round meanwhile. So all that
// lies in the lists is known to be a node, unless the radius shrinks meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/detail/team.hpp"
#include "slicepool/lattice/steps/held_path.hpp"
#include "slicepool/lattice/steps/search.hpp"
#include "slicepool/lattice/steps/team_lists.hpp"
#include "slicepool/lattice/steps/team_plan.hpp"
#include "slicepool/lattice/steps/warp_paths.hpp"

namespace slicepool::lattice {

/// kCapacity: capacityOf(d); LayoutType: a PathLayout that every path fits. The last coefficient of a vector
/// is never part of a path.
template <class LanesType, int kCapacity, class LayoutType>
class TeamSearch {
 public:
  using Lanes = LanesType;
  using Team = typename TeamOf<Lanes>::Type;
  using Lists = TeamLists<LayoutType>;
  using Path = HeldPath<LayoutType::mostFours(kCapacity), LayoutType>;
  using Place = typename Lists::Place;
  using Plain = Search<kCapacity>;
  using Slice = typename Plain::Slice;
  using Plan = TeamPlan<Lanes, Lists, kCapacity>;
  template <class T>
  using Per = typename Lanes::template Per<T>;

  /// Elements of the table, and the parts that fillTable fills. Of `lists` the shape is read.
  SLICEPOOL_HD static std::size_t tableSize(const Lists& lists) { return packedColumns(lists); }
  SLICEPOOL_INLINE static int tableParts(int dimension) { return dimension; }
  SLICEPOOL_INLINE static void fillTable(const Lists& lists, const SearchView& view, int part, int first,
                                         int step, double* packed) {
    if (part != 0) packColumn(lists, view, part, first, step, packed);
  }

  /// `packed`: filled by fillTable. Empties the lists. All warps.
  SLICEPOOL_INLINE TeamSearch(const SearchView& searchView, const double* packed, const Lists& teamLists)
      : view(searchView), lists(teamLists), columns(packed) {
    Team::all(lists.warps, [&](int warp, int) {
      Lanes::all([&](int lane, int) {
        const int first = kWarpSize * warp + lane;
        const int step = kWarpSize * lists.warps;
        for (int i = first; i < lists.places; i += step)
          lists.free[i] = static_cast<Place>(lists.places - 1 - i);
        for (int i = first; i < 2 * view.dimension; i += step) lists.counts[i] = 0;
        for (int i = first; i < view.dimension; i += step) lists.nodes[i] = 0;
        for (int i = first; i < Lists::kWords; i += step) lists.words[i] = i == Lists::kMore ? 1 : 0;
      });
    });
    Team::sync();
  }

  /// What a warp keeps of its task from the first phase to the second, with a bit for each lane.
  struct Work {
    TeamTask task;
    Per<int> place;
    Per<int> childPlace;
    std::uint32_t staying;  ///< the entry has a sibling left
    std::uint32_t pushing;  ///< it has a child
    bool refused;           ///< a vector was refused
    // Where these go in their lists, and places that become free in theirs.
    int stayAt;
    int pushAt;
    int freeAt;

    [[nodiscard]] SLICEPOOL_INLINE std::uint32_t leaving() const {
      const std::uint32_t there = task.count == kWarpSize ? kFullMask : (1U << task.count) - 1U;
      return there & ~(staying | pushing);
    }
  };

  /// First phase of a task, which searches its entries and counts those of the next round. `free`: places at
  /// the start of the round.
  template <class Emit>
  SLICEPOOL_INLINE void search(Work& work, int free, Emit& emit) const {
    work.staying = work.pushing = 0;
    work.refused = false;
    if (work.task.count == 0) return;
    if (work.task.depth == view.dimension - 1)
      leaves(work, emit);
    else
      branch(work, free);
    count(work);
  }
  /// Second phase, of the round before: entries go to their lists, and places become free.
  SLICEPOOL_INLINE void sort(const Work& work, int free) const {
    if (work.task.count == 0) return;
    const int depth = work.task.depth;
    const std::uint32_t leaving = work.leaving();
    const int top = free - static_cast<int>(lists.allocated(round - 1)) + work.freeAt;
    Lanes::all([&](int lane, int held) {
      const std::uint32_t bit = 1U << lane;
      const auto place = static_cast<Place>(work.place[held]);
      if ((work.staying & bit) != 0) lists.list(depth)[work.stayAt + bitsBelow(work.staying, lane)] = place;
      if ((work.pushing & bit) != 0)
        lists.list(depth + 1)[work.pushAt + bitsBelow(work.pushing, lane)] =
            static_cast<Place>(work.childPlace[held]);
      if ((leaving & bit) != 0) lists.free[top + bitsBelow(leaving, lane)] = place;
    });
  }
  /// Makes entries of what is left of slices, one for each lane, by one warp in the second phase of a round
  /// without tasks. There is room for all. `wanted`: the lane has a slice, that with its number.
  SLICEPOOL_INLINE void take(int warp, const Per<bool>& wanted, const Slice* slices,
                             const Per<std::uint32_t>& number, const Per<PathState>& known, int free) {
    const int last = view.dimension - 1;
    Per<bool> single;  // an entry is all that it is, and what follows from its path is known
    Per<bool> several;
    Lanes::all([&](int, int held) {
      single[held] = several[held] = false;
      if (!wanted[held]) return;
      const Slice& slice = slices[number[held]];
      if (slice.level == Slice::kNothing) return;
      single[held] = slice.top <= slice.level && known[held].centre == known[held].centre;
      several[held] = !single[held];
      if (single[held]) single[held] = isOpen(slice.path[last - slice.level], known[held], slice.level);
    });
    const std::uint32_t singles = Lanes::ballot(single);
    const auto at = static_cast<int>(reserve(lists.allocated(round), bitCount32(singles)));
    Lanes::all([&](int lane, int held) {
      if (!single[held]) return;
      const Slice& slice = slices[number[held]];
      const int depth = last - slice.level;
      const int place = lists.free[free - 1 - at - bitsBelow(singles, lane)];
      const auto to = fetchAdd(&lists.countsOf(round + 1)[depth], 1U);
      lists.list(depth)[to] = static_cast<Place>(place);
      lists.norms[place] = known[held].norm;
      lists.centres[place] = known[held].centre;
      lists.choices[place] = pendingChoice(view, slice);
      storePath(slice, depth, place);
    });
    for (std::uint32_t rest = Lanes::ballot(several); rest != 0; rest &= rest - 1)
      takeSeveral(warp, slices[Lanes::valueOf(number, lowestBit(rest))], free);
  }

  /// Writes all entries as slices, `total` of them, the shallowest first: the i-th to slices[placeOf(i)]. A
  /// warp has depths of its own.
  template <class PlaceOf>
  SLICEPOOL_INLINE void give(int warp, Slice* slices, PathState* states, const PlaceOf& placeOf) const {
    const std::uint32_t* const counts = lists.countsOf(round);
    int at = 0;
    for (int depth = 0; depth < view.dimension; ++depth) {
      const int count = static_cast<int>(counts[depth]);
      if (depth % lists.warps == warp) {
        Lanes::all([&](int lane, int) {
          for (int i = lane; i < count; i += kWarpSize) {
            const std::uint32_t to = placeOf(static_cast<std::uint32_t>(at + i));
            giveOne(depth, lists.list(depth)[i], slices[to], states[to]);
          }
        });
      }
      at += count;
    }
  }

  [[nodiscard]] SLICEPOOL_INLINE double squaredRadius() const { return *lists.radius; }

  SearchView view;
  Lists lists;
  const double* columns;
  std::uint32_t round = 0;

 private:
  SLICEPOOL_INLINE double bound(int level) const { return view.pruning[level] * squaredRadius(); }

  /// Where the entry of a lane lies; lanes without one look at the first.
  SLICEPOOL_INLINE int placeOf(const TeamTask& task, int lane) const {
    return lists.list(task.depth)[task.first + (lane < task.count ? lane : 0)];
  }

  /// What the lanes of a task hold of its entries.
  struct Tested {
    Per<Choice> choice;
    Per<Choice> next;
    Per<double> norm;
    Per<bool> accepted;
    Per<bool> stays;
  };

  /// Tests the choice of a lane's entry and moves on to its sibling.
  SLICEPOOL_INLINE void test(const Work& work, Tested& tested, int lane, int held, double limit,
                             double length) const {
    const int place = work.place[held];
    const double above = lists.norms[place];
    const double centre = lists.centres[place];
    const Choice choice = lists.choices[place];
    const double own = extendedNorm(above, choice.coefficient, centre, length);
    const Choice next = choice.next();
    tested.choice[held] = choice;
    tested.next[held] = next;
    tested.norm[held] = own;
    tested.accepted[held] = lane < work.task.count && own <= limit;
    tested.stays[held] = tested.accepted[held] && choice.step != kNoSiblings &&
                         extendedNorm(above, next.coefficient, centre, length) <= limit;
  }

  SLICEPOOL_INLINE void countNodes(int depth, const Tested& tested) const {
    const std::uint32_t accepted = Lanes::ballot(tested.accepted);
    Lanes::all([&](int lane, int) {
      if (lane == 0 && accepted != 0)
        fetchAdd(&lists.nodes[depth], static_cast<std::uint32_t>(bitCount32(accepted)));
    });
  }

  /// Above level 0.
  SLICEPOOL_INLINE void branch(Work& work, int free) const {
    const int depth = work.task.depth;
    const int level = view.dimension - 1 - depth;
    const double ownBound = bound(level);
    const double ownLength = view.norms[level];
    const double childBound = bound(level - 1);
    const double childLength = view.norms[level - 1];
    Tested tested;
    Per<Path> path;
    Per<double> centre;
    Per<Choice> child;
    Per<bool> pushes;
    Per<bool> splits;
    Lanes::all([&](int lane, int held) {
      work.place[held] = placeOf(work.task, lane);
      path[held].read(lists.layout, depth, lists.path(work.place[held]), 1);
      test(work, tested, lane, held, ownBound, ownLength);
      centre[held] = path[held].extend(lists.layout, depth, tested.choice[held].coefficient, columns);
      child[held] = firstChoice(tested.norm[held], centre[held]);
      pushes[held] = tested.accepted[held] && extendedNorm(tested.norm[held], child[held].coefficient,
                                                           centre[held], childLength) <= childBound;
      splits[held] = pushes[held] && tested.stays[held];
    });
    work.staying = Lanes::ballot(tested.stays);
    work.pushing = Lanes::ballot(pushes);
    const std::uint32_t splitting = Lanes::ballot(splits);
    const auto at = static_cast<int>(reserve(lists.allocated(round), bitCount32(splitting)));
    countNodes(depth, tested);
    const int wanted = lists.layout.foursOf(depth + 1);
    Lanes::sync();  // lanes without an entry read the first
    Lanes::all([&](int lane, int held) {
      const int place = work.place[held];
      int childPlace = place;
      if (splits[held]) childPlace = lists.free[free - 1 - at - bitsBelow(splitting, lane)];
      work.childPlace[held] = childPlace;
      if (tested.stays[held]) lists.choices[place] = tested.next[held];
      if (!pushes[held]) return;
      lists.norms[childPlace] = tested.norm[held];
      lists.centres[childPlace] = centre[held];
      lists.choices[childPlace] = child[held];
      // Where the parent lay, only the end of the path is new.
      path[held].write(splits[held] ? 0 : wanted - 1, wanted, lists.path(childPlace), 1);
    });
  }

  /// Adds to a word of the team. All lanes get what was there before.
  SLICEPOOL_INLINE static std::uint32_t reserve(std::uint32_t& word, int count) {
    if (count == 0) return 0;
    return Lanes::first([&] { return fetchAdd(&word, static_cast<std::uint32_t>(count)); });
  }

  /// At level 0: vectors. One that is refused stays as it was.
  template <class Emit>
  SLICEPOOL_INLINE void leaves(Work& work, Emit& emit) const {
    const double ownBound = bound(0);
    const double ownLength = view.norms[0];
    Tested tested;
    Per<bool> refused;
    Lanes::all([&](int lane, int held) {
      const int place = placeOf(work.task, lane);
      work.place[held] = place;
      test(work, tested, lane, held, ownBound, ownLength);
      refused[held] = tested.accepted[held] && tested.norm[held] > 0 &&
                      !emitVector<kCapacity>(
                          view, [&](int i) { return lists.coefficient(place, i); },
                          tested.choice[held].coefficient, tested.norm[held], emit);
      if (refused[held]) {
        tested.accepted[held] = false;
        tested.stays[held] = true;
        tested.next[held] = tested.choice[held];
      }
    });
    Lanes::sync();  // lanes without an entry read the first
    Lanes::all([&](int, int held) {
      if (tested.stays[held]) lists.choices[work.place[held]] = tested.next[held];
    });
    work.staying = Lanes::ballot(tested.stays);
    work.refused = Lanes::ballot(refused) != 0;
    countNodes(work.task.depth, tested);
  }

  /// What the plan of the next round needs.
  SLICEPOOL_INLINE void count(Work& work) const {
    const std::uint32_t leaving = work.leaving();
    std::uint32_t* const counts = lists.countsOf(round + 1) + work.task.depth;
    // Three counters at once, each by a lane of its own.
    Per<std::uint32_t> at;
    Lanes::all([&](int lane, int held) {
      at[held] = 0;
      if (lane == 0 && work.staying != 0)
        at[held] = fetchAdd(counts, static_cast<std::uint32_t>(bitCount32(work.staying)));
      if (lane == 1 && work.pushing != 0)
        at[held] = fetchAdd(counts + 1, static_cast<std::uint32_t>(bitCount32(work.pushing)));
      if (lane == 2 && leaving != 0)
        at[held] = fetchAdd(&lists.released(round), static_cast<std::uint32_t>(bitCount32(leaving)));
      if (lane == 3 && work.refused) lists.words[Lists::kRefused] = 1;
    });
    work.stayAt = static_cast<int>(Lanes::valueOf(at, 0));
    work.pushAt = static_cast<int>(Lanes::valueOf(at, 1));
    work.freeAt = static_cast<int>(Lanes::valueOf(at, 2));
  }

  [[nodiscard]] SLICEPOOL_INLINE bool isOpen(Choice choice, const PathState& state, int level) const {
    return extendedNorm(state.norm, choice.coefficient, state.centre, view.norms[level]) <= bound(level);
  }

  /// The path of a slice down to `depth`, by one lane.
  SLICEPOOL_INLINE void storePath(const Slice& slice, int depth, int place) const {
    FourWords* const to = lists.path(place);
    const int count = lists.layout.foursOf(depth);
    const auto coefficient = [&](int i) { return i < depth ? slice.path[i].coefficient : 0; };
    for (int v = 0; v < count; ++v) {
      FourWords four;
      forEachConstant<4>([&](auto w) { four.word[w] = lists.layout.wordOf(v, w, coefficient); });
      to[v] = four;
    }
  }

  /// An entry for each depth with siblings. All lanes call.
  SLICEPOOL_INLINE void takeSeveral(int warp, const Slice& slice, int free) {
    double* const centres = lists.scratch(warp);
    findCentres<Lanes>(view, slice, centres);
    forEachEntry(view, slice, centres, [&](int depth, Choice choice, const PathState& state) {
      push(slice, depth, choice, state, free);
    });
  }

  /// Adds an entry with the path of a slice down to `depth`, unless its choice is beyond the bound.
  SLICEPOOL_INLINE void push(const Slice& slice, int depth, Choice choice, const PathState& state, int free) {
    if (!isOpen(choice, state, view.dimension - 1 - depth)) return;
    const int place = lists.free[free - 1 - static_cast<int>(reserve(lists.allocated(round), 1))];
    const auto at = static_cast<int>(reserve(lists.countsOf(round + 1)[depth], 1));
    Lanes::all([&](int lane, int) {
      const int words = 4 * lists.layout.foursOf(depth);
      for (int w = lane; w < words; w += kWarpSize)
        lists.path(place)[w / 4].word[w % 4] = lists.layout.wordOf(
            w / 4, w % 4, [&](int i) { return i < depth ? slice.path[i].coefficient : 0; });
      if (lane != 0) return;
      lists.list(depth)[at] = static_cast<Place>(place);
      lists.norms[place] = state.norm;
      lists.centres[place] = state.centre;
      lists.choices[place] = choice;
    });
  }

  /// Two choices of a path, which are written at once.
  struct alignas(8) TwoChoices {
    Choice choice[2];
  };
  static_assert(offsetof(Slice, path) % sizeof(TwoChoices) == 0 && sizeof(Slice) % sizeof(TwoChoices) == 0);

  /// By one lane. The siblings of accepted choices are not the slice's, but the zero path goes upwards only.
  SLICEPOOL_INLINE void giveOne(int depth, int place, Slice& slice, PathState& state) const {
    const double norm = lists.norms[place];
    Choice pending = lists.choices[place];
    const bool alone = pending.step == kNoSiblings;
    if (alone) pending.step = norm == 0 ? Choice::kUpwards : std::int16_t{1};
    auto* const to = reinterpret_cast<TwoChoices*>(slice.path);
    bool zeroAbove = true;
    const auto choiceOf = [&](int i, int coefficient) {
      if (i == depth) return pending;
      if (i > depth) return Choice{0, 0};
      const Choice choice{static_cast<std::int16_t>(coefficient),
                          zeroAbove ? Choice::kUpwards : std::int16_t{1}};
      zeroAbove = zeroAbove && coefficient == 0;
      return choice;
    };
    const auto writeWord = [&](auto pack, std::uint32_t word, int first) {
      using Pack = decltype(pack);
      forEachConstant<Pack::kPerWord / 2>([&](auto pair) {
        const int i = first + 2 * pair;
        if (i > depth) return;
        const Choice lower = choiceOf(i, Pack::load(word, 2 * pair));
        to[i / 2] = {lower, choiceOf(i + 1, Pack::load(word, 2 * pair + 1))};
      });
    };
    const int count = lists.layout.foursOf(depth);
    for (int v = 0; v < count; ++v) {
      const FourWords four = lists.path(place)[v];
      const int first = lists.layout.firstOf(v);
      forEachConstant<4>([&](auto w) {
        if (lists.layout.isNarrow(v))
          writeWord(typename LayoutType::Narrow(), four.word[w], first + LayoutType::Narrow::kPerWord * w);
        else
          writeWord(typename LayoutType::Wide(), four.word[w], first + LayoutType::Wide::kPerWord * w);
      });
    }
    slice.path[depth] = pending;  // where it begins the next FourWords
    const int level = view.dimension - 1 - depth;
    slice.level = static_cast<std::int16_t>(level);
    slice.top = static_cast<std::int16_t>(alone ? level - 1 : level);
    slice.dimension = static_cast<std::int16_t>(view.dimension);
    slice.unused = 0;
    state = {norm, lists.centres[place]};
  }
};

}  // namespace slicepool::lattice
