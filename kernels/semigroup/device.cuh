// A GPU that holds an exploration of a transformation semigroup: memory, copies and launches behind the
// interface StageDevice (slicepool/detail/stage_device.hpp). Included by device_instances.cuh.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "kernels.cuh"
#include "kernels/core/cuda_check.hpp"
#include "kernels/core/device_buffer.cuh"
#include "kernels/core/grow_buffer.cuh"
#include "scan.cuh"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/stage_device.hpp"

namespace slicepool::cuda {

template <class Keys>
class SemigroupDevice final : public sg::StageDevice<Keys> {
 public:
  SemigroupDevice(const Keys& host, const DeviceOptions& options)
      : device_(options.deviceIndex), selected_(device_), keys_(host) {
    const GpuDescription gpu = requireGpus().gpus.at(static_cast<std::size_t>(device_));
    name_ = gpu.name;
    multiprocessors_ = gpu.multiprocessors;
    std::size_t free = 0;
    std::size_t total = 0;
    SLICEPOOL_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    free += MemoryCache::instance().idleDeviceBytes(device_);
    limit_ = options.memoryLimit != 0 ? options.memoryLimit : free / 10 * 9;
    words_ = DeviceBuffer(kWords * sizeof(std::uint64_t));
    hostWords_ = PinnedBuffer(kWords * sizeof(std::uint64_t));
    stream_ = std::make_unique<Stream>();
  }
  ~SemigroupDevice() override {
    stream_.reset();  // waits for what still uses the buffers
  }

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const std::string& kind() const override { return kind_; }
  [[nodiscard]] std::size_t bytes() const override {
    std::size_t sum = generators_.bytes() + slots_.bytes();
    for (const auto* buffer : {&rows_, &right_, &left_, &parent_, &suffix_, &first_, &last_, &blocks_})
      sum += buffer->bytes();
    return sum;
  }
  [[nodiscard]] std::size_t memoryLimit() const override { return limit_; }

  void upload(const sg::View<Keys>& host, const sg::Extent& extent) override {
    useDevice(device_);
    generatorCount_ = host.generators;
    const std::size_t generatorBytes = host.keys.generatorBytes(generatorCount_);
    if (generators_.bytes() == 0) {  // they do not change
      requireBytes(generatorBytes);
      generators_.reserve(generatorBytes);
      copyIn(generators_.as<>(), host.keys.generators, generatorBytes);
    }
    keys_ = host.keys;
    resizeElements(extent.elements);
    resizeRows(extent.elements);
    copy(host, {}, extent, cudaMemcpyHostToDevice);
    SLICEPOOL_CUDA_CHECK(cudaStreamSynchronize(stream_->get()));
    slotCount_ = 0;
  }

  void download(const sg::View<Keys>& host, const sg::Extent& from, const sg::Extent& to) override {
    useDevice(device_);
    copy(host, from, to, cudaMemcpyDeviceToHost);
    SLICEPOOL_CUDA_CHECK(cudaStreamSynchronize(stream_->get()));
  }

