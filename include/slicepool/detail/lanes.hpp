// The 32 lanes of a warp, for algorithms that are written once and run by a warp on a GPU and by loops on a
// host. What a lane keeps from one phase to the next is in a PerLane; a phase is a call of `all`, and lanes
// see each other's writes to memory after `sync`. Used by the warp-wide searches and by their tests.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"

namespace slicepool {

/// Lanes of a warp. The one name of it, for hosts and devices.
inline constexpr int kWarpSize = 32;
/// All lanes of a warp.
inline constexpr std::uint32_t kFullMask = 0xffffffffU;

/// One value a lane: all of them on the host, the thread's own on a device.
template <class T, int kHeld>
struct PerLane {
  T values[kHeld];
  SLICEPOOL_INLINE T& operator[](int held) { return values[held]; }
  SLICEPOOL_INLINE const T& operator[](int held) const { return values[held]; }
};

SLICEPOOL_INLINE int bitCount32(std::uint32_t bits) {
#if SLICEPOOL_ON_DEVICE
  return __popc(bits);
#else
  return __builtin_popcount(bits);
#endif
}

/// Bits that are set below bit `lane`: the rank of a lane among those of a ballot.
SLICEPOOL_INLINE int bitsBelow(std::uint32_t bits, int lane) {
  return bitCount32(bits & ((1U << lane) - 1U));
}

/// The lowest bit that is set, of bits that are not all zero.
SLICEPOOL_INLINE int lowestBit(std::uint32_t bits) {
#if SLICEPOOL_ON_DEVICE
  return __ffs(static_cast<int>(bits)) - 1;
#else
  return __builtin_ctz(bits);
#endif
}

/// The highest, likewise.
SLICEPOOL_INLINE int highestBit(std::uint32_t bits) {
#if SLICEPOOL_ON_DEVICE
  return 31 - __clz(static_cast<int>(bits));
#else
  return 31 - __builtin_clz(bits);
#endif
}

/// The least of the lanes' numbers, and the first lane that has it.
struct LeastOfLanes {
  std::uint64_t number;
  int lane;
};

/// The lanes as loops, one after the other in each phase.
struct HostLanes {
  static constexpr int kHeld = kWarpSize;
  template <class T>
  using Per = PerLane<T, kHeld>;

  /// Calls phase(lane, held) for every lane; `held` is the lane's index into PerLanes.
  template <class Phase>
  SLICEPOOL_INLINE static void all(Phase&& phase) {
    for (int lane = 0; lane < kWarpSize; ++lane) phase(lane, lane);
  }
  /// Bit i: the flag of lane i.
  SLICEPOOL_INLINE static std::uint32_t ballot(const Per<bool>& flags) {
    std::uint32_t mask = 0;
    for (int lane = 0; lane < kWarpSize; ++lane) mask |= static_cast<std::uint32_t>(flags[lane]) << lane;
    return mask;
  }
  /// Sum of the lanes' numbers, and the greatest of them.
  SLICEPOOL_INLINE static std::uint32_t sum(const Per<std::uint32_t>& numbers) {
    std::uint32_t total = 0;
    for (int lane = 0; lane < kWarpSize; ++lane) total += numbers[lane];
    return total;
  }
  SLICEPOOL_INLINE static std::uint32_t most(const Per<std::uint32_t>& numbers) {
    std::uint32_t found = 0;
    for (int lane = 0; lane < kWarpSize; ++lane) found = numbers[lane] > found ? numbers[lane] : found;
    return found;
  }
  SLICEPOOL_INLINE static LeastOfLanes least(const Per<std::uint64_t>& numbers) {
    LeastOfLanes found{numbers[0], 0};
    for (int lane = 1; lane < kWarpSize; ++lane)
      if (numbers[lane] < found.number) found = {numbers[lane], lane};
    return found;
  }
  /// The value of one lane.
  template <class T>
  SLICEPOOL_INLINE static T valueOf(const Per<T>& values, int lane) {
    return values[lane];
  }
  /// For each lane the sum of its number and those of all lanes after it, in the order of a warp.
  SLICEPOOL_INLINE static Per<double> sumsToEnd(Per<double> numbers) {
    for (int apart = 1; apart < kWarpSize; apart *= 2)
      for (int lane = 0; lane + apart < kWarpSize; ++lane) numbers[lane] += numbers[lane + apart];
    return numbers;
  }
  SLICEPOOL_INLINE static void sync() {}
  /// What lane 0 gets from `once`, which only lane 0 calls.
  template <class Once>
  SLICEPOOL_INLINE static auto first(Once&& once) {
    return once();
  }
};

/// The lanes of the calling warp; all of them must call everything together.
struct DeviceLanes {
  static constexpr int kHeld = 1;
  template <class T>
  using Per = PerLane<T, kHeld>;

