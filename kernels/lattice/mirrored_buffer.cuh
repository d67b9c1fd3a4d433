// Memory of the host and the same on a device, between which the devices of many lattices (reducer.cu,
// searcher.cu) copy what they are given and what they answer.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "kernels/core/cuda_check.hpp"
#include "kernels/core/device_buffer.cuh"

namespace slicepool::cuda {

/// Elements that are copied by way of pinned memory, so that copies run beside kernels. Grows, never shrinks.
template <class T>
class MirroredBuffer {
 public:
  /// Room for `count` elements, with contents undefined. Throws LimitError, CudaError.
  void fit(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (pinned_.bytes() < bytes) pinned_ = PinnedBuffer(bytes);
    if (device_.bytes() < bytes) device_ = DeviceBuffer(bytes);
  }
  /// Room for these elements, and their copy on the device once the stream is there.
  void send(std::span<const T> from, const Stream& stream) {
    fit(from.size());
    std::copy(from.begin(), from.end(), pinned_.template as<T>());
    copy(device_.template as<>(), pinned_.template as<>(), from.size_bytes(), cudaMemcpyHostToDevice, stream);
  }
  /// Copies `count` elements back, once the stream is there.
  void fetch(std::size_t count, const Stream& stream) {
    copy(pinned_.template as<>(), device_.template as<>(), count * sizeof(T), cudaMemcpyDeviceToHost, stream);
  }
  /// What fetch() brought, after the stream.
  void giveTo(std::span<T> to) const { std::copy_n(pinned_.template as<T>(), to.size(), to.begin()); }

  [[nodiscard]] T* onDevice() const { return device_.template as<T>(); }

 private:
  static void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, const Stream& stream) {
    SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream.get()));
  }

  PinnedBuffer pinned_;
  DeviceBuffer device_;
};

}  // namespace slicepool::cuda
