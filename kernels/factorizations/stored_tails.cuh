// The stored tails of `ranked` on a device: every row and value is found from its place by the counts, which
// takes less time than to make them on the host and to copy them. Specialises DeviceTables.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/core/cuda_check.hpp"
#include "kernels/core/device_tables.cuh"
#include "slicepool/factorizations/steps/ranked.hpp"
#include "slicepool/factorizations/steps/suffix_rows.hpp"

namespace slicepool::cuda {

template <int D>
struct StoredTailsArguments {
  factorizations::RankedView<D, std::uint32_t> view;
};

/// The residual whose stored rows `row` is one of. O(log n).
__device__ __forceinline__ std::uint32_t residualOf(const std::uint32_t* offsets, std::uint32_t element,
                                                    std::uint32_t row) {
  std::uint32_t low = 0;
  std::uint32_t high = element;
  while (low < high) {
    const std::uint32_t middle = low + (high - low + 1) / 2;
    if (__ldg(offsets + middle) <= row)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

__device__ __forceinline__ void storeElement(std::byte* row, int k, int bytes, std::uint32_t value) {
  switch (bytes) {
    case 1: reinterpret_cast<std::uint8_t*>(row)[k] = static_cast<std::uint8_t>(value); break;
    case 2: reinterpret_cast<std::uint16_t*>(row)[k] = static_cast<std::uint16_t>(value); break;
    case 4: reinterpret_cast<std::uint32_t*>(row)[k] = value; break;
    default: reinterpret_cast<std::uint64_t*>(row)[k] = value; break;
  }
}

/// A thread for each row, and at least one for each byte that is only readable.
template <int D>
__global__ void makeStoredTails(const __grid_constant__ StoredTailsArguments<D> arguments) {
  constexpr std::uint32_t kReadable = factorizations::SuffixRows::kReadable;
  const auto& view = arguments.view;
  const auto& tail = view.tail;
  const std::uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
  const std::size_t rowBytes = std::size_t{D} * static_cast<std::size_t>(tail.elementBytes);
  auto* const rows = const_cast<std::byte*>(tail.rows);
  if (rows != nullptr && index < kReadable) {
    *(rows - kReadable + index) = std::byte{0};
    rows[tail.storedRows * rowBytes + index] = std::byte{0};
  }
  if (index >= tail.storedRows) return;

  std::uint32_t residual = residualOf(tail.offsets, view.element, index);
  std::uint64_t rank = index - __ldg(tail.offsets + residual);
  std::uint64_t value = 0;
  const auto take = [&](int k, std::uint32_t coordinate) {
    if (tail.weights != nullptr) value += __ldg(tail.weights + k) * coordinate;
    if (rows != nullptr) storeElement(rows + index * rowBytes, k, tail.elementBytes, coordinate);
  };
  const int axis = D - tail.tail;
  if (rows != nullptr)
    for (int k = 0; k < axis; ++k) storeElement(rows + index * rowBytes, k, tail.elementBytes, 0);
  for (int k = axis; k < D - 2; ++k) {
    const std::uint32_t g = view.generators[k];
    const std::uint32_t coordinate = factorizations::Bisection{}(view, k, residual, rank);
    residual -= coordinate * g;
    // Rows with a greater coordinate come first.
    if (residual >= g) rank -= view.count(k, residual - g);
    take(k, coordinate);
  }
  const auto pair = view.pair.solve(residual);
  take(D - 2, pair.x - static_cast<std::uint32_t>(rank) * view.pair.firstStep);
  take(D - 1, pair.y + static_cast<std::uint32_t>(rank) * view.pair.secondStep);
  if (tail.values != nullptr) const_cast<std::uint64_t*>(tail.values)[index] = value;
}

template <int D>
struct DeviceTables<factorizations::Ranked<D, std::uint32_t>> {
  static constexpr bool kExists = D >= 3;

  static void enqueue(const factorizations::RankedView<D, std::uint32_t>& view, cudaStream_t stream) {
    if (view.tail.storedRows == 0) return;
    constexpr std::uint32_t kThreads = 128;
    constexpr std::uint32_t kLeast = factorizations::SuffixRows::kReadable;
    const std::uint32_t threads = std::max(view.tail.storedRows, kLeast);
    makeStoredTails<D><<<(threads - 1) / kThreads + 1, kThreads, 0, stream>>>({view});
    checkLaunch("makeStoredTails");
  }
};

}  // namespace slicepool::cuda
