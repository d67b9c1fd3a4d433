// What the warps of a team do in a round: which of them takes which entries of which depth. One warp makes
// the plan, a lane for each depth, and writes it to shared memory, where each warp finds its own task: all of
// them would need as long, and take the units of arithmetic from other teams. Entries and lists:
// team_lists.hpp.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/lattice/steps/team_lists.hpp"

namespace slicepool::lattice {

/// Which entries come first.
enum class TeamOrder : std::uint8_t {
  full,        ///< one for each lane, the deepest depths first
  shallowest,  ///< of the shallowest depths, however few
  deepest,     ///< of the deepest depths, however few
  careful      ///< of the deepest depth, for one warp, and so few that there are places for all below them
};

/// The numbers of entries of a team in a round, seen by the warp that plans it. Lists: TeamLists.
template <class LanesType, class ListsType, int kCapacity>
class TeamPlan {
 public:
  using Lanes = LanesType;
  using Lists = ListsType;
  template <class T>
  using Per = typename Lanes::template Per<T>;

  SLICEPOOL_INLINE TeamPlan(const Lists& lists, std::uint32_t round) : lists_(lists), round_(round) {
    const std::uint32_t* const counts = lists.countsOf(round);
    const int d = lists.dimension;
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) {
      Per<std::uint32_t> entries;
      Per<bool> bit[kTaskBits];
      Lanes::all([&](int lane, int held) {
        const int q = kWarpSize * w + lane;
        const int count = q < d ? static_cast<int>(counts[q]) : 0;
        const int below = q + 1 < d ? static_cast<int>(counts[q + 1]) : 0;
        const int whole = count / kWarpSize;
        const int room = (Lists::kOfDepth - below) / kWarpSize;
        const int tasks = whole < room ? whole : room;
        count_[w][held] = count;
        tasks_[w][held] = tasks;
        some_[w][held] = count > 0 && room > 0;
        entries[held] = static_cast<std::uint32_t>(count);
        SLICEPOOL_UNROLL
        for (int i = 0; i < kTaskBits; ++i) bit[i][held] = (tasks >> i & 1) != 0;
      });
      total += static_cast<int>(Lanes::sum(entries));
      fullOf_[w] = 0;
      SLICEPOOL_UNROLL
      for (int i = 0; i < kTaskBits; ++i) {
        taskBits_[w][i] = Lanes::ballot(bit[i]);
        fullOf_[w] += bitCount32(taskBits_[w][i]) << i;
      }
      full += fullOf_[w];
    }
    free = lists.places - total;
  }

