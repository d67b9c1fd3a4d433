// What a GPU can do at most with the bytes of some rows: fill device memory, copy it to pinned host memory.
// Without CUDA headers, so that host code can call it; there only in a build with CUDA.
#pragma once

#include <cstddef>
#include <memory>

namespace slicepool::bench {

/// Pinned host memory that was touched (cudaHostAlloc). Throws CudaError.
class PinnedMemory {
 public:
  explicit PinnedMemory(std::size_t bytes);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// `bytes` bytes of memory on device 0 and the fastest ways to write and to fetch them. Calls come from one
/// thread. Times are the device's own (events), which is the strictest limit: no launch and no wait in it.
/// Throws CudaError.
class DeviceLimits {
 public:
  explicit DeviceLimits(std::size_t bytes);
  ~DeviceLimits();
  DeviceLimits(const DeviceLimits&) = delete;
  DeviceLimits& operator=(const DeviceLimits&) = delete;

  /// Milliseconds to fill the memory with 16-byte streaming stores; mean of a few fills in a row, each with
  /// another value.
  [[nodiscard]] double fillMilliseconds();
  /// Milliseconds to copy all of it to pinned host memory of at least as many bytes.
  [[nodiscard]] double copyMilliseconds(std::byte* pinned);
  /// The value that the last fill wrote into every byte, as read back from the middle and both ends of the
  /// memory. False: some byte is another.
  [[nodiscard]] bool lastFillIsThere() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace slicepool::bench
