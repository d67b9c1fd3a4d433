// Implementation of cuda_check.hpp.
#include "cuda_check.hpp"

#include <array>
#include <cstdio>

namespace slicepool::cuda {

void throwCudaError(const char* call, cudaError_t status) {
  static_cast<void>(cudaGetLastError());
  throw CudaError(call, std::string(cudaGetErrorString(status)) + " (" + cudaGetErrorName(status) + ")",
                  static_cast<int>(status));
}

std::string describeBytes(std::size_t bytes) {
  constexpr std::array<const char*, 5> kUnits{"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024.0 && unit + 1 < kUnits.size()) {
    value /= 1024.0;
    ++unit;
  }
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text.data();
}

}  // namespace slicepool::cuda
