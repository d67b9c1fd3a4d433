// Rows into device memory, as the benchmark of rows times them: tables made once, then the kernel alone.
// Without CUDA headers, so that host code can call it; there only in a build with CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace slicepool::bench {

/// All rows of one set into `bytes` bytes of memory on device 0. Calls come from one thread. Throws
/// CudaError, LimitError, ConfigError.
class DeviceRowsWriter {
 public:
  DeviceRowsWriter(const std::vector<std::uint64_t>& generators, std::uint64_t element, unsigned elementBytes,
                   std::size_t bytes);
  ~DeviceRowsWriter();
  DeviceRowsWriter(const DeviceRowsWriter&) = delete;
  DeviceRowsWriter& operator=(const DeviceRowsWriter&) = delete;

  /// Device time of one run; mean of a few in a row.
  [[nodiscard]] double milliseconds();
  /// Writes the rows once more, over other bytes, and copies them to the host.
  void copyTo(std::byte* host);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace slicepool::bench
