// A device in simulated time: lanes that are slow one by one and fast together, launches that cost something
// to begin, and a link of a given speed. Lanes advance slices as the real ones do: each by a budget, then
// splits until there are enough.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/detail/batch_device.hpp"
#include "support/simulation/search.hpp"

namespace slicepool::test {

struct SimulatedGpu {
  std::uint32_t lanes = 2048;
  std::uint32_t busyLanes = 1024;
  double laneSecondsPerStep = 1e-6;  ///< all lanes together: busyLanes / this, steps/s
  double launchSeconds = 20e-6;      ///< to begin a launch and to hear of its end
  double splitSeconds = 10e-6;       ///< of a round of splits
  double copySeconds = 15e-6;        ///< to begin a copy and to hear of its end
  double sliceCopySeconds = 4e-9;    ///< for each slice
  std::uint64_t failsAt = 0;         ///< the call of the device that fails; 0: none
  double joinsAfter = 0;             ///< seconds of the run; 0: there from the start
  bool copiesDuringLaunch = false;
  bool refills = false;  ///< lanes go on with parts of their warp's slices: kernels/core/round_kernels.cuh
};

class SimulatedDevice final : public BatchDevice {
 public:
  SimulatedDevice(const SimulatedProblem& problem, const SimulatedGpu& gpu, SimulatedTime& time)
      : problem_(problem), gpu_(gpu), time_(time) {
    info_.name = "simulated";
    info_.kind = "gpu";
    info_.lanes = gpu.lanes;
    info_.busyLanes = gpu.busyLanes;
    info_.blockSizes = {128};
    info_.refills = gpu.refills;
  }

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::size_t deviceBytes() const override { return 0; }

  void upload(int slot, const std::byte* slices, std::uint32_t count) override {
    call();
    auto& batch = at(slot).slices;
    const std::size_t before = batch.size();
    batch.resize(before + count);
    std::memcpy(batch.data() + before, slices, count * sizeof(SimulatedSlice));
    copy(count);
  }
  void launch(int slot, const BatchLaunch& round) override {
    Slot& batch = at(slot);
    batch.summary = {};
    const Worked worked = gpu_.refills ? advanceInRounds(batch, round) : advanceEach(batch, round);
    batch.words += batch.summary.steps;
    batch.summary.live = static_cast<std::uint32_t>(batch.slices.size());
    // Lanes of both batches run side by side, as long as there are lanes.
    const double overhead = gpu_.launchSeconds + worked.cuts * gpu_.splitSeconds;
    loadedUntil_ = std::max(loadedUntil_, time_.now()) + nanoseconds(worked.together);
    batch.done = std::max(time_.now() + nanoseconds(worked.alone), loadedUntil_) + nanoseconds(overhead);
    batch.summary.milliseconds = static_cast<double>(batch.done - time_.now()) * 1e-6;
  }
  BatchSummary wait(int slot) override {
    call();
    time_.sleepUntil(at(slot).done);
    return at(slot).summary;
  }
  void download(int slot, std::byte* slices, std::uint32_t count, bool remove) override {
    call();
    auto& batch = at(slot).slices;
    std::memcpy(slices, batch.data() + (batch.size() - count), count * sizeof(SimulatedSlice));
    if (remove) batch.resize(batch.size() - count);
    copy(count);
  }
  [[nodiscard]] bool copiesDuringLaunch() const override { return gpu_.copiesDuringLaunch; }
  void beginDownload(int slot, std::byte* slices, std::uint32_t remove) override {
    call();
    Slot& batch = at(slot);
    if (!batch.slices.empty())
      std::memcpy(slices, batch.slices.data(), batch.slices.size() * sizeof(SimulatedSlice));
    batch.copied = time_.now() + nanoseconds(copyTime(batch.slices.size()));
    batch.slices.resize(batch.slices.size() - remove);
  }
  void endDownload(int slot) override { time_.sleepUntil(at(slot).copied); }
  void readWords(int slot, std::uint64_t* words) override {
    call();
    words[0] = at(slot).words;
    copy(0);
  }
  void takeResults(int, std::byte*, std::uint32_t) override {}
  void copyRows(int, RankRange) override {}

 private:
  void call() {
    if (++calls_ == gpu_.failsAt) throw DeviceError("the simulated device fails");
  }
  struct Slot {
    std::vector<SimulatedSlice> slices;
    std::uint64_t words = 0;
    BatchSummary summary;
    std::int64_t done = 0, copied = 0;
  };

  /// What a launch took.
  struct Worked {
    double together = 0;  ///< seconds of the whole device
    double alone = 0;     ///< seconds at the least, if it is the only one
    int cuts = 0;         ///< rounds of splits
  };

