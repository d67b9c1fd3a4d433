// See emulated_device.hpp.
#include "runtime/core/batch/emulated_device.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

/// Of the two batches; their contents are of no use to the next device.
class EmulatedSeat final : public DeviceSeat {
 public:
  struct Memory {
    std::vector<std::byte> slices, results;
  };
  [[nodiscard]] std::size_t hostBytes() const override {
    std::size_t bytes = 0;
    for (const Memory& batch : batches) bytes += batch.slices.capacity() + batch.results.capacity();
    return bytes;
  }
  std::array<Memory, kBatchSlots> batches;
};

class EmulatedDevice final : public BatchDevice {
 public:
  EmulatedDevice(const Problem& problem, const EmulatorOptions& options, std::shared_ptr<DeviceSeat> seat)
      : problem_(problem),
        options_(options),
        seat_(std::dynamic_pointer_cast<EmulatedSeat>(std::move(seat))) {
    if (!seat_) seat_ = std::make_shared<EmulatedSeat>();
    if (options.lanes == 0) throw ConfigError("emulated.lanes", "0", "1 or more");
    info_.name = "lane emulator, " + std::to_string(options.lanes) + " lanes on the host";
    info_.kind = "emulated";
    info_.lanes = options.lanes;
    info_.busyLanes = std::max(1U, options.lanes / 2);
    info_.blockSizes = {32};
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      Batch& slot = slots_[i];
      slot.slices.swap(seat_->batches[i].slices);
      slot.slices.clear();
      slot.results.swap(seat_->batches[i].results);
      slot.words = problem.words().fresh();
      if (problem.resultBytes() != 0) slot.results.resize(problem.resultBytes() * options.resultCapacity);
      slot.shared = problem.sharedStart();
    }
  }
  ~EmulatedDevice() override {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      slots_[i].slices.swap(seat_->batches[i].slices);
      slots_[i].results.swap(seat_->batches[i].results);
    }
  }
  EmulatedDevice(const EmulatedDevice&) = delete;
  EmulatedDevice& operator=(const EmulatedDevice&) = delete;

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::size_t deviceBytes() const override { return 0; }

  void upload(int slot, const std::byte* slices, std::uint32_t count) override {
    Batch& batch = at(slot);
    if (live(batch) + count > info_.lanes)
      throw DeviceError("emulated device: upload beyond the lanes of a batch");
    if (uploads_++ == options_.noMemoryAtUpload)
      throw LimitError("emulated device: injected shortage of memory");
    batch.slices.insert(batch.slices.end(), slices, slices + count * problem_.sliceBytes());
  }

  void launch(int slot, const BatchLaunch& settings) override {
    if (launches_++ == options_.failAtLaunch) {
      seat_->discard();
      throw DeviceError("emulated device: injected launch failure");
    }
    at(slot).settings = settings;
    at(slot).inFlight = true;
  }

  BatchSummary wait(int slot) override {
    Batch& batch = at(slot);
    if (!batch.inFlight) throw DeviceError("emulated device: wait without a launch");
    batch.inFlight = false;
    const auto begin = std::chrono::steady_clock::now();
    BatchSummary summary;
    if (!advanceTogether(batch, summary)) {
      fill(batch, summary);
      advanceAll(batch, summary);
    }
    if (options_.slowdownMilliseconds > 0)
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(options_.slowdownMilliseconds));
    summary.live = live(batch);
    summary.resultCount = batch.resultCount;
    summary.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return summary;
  }

  void download(int slot, std::byte* slices, std::uint32_t count, bool remove) override {
    Batch& batch = at(slot);
    const std::size_t bytes = count * problem_.sliceBytes();
    std::memcpy(slices, batch.slices.data() + batch.slices.size() - bytes, bytes);
    if (remove) batch.slices.resize(batch.slices.size() - bytes);
  }

  [[nodiscard]] bool copiesDuringLaunch() const override { return options_.copiesDuringLaunch; }
  void beginDownload(int slot, std::byte* slices, std::uint32_t remove) override {
    Batch& batch = at(slot);
    std::copy(batch.slices.begin(), batch.slices.end(), slices);
    batch.slices.resize(batch.slices.size() - remove * problem_.sliceBytes());
  }

  void readWords(int slot, std::uint64_t* words) override {
    std::copy(at(slot).words.begin(), at(slot).words.end(), words);
  }

  void takeResults(int slot, std::byte* results, std::uint32_t count) override {
    Batch& batch = at(slot);
    std::memcpy(results, batch.results.data(), count * problem_.resultBytes());
    batch.resultCount = 0;
  }

  // Rows were written straight to their final place.
  void copyRows(int, RankRange) override {}

  std::uint64_t exchangeShared(std::uint64_t value) override {
    for (auto& batch : slots_) value = std::min(value, batch.shared);
    for (auto& batch : slots_) batch.shared = value;
    return value;
  }

 private:
  struct Batch {
    std::vector<std::byte> slices;
    std::vector<std::uint64_t> words;
    std::vector<std::byte> results;
    std::uint32_t resultCount = 0;
    std::uint64_t shared = 0;
    BatchLaunch settings;
    bool inFlight = false;
  };

  Batch& at(int slot) { return slots_.at(static_cast<std::size_t>(slot)); }
  [[nodiscard]] SinkMemory memoryOf(Batch& batch) const {
    return {batch.words.data(), batch.results.data(), &batch.resultCount,
            problem_.resultBytes() != 0 ? options_.resultCapacity : 0, &batch.shared};
  }
  [[nodiscard]] std::uint32_t live(const Batch& batch) const {
    return static_cast<std::uint32_t>(batch.slices.size() / problem_.sliceBytes());
  }

  /// For problems that advance whole batches.
  bool advanceTogether(Batch& batch, BatchSummary& summary) {
    const std::size_t bytes = problem_.sliceBytes();
    const std::uint32_t count = live(batch);
    if (count == 0) return false;
    batch.slices.resize(info_.lanes * bytes);
    const auto turn =
        problem_.advanceBatch(batch.slices.data(), count, info_.lanes,
                              std::max<std::uint64_t>(1, batch.settings.budget), memoryOf(batch));
    batch.slices.resize((turn ? turn->kept : count) * bytes);
    if (!turn) return false;
    summary.steps = turn->steps;
    summary.splits = turn->splits;
    summary.sinkFull = turn->refused;
    return true;
  }

  /// By cuts where slices can be cut anywhere, as a device does it: so many parts of each as there is room
  /// for.
  bool cut(Batch& batch, std::uint32_t target, BatchSummary& summary) {
    const std::size_t bytes = problem_.sliceBytes();
    const std::uint32_t before = live(batch);
    const std::uint32_t parts = target / before;
    std::vector<std::byte> made(std::size_t{before} * parts * bytes);
    for (std::uint32_t i = 0; i < before; ++i) {
      for (std::uint32_t part = 0; part < parts; ++part) {
        std::byte* const to = made.data() + (std::size_t{i} * parts + part) * bytes;
        if (!problem_.part(batch.slices.data() + i * bytes, part, parts, to)) return false;
      }
    }
    batch.slices.assign(made.begin(), made.end());
    summary.splits += live(batch) - before;
    return true;
  }

  /// Doubling by splits, as a device does it with other slices: every live slice once per pass.
  void fill(Batch& batch, BatchSummary& summary) {
    const std::size_t bytes = problem_.sliceBytes();
    const std::uint32_t target = std::min(batch.settings.fillTarget, info_.lanes);
    if (live(batch) != 0 && live(batch) <= target / 2 && cut(batch, target, summary)) return;
    std::vector<std::byte> given(bytes);
    for (bool cut = true; cut && live(batch) <= target / 2;) {
      cut = false;
      const std::uint32_t before = live(batch);
      for (std::uint32_t i = 0; i < before && live(batch) < target; ++i) {
        if (!problem_.split(batch.slices.data() + i * bytes, given.data())) continue;
        batch.slices.insert(batch.slices.end(), given.begin(), given.end());
        ++summary.splits;
        cut = true;
      }
    }
  }

  void advanceAll(Batch& batch, BatchSummary& summary) {
    const std::size_t bytes = problem_.sliceBytes();
    const std::uint32_t count = live(batch);
    std::size_t kept = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::byte* slice = batch.slices.data() + i * bytes;
      Budget budget{std::max<std::uint64_t>(1, batch.settings.budget)};
      const std::uint64_t granted = budget.left;
      const Turn turn = problem_.advance(slice, budget, memoryOf(batch));
      summary.steps += granted - budget.left;
      if (turn == Turn::sinkFull) ++summary.sinkFull;
      if (turn == Turn::exhausted) continue;
      std::memmove(batch.slices.data() + kept, slice, bytes);
      kept += bytes;
    }
    batch.slices.resize(kept);
  }

  const Problem& problem_;
  EmulatorOptions options_;
  std::shared_ptr<EmulatedSeat> seat_;
  DeviceInfo info_;
  std::array<Batch, kBatchSlots> slots_;
  std::int64_t launches_ = 0;
  std::int64_t uploads_ = 0;
};

}  // namespace

std::unique_ptr<BatchDevice> makeEmulatedDevice(const Problem& problem, const EmulatorOptions& options,
                                                std::shared_ptr<DeviceSeat> seat) {
  return std::make_unique<EmulatedDevice>(problem, options, std::move(seat));
}

std::unique_ptr<DeviceSeat> makeEmulatedSeat() { return std::make_unique<EmulatedSeat>(); }

}  // namespace slicepool