  /// A piece at a time, through pinned memory: a checkpoint stops the run for as long as this takes.
  void treeBits(sg::Element begin, sg::Element end, std::uint32_t* bits) override {
    useDevice(device_);
    constexpr std::uint32_t kPiece = 1U << 26;  // entries
    if (bits_.bytes() == 0) {
      bits_ = DeviceBuffer(kPiece / 8);
      hostBits_ = PinnedBuffer(kPiece / 8);
    }
    std::uint64_t first = std::uint64_t{begin} * generatorCount_;
    for (std::uint64_t left = std::uint64_t{end - begin} * generatorCount_; left != 0;) {
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, kPiece));
      const std::size_t bytes = (std::size_t{count} + 31) / 32 * sizeof(std::uint32_t);
      packTreeEdges<<<grid(count), kStageThreads, 0, stream_->get()>>>(view(0, 0), first, count,
                                                                       bits_.as<std::uint32_t>());
      checkLaunch("packTreeEdges");
      SLICEPOOL_CUDA_CHECK(
          cudaMemcpyAsync(hostBits_.as<>(), bits_.as<>(), bytes, cudaMemcpyDeviceToHost, stream_->get()));
      SLICEPOOL_CUDA_CHECK(cudaStreamSynchronize(stream_->get()));
      bits = std::copy_n(hostBits_.as<const std::uint32_t>(), bytes / sizeof(std::uint32_t), bits);
      first += count;
      left -= count;
    }
  }

  void resizeRows(sg::Element elements) override {
    useDevice(device_);
    const std::size_t bytes = std::size_t{elements} * generatorCount_ * sizeof(std::uint32_t);
    right_.reserve(bytes);
    left_.reserve(bytes);
  }
  void resizeElements(sg::Element elements) override {
    useDevice(device_);
    const std::size_t count = elements;
    parent_.reserve(count * sizeof(sg::Element));
    suffix_.reserve(count * sizeof(sg::Element));
    first_.reserve(count * sizeof(sg::Letter));
    last_.reserve(count * sizeof(sg::Letter));
    rows_.reserve(count * keys_.rowBytes());
  }
  void newTable(std::uint64_t slots) override {
    useDevice(device_);
    const std::size_t bytes = slots * sizeof(std::uint64_t);
    if (bytes > slots_.bytes()) {
      SLICEPOOL_CUDA_CHECK(cudaStreamSynchronize(stream_->get()));
      slots_.reserve(bytes);
    }
    slotCount_ = slots;
    static_assert(sg::kEmptySlot == 0, "a cleared table is empty");
    SLICEPOOL_CUDA_CHECK(cudaMemsetAsync(slots_.as<>(), 0, bytes, stream_->get()));
  }

  sg::StageWork run(const sg::StageRound& round) override {
    useDevice(device_);
    return sg::runInPieces(round, [&](const sg::Slice& piece) {
      const auto phase = static_cast<sg::Phase>(piece.phase);
      if (phase == sg::Phase::count) {
        const std::size_t blocks = (round.stageEnd - round.stageBegin + sg::kBlock - 1) / sg::kBlock;
        blocks_.reserve(blocks * sizeof(std::uint32_t));
      }
      const bool tells = toldBy(phase);
      if (tells) sendWords(round.words);
      launch(phase, view(round.stageBegin, round.stageEnd), static_cast<std::uint32_t>(piece.begin),
             static_cast<std::uint32_t>(piece.end));
      if (tells) takeWords(round.words);
    });
  }

  std::uint64_t numberBlocks(std::uint32_t blocks, sg::Element next) override {
    useDevice(device_);
    return scanBlocks(blocks_.as<std::uint32_t>(), blocks, next, scratch_, hostWords_.as<std::uint64_t>(),
                      stream_->get());
  }

  [[nodiscard]] sg::Element find(std::uint64_t hash, const sg::Image* images) override {
    useDevice(device_);
    const std::size_t bytes = keys_.width * sizeof(sg::Image);
    DeviceBuffer wanted(bytes);
    copyIn(wanted.as<>(), images, bytes);
    findElement<<<1, 1, 0, stream_->get()>>>(view(0, 0), hash, wanted.as<sg::Image>(),
                                             words_.as<sg::Element>());
    checkLaunch("findElement");
    sg::Element found = sg::kNoElement;
    SLICEPOOL_CUDA_CHECK(
        cudaMemcpyAsync(&found, words_.as<>(), sizeof(found), cudaMemcpyDeviceToHost, stream_->get()));
    SLICEPOOL_CUDA_CHECK(cudaStreamSynchronize(stream_->get()));
    return found;
  }

 private:
  static constexpr std::size_t kWords = 8;
  static constexpr unsigned kBlocksPerMultiprocessor = 32;

  [[nodiscard]] static bool toldBy(sg::Phase phase) {
    switch (phase) {
      case sg::Phase::expand:
      case sg::Phase::count:
      case sg::Phase::number:
      case sg::Phase::left:
      case sg::Phase::rehash: return false;
      default: return true;
    }
  }

  void launch(sg::Phase phase, const sg::View<Keys>& v, std::uint32_t begin, std::uint32_t end) {
    auto* words = words_.as<std::uint64_t>();
    const std::uint64_t entries = std::uint64_t{end - begin} * generatorCount_;
    cudaStream_t s = stream_->get();
    switch (phase) {
      case sg::Phase::expand:
        overEntries<ExpandEntry><<<grid(entries), kStageThreads, 0, s>>>(v, begin, entries, words);
        break;
      case sg::Phase::derive:
        overEntries<DeriveEntry><<<grid(entries), kStageThreads, 0, s>>>(v, begin, entries, words);
        break;
      case sg::Phase::left:
        overEntries<LeftEntry><<<grid(entries), kStageThreads, 0, s>>>(v, begin, entries, words);
        break;
      case sg::Phase::check:
        checkStage<<<grid(entries * generatorCount_), kStageThreads, 0, s>>>(v, begin, end, words);
        break;
      case sg::Phase::count:
        countBlocks<<<grid(std::uint64_t{end - begin} * kWarpSize), kStageThreads, 0, s>>>(v, begin, end);
        break;
      case sg::Phase::number:
        cuda::numberBlocks<<<grid(std::uint64_t{end - begin} * kWarpSize), kStageThreads, 0, s>>>(v, begin,
                                                                                                  end);
        break;
      default: overElements<<<grid(end - begin), kStageThreads, 0, s>>>(v, phase, begin, end, words); break;
    }
    checkLaunch("a phase of a semigroup");
  }

  /// Blocks for so many threads; more than a few waves of the device are shared out by a loop.
  [[nodiscard]] unsigned grid(std::uint64_t threads) const {
    const std::uint64_t blocks = (threads + kStageThreads - 1) / kStageThreads;
    const std::uint64_t most =
        std::uint64_t{static_cast<unsigned>(multiprocessors_)} * kBlocksPerMultiprocessor;
    return static_cast<unsigned>(std::clamp<std::uint64_t>(blocks, 1, most));
  }

  void sendWords(const std::uint64_t* words) {
    const auto layout = sg::Tally::layout().fresh();
    std::copy_n(words, layout.size(), hostWords_.as<std::uint64_t>());
    SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(words_.as<>(), hostWords_.as<>(),
                                         layout.size() * sizeof(std::uint64_t), cudaMemcpyHostToDevice,
                                         stream_->get()));
  }
  void takeWords(std::uint64_t* words) {
    const auto layout = sg::Tally::layout().fresh();
    SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(hostWords_.as<>(), words_.as<>(),
                                         layout.size() * sizeof(std::uint64_t), cudaMemcpyDeviceToHost,
                                         stream_->get()));
    SLICEPOOL_CUDA_CHECK(cudaStreamSynchronize(stream_->get()));
    std::copy_n(hostWords_.as<std::uint64_t>(), layout.size(), words);
  }

  void copyIn(void* to, const void* from, std::size_t bytes) {
    SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_->get()));
  }

  void requireBytes(std::size_t bytes) const {
    if (bytes <= limit_) return;
    throw LimitError("memory of " + name_ + ": generators of " + describeBytes(bytes) + ", the limit is " +
                     describeBytes(limit_));
  }

  void copy(const sg::View<Keys>& host, const sg::Extent& from, const sg::Extent& to,
            cudaMemcpyKind direction) {
    const auto column = [&](void* there, const GrowBuffer& here, std::size_t begin, std::size_t end,
                            std::size_t bytes) {
      if (end <= begin) return;
      std::byte* const hostAt = static_cast<std::byte*>(there) + begin * bytes;
      std::byte* const deviceAt = here.as<>() + begin * bytes;
      const bool in = direction == cudaMemcpyHostToDevice;
      SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(in ? deviceAt : hostAt, in ? hostAt : deviceAt,
                                           (end - begin) * bytes, direction, stream_->get()));
    };
    const std::size_t rowBytes = std::size_t{generatorCount_} * sizeof(std::uint32_t);
    column(host.parent, parent_, from.elements, to.elements, sizeof(sg::Element));
    column(host.suffix, suffix_, from.elements, to.elements, sizeof(sg::Element));
    column(host.first, first_, from.elements, to.elements, sizeof(sg::Letter));
    column(host.last, last_, from.elements, to.elements, sizeof(sg::Letter));
    column(host.keys.rows, rows_, from.elements, to.elements, keys_.rowBytes());
    column(host.right, right_, from.rows, to.rows, rowBytes);
    column(host.left, left_, from.leftRows, to.leftRows, rowBytes);
  }

  [[nodiscard]] sg::View<Keys> view(sg::Element stageBegin, sg::Element stageEnd) const {
    return {keys_.at(generators_.as<>(), rows_.as<>()),
            {slots_.as<std::uint64_t>(), slotCount_ - 1},
            right_.as<std::uint32_t>(),
            left_.as<std::uint32_t>(),
            parent_.as<sg::Element>(),
            suffix_.as<sg::Element>(),
            first_.as<sg::Letter>(),
            last_.as<sg::Letter>(),
            blocks_.as<std::uint32_t>(),
            generatorCount_,
            stageBegin,
            stageEnd};
  }

  int device_;
  SelectedDevice selected_;
  std::string name_;
  const std::string kind_ = "gpu";
  int multiprocessors_ = 0;
  std::size_t limit_ = 0;
  Keys keys_;
  std::uint32_t generatorCount_ = 0;
  std::uint64_t slotCount_ = 0;
  GrowBuffer generators_, rows_, slots_, right_, left_, parent_, suffix_, first_, last_, blocks_;
  DeviceBuffer words_, scratch_, bits_;
  PinnedBuffer hostWords_, hostBits_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace slicepool::cuda
