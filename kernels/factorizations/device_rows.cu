// Implementation of device_rows.hpp: checks, tables, choice of the kernel.
#include "slicepool/cuda/device_rows.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "device_rows_kernel.hpp"
#include "kernels/core/cuda_check.hpp"
#include "kernels/core/device_buffer.cuh"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/steps/rank_costs.hpp"
#include "slicepool/factorizations/steps/rank_counts.hpp"
#include "slicepool/factorizations/steps/suffix_rows.hpp"

namespace slicepool::cuda {

namespace {

using factorizations::RankCounts;
using factorizations::SuffixRows;

constexpr std::uint64_t kMaximumInput = (std::uint64_t{1} << 31U) - 1;
constexpr std::size_t kMinimumDimension = 3;
constexpr std::size_t kMaximumDimension = 16;
constexpr std::size_t kMinimumBytesPerWarp = std::size_t{4} << 10U;
constexpr std::size_t kMaximumBytesPerWarp = std::size_t{32} << 10U;
constexpr std::size_t kSlices = 10000;  // more than two for each warp that an H200 runs at once
constexpr double kUses = 1000;          // of the tables, as far as their size goes
constexpr std::size_t kMaximumTailBytes = std::size_t{1} << 30U;

unsigned narrowest(std::uint64_t largest) {
  if (largest <= std::numeric_limits<std::uint8_t>::max()) return 1;
  return largest <= std::numeric_limits<std::uint16_t>::max() ? 2 : 4;
}

void check(const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  if (generators.size() < kMinimumDimension || generators.size() > kMaximumDimension)
    throw ConfigError("generators", std::to_string(generators.size()) + " of them", "3 to 16 generators");
  for (const std::uint64_t g : generators)
    if (g == 0 || g > kMaximumInput) throw ConfigError("generators", std::to_string(g), "1 to 2^31 - 1");
  if (element > kMaximumInput) throw ConfigError("element", std::to_string(element), "0 to 2^31 - 1");
}

template <class T>
DeviceBuffer onDevice(const T* data, std::size_t count, const Stream& stream) {
  DeviceBuffer buffer(std::max<std::size_t>(1, count * sizeof(T)));
  if (count != 0) {
    SLICEPOOL_CUDA_CHECK(
        cudaMemcpyAsync(buffer.as<>(), data, count * sizeof(T), cudaMemcpyHostToDevice, stream.get()));
  }
  return buffer;
}

using LaunchDeviceRows = void (*)(const DeviceRowsTables&, const DeviceRowsRange&, cudaStream_t);

/// Of a dimension from 3.
template <std::size_t... kFrom3>
LaunchDeviceRows launchOf(std::size_t dimension, std::index_sequence<kFrom3...>) {
  static constexpr LaunchDeviceRows kLaunches[] = {
      &launchDeviceRows<static_cast<int>(kFrom3 + kMinimumDimension)>...};
  return kLaunches[dimension - kMinimumDimension];
}

}  // namespace

class DeviceRows::Impl {
 public:
  Impl(const std::vector<std::uint64_t>& generators, std::uint64_t element, const DeviceRowsOptions& options)
      : dimension_(generators.size()) {
    check(generators, element);
    const SelectedDevice selected(options.deviceIndex);
    const RankCounts counts = factorizations::makeRankCounts(generators, element);
    if (counts.overflow) throw LimitError("rows on a device: " + counts.exactTotal + " of them");
    rows_ = counts.total;
    const std::uint64_t largest = element / *std::min_element(generators.begin(), generators.end());
    elementBytes_ = options.elementBytes != 0 ? options.elementBytes : narrowest(largest);
    if (elementBytes_ < narrowest(largest) || elementBytes_ > 8 ||
        (elementBytes_ & (elementBytes_ - 1)) != 0) {
      throw ConfigError("elementBytes", std::to_string(elementBytes_),
                        "0, or 1, 2, 4 or 8 and at least " + std::to_string(narrowest(largest)));
    }
    tables_.generators = generators;
    tables_.element = static_cast<std::uint32_t>(element);
    factorizations::TailChoice choice;
    choice.elementBytes = elementBytes_;
    choice.memoryLimit = kMaximumTailBytes;
    choice.device = true;
    choice.uses = kUses;
    const unsigned tail = options.tail.value_or(chooseTail(generators, counts, choice));
    if (tail < 2 || tail >= dimension_)
      throw ConfigError("tail", std::to_string(tail), "2 to " + std::to_string(dimension_ - 1));
    const SuffixRows made =
        factorizations::makeSuffixRows(generators, counts, tail, elementBytes_, {}, {.device = true});
    tables_.tail.tail = static_cast<std::int32_t>(made.tail);
    tables_.tail.elementBytes = static_cast<std::int32_t>(elementBytes_);
    factorizations::setAxisStride(
        tables_.tail, static_cast<std::uint32_t>(generators[dimension_ - made.tail - 1]), made.common);
    boundaries_ = factorizations::cutRows(
        generators, counts, makeRankCosts(generators, counts, tail, rowBytes(), tables_.tail.axisStride),
        options.bytesPerWarp != 0 ? options.bytesPerWarp : bytesPerWarp());
    copy(counts, made);
  }

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] unsigned elementBytes() const { return elementBytes_; }
  [[nodiscard]] std::size_t rowBytes() const { return dimension_ * elementBytes_; }
  [[nodiscard]] unsigned tail() const { return static_cast<unsigned>(tables_.tail.tail); }

