// What a batch driver gives idle CPU workers, against a hub and a device that do exactly what a case says:
// with the engine it would depend on who is faster.
#include "runtime/core/batch_driver.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "support/interval_workload.hpp"

using namespace slicepool;
using test::IntervalWorkload;

namespace {

using Counting = TypedProblem<IntervalWorkload, Count>;
using Slice = IntervalWorkload::Slice;

constexpr std::uint32_t kLanes = 64;
constexpr std::int64_t kTick = 1'000'000;  // ns between two looks at the clock

/// Every launch takes a step of every slice and finishes none.
class SteadyDevice final : public BatchDevice {
 public:
  SteadyDevice() {
    info_.name = "steady";
    info_.kind = "emulated";
    info_.lanes = kLanes;
    info_.busyLanes = kLanes;
  }
  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::size_t deviceBytes() const override { return 0; }
  void upload(int slot, const std::byte* slices, std::uint32_t count) override {
    auto& batch = batches_[slot];
    batch.resize(batch.size() + count);
    std::memcpy(batch.data() + batch.size() - count, slices, count * sizeof(Slice));
  }
  void launch(int, const BatchRound&) override {}
  BatchSummary wait(int slot) override {
    BatchSummary summary;
    summary.live = static_cast<std::uint32_t>(batches_[slot].size());
    summary.steps = summary.live;
    summary.splits = 1;  // it could still be cut: no stragglers
    summary.milliseconds = 1;
    return summary;
  }
  void download(int slot, std::byte* slices, std::uint32_t count, bool remove) override {
    auto& batch = batches_[slot];
    std::memcpy(slices, batch.data() + batch.size() - count, count * sizeof(Slice));
    if (remove) batch.resize(batch.size() - count);
  }
  void readWords(int, std::uint64_t* words) override { words[0] = 0; }
  void takeResults(int, std::byte*, std::uint32_t) override {}
  void copyRows(int, RankRange) override {}

 private:
  DeviceInfo info_;
  std::vector<Slice> batches_[kBatchSlots];
};

/// A hub with slices for one take, and with one hungry CPU worker while it is said to have little left. It
/// stops as soon as it got some slices back.
class ScriptedHub final : public Hub {
 public:
  ScriptedHub(const Problem& problem, std::size_t waiting, double cpuShare, double stepsLeft)
      : problem_(problem), waiting_(waiting), cpuShare_(cpuShare), stepsLeft_(stepsLeft) {}

  [[nodiscard]] const Problem& problem() const override { return problem_; }
  bool take(std::byte*) override { return false; }
  std::size_t takeBulk(std::byte* slices, std::size_t maximum) override {
    for (std::uint64_t i = 0; i < maximum; ++i) {
      const Slice slice{1000 * i, 1000 * i + 1000};
      std::memcpy(slices + i * sizeof slice, &slice, sizeof slice);
    }
    waiting_ = 0;  // somebody else has the rest
    taken = maximum;
    return maximum;
  }
  bool give(const std::byte*) override { return false; }
  void putBack(const std::byte*, std::size_t count) override { back.push_back(count); }
  void addOutstanding(std::size_t) override {}
  void finish(std::size_t) override {}
  bool waitForWork(bool) override { return false; }
  [[nodiscard]] std::size_t hungryWorkers() const override { return std::isnan(stepsLeft_) ? 0 : 1; }
  [[nodiscard]] bool hungryBatch() const override { return false; }
  void setStarving(bool) override {}
  [[nodiscard]] bool batchWantsSlices() const override { return false; }
  [[nodiscard]] std::size_t pooled() const override { return waiting_; }
  [[nodiscard]] double remainingSteps() const override { return stepsLeft_; }
  [[nodiscard]] double totalRate() const override { return 1e6; }
  [[nodiscard]] double cpuRate() const override { return 1e6 * cpuShare_; }
  [[nodiscard]] double elapsed() const override { return 100; }
  [[nodiscard]] bool stopping() const override { return !back.empty() || now_ > 1000 * kTick; }
  void decide() override {}
  void warn(const std::string&) override {}
  void fail(std::exception_ptr error) override { std::rethrow_exception(error); }
  void consume(const std::byte*, std::size_t) override {}
  std::uint64_t exchangeShared(std::uint64_t value) override { return value; }
  [[nodiscard]] bool tracing() const override { return false; }
  [[nodiscard]] std::int64_t now() const override { return now_ += kTick; }

  std::size_t taken = 0;
  std::vector<std::size_t> back;  ///< slices of each putBack()

 private:
  const Problem& problem_;
  std::size_t waiting_;
  double cpuShare_;
  double stepsLeft_;
  mutable std::int64_t now_ = 0;
};

/// What a hungry worker gets from a full batch when CPU workers do `cpuShare` of all steps; 0: no rate is
/// known.
std::size_t givenWith(double cpuShare) {
  const Counting problem(IntervalWorkload::View{1, false}, {{0, 1000}}, {});
  // 90 ms: worth the commit of a gift, not worth filling the other batch first.
  ScriptedHub hub(problem, 4 * kLanes, cpuShare, 9e4);
  const auto driver = makeBatchDriver(problem, std::make_unique<SteadyDevice>(), {.withCpuWorkers = true}, 0);
  driver->drain(hub);
  REQUIRE(hub.taken == kLanes);
  REQUIRE(hub.back.size() == 2);  // the gift, and the rest at the stop
  CHECK(hub.back[0] + hub.back[1] == kLanes);
  return hub.back[0];
}

}  // namespace

TEST_CASE("a hungry CPU worker gets the share of a batch that CPU workers do by measured rates") {
  CHECK(givenWith(0.25) == kLanes / 4);
  CHECK(givenWith(0.5) == kLanes / 2);
  CHECK(givenWith(0.9) == kLanes / 2);  // never more
}

TEST_CASE("CPU workers that never had work enough for a rate get a sixteenth of a batch") {
  CHECK(givenWith(0) == kLanes / 16);
}

TEST_CASE("a full batch gives half of its slices to the empty one beside it") {
  const Counting problem(IntervalWorkload::View{1, false}, {{0, 1000}}, {});
  ScriptedHub hub(problem, 4 * kLanes, 0, std::nan(""));
  makeBatchDriver(problem, std::make_unique<SteadyDevice>(), {.withCpuWorkers = true}, 0)->drain(hub);
  CHECK(hub.back == std::vector<std::size_t>{kLanes / 2, kLanes / 2});
}
