// The words in device memory by which the kernels of one launch talk to each other and to the host.
// Used by batch_kernels.cuh and cuda_device_base.cuh.
#pragma once

#include <cstdint>

#include "slicepool/detail/batch_device.hpp"

namespace slicepool::cuda {

/// One batch. `live`, `limit` and `arrived` belong to splitting, the rest is what the host reads afterwards.
struct LaunchState {
  std::uint32_t live = 0;         ///< slices in the batch; during a split pass it may run past the capacity
  std::uint32_t limit = 0;        ///< slices that the next split pass looks at; 0: splitting is over
  std::uint32_t arrived = 0;      ///< blocks of the current split pass that are done
  std::uint32_t kept = 0;         ///< slices that advancing left in the other buffer
  std::uint32_t taken = 0;        ///< advanceInRounds: slices asked for beyond the first one of each thread
  std::uint32_t sinkFull = 0;     ///< slices whose turn ended because the sink refused a result
  std::uint32_t resultCount = 0;  ///< buffered results; may run past the capacity. Outlives the launch
  std::uint64_t steps = 0;
  std::uint64_t splits = 0;
};

/// Everything the host reads after a launch, in one copy. A launch of one batch reads the other batch's
/// part as well, at an arbitrary moment, and ignores it.
struct DeviceState {
  LaunchState launch[kBatchSlots];
  std::uint64_t shared = 0;  ///< the monotone word that all slices read and lower
};

/// Geometry of a launch: blocks of `threads` threads on `stream`.
struct Grid {
  std::uint32_t blocks = 1;
  std::uint32_t threads = 1;
};

/// What a launch starts from.
struct BeginArguments {
  LaunchState* state = nullptr;
  std::uint64_t* shared = nullptr;
  std::uint64_t sharedValue = 0;  ///< lowers the shared word
  std::uint32_t live = 0;
  std::uint32_t target = 0;      ///< live slices wanted (more than half of it will do); 0: no splitting
  std::uint32_t seedTarget = 0;  ///< the first block alone splits until this many are live
  std::uint32_t resultCapacity = 0;
};

}  // namespace slicepool::cuda
