// Device memory that grows in place: addresses are reserved for as much as the device has, and backed by
// memory as it is needed, so that growth neither copies nor holds old and new side by side. The device's
// counterpart of GrowArray (runtime/core/grow_array.hpp). Used by kernels/semigroup/device.cuh.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace slicepool::cuda {

/// Not thread-safe. Belongs to the device that is current when it first grows.
class GrowBuffer {
 public:
  GrowBuffer() = default;
  ~GrowBuffer() { release(); }
  GrowBuffer(const GrowBuffer&) = delete;
  GrowBuffer& operator=(const GrowBuffer&) = delete;

  /// At least `bytes` bytes; contents stay, new bytes are undefined. Takes half as much again as it has,
  /// where there is room for that. Kernels that use the buffer may be running. Throws LimitError with the
  /// numbers, CudaError.
  void reserve(std::size_t bytes);
  /// Gives the memory back. Work that uses it must be finished.
  void release() noexcept;
  template <class T = std::byte>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(address_);
  }
  [[nodiscard]] std::size_t bytes() const { return mapped_; }

 private:
  void open();
  [[nodiscard]] bool extend(std::size_t bytes);

  CUdeviceptr address_ = 0;
  std::size_t reserved_ = 0;  ///< bytes of addresses
  std::size_t mapped_ = 0;    ///< of these, backed by memory
  std::size_t granularity_ = 0;
  int device_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> pieces_;  ///< (offset, bytes), as mapped
};

}  // namespace slicepool::cuda
