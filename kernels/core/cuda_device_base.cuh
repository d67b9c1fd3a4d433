// Everything of a CUDA device that does not depend on the workload: memory, streams, copies, the order of
// launches. CudaDevice<W, S> (cuda_device.cuh) derives from it and adds the kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "batch_state.cuh"
#include "cuda_seat.cuh"
#include "device_buffer.cuh"
#include "pinned_ring.cuh"
#include "slicepool/detail/batch_device.hpp"
#include "word_replicas.cuh"

namespace slicepool::cuda {

/// What the compiled kernels allow on this device.
struct KernelLimits {
  std::uint32_t maximumThreads = 0;   ///< threads of a block of the advance kernel
  std::uint32_t residentThreads = 0;  ///< slices that the whole device advances at once
  bool slicesAreWarps = false;        ///< a warp advances a slice: far fewer slices are enough
  bool slicesAreLarge = false;        ///< hundreds of bytes: a commit copies hundreds of megabytes
  bool refills = false;               ///< DeviceInfo::refills
  bool endsEarly = false;             ///< DeviceInfo::endsEarly
  std::uint32_t slices = 0;           ///< slices that a batch should hold; 0: by the threads
  std::size_t extraBytes = 0;         ///< device memory that the kernels need beside batches and tables
};

/// Batches of slices on one GPU. One stream per batch, so that both can be in flight; a launch is queued
/// without a synchronisation and waited for by sleeping, after 2 ms. Not thread-safe: one driver thread, as
/// the interface says. Destruction never throws, also after a device error.
class CudaDeviceBase : public BatchDevice {
 public:
  ~CudaDeviceBase() override;
  CudaDeviceBase(const CudaDeviceBase&) = delete;
  CudaDeviceBase& operator=(const CudaDeviceBase&) = delete;

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::size_t deviceBytes() const override { return deviceBytes_; }
  void upload(int slot, const std::byte* slices, std::uint32_t count) override;
  void launch(int slot, const BatchLaunch& settings) override;
  BatchSummary wait(int slot) override;
  void download(int slot, std::byte* slices, std::uint32_t count, bool remove) override;
  void beginDownload(int slot, std::byte* slices, std::uint32_t remove) override;
  void endDownload(int slot) override;
  [[nodiscard]] std::shared_ptr<std::byte[]> hostMemory(std::size_t bytes) override;
  [[nodiscard]] bool hasHostMemory(std::size_t bytes) const override;
  void readWords(int slot, std::uint64_t* words) override;
  void takeResults(int slot, std::byte* results, std::uint32_t count) override;
  void copyRows(int slot, RankRange ranks) override;
  std::uint64_t exchangeShared(std::uint64_t value) override;

 protected:
  /// Selects the device, and takes the seat of the options or makes one. Throws DeviceError when there is no
  /// such device, CudaError.
  CudaDeviceBase(const Problem& problem, const DeviceOptions& options);
  /// Second part of construction, when the kernels are known: sizes and allocates the batches and copies
  /// `tables`. Throws LimitError with the numbers when the device is too small.
  void allocate(const KernelLimits& limits, std::span<const Table> tables);
  /// Last part: what was queued on the first stream before is there for every launch.
  void endSetUp();

  // The kernels; each queues one launch on the stream of the slot.
  virtual void enqueueBegin(int slot, const BeginArguments& begin) = 0;
  virtual void enqueueSplit(int slot, Grid grid, std::uint32_t capacity) = 0;
  virtual void enqueueAdvance(int slot, Grid grid, std::uint64_t budget) = 0;
  /// Slices that can be cut anywhere: enqueueCuts makes `parts` of each live one in the other buffer.
  [[nodiscard]] virtual bool cutsAnywhere() const { return false; }
  virtual void enqueueCuts(int slot, std::uint32_t live, std::uint32_t parts) {
    (void)slot, (void)live, (void)parts;
  }

  // What the kernels need; valid after allocate().
  [[nodiscard]] const std::vector<const void*>& tableAddresses() const { return tableAddresses_; }
  [[nodiscard]] std::byte* rowsAddress() const { return rows_.as<>(); }
  [[nodiscard]] SinkMemory sinkMemory(int slot) const;
  [[nodiscard]] const WordPlan& wordPlan() const { return wordPlan_; }
  [[nodiscard]] cudaStream_t stream(int slot) const { return slots_[at(slot)]->stream.get(); }
  [[nodiscard]] LaunchState* state(int slot) const { return &state_.as<DeviceState>()->launch[slot]; }
  /// As the last launch of the batch left it, after wait().
  [[nodiscard]] const LaunchState& lastState(int slot) const;
  [[nodiscard]] std::byte* liveSlices(int slot) const;
  [[nodiscard]] std::byte* otherSlices(int slot) const;
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] int multiprocessors() const { return multiprocessors_; }

 private:
  /// One batch: its memory, and what its seat has for it.
  struct Slot {
    explicit Slot(CudaSeat::Slot& kept)
        : summary(kept.summary),
          started(kept.started),
          finished(kept.finished),
          copied(kept.copied),
          settled(kept.settled),
          downloaded(kept.downloaded),
          stream(kept.stream),
          copies(kept.copies) {}

    DeviceBuffer slices[2];
    DeviceBuffer results;
    std::unique_ptr<WordReplicas> words;
    PinnedBuffer& summary;
    Event& started;
    Event& finished;
    Event& copied;
    Event& settled;
    Event& downloaded;
    Stream& stream;
    Stream& copies;
    int current = 0;  ///< which of `slices` holds the live ones
    std::uint32_t live = 0;
    bool inFlight = false;
    bool copiesRows = false;  ///< the launch in flight does
    bool captured = false;    ///< the words after the last launch are on the host
    bool advanced = false;    ///< the launch in flight has moved the slices to the other buffer
  };

  [[nodiscard]] static std::size_t at(int slot) { return static_cast<std::size_t>(slot); }
  [[nodiscard]] Slot& idleSlot(int slot, const char* call);
  void describe(const KernelLimits& limits);
  void chooseSizes(const KernelLimits& limits, std::size_t tableBytes);
  [[nodiscard]] std::size_t plannedBytes(std::uint32_t lanes, std::size_t tableBytes) const;
  void copyTables(std::span<const Table> tables);
  void enqueueRowCopies(Slot& batch, std::span<const RankRange> rows);
  void enqueueSplitPasses(int slot, std::uint32_t live, std::uint32_t target);
  void count(const DeviceBuffer& buffer) { deviceBytes_ += buffer.bytes(); }

  int device_;
  std::shared_ptr<CudaSeat> seat_;  ///< before all memory: it waits for the work on it
  DeviceOptions options_;
  DeviceInfo info_;
  Places places_;
  std::size_t sliceBytes_;
  std::size_t resultBytes_;
  std::uint32_t resultCapacity_ = 0;
  bool rowsPinned_ = false;  ///< rows can be copied to their place without a ring
  std::size_t deviceBytes_ = 0;
  int multiprocessors_ = 0;
  std::uint64_t shared_;  ///< lowest value of the shared word seen so far
  WordPlan wordPlan_;
  std::vector<DeviceBuffer> tables_;
  std::vector<const void*> tableAddresses_;
  DeviceBuffer rows_;
  DeviceBuffer state_;
  PinnedRing& ring_;
  std::unique_ptr<Slot> slots_[kBatchSlots];
};

}  // namespace slicepool::cuda
