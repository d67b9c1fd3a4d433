// What the warps of a team do in a round: which of them takes which entries of which depth. Every warp
// computes the same plan from the numbers of entries, which nobody changes meanwhile, and finds its own task
// in it. Entries and lists: team_lists.hpp.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/lattice/steps/team_lists.hpp"

namespace slicepool::lattice {

/// Entries of one depth for one warp: those from number `first` on in the order of its list.
struct TeamTask {
  int depth = 0;
  int first = 0;
  int count = 0;  ///< 0: nothing to do
};

/// Which entries come first.
enum class TeamOrder : std::uint8_t {
  full,        ///< one for each lane, the deepest depths first
  shallowest,  ///< of the shallowest depths, however few
  deepest,     ///< of the deepest depths, however few
  careful      ///< of the deepest depth, for one warp, and so few that there are places for all below them
};

/// The numbers of entries of a team in a round, seen by one warp. Lists: TeamLists.
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

  /// The task of a warp when `workers` of them have one. The warps write what stays in the lists.
  SLICEPOOL_INLINE TeamTask taskOf(int warp, TeamOrder order, int workers) const {
    if (order == TeamOrder::full) return fullTask(warp, workers);
    if (order == TeamOrder::careful) return carefulTask(warp);
    return anyTask(warp, order == TeamOrder::shallowest, workers);
  }
  /// Nobody takes entries.
  SLICEPOOL_INLINE void keepAll(int warp) const {
    leave(
        warp, [](int, int, int) { return 0; });
  }

  int total = 0;  ///< entries
  int free = 0;   ///< places
  int full = 0;   ///< tasks with an entry for every lane

 private:
  static constexpr int kWords = (kCapacity + kWarpSize - 1) / kWarpSize;
  static constexpr int kTaskBits = 3;  ///< of the tasks of one depth
  static_assert(Lists::kOfDepth / kWarpSize < 1 << kTaskBits);

  /// popped(w, lane, held): entries that are taken of the depth of a lane.
  template <class Popped>
  SLICEPOOL_INLINE void leave(int warp, Popped&& popped) const {
    std::uint32_t* const left = lists_.countsOf(round_ + 1);
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) {
      if (w % lists_.warps != warp) continue;
      Lanes::all([&](int lane, int held) {
        const int q = kWarpSize * w + lane;
        if (q < lists_.dimension)
          left[q] = static_cast<std::uint32_t>(count_[w][held] - popped(w, lane, held));
      });
    }
    if (warp != lists_.warps - 1) return;
    Lanes::all([&](int lane, int) {
      if (lane != 0) return;
      lists_.allocated(round_ + 1) = 0;
      lists_.released(round_ + 1) = 0;
    });
  }

  SLICEPOOL_INLINE TeamTask fullTask(int warp, int workers) const {
    TeamTask task;
    Per<int> before[kWords];  // tasks of deeper depths
    int deeper = 0;
    SLICEPOOL_UNROLL
    for (int w = kWords - 1; w >= 0; --w) {
      Per<int> both;
      Per<bool> mine;
      Lanes::all([&](int lane, int held) {
        int tasks = deeper;
        SLICEPOOL_UNROLL
        for (int i = 0; i < kTaskBits; ++i) tasks += bitCount32(taskBits_[w][i] & ~((2U << lane) - 1U)) << i;
        before[w][held] = tasks;
        mine[held] = tasks <= warp && warp < tasks + tasks_[w][held];
        both[held] = tasks << 16 | count_[w][held];
      });
      const bool here = deeper <= warp && warp < deeper + fullOf_[w];
      deeper += fullOf_[w];
      const std::uint32_t owner = Lanes::ballot(mine);
      if (!here || warp >= workers) continue;
      const int lane = lowestBit(owner);
      const int found = Lanes::valueOf(both, lane);
      task = {kWarpSize * w + lane, (found & 0xffff) - kWarpSize * (warp - (found >> 16) + 1), kWarpSize};
    }
    leave(warp, [&](int w, int, int held) {
      int tasks = workers - before[w][held];
      if (tasks < 0) tasks = 0;
      return kWarpSize * (tasks < tasks_[w][held] ? tasks : tasks_[w][held]);
    });
    return task;
  }

  /// A warp has a depth for itself, counted from one end.
  SLICEPOOL_INLINE TeamTask anyTask(int warp, bool shallowest, int workers) const {
    TeamTask task;
    std::uint32_t some[kWords];
    int before[kWords];  // tasks of the words above
    int all = 0;
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) {
      some[w] = Lanes::ballot(some_[w]);
      before[w] = all;
      all += bitCount32(some[w]);
    }
    const int last = (all < workers ? all : workers) - 1;
    const int first = shallowest ? 0 : all - 1 - last;  // depth that has a task
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) {
      const int own = first + warp - before[w];
      if (warp > last || own < 0 || own >= bitCount32(some[w])) continue;
      std::uint32_t rest = some[w];
      for (int i = 0; i < own; ++i) rest &= rest - 1;
      const int lane = lowestBit(rest);
      const int count = Lanes::valueOf(count_[w], lane);
      const int taken = count < kWarpSize ? count : kWarpSize;
      task = {kWarpSize * w + lane, count - taken, taken};
    }
    leave(warp, [&](int w, int lane, int held) {
      const int number = before[w] + bitsBelow(some[w], lane) - first;
      if (!some_[w][held] || number < 0 || number > last) return 0;
      return count_[w][held] < kWarpSize ? count_[w][held] : kWarpSize;
    });
    return task;
  }

  SLICEPOOL_INLINE TeamTask carefulTask(int warp) const {
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
    leave(warp, [&](int w, int lane, int) { return kWarpSize * w + lane == task.depth ? task.count : 0; });
    if (warp != 0) task.count = 0;
    return task;
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