  void write(RankRange ranks, void* device, cudaStream_t stream) const {
    if (ranks.begin > ranks.end || ranks.end > rows_) {
      throw ConfigError("ranks", std::to_string(ranks.begin) + ":" + std::to_string(ranks.end),
                        "a range within 0:" + std::to_string(rows_));
    }
    if (ranks.begin == ranks.end) return;
    const LaunchDeviceRows launch = launchOf(dimension_, std::make_index_sequence<kMaximumDimension - 2>());
    // The slice that holds the first rank, and the one behind that of the last.
    const auto from = std::upper_bound(boundaries_.begin(), boundaries_.end(), ranks.begin) - 1;
    const auto to = std::lower_bound(boundaries_.begin(), boundaries_.end(), ranks.end);
    launch(tables_,
           {ranks.begin, ranks.end, slices_.as<const std::uint64_t>(),
            static_cast<std::uint32_t>(from - boundaries_.begin()), static_cast<std::uint32_t>(to - from),
            static_cast<std::byte*>(device)},
           stream);
  }

 private:
  /// Large slices for large sets, and enough of them for small ones.
  [[nodiscard]] std::uint32_t bytesPerWarp() const {
    return static_cast<std::uint32_t>(
        std::clamp(rows_ * rowBytes() / kSlices, kMinimumBytesPerWarp, kMaximumBytesPerWarp));
  }

  void copy(const RankCounts& counts, const SuffixRows& made) {
    const Stream stream;
    levels_ = onDevice(counts.levels.data(), counts.levels.size(), stream);
    chain_ = onDevice(counts.chain.data(), counts.chain.size(), stream);
    tables_.levels = levels_.as<const std::uint64_t>();
    tables_.chain = chain_.as<const std::uint64_t>();
    if (made.stored()) {
      offsets_ = onDevice(made.offsets.data(), made.offsets.size(), stream);
      stored_ = onDevice(made.memory.get(), made.memoryBytes(), stream);
      tables_.tail.offsets = offsets_.as<const std::uint32_t>();
      tables_.tail.rows = stored_.as<const std::byte>() + SuffixRows::kReadable;
    }
    slices_ = onDevice(boundaries_.data(), boundaries_.size(), stream);
    SLICEPOOL_CUDA_CHECK(cudaStreamSynchronize(stream.get()));
  }

  std::size_t dimension_;
  std::uint64_t rows_ = 0;
  unsigned elementBytes_ = 0;
  std::vector<std::uint64_t> boundaries_;
  DeviceRowsTables tables_;
  DeviceBuffer levels_, chain_, offsets_, stored_, slices_;
};

DeviceRows::DeviceRows(const std::vector<std::uint64_t>& generators, std::uint64_t element,
                       const DeviceRowsOptions& options)
    : impl_(std::make_unique<Impl>(generators, element, options)) {}
DeviceRows::~DeviceRows() = default;
DeviceRows::DeviceRows(DeviceRows&&) noexcept = default;
DeviceRows& DeviceRows::operator=(DeviceRows&&) noexcept = default;

std::uint64_t DeviceRows::rows() const { return impl_->rows(); }
unsigned DeviceRows::elementBytes() const { return impl_->elementBytes(); }
std::size_t DeviceRows::rowBytes() const { return impl_->rowBytes(); }
unsigned DeviceRows::tail() const { return impl_->tail(); }
void DeviceRows::write(RankRange ranks, void* device, cudaStream_t stream) const {
  impl_->write(ranks, device, stream);
}

}  // namespace slicepool::cuda
