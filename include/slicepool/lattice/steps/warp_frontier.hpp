// The frontier of one warp: its open nodes ("entries") in a list for each depth, of which all lanes work on
// those of one list at a time. Both searches by warps have one, warp_search.hpp with a list for each level of
// the tree and compacted_search.hpp for each stored level. They say what an entry is made of and where that
// lies (warp_lists.hpp, compacted_lists.hpp); here is which entry lies where.
//
// A list is an order of its places: those in use come first. So a pop and a push move bytes of that order,
// and an entry stays at its place as long as it lives.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/lanes.hpp"

namespace slicepool::lattice {

/// A set of depths, the same in all lanes.
template <int kCapacity>
struct DepthSet {
  static constexpr int kWords = (kCapacity + 63) / 64;
  std::uint64_t word[kWords];

  SLICEPOOL_INLINE void clear() {
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) word[w] = 0;
  }
  SLICEPOOL_INLINE void put(int depth, bool in) {
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) {
      const std::uint64_t bit = depth / 64 == w ? std::uint64_t{1} << (depth % 64) : 0;
      word[w] = in ? word[w] | bit : word[w] & ~bit;
    }
  }
  /// -1 when empty.
  SLICEPOOL_INLINE int deepest() const {
    int found = -1;
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) {
#if SLICEPOOL_ON_DEVICE
      if (word[w] != 0) found = 64 * w + 63 - __clzll(static_cast<long long>(word[w]));
#else
      if (word[w] != 0) found = 64 * w + 63 - __builtin_clzll(word[w]);
#endif
    }
    return found;
  }
  SLICEPOOL_INLINE int shallowest() const {
    int found = -1;
    SLICEPOOL_UNROLL
    for (int w = kWords - 1; w >= 0; --w) {
#if SLICEPOOL_ON_DEVICE
      if (word[w] != 0) found = 64 * w + __ffsll(static_cast<long long>(word[w])) - 1;
#else
      if (word[w] != 0) found = 64 * w + __builtin_ctzll(word[w]);
#endif
    }
    return found;
  }
};

/// Lists: WarpLists or CompactedLists, of which `order`, `count` and `places` are read here. kDepths: lists
/// at most. All lanes call everything together. Writes to the lists are seen by other lanes after
/// Lanes::sync, which is the caller's part unless a function says otherwise.
template <class LanesType, class ListsType, int kDepths>
class WarpFrontier {
 public:
  using Lanes = LanesType;
  using Lists = ListsType;
  template <class T>
  using Per = typename Lanes::template Per<T>;

  /// The last entries of a list, one a lane.
  struct Popped {
    int first = 0;  ///< in the order of the list
    int count = 0;
    Per<int> place;  ///< set by find()
  };

  /// Empties `depths` lists.
  SLICEPOOL_INLINE WarpFrontier(const Lists& warpLists, int depths) : lists(warpLists) {
    full.clear();
    some.clear();
    Lanes::all([&](int lane, int) {
      for (int depth = lane; depth < depths; depth += kWarpSize) lists.count[depth] = 0;
      for (int i = lane; i < depths * lists.places; i += kWarpSize)
        lists.order[i] = static_cast<std::uint8_t>(i % lists.places);
    });
  }

  /// Entries of a list.
  [[nodiscard]] SLICEPOOL_INLINE int count(int depth) const { return static_cast<int>(lists.count[depth]); }
  /// Place of entry i of a list, or the place where it will lie.
  [[nodiscard]] SLICEPOOL_INLINE int place(int depth, int i) const {
    return lists.order[depth * lists.places + i];
  }
  SLICEPOOL_INLINE void setCount(int depth, int count) {
    storeCount(depth, count);
    noteCount(depth, count);
  }

  /// The last entries, one for each lane and at most `most`. The list has them until setCount.
  SLICEPOOL_INLINE void pop(int depth, int most, Popped& popped) const {
    const int all = count(depth);
    popped.count = all < kWarpSize ? all : kWarpSize;
    if (popped.count > most) popped.count = most;
    popped.first = all - popped.count;
  }
  /// Where the entry of a lane lies; lanes without one look at the first.
  SLICEPOOL_INLINE void find(int depth, Popped& popped, int lane, int held) const {
    popped.place[held] = place(depth, popped.first + (lane < popped.count ? lane : 0));
  }
  /// Entries that stay come first in the order of those that were popped. keep(held) is called for the lanes
  /// that have one. Returns how many stay.
  template <class Keep>
  SLICEPOOL_INLINE int putBack(int depth, const Popped& popped, const Per<bool>& stays, Keep&& keep) const {
    const std::uint32_t staying = Lanes::ballot(stays);
    const int count = bitCount32(staying);
    Lanes::sync();
    Lanes::all([&](int lane, int held) {
      if (lane >= popped.count) return;
      const int before = bitsBelow(staying, lane);
      const int rank = stays[held] ? before : count + lane - before;
      lists.order[depth * lists.places + popped.first + rank] = static_cast<std::uint8_t>(popped.place[held]);
      if (stays[held]) keep(held);
    });
    return count;
  }

  /// Adds one entry, whose members write(lane, place) stores. Synchronises.
  template <class Write>
  SLICEPOOL_HD void push(int depth, Write&& write) {
    const int at = count(depth);
    const int to = place(depth, at);
    Lanes::all([&](int lane, int) { write(lane, to); });
    Lanes::sync();
    storeCount(depth, at + 1);
    Lanes::sync();
    noteCount(depth, at + 1);  // behind the barrier a device has uniform registers for it
    ++total;
  }

  /// visit(depth, place, i) for all entries, of which this is number i.
  template <class Visit>
  SLICEPOOL_HD void forEach(int depths, Visit&& visit) const {
    std::uint32_t at = 0;
    for (int depth = 0; depth < depths; ++depth) {
      const int all = count(depth);
      for (int i = 0; i < all; ++i, ++at) visit(depth, place(depth, i), at);
    }
  }

  Lists lists;
  DepthSet<kDepths> full;   ///< lists with an entry for every lane
  DepthSet<kDepths> some;   ///< lists with entries
  std::uint32_t total = 0;  ///< entries; push() counts its own, steps count what they pop and add

 private:
  SLICEPOOL_INLINE void storeCount(int depth, int count) {
    Lanes::all([&](int lane, int) {
      if (lane == 0) lists.count[depth] = static_cast<std::uint32_t>(count);
    });
  }
  SLICEPOOL_INLINE void noteCount(int depth, int count) {
    full.put(depth, count >= kWarpSize);
    some.put(depth, count > 0);
  }
};

}  // namespace slicepool::lattice