  Worked advanceEach(Slot& batch, const BatchLaunch& round) {
    Worked worked;
    const auto live = static_cast<std::uint32_t>(batch.slices.size());
    std::uint64_t longest = 0;
    for (auto& slice : batch.slices) {
      const std::uint64_t steps = std::min(round.budget, slice.left);
      slice.left -= steps;
      batch.summary.steps += steps;
      longest = std::max(longest, steps);
    }
    std::erase_if(batch.slices, [](const SimulatedSlice& slice) { return slice.left == 0; });
    worked.cuts = cutUpTo(batch, round.fillTarget);
    const double lanesUsed = std::min<double>(live, gpu_.busyLanes);
    worked.together = static_cast<double>(batch.summary.steps) * gpu_.laneSecondsPerStep / gpu_.busyLanes;
    worked.alone = std::max(static_cast<double>(longest) * gpu_.laneSecondsPerStep,
                            worked.together * gpu_.busyLanes / std::max(1.0, lanesUsed) / kFasterAlone);
    return worked;
  }

  /// Slices are dealt to warps, whose lanes share what their warp has until the budget is spent.
  Worked advanceInRounds(Slot& batch, const BatchLaunch& round) {
    Worked worked;
    if (2 * batch.slices.size() <= round.fillTarget) worked.cuts = cutUpTo(batch, round.fillTarget);
    const std::size_t warps = std::max<std::size_t>(1, gpu_.busyLanes / kLanes);
    std::vector<std::vector<SimulatedSlice>> dealt(warps);
    const std::size_t atOnce = std::min(batch.slices.size(), warps * kLanes);
    for (std::size_t i = 0; i < atOnce; ++i) dealt[i % warps].push_back(batch.slices[i]);
    std::size_t next = atOnce;
    std::vector<SimulatedSlice> kept;
    std::vector<double> passes;
    const std::uint64_t most = round.budget * kLanes;
    for (auto& slices : dealt) {
      std::uint64_t steps = 0;
      // Each lane its own slice, then all of them what is left of the warp's.
      for (auto& slice : slices) steps += take(slice, std::min(round.budget, most - steps));
      for (auto& slice : slices) steps += take(slice, most - steps);
      while (steps < most && next < batch.slices.size()) {
        slices.push_back(batch.slices[next++]);
        steps += take(slices.back(), most - steps);
      }
      std::erase_if(slices, [](const SimulatedSlice& slice) { return slice.left == 0; });
      for (std::size_t i = 0; i < slices.size() && slices.size() < kLanes; ++i) {
        SimulatedSlice given;
        if (!problem_.cut(slices[i], given)) continue;
        slices.push_back(given);
        ++batch.summary.splits;
      }
      kept.insert(kept.end(), slices.begin(), slices.end());
      passes.push_back(static_cast<double>(steps) / kLanes);
      batch.summary.steps += steps;
    }
    kept.insert(kept.end(), batch.slices.begin() + static_cast<std::ptrdiff_t>(next), batch.slices.end());
    batch.slices = std::move(kept);
    // Warps that others leave the device to are faster.
    std::sort(passes.begin(), passes.end());
    double before = 0;
    for (std::size_t i = 0; i < passes.size(); ++i) {
      const double faster =
          std::min(kFasterAlone, static_cast<double>(passes.size()) / static_cast<double>(passes.size() - i));
      worked.alone += (passes[i] - before) * gpu_.laneSecondsPerStep / faster;
      before = passes[i];
    }
    worked.together = static_cast<double>(batch.summary.steps) * gpu_.laneSecondsPerStep / gpu_.busyLanes;
    return worked;
  }

  static std::uint64_t take(SimulatedSlice& slice, std::uint64_t most) {
    const std::uint64_t steps = std::min(slice.left, most);
    slice.left -= steps;
    return steps;
  }

  static constexpr std::size_t kLanes = 32;  // of a warp
  static constexpr double kFasterAlone = 4;  // a lane without neighbours
  static std::int64_t nanoseconds(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }
  [[nodiscard]] double copyTime(std::size_t slices) const {
    return gpu_.copySeconds + static_cast<double>(slices) * gpu_.sliceCopySeconds;
  }
  void copy(std::size_t slices) { time_.sleep(nanoseconds(copyTime(slices))); }
  Slot& at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }

  /// Rounds of splits until there are enough slices, or a round adds less than an eighth.
  int cutUpTo(Slot& batch, std::uint32_t target) {
    int rounds = 0;
    for (;;) {
      const std::size_t before = batch.slices.size();
      if (before == 0 || before >= target) return rounds;
      ++rounds;
      const std::size_t most = std::min<std::size_t>(before, target - before);
      std::size_t made = 0;
      for (std::size_t i = 0; i < before && made < most; ++i) {
        SimulatedSlice given;
        if (!problem_.cut(batch.slices[i], given)) continue;
        batch.slices.push_back(given);
        ++made;
      }
      batch.summary.splits += made;
      if (8 * made < before) return rounds;
    }
  }

  const SimulatedProblem& problem_;
  SimulatedGpu gpu_;
  SimulatedTime& time_;
  DeviceInfo info_;
  std::array<Slot, kBatchSlots> slots_;
  std::int64_t loadedUntil_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace slicepool::test
