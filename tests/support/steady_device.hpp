// A batch device that does exactly what a test says: every launch takes a step of every slice. For tests of
// the batch driver, where an emulator would depend on what its slices hold.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/detail/batch_device.hpp"
#include "support/interval_workload.hpp"

namespace slicepool::test {

/// Slices are those of IntervalWorkload; the first word counts steps.
class SteadyDevice final : public BatchDevice {
 public:
  struct Script {
    bool copies = false;       ///< slices can be copied during a launch
    int failAt = -1;           ///< the launch, from 0, that fails; -1: none
    int finishAt = -1;         ///< the launch, from 0, that exhausts its slices; -1: none
    int memoryFailsAt = -1;    ///< the request for host memory, from 0, that fails; -1: none
    bool hasMemory = false;    ///< host memory lies unused
    std::uint32_t lanes = 64;  ///< all of them are needed to load it
    double milliseconds = 1;   ///< of a launch
    int earlyFrom = -1;        ///< the launch, from 0, from which on all end early; -1: the device has none
    std::uint64_t splits = 1;  ///< of a launch, which changes nothing: a batch without any is stuck
    std::function<void(std::uint32_t live)> onLaunch{};
    std::function<void()> onWait{};
  };
  struct Log {
    int launches = 0;
    int uploads = 0;
    int downloadsBegun = 0;
    bool launchedBetween = false;  ///< a launch began while slices were on their way
    std::vector<std::uint64_t> budgets{};
  };

  explicit SteadyDevice(Script script, Log* log = nullptr)
      : script_(std::move(script)), log_(log == nullptr ? &ownLog_ : log) {
    info_.name = "steady";
    info_.kind = "emulated";
    info_.lanes = script_.lanes;
    info_.busyLanes = script_.lanes;
    info_.endsEarly = script_.earlyFrom >= 0;
  }
  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::size_t deviceBytes() const override { return 0; }
  void upload(int slot, const std::byte* slices, std::uint32_t count) override {
    ++log_->uploads;
    auto& batch = batches_[slot];
    batch.resize(batch.size() + count);
    std::memcpy(batch.data() + batch.size() - count, slices, count * sizeof(Slice));
  }
  void launch(int slot, const BatchLaunch& settings) override {
    log_->budgets.push_back(settings.budget);
    early_[slot] = script_.earlyFrom >= 0 && log_->launches >= script_.earlyFrom;
    log_->launchedBetween = log_->launchedBetween || downloading_;
    finishes_[slot] = log_->launches == script_.finishAt;
    if (log_->launches++ == script_.failAt) throw DeviceError("on purpose");
    if (script_.onLaunch) script_.onLaunch(static_cast<std::uint32_t>(batches_[slot].size()));
  }
  BatchSummary wait(int slot) override {
    BatchSummary summary;
    summary.steps = batches_[slot].size();
    if (finishes_[slot]) batches_[slot].clear();
    summary.live = static_cast<std::uint32_t>(batches_[slot].size());
    steps_[slot] += summary.steps;
    summary.splits = script_.splits;
    summary.milliseconds = script_.milliseconds;
    summary.early = early_[slot];
    if (script_.onWait) script_.onWait();
    return summary;
  }
  void download(int slot, std::byte* slices, std::uint32_t count, bool remove) override {
    auto& batch = batches_[slot];
    std::memcpy(slices, batch.data() + batch.size() - count, count * sizeof(Slice));
    if (remove) batch.resize(batch.size() - count);
  }
  [[nodiscard]] bool copiesDuringLaunch() const override { return script_.copies; }
  void beginDownload(int slot, std::byte* slices, std::uint32_t remove) override {
    auto& batch = batches_[slot];
    std::memcpy(slices, batch.data(), batch.size() * sizeof(Slice));
    batch.resize(batch.size() - remove);
    ++log_->downloadsBegun;
    downloading_ = true;
  }
  void endDownload(int) override { downloading_ = false; }
  [[nodiscard]] std::shared_ptr<std::byte[]> hostMemory(std::size_t bytes) override {
    if (requests_++ == script_.memoryFailsAt) throw DeviceError("no memory, on purpose");
    return BatchDevice::hostMemory(bytes);
  }
  [[nodiscard]] bool hasHostMemory(std::size_t) const override { return script_.hasMemory; }
  void readWords(int slot, std::uint64_t* words) override { words[0] = steps_[slot]; }
  void takeResults(int, std::byte*, std::uint32_t) override {}
  void copyRows(int, RankRange) override {}

 private:
  using Slice = IntervalWorkload::Slice;

  Script script_;
  DeviceInfo info_;
  std::vector<Slice> batches_[kBatchSlots];
  std::uint64_t steps_[kBatchSlots] = {};
  bool finishes_[kBatchSlots] = {};
  bool early_[kBatchSlots] = {};
  int requests_ = 0;
  bool downloading_ = false;
  Log ownLog_;
  Log* log_;
};

}  // namespace slicepool::test
