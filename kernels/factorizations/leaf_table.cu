// Fills the leaf table of `tabulated` on a GPU: Barron 2024b, Algorithm 2.9, factorizationwise. Called
// through slicepool/factorizations/steps/tables.hpp; returns the same bytes as the CPU fill.
//
// All lists Z(0..limit-1) are one array of rows, list after list, each in decreasing lexicographic order.
// With C_i[m] the number of factorizations of m over generators i.. (C_i[0] = 1: the zero vector counts
// once), the rows of Z(m), m > 0, whose first nonzero coordinate is i are rows C_0[m] - C_i[m] and following,
// and are those of Z(m - g_i) from row C_0[m - g_i] - C_i[m - g_i] on, incremented at i. So every place is
// known before anything is filled, and elements closer together than the smallest generator do not need each
// other.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "kernels/core/cuda_check.hpp"
#include "kernels/core/device_buffer.cuh"
#include "kernels/core/pinned_ring.cuh"
#include "kernels/factorizations/factories.hpp"
#include "slicepool/detail/leaf_table_maker.hpp"
#include "slicepool/detail/seconds.hpp"
#include "slicepool/factorizations/steps/tables.hpp"

namespace slicepool::factorizations {

namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kSmallThreads = 1024;
constexpr std::uint64_t kSmallRows = 8192;  // batches below this are filled by one block, many in one launch
constexpr std::uint64_t kMaximumBlocks = 1U << 16U;

/// Device addresses and sizes; taken by value by the kernels.
struct Fill {
  const std::uint64_t* counts = nullptr;   ///< C_i[m], row-major, rows 0..dimension
  const std::uint64_t* offsets = nullptr;  ///< first row of Z(m)
  const std::uint64_t* generators = nullptr;
  std::uint32_t* rows = nullptr;
  std::uint64_t limit = 0;
  unsigned dimension = 0;
};

/// The element whose list holds `row`, in [begin, end). Lists may be empty.
__device__ std::uint64_t elementOfRow(const Fill& fill, std::uint64_t row, std::uint64_t begin,
                                      std::uint64_t end) {
  while (end - begin > 1) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    if (fill.offsets[middle] <= row)
      begin = middle;
    else
      end = middle;
  }
  return begin;
}

/// Copies and increments one row, of an element in [begin, end).
__device__ void fillRow(const Fill& fill, std::uint64_t row, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t element = elementOfRow(fill, row, begin, end);
  const std::uint64_t local = row - fill.offsets[element];
  const std::uint64_t all = fill.counts[element];
  unsigned index = 0;
  while (index + 1 < fill.dimension && all - fill.counts[(index + 1) * fill.limit + element] <= local)
    ++index;
  const std::uint64_t start = all - fill.counts[index * fill.limit + element];
  const std::uint64_t rest = element - fill.generators[index];
  const std::uint64_t source =
      fill.offsets[rest] + fill.counts[rest] - fill.counts[index * fill.limit + rest] + (local - start);
  const std::uint32_t* from = fill.rows + source * fill.dimension;
  std::uint32_t* to = fill.rows + row * fill.dimension;
  for (unsigned k = 0; k < fill.dimension; ++k) to[k] = from[k] + (k == index ? 1U : 0U);
}

/// Z(0) is the zero vector.
__global__ void fillZero(Fill fill) {
  for (unsigned k = threadIdx.x; k < fill.dimension; k += blockDim.x) fill.rows[k] = 0;
}

/// Elements [begin, end), at most the smallest generator many; one thread a row.
__global__ void __launch_bounds__(kThreads) fillBatch(Fill fill, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t last = fill.offsets[end];
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t row = fill.offsets[begin] + blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
       row < last; row += threads)
    fillRow(fill, row, begin, end);
}

/// Elements [begin, end) in batches of `batch`, one after the other, by one block.
__global__ void __launch_bounds__(kSmallThreads)
    fillSmallBatches(Fill fill, std::uint64_t begin, std::uint64_t end, std::uint64_t batch) {
  for (std::uint64_t from = begin; from < end; from += batch) {
    const std::uint64_t to =
        min(static_cast<unsigned long long>(end), static_cast<unsigned long long>(from + batch));
    const std::uint64_t last = fill.offsets[to];
    for (std::uint64_t row = fill.offsets[from] + threadIdx.x; row < last; row += blockDim.x)
      fillRow(fill, row, from, to);
    __syncthreads();  // the next batch reads these rows
  }
}

/// Queues the whole fill, elements in batches that do not depend on themselves.
void enqueueFill(const Fill& fill, const std::vector<std::uint64_t>& offsets, std::uint64_t smallest,
                 cudaStream_t stream) {
  fillZero<<<1, 32, 0, stream>>>(fill);
  cuda::checkLaunch("fillZero");
  const auto rowsOf = [&](std::uint64_t begin) {
    return offsets[std::min(fill.limit, begin + smallest)] - offsets[begin];
  };
  for (std::uint64_t begin = 1; begin < fill.limit;) {
    std::uint64_t end = begin;
    while (end < fill.limit && rowsOf(end) <= kSmallRows) end = std::min(fill.limit, end + smallest);
    if (end > begin) {
      fillSmallBatches<<<1, kSmallThreads, 0, stream>>>(fill, begin, end, smallest);
      cuda::checkLaunch("fillSmallBatches");
    } else {
      end = std::min(fill.limit, begin + smallest);
      const std::uint64_t blocks = std::min((rowsOf(begin) + kThreads - 1) / kThreads, kMaximumBlocks);
      fillBatch<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(fill, begin, end);
      cuda::checkLaunch("fillBatch");
    }
    begin = end;
  }
}

