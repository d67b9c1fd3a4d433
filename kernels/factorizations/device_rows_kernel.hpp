// Between device_rows.cu, which owns the tables, and the translation units that instantiate its kernel.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "slicepool/factorizations/steps/ranked.hpp"

namespace slicepool::cuda {

/// Tables and tail on the device, and the numbers of the set, for any dimension.
struct DeviceRowsTables {
  std::vector<std::uint64_t> generators;
  std::uint32_t element = 0;
  const std::uint64_t* levels = nullptr;
  const std::uint64_t* chain = nullptr;
  factorizations::RankedTail tail;
};

struct DeviceRowsRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  const std::uint64_t* boundaries = nullptr;  ///< of slices, on the device
  std::uint32_t slice = 0;                    ///< the first one with ranks in the range
  std::uint32_t slices = 0;                   ///< how many have
  std::byte* to = nullptr;                    ///< place of rank `first`
};

/// For 3 <= D <= 16.
template <int D>
void launchDeviceRows(const DeviceRowsTables& tables, const DeviceRowsRange& range, cudaStream_t stream);

}  // namespace slicepool::cuda
