// Rows of a factorization set into memory of a GPU, for CUDA programs that go on working there: no pool, no
// engine, one kernel on the caller's stream. <slicepool/cuda/device_rows.hpp> for users; the benchmark of
// rows measures it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slicepool/core/problem.hpp"

namespace slicepool::cuda {

struct DeviceRowsOptions {
  unsigned elementBytes = 0;       ///< 1, 2, 4 or 8; 0: the narrowest that holds n / min(g)
  std::optional<unsigned> tail;    ///< coordinates of stored tails (2: progressions); empty: by cost
  std::uint32_t bytesPerWarp = 0;  ///< output of one warp; 0: the default
  int deviceIndex = 0;
};

/// The tables of one set on one GPU. Construction makes them, O(d n) and the stored tails, and copies them.
/// Throws ConfigError for d < 3, d > 16 or input beyond 2^31, LimitError when counts do not fit 64 bits or
/// tables do not fit the device, CudaError.
class DeviceRows {
 public:
  DeviceRows(const std::vector<std::uint64_t>& generators, std::uint64_t element,
             const DeviceRowsOptions& options = {});
  ~DeviceRows();
  DeviceRows(DeviceRows&&) noexcept;
  DeviceRows& operator=(DeviceRows&&) noexcept;

  [[nodiscard]] std::uint64_t rows() const;
  [[nodiscard]] unsigned elementBytes() const;
  [[nodiscard]] std::size_t rowBytes() const;
  [[nodiscard]] unsigned tail() const;
  /// Queues the rows of ranks [begin, end), in order, to `device` (aligned to an element) on `stream`. The
  /// object must outlive the kernel. Throws ConfigError for ranks that are not there.
  void write(RankRange ranks, void* device, cudaStream_t stream) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace slicepool::cuda
