// The warps of a team, for algorithms that are written once and run by a block on a GPU and by loops on a
// host. What a warp keeps from one phase to the next is in a PerWarp; a phase is a call of `all`, and warps
// see each other's writes to memory after `sync`. lanes.hpp is the same for the lanes of a warp.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/lanes.hpp"

namespace slicepool {

/// One value a warp: all of them on the host, the warp's own on a device.
template <class T, int kHeld>
struct PerWarp {
  T values[kHeld];
  SLICEPOOL_INLINE T& operator[](int held) { return values[held]; }
  SLICEPOOL_INLINE const T& operator[](int held) const { return values[held]; }
};

/// The warps as loops, one after the other in each phase.
struct HostTeam {
  static constexpr int kMostWarps = 8;
  static constexpr int kHeld = kMostWarps;
  template <class T>
  using Per = PerWarp<T, kHeld>;

  /// Calls phase(warp, held) for every warp; `held` is the warp's index into PerWarps.
  template <class Phase>
  SLICEPOOL_INLINE static void all(int warps, Phase&& phase) {
    for (int warp = 0; warp < warps; ++warp) phase(warp, warp);
  }
  SLICEPOOL_INLINE static void sync() {}
};

/// The warps of the calling block; all of them must call everything together.
struct DeviceTeam {
  static constexpr int kHeld = 1;
  template <class T>
  using Per = PerWarp<T, kHeld>;

  template <class Phase>
  SLICEPOOL_INLINE static void all(int warps, Phase&& phase) {
    (void)warps;
#if SLICEPOOL_ON_DEVICE
    phase(static_cast<int>(threadIdx.x / kWarpSize), 0);
#else
    (void)phase;
#endif
  }
  SLICEPOOL_INLINE static void sync() {
#if SLICEPOOL_ON_DEVICE
    __syncthreads();
#endif
  }
};

template <class Lanes>
struct TeamOf;
template <>
struct TeamOf<HostLanes> {
  using Type = HostTeam;
};
template <>
struct TeamOf<DeviceLanes> {
  using Type = DeviceTeam;
};

}  // namespace slicepool
