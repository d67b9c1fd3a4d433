// The hook for workloads whose slices a whole warp advances, faster than a thread could: a specialisation of
// WarpStep for a workload and a sink. Read by batch_kernels.cuh and cuda_device.cuh.
#pragma once

#include <cstdint>

#include "slicepool/detail/lanes.hpp"

namespace slicepool::cuda {

/// There is none. A specialisation has
///   kExists = true;
///   kPreferred               whether it is taken without --gpu-granularity
///   kBlocks                  the launch bound: blocks of kMaximumThreads threads at once on a multiprocessor
///   struct Shared            shared memory of one block, at most 48 KiB
///   available(view)          whether this view has what the fast path needs (host)
///   prepare(view, shared)    called by all threads of a block before anything else; __syncthreads follows
///   advance(view, sinkView, memory, shared, slice, budget)
///                            called by all 32 lanes of a warp with the same arguments, which stay the same
///                            in all of them; as W::advance with an emitter, which it flushes itself.
///                            A slice of a workload that has usedBytes() is worked on in global memory.
///   finish(sinkView, memory, shared)
///                            called by all threads of a block at its end, after __syncthreads
template <class W, class S>
struct WarpStep {
  static constexpr bool kExists = false;
};

}  // namespace slicepool::cuda
