// The hook for tables that a device makes by itself, sooner than they could be copied: a specialisation of
// DeviceTables for a workload. Read by cuda_device.cuh.
#pragma once

#include <cuda_runtime.h>

namespace slicepool::cuda {

/// There is none. A specialisation has
///   kExists = true;
///   enqueue(view, stream)    queues the kernels that fill the tables without data (Table), whose memory the
///                            view points to; those with data are copied by then
template <class W>
struct DeviceTables {
  static constexpr bool kExists = false;
};

}  // namespace slicepool::cuda