std::vector<std::uint64_t> tailOf(const std::vector<std::uint64_t>& generators, unsigned dimension) {
  if (dimension == 0 || dimension > generators.size()) {
    throw ConfigError("tabulated_dimension", std::to_string(dimension),
                      "1 to " + std::to_string(generators.size()));
  }
  return {generators.end() - static_cast<std::ptrdiff_t>(dimension), generators.end()};
}

/// Offsets of the lists, from the counts; throws LimitError when the rows would pass `memoryLimit` bytes.
std::vector<std::uint64_t> offsetsOf(const SuffixCounts& counts, std::uint64_t limit, unsigned dimension,
                                     std::size_t memoryLimit) {
  const std::size_t most = memoryLimit == 0 ? std::numeric_limits<std::size_t>::max() : memoryLimit;
  const std::uint64_t mostRows = most / (sizeof(std::uint32_t) * dimension);
  std::vector<std::uint64_t> offsets(limit + 1);
  for (std::uint64_t element = 0; element < limit; ++element) {
    const std::uint64_t count = counts.counts[element];
    if (count > mostRows - offsets[element]) {
      throw LimitError("leaf table: the lists up to residual " + std::to_string(element) +
                       " alone hold more than " + std::to_string(mostRows) +
                       " rows, which is what fits into " + cuda::describeBytes(most));
    }
    offsets[element + 1] = offsets[element] + count;
  }
  return offsets;
}

template <class T>
cuda::DeviceBuffer copyToDevice(const std::vector<T>& values, cuda::PinnedRing& ring,
                                const cuda::Stream& stream) {
  cuda::DeviceBuffer copy(values.size() * sizeof(T));
  ring.toDevice(copy.as<>(), values.data(), values.size() * sizeof(T), stream);
  return copy;
}

/// Fills table.rows; table.offsets are set. Returns when the rows are on the host.
void fillOnDevice(LeafTable& table, const SuffixCounts& counts, const std::vector<std::uint64_t>& tail) {
  cuda::PinnedRing ring;
  cuda::DeviceBuffer deviceCounts;
  cuda::DeviceBuffer deviceOffsets;
  cuda::DeviceBuffer deviceGenerators;
  cuda::DeviceBuffer deviceRows;
  const cuda::Stream stream;  // destroyed, and with that waited for, before the buffers
  deviceCounts = copyToDevice(counts.counts, ring, stream);
  deviceOffsets = copyToDevice(table.offsets, ring, stream);
  deviceGenerators = copyToDevice(tail, ring, stream);
  const std::size_t bytes = table.rows.size() * sizeof(std::uint32_t);
  deviceRows = cuda::DeviceBuffer(bytes);

  Fill fill;
  fill.counts = deviceCounts.as<const std::uint64_t>();
  fill.offsets = deviceOffsets.as<const std::uint64_t>();
  fill.generators = deviceGenerators.as<const std::uint64_t>();
  fill.rows = deviceRows.as<std::uint32_t>();
  fill.limit = table.limit;
  fill.dimension = table.dimension;
  enqueueFill(fill, table.offsets, *std::min_element(tail.begin(), tail.end()), stream.get());
  ring.toHost(table.rows.data(), deviceRows.as<>(), bytes, stream);
}

// fillSeconds is the time from the counts on the host to the rows on the host: copies and kernels, without
// the creation of the CUDA context and without the counting table.
LeafTable makeTable(const std::vector<std::uint64_t>& generators, unsigned dimension, std::uint64_t limit,
                    int deviceIndex, std::size_t memoryLimit) {
  const std::vector<std::uint64_t> tail = tailOf(generators, dimension);
  LeafTable table;
  table.dimension = dimension;
  table.limit = limit;
  if (limit == 0) {
    table.offsets = {0};
    return table;
  }
  if (limit > std::numeric_limits<std::uint32_t>::max())
    throw LimitError("leaf table: limit " + std::to_string(limit) + ", at most 2^32 - 1");
  const SuffixCounts counts = makeSuffixCounts(tail, limit - 1);
  if (counts.overflow) throw LimitError("leaf table: the number of rows does not fit 64 bits");
  table.offsets = offsetsOf(counts, limit, dimension, memoryLimit);

  const cuda::SelectedDevice selected(deviceIndex);
  SLICEPOOL_CUDA_CHECK(cudaFree(nullptr));  // makes the context
  table.rows.resize(table.offsets[limit] * dimension);
  const auto begin = std::chrono::steady_clock::now();
  fillOnDevice(table, counts, tail);
  table.fillSeconds = secondsSince(begin);
  return table;
}

}  // namespace
}  // namespace slicepool::factorizations

namespace slicepool::cuda {

void registerLeafTable() {
  slicepool::factorizations::registerLeafTableMaker(slicepool::factorizations::makeTable);
}

}  // namespace slicepool::cuda
