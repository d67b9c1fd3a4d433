// Algorithm `words` on a GPU, behind slicepool/detail/words_device.hpp: products composed by a thread for
// each coefficient, hashed by a warp for each product, and freed of duplicates after a radix sort of their
// hashes.
#include <cuda_runtime.h>

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <memory>
#include <string>
#include <vector>

#include "factories.hpp"
#include "kernels/core/cuda_check.hpp"
#include "kernels/core/device_buffer.cuh"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/detail/words_device.hpp"
#include "slicepool/semigroup/steps/words.hpp"

namespace slicepool::cuda {

namespace {

namespace sg = slicepool::semigroup;
using View = sg::WordProducts::View;

constexpr unsigned kThreads = 256;
constexpr std::size_t kProductBytes = std::size_t{256} << 20;  ///< of a batch

/// Neighbouring threads compose neighbouring coefficients of one product: they read the same letters.
__global__ void composeProducts(View view) {
  const std::uint64_t all = std::uint64_t{view.count} * view.points;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < all;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    const auto index = static_cast<std::uint32_t>(i);  // a batch has fewer than 2^32 coefficients
    sg::WordProducts::composePoint(view, index / view.points, index % view.points);
  }
}

/// Horner's rule by 32 lanes: lane l sums the coefficients l, l + 32, .. times their powers of the base,
/// which are in a table. The same number as WordProducts::hash.
__global__ void hashProducts(View view, const std::uint64_t* powers, std::uint32_t* numbers) {
  const unsigned lane = threadIdx.x % kWarpSize;
  const std::uint32_t warps = gridDim.x * blockDim.x / kWarpSize;
  for (std::uint32_t c = (blockIdx.x * blockDim.x + threadIdx.x) / kWarpSize; c < view.count; c += warps) {
    const sg::Image* product = sg::WordProducts::productOf(view, c);
    std::uint64_t sum = 0;
    for (std::uint32_t i = lane; i < view.points; i += kWarpSize)
      sum += (std::uint64_t{product[i]} + 1) * powers[view.points - 1 - i];
    for (int distance = kWarpSize / 2; distance > 0; distance /= 2)
      sum += __shfl_down_sync(kFullMask, sum, distance);
    if (lane == 0) {
      view.hashes[c] = mix64(sum) & view.hashMask;
      numbers[c] = c;
    }
  }
}

__global__ void eliminateDuplicates(View view) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < view.count; i += gridDim.x * blockDim.x)
    sg::WordProducts::eliminate(view, i);
}

