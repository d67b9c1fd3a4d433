// See device_rows_writer.hpp.
#include "bench/rows/device_rows_writer.hpp"

#include <algorithm>

#include "kernels/core/cuda_check.hpp"
#include "kernels/core/device_buffer.cuh"
#include "slicepool/cuda/device_rows.hpp"

namespace slicepool::bench {
namespace {

constexpr int kRunsPerSample = 5;

cuda::DeviceRowsOptions optionsOf(unsigned elementBytes) {
  cuda::DeviceRowsOptions options;
  options.elementBytes = elementBytes;
  return options;
}

}  // namespace

struct DeviceRowsWriter::State {
  State(const std::vector<std::uint64_t>& generators, std::uint64_t element, unsigned elementBytes,
        std::size_t size)
      : rows(generators, element, optionsOf(elementBytes)),
        bytes(size),
        memory(std::max<std::size_t>(size, 1)) {}

  cuda::DeviceRows rows;
  std::size_t bytes;
  cuda::DeviceBuffer memory;
  cuda::Event begin{cuda::Event::Timing::yes};
  cuda::Event end{cuda::Event::Timing::yes};
  cuda::Stream stream;
};

DeviceRowsWriter::DeviceRowsWriter(const std::vector<std::uint64_t>& generators, std::uint64_t element,
                                   unsigned elementBytes, std::size_t bytes) {
  cuda::useDevice(0);
  state_ = std::make_unique<State>(generators, element, elementBytes, bytes);
}

DeviceRowsWriter::~DeviceRowsWriter() = default;

double DeviceRowsWriter::milliseconds() {
  State& state = *state_;
  state.begin.record(state.stream);
  for (int run = 0; run < kRunsPerSample; ++run)
    state.rows.write({0, state.rows.rows()}, state.memory.as<>(), state.stream.get());
  state.end.record(state.stream);
  state.end.wait();
  return state.end.millisecondsSince(state.begin) / kRunsPerSample;
}

void DeviceRowsWriter::copyTo(std::byte* host) {
  State& state = *state_;
  constexpr int kPoison = 0xff;
  SLICEPOOL_CUDA_CHECK(cudaMemsetAsync(state.memory.as<>(), kPoison, state.bytes, state.stream.get()));
  state.rows.write({0, state.rows.rows()}, state.memory.as<>(), state.stream.get());
  SLICEPOOL_CUDA_CHECK(
      cudaMemcpyAsync(host, state.memory.as<>(), state.bytes, cudaMemcpyDeviceToHost, state.stream.get()));
  SLICEPOOL_CUDA_CHECK(cudaStreamSynchronize(state.stream.get()));
}

}  // namespace slicepool::bench