  /// Entries of the longest list.
  [[nodiscard]] SLICEPOOL_INLINE int longest() const {
    int most = 0;
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) {
      Per<std::uint32_t> entries;
      Lanes::all([&](int, int held) { entries[held] = static_cast<std::uint32_t>(count_[w][held]); });
      const int here = static_cast<int>(Lanes::most(entries));
      if (here > most) most = here;
    }
    return most;
  }

  /// Writes the tasks of a round in which `workers` warps have one, and what stays in the lists.
  SLICEPOOL_INLINE void deal(TeamOrder order, int workers) const {
    if (order == TeamOrder::full)
      dealFull(workers);
    else if (order == TeamOrder::careful)
      dealCareful();
    else
      dealAny(order == TeamOrder::shallowest, workers);
  }
  /// A round without tasks.
  SLICEPOOL_INLINE void keepAll() const {
    leave(
        0, [](int, int, int) { return 0; });
  }

  int total = 0;  ///< entries
  int free = 0;   ///< places
  int full = 0;   ///< tasks with an entry for every lane

 private:
  static constexpr int kWords = (kCapacity + kWarpSize - 1) / kWarpSize;
  static constexpr int kTaskBits = 3;  ///< of the tasks of one depth
  static constexpr int kMostTasks = Lists::kOfDepth / kWarpSize;
  static_assert(kMostTasks < 1 << kTaskBits);

  /// The end of a plan in which the first `dealt` warps have a task. take(w, lane, held): how many entries
  /// are taken of the depth of a lane.
  template <class Take>
  SLICEPOOL_INLINE void leave(int dealt, Take&& take) const {
    std::uint32_t* const left = lists_.countsOf(round_ + 1);
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) {
      Lanes::all([&](int lane, int held) {
        const int q = kWarpSize * w + lane;
        if (q < lists_.dimension) left[q] = static_cast<std::uint32_t>(count_[w][held] - take(w, lane, held));
      });
    }
    Lanes::all([&](int lane, int) {
      if (lane >= dealt && lane < lists_.warps) lists_.setTask(lane, {});
      if (lane != 0) return;
      lists_.allocated(round_ + 1) = 0;
      lists_.released(round_ + 1) = 0;
    });
  }

  SLICEPOOL_INLINE void dealFull(int workers) const {
    Per<int> dealt[kWords];  // tasks of a depth
    int deeper = 0;
    SLICEPOOL_UNROLL
    for (int w = kWords - 1; w >= 0; --w) {
      Lanes::all([&](int lane, int held) {
        int before = deeper;
        SLICEPOOL_UNROLL
        for (int i = 0; i < kTaskBits; ++i) before += bitCount32(taskBits_[w][i] & ~((2U << lane) - 1U)) << i;
        const int rest = workers - before;
        const int own = tasks_[w][held] < rest ? tasks_[w][held] : rest;
        SLICEPOOL_UNROLL
        for (int i = 0; i < kMostTasks; ++i)
          if (i < own)
            lists_.setTask(before + i,
                           {kWarpSize * w + lane, count_[w][held] - kWarpSize * (i + 1), kWarpSize});
        dealt[w][held] = own > 0 ? own : 0;
      });
      deeper += fullOf_[w];
    }
    leave(deeper < workers ? deeper : workers,
          [&](int w, int, int held) { return kWarpSize * dealt[w][held]; });
  }

  /// A warp has a depth for itself, counted from one end.
  SLICEPOOL_INLINE void dealAny(bool shallowest, int workers) const {
    std::uint32_t some[kWords];
    int before[kWords];  // tasks of the words above
    int all = 0;
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) {
      some[w] = Lanes::ballot(some_[w]);
      before[w] = all;
      all += bitCount32(some[w]);
    }
    const int dealt = all < workers ? all : workers;
    const int first = shallowest ? 0 : all - dealt;  // depth that has a task
    leave(dealt, [&](int w, int lane, int held) {
      const int number = before[w] + bitsBelow(some[w], lane) - first;
      if (!some_[w][held] || number < 0 || number >= dealt) return 0;
      const int count = count_[w][held];
      const int taken = count < kWarpSize ? count : kWarpSize;
      lists_.setTask(number, {kWarpSize * w + lane, count - taken, taken});
      return taken;
    });
  }

  SLICEPOOL_INLINE void dealCareful() const {
    TeamTask task;
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) {
      Per<bool> filled;
      Lanes::all([&](int, int held) { filled[held] = count_[w][held] > 0; });
      const std::uint32_t depths = Lanes::ballot(filled);
      if (depths == 0) continue;
      const int lane = highestBit(depths);
      task.depth = kWarpSize * w + lane;
      task.count = Lanes::valueOf(count_[w], lane);
    }
    const int all = task.count;
    const int most = free / (lists_.dimension - task.depth);
    if (task.count > most) task.count = most > 1 ? most : 1;
    if (task.count > kWarpSize) task.count = kWarpSize;
    task.first = all - task.count;
    leave(1, [&](int w, int lane, int) {
      if (kWarpSize * w + lane != task.depth) return 0;
      lists_.setTask(0, task);
      return task.count;
    });
  }

  const Lists& lists_;
  std::uint32_t round_;
  Per<int> count_[kWords];                     ///< entries of the depths of a lane
  Per<int> tasks_[kWords];                     ///< with an entry for every lane and places below them
  std::uint32_t taskBits_[kWords][kTaskBits];  ///< bit i of the tasks of all lanes
  int fullOf_[kWords];                         ///< tasks
  Per<bool> some_[kWords];                     ///< there is an entry, and room in the list below
};

}  // namespace slicepool::lattice