class CudaWordsDevice final : public sg::WordsDevice {
 public:
  CudaWordsDevice(const sg::WordsProblem& problem, const DeviceOptions& options)
      : device_(options.deviceIndex), selected_(device_), problem_(problem) {
    const GpuDescription gpu = requireGpus().gpus.at(static_cast<std::size_t>(device_));
    name_ = gpu.name;
    blocks_ = static_cast<unsigned>(gpu.multiprocessors) * 16;
    const std::size_t productBytes = std::size_t{problem.points} * sizeof(sg::Image);
    const std::size_t room =
        options.memoryLimit == 0 ? kProductBytes : std::min(kProductBytes, options.memoryLimit / 8);
    capacity_ =
        static_cast<std::uint32_t>(std::clamp<std::size_t>(room / productBytes, 1, std::size_t{1} << 24));
    generators_ = copied(problem.generators.data(), problem.generators.size());
    std::vector<std::uint64_t> powers(problem.points, 1);
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * sg::kHornerBase;
    powers_ = copied(powers.data(), powers.size());
    SLICEPOOL_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(
        nullptr, scratchBytes_, static_cast<const std::uint64_t*>(nullptr),
        static_cast<std::uint64_t*>(nullptr), static_cast<const std::uint32_t*>(nullptr),
        static_cast<std::uint32_t*>(nullptr), static_cast<int>(capacity_)));
    for (auto& slot : slots_) slot = std::make_unique<Slot>(capacity_, productBytes, scratchBytes_);
  }

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const std::string& kind() const override { return kind_; }
  [[nodiscard]] std::uint32_t capacity() const override { return capacity_; }
  [[nodiscard]] std::size_t bytes() const override {
    std::size_t sum = generators_.bytes() + powers_.bytes() + words_.bytes();
    for (const auto& slot : slots_) sum += slot->bytes();
    return sum;
  }

  void stage(std::span<const sg::Letter> words, std::uint32_t length) override {
    useDevice(device_);
    words_.reset();
    words_ = copied(words.data(), words.size());
    length_ = length;
  }

  void begin(int slot, std::uint64_t first, std::uint32_t count) override {
    useDevice(device_);
    Slot& s = *slots_[static_cast<std::size_t>(slot)];
    cudaStream_t stream = s.stream.get();
    s.count = count;
    const View view{generators_.as<sg::Image>(),
                    words_.as<sg::Letter>(),
                    s.products.as<sg::Image>(),
                    s.hashes.as<std::uint64_t>(),
                    s.order.as<std::uint32_t>(),
                    s.equalTo.as<std::uint32_t>(),
                    first,
                    problem_.hashMask,
                    problem_.points,
                    problem_.generatorCount,
                    length_,
                    count};
    s.marks[0].record(s.stream);
    composeProducts<<<blocks_, kThreads, 0, stream>>>(view);
    checkLaunch("composeProducts");
    s.marks[1].record(s.stream);
    hashProducts<<<blocks_, kThreads, 0, stream>>>(view, powers_.as<std::uint64_t>(),
                                                   s.numbers.as<std::uint32_t>());
    checkLaunch("hashProducts");
    s.marks[2].record(s.stream);
    std::size_t bytes = scratchBytes_;  // stable: of equal hashes the smaller candidate comes first
    SLICEPOOL_CUDA_CHECK(
        cub::DeviceRadixSort::SortPairs(s.scratch.as<>(), bytes, s.hashes.as<const std::uint64_t>(),
                                        s.sorted.as<std::uint64_t>(), s.numbers.as<const std::uint32_t>(),
                                        s.order.as<std::uint32_t>(), static_cast<int>(count), 0, 64, stream));
    eliminateDuplicates<<<blocks_, kThreads, 0, stream>>>(view);
    checkLaunch("eliminateDuplicates");
    s.marks[3].record(s.stream);
    copyOut(s.hostHashes, s.hashes, count * sizeof(std::uint64_t), stream);
    copyOut(s.hostEqualTo, s.equalTo, count * sizeof(std::uint32_t), stream);
    s.done.record(s.stream);
  }

  sg::WordsTimes finish(int slot, std::uint64_t* hashes, std::uint32_t* equalTo) override {
    useDevice(device_);
    Slot& s = *slots_[static_cast<std::size_t>(slot)];
    s.done.wait();
    std::copy_n(s.hostHashes.as<std::uint64_t>(), s.count, hashes);
    std::copy_n(s.hostEqualTo.as<std::uint32_t>(), s.count, equalTo);
    const auto seconds = [&](std::size_t mark) {
      return s.marks[mark + 1].millisecondsSince(s.marks[mark]) / 1e3;
    };
    return {seconds(0), seconds(1), seconds(2)};
  }

 private:
  /// Buffers come before the stream: the stream is destroyed, and with that waited for, first.
  struct Slot {
    Slot(std::uint32_t capacity, std::size_t productBytes, std::size_t scratchBytes)
        : products(capacity * productBytes),
          hashes(capacity * sizeof(std::uint64_t)),
          sorted(capacity * sizeof(std::uint64_t)),
          numbers(capacity * sizeof(std::uint32_t)),
          order(capacity * sizeof(std::uint32_t)),
          equalTo(capacity * sizeof(std::uint32_t)),
          scratch(scratchBytes),
          hostHashes(capacity * sizeof(std::uint64_t)),
          hostEqualTo(capacity * sizeof(std::uint32_t)) {}
    [[nodiscard]] std::size_t bytes() const {
      std::size_t sum = 0;
      for (const auto* buffer : {&products, &hashes, &sorted, &numbers, &order, &equalTo, &scratch})
        sum += buffer->bytes();
      return sum;
    }
    DeviceBuffer products, hashes, sorted, numbers, order, equalTo, scratch;
    PinnedBuffer hostHashes, hostEqualTo;
    Event marks[4]{Event(Event::Timing::yes), Event(Event::Timing::yes), Event(Event::Timing::yes),
                   Event(Event::Timing::yes)};
    Event done;
    std::uint32_t count = 0;
    Stream stream;
  };

  template <class T>
  static DeviceBuffer copied(const T* data, std::size_t count) {
    DeviceBuffer buffer(std::max<std::size_t>(1, count * sizeof(T)));
    const Stream stream;
    SLICEPOOL_CUDA_CHECK(
        cudaMemcpyAsync(buffer.as<>(), data, count * sizeof(T), cudaMemcpyHostToDevice, stream.get()));
    SLICEPOOL_CUDA_CHECK(cudaStreamSynchronize(stream.get()));
    return buffer;
  }
  static void copyOut(const PinnedBuffer& to, const DeviceBuffer& from, std::size_t bytes,
                      cudaStream_t stream) {
    SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(to.as<>(), from.as<>(), bytes, cudaMemcpyDeviceToHost, stream));
  }

  int device_;
  SelectedDevice selected_;
  const std::string kind_ = "gpu";
  std::string name_;
  sg::WordsProblem problem_;
  unsigned blocks_ = 1;
  std::uint32_t capacity_ = 0;
  std::uint32_t length_ = 0;
  std::size_t scratchBytes_ = 0;
  DeviceBuffer generators_, powers_, words_;
  std::unique_ptr<Slot> slots_[2];  // last: their streams are waited for first
};

}  // namespace

void registerSemigroupWords() {
  sg::registerWordsDevice([](const sg::WordsProblem& problem, const DeviceOptions& options) {
    return std::make_unique<CudaWordsDevice>(problem, options);
  });
}

}  // namespace slicepool::cuda