  template <class Phase>
  SLICEPOOL_INLINE static void all(Phase&& phase) {
#if SLICEPOOL_ON_DEVICE
    phase(static_cast<int>(threadIdx.x % kWarpSize), 0);
#else
    (void)phase;
#endif
  }
  SLICEPOOL_INLINE static std::uint32_t ballot(const Per<bool>& flags) {
#if SLICEPOOL_ON_DEVICE
    return __ballot_sync(kFullMask, flags[0]);
#else
    return flags[0] ? 1U : 0U;
#endif
  }
  SLICEPOOL_INLINE static std::uint32_t sum(const Per<std::uint32_t>& numbers) {
#if SLICEPOOL_ON_DEVICE
    return __reduce_add_sync(kFullMask, numbers[0]);
#else
    return numbers[0];
#endif
  }
  SLICEPOOL_INLINE static std::uint32_t most(const Per<std::uint32_t>& numbers) {
#if SLICEPOOL_ON_DEVICE
    return __reduce_max_sync(kFullMask, numbers[0]);
#else
    return numbers[0];
#endif
  }
  SLICEPOOL_INLINE static LeastOfLanes least(const Per<std::uint64_t>& numbers) {
#if SLICEPOOL_ON_DEVICE
    unsigned long long number = numbers[0];
    for (int apart = kWarpSize / 2; apart > 0; apart /= 2)
      number = min(number, __shfl_xor_sync(kFullMask, number, apart));
    return {number, __ffs(static_cast<int>(__ballot_sync(kFullMask, numbers[0] == number))) - 1};
#else
    return {numbers[0], 0};
#endif
  }
  template <class T>
  SLICEPOOL_INLINE static T valueOf(const Per<T>& values, int lane) {
#if SLICEPOOL_ON_DEVICE
    return __shfl_sync(kFullMask, values[0], lane);
#else
    (void)lane;
    return values[0];
#endif
  }
  SLICEPOOL_INLINE static Per<double> sumsToEnd(Per<double> numbers) {
#if SLICEPOOL_ON_DEVICE
    const int lane = static_cast<int>(threadIdx.x % kWarpSize);
    for (int apart = 1; apart < kWarpSize; apart *= 2) {
      const double other = __shfl_down_sync(kFullMask, numbers[0], apart);
      if (lane + apart < kWarpSize) numbers[0] += other;
    }
#endif
    return numbers;
  }
  SLICEPOOL_INLINE static void sync() {
#if SLICEPOOL_ON_DEVICE
    __syncwarp();
#endif
  }
  template <class Once>
  SLICEPOOL_INLINE static auto first(Once&& once) {
#if SLICEPOOL_ON_DEVICE
    decltype(once()) value{};
    if (threadIdx.x % kWarpSize == 0) value = once();
    return __shfl_sync(kFullMask, value, 0);
#else
    return once();
#endif
  }
};

/// *word += value, atomically on a device; returns what was there before.
template <class T>
SLICEPOOL_INLINE T fetchAdd(T* word, T value) {
#if SLICEPOOL_ON_DEVICE
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(
        atomicAdd(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(value)));
  } else {
    return atomicAdd(word, value);
  }
#else
  const T before = *word;
  *word += value;
  return before;
#endif
}

/// Reads a word that other warps write.
template <class T>
SLICEPOOL_INLINE T readShared(const T* word) {
  return *static_cast<const volatile T*>(word);
}

}  // namespace slicepool
