// What a batch driver gives idle CPU workers, commits and takes back from a failing device, against a hub and
// a device that do exactly what a case says: with the engine it would depend on who is faster.
#include "runtime/core/batch/batch_driver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/interval_workload.hpp"
#include "support/quiet_hub.hpp"
#include "support/steady_device.hpp"

using namespace slicepool;
using test::IntervalWorkload;
using test::SteadyDevice;

namespace {

using Counting = TypedProblem<IntervalWorkload, Count>;
using Slice = IntervalWorkload::Slice;

constexpr std::uint32_t kLanes = 64;
constexpr std::int64_t kTick = 1'000'000;  // ns between two looks at the clock

std::unique_ptr<BatchDevice> steady(SteadyDevice::Script script, SteadyDevice::Log* log = nullptr) {
  script.lanes = kLanes;
  return std::make_unique<SteadyDevice>(std::move(script), log);
}

/// A hub with slices for one take, and with one hungry CPU worker while it is said to have little left. It
/// stops as soon as it got some slices back.
class ScriptedHub final : public test::QuietHub {
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
    waiting_ = 0;  // another worker has the rest
    taken = maximum;
    outstanding += maximum;  // as if they had been counted when they came into the pool
    return maximum;
  }
  bool give(const std::byte*) override { return false; }
  void putBack(const std::byte* slices, std::size_t count) override {
    back.push_back(count);
    for (std::size_t i = 0; i < count; ++i) {
      Slice slice{};
      std::memcpy(&slice, slices + i * sizeof slice, sizeof slice);
      begins.push_back(slice.begin);
    }
  }
  void addOutstanding(std::size_t count) override { outstanding += count; }
  void finish(std::size_t count) override { outstanding -= count; }
  void putBackParcel(HeldSlices parcel) override {
    parcels.push_back(back.size());
    putBack(parcel.slices, parcel.count);
  }
  HeldSlices takeParcel(std::size_t) override { return {}; }
  void sleepFor(std::chrono::nanoseconds duration) override { std::this_thread::sleep_for(duration); }
  bool waitForWork(bool) override { return false; }
  [[nodiscard]] std::size_t hungryWorkers() const override { return std::isnan(stepsLeft_) ? 0 : 1; }
  [[nodiscard]] std::size_t hungryDevices() const override { return idleDevices; }
  void setStarving(bool) override {}
  [[nodiscard]] bool batchWantsSlices() const override { return false; }
  [[nodiscard]] std::size_t pooled() const override { return waiting_; }
  [[nodiscard]] double remainingSteps() const override { return stepsLeft_; }
  [[nodiscard]] double totalRate() const override { return 1e6; }
  [[nodiscard]] double cpuRate() const override { return 1e6 * cpuShare_; }
  [[nodiscard]] double batchRate() const override { return 1e6 * (1 - cpuShare_); }
  [[nodiscard]] double elapsed() const override { return 100; }
  [[nodiscard]] bool stopping() const override { return !back.empty() || now_ > 1000 * kTick; }
  [[nodiscard]] bool givenUp() const override { return noUse; }
  [[nodiscard]] std::int64_t now() const override { return now_ += kTick; }

  bool noUse = false;  ///< what is left when it stops
  std::size_t idleDevices = 0;
  std::size_t taken = 0;
  std::size_t outstanding = 0;
  std::vector<std::uint64_t> begins;  ///< of all slices that came back
  std::vector<std::size_t> back;      ///< slices of each putBack() and putBackParcel()
  std::vector<std::size_t> parcels;   ///< which of them were parcels

 private:
  const Problem& problem_;
  std::size_t waiting_;
  double cpuShare_;
  double stepsLeft_;
  mutable std::int64_t now_ = 0;
};

/// Every slice that was taken is back, once, and counted.
void checkAllBack(ScriptedHub& hub) {
  std::sort(hub.begins.begin(), hub.begins.end());
  REQUIRE(hub.begins.size() == hub.taken);
  for (std::size_t i = 0; i < hub.begins.size(); ++i) CHECK(hub.begins[i] == 1000 * i);
  CHECK(hub.outstanding == hub.taken);
}

/// Steps in the books are those in the words: nothing that was taken back is counted.
void checkBooks(const Problem& problem, BatchDriver& driver, std::uint64_t steps) {
  std::vector<std::uint64_t> words = problem.words().fresh();
  driver.mergeInto(problem.words(), words.data());
  CHECK(words[0] == steps);
  CHECK(driver.accounts()[0]->steps.load() == steps);
}

/// What a hungry worker gets from a full batch when CPU workers do `cpuShare` of all steps; 0: no rate is
/// known.
std::size_t givenWith(double cpuShare, bool copies) {
  const Counting problem(IntervalWorkload::View{1, false}, {{0, 1000}}, {});
  // 90 ms: worth the commit of a gift, not worth filling the other batch first.
  ScriptedHub hub(problem, 4 * kLanes, cpuShare, 9e4);
  const auto driver =
      makeBatchDriver(problem, steady({.copies = copies}), {.cpuWorkers = 1, .spreadBytes = 0}, 0);
  driver->drain(hub);
  checkAllBack(hub);
  REQUIRE(hub.taken == kLanes);
  REQUIRE(hub.back.size() == 2);  // the gift, and the rest at the stop
  CHECK(hub.back[0] + hub.back[1] == kLanes);
  return hub.back[0];
}

}  // namespace

TEST_CASE("a hungry CPU worker gets the share of a batch that CPU workers do by measured rates") {
  for (const bool copies : {false, true}) {
    CHECK(givenWith(0.25, copies) == kLanes / 4);
    CHECK(givenWith(0.5, copies) == kLanes / 2);
    CHECK(givenWith(0.9, copies) == kLanes / 2);  // never more
  }
}

TEST_CASE("a gift of a small batch is spread over it: every fourth slice, and the others stay") {
  for (const bool copies : {false, true}) {
    const Counting problem(IntervalWorkload::View{1, false}, {{0, 1000}}, {});
    ScriptedHub hub(problem, 4 * kLanes, 0.25, 9e4);
    const auto driver = makeBatchDriver(problem, steady({.copies = copies}), {.cpuWorkers = 1}, 0);
    driver->drain(hub);
    REQUIRE(hub.back == std::vector<std::size_t>{kLanes / 4, kLanes - kLanes / 4});
    for (std::size_t i = 0; i < kLanes / 4; ++i) CHECK(hub.begins[i] == 1000 * (4 * i + 3));
    checkAllBack(hub);
    checkBooks(problem, *driver, driver->accounts()[0]->steps.load());
  }
}

TEST_CASE("many slices for another device are a parcel, also where they are spread over the batch") {
  for (const bool spread : {false, true}) {
    for (const bool copies : {false, true}) {
      CAPTURE(spread);
      CAPTURE(copies);
      const Counting problem(IntervalWorkload::View{1, false}, {{0, 1000}}, {});
      ScriptedHub hub(problem, 4 * kLanes, 0, 9e4);
      hub.idleDevices = 1;
      BatchDriverOptions options{.otherDevices = true, .parcelSlices = 1};
      if (!spread) options.spreadBytes = 0;
      const auto driver = makeBatchDriver(problem, steady({.copies = copies}), options, 0);
      driver->drain(hub);
      REQUIRE(!hub.parcels.empty());
      CHECK(hub.parcels.front() == 0);
      REQUIRE(hub.back.front() == kLanes / 2);
      if (spread)
        for (std::size_t i = 0; i < kLanes / 2; ++i) CHECK(hub.begins[i] == 1000 * (2 * i + 1));
      checkAllBack(hub);
      checkBooks(problem, *driver, driver->accounts()[0]->steps.load());
    }
  }
}

TEST_CASE("what is spread for CPU workers is no parcel: they take slices one by one") {
  const Counting problem(IntervalWorkload::View{1, false}, {{0, 1000}}, {});
  ScriptedHub hub(problem, 4 * kLanes, 0.25, 9e4);
  makeBatchDriver(problem, steady({.copies = true}), {.cpuWorkers = 1, .parcelSlices = 1}, 0)->drain(hub);
  REQUIRE(hub.back.front() == kLanes / 4);
  CHECK((hub.parcels.empty() || hub.parcels.front() != 0));
  checkAllBack(hub);
}

TEST_CASE("a full batch gives half of its slices to the empty one beside it") {
  for (const bool copies : {false, true}) {
    const Counting problem(IntervalWorkload::View{1, false}, {{0, 1000}}, {});
    ScriptedHub hub(problem, 4 * kLanes, 0, std::nan(""));
    makeBatchDriver(problem, steady({.copies = copies}), {}, 0)->drain(hub);
    CHECK(hub.back == std::vector<std::size_t>{kLanes / 2, kLanes / 2});
    checkAllBack(hub);
  }
}

TEST_CASE("a gift leaves while the next launch runs where the device copies, else before it") {
  for (const bool copies : {false, true}) {
    const Counting problem(IntervalWorkload::View{1, false}, {{0, 1000}}, {});
    ScriptedHub hub(problem, 4 * kLanes, 0.25, 9e4);
    SteadyDevice::Log log;
    makeBatchDriver(problem, steady({.copies = copies}, &log), {.cpuWorkers = 1, .spreadBytes = 0}, 0)
        ->drain(hub);
    CHECK(log.downloadsBegun == (copies ? 1 : 0));
    CHECK(log.launchedBetween == copies);
    checkAllBack(hub);
  }
}

TEST_CASE("a device keeps the slices of a search that was given up, and what it has found counts") {
  for (const bool copies : {false, true}) {
    const Counting problem(IntervalWorkload::View{1, false}, {{0, 1000}}, {});
    ScriptedHub hub(problem, kLanes, 0, std::nan(""));
    hub.noUse = true;
    const auto driver = makeBatchDriver(problem, steady({.copies = copies}), {}, 0);
    driver->drain(hub);
    CHECK(hub.back.empty());
    CHECK(hub.outstanding != 0);  // it is not done
    REQUIRE(driver->accounts()[0]->steps.load() > 0);
    checkBooks(problem, *driver, driver->accounts()[0]->steps.load());
  }
}

TEST_CASE("launches that end by themselves are long where nobody waits, and an early end leaves the budget") {
  const Counting problem(IntervalWorkload::View{1, false}, {{0, 1000}}, {});
  // Both batches are launched before one of them has taught anything.
  const auto budgets = [&](const BatchDriverOptions& options, int earlyFrom) {
    ScriptedHub hub(problem, kLanes, 0, std::nan(""));
    hub.noUse = true;
    SteadyDevice::Log log;
    makeBatchDriver(problem, steady({.milliseconds = 24, .earlyFrom = earlyFrom}, &log), options, 0)
        ->drain(hub);
    REQUIRE(log.budgets.size() > 12);
    return log.budgets;
  };
  // The target is 12 ms, and 48 for one that is alone.
  const auto alone = budgets({}, 6);
  CHECK(alone[6] >= 4 * alone[0]);
  for (std::size_t i = 9; i <= 12; ++i) CHECK(alone[i] == alone[8]);
  for (const BatchDriverOptions& options :
       {BatchDriverOptions{.cpuWorkers = 1}, BatchDriverOptions{.otherDevices = true}}) {
    const auto shared = budgets(options, 100);
    CHECK(shared[6] <= shared[0] / 2);
  }
  CHECK(budgets({}, -1)[6] <= alone[0] / 2);
}

TEST_CASE("a device that fails while a commit is open: back to the commit before, the gift included") {
  const Counting problem(IntervalWorkload::View{1, false}, {{0, 1000}}, {});
  ScriptedHub hub(problem, 4 * kLanes, 0.25, 9e4);
  SteadyDevice::Log log;
  // The first launch is followed by the gift, whose slices are on their way when the second one fails.
  const auto driver = makeBatchDriver(problem, steady({.copies = true, .failAt = 1}, &log),
                                      {.cpuWorkers = 1, .spreadBytes = 0}, 0);
  driver->drain(hub);
  REQUIRE(log.downloadsBegun == 1);
  REQUIRE(log.launches == 2);
  CHECK(driver->failed());
  CHECK(hub.warning.find("on purpose") != std::string::npos);
  CHECK(hub.back.front() == kLanes);  // at once, and nothing as a gift
  checkAllBack(hub);
  checkBooks(problem, *driver, 0);
}

TEST_CASE("a device that fails at any launch leaves what was committed, and takes the rest back") {
  for (const bool copies : {false, true}) {
    for (int failAt = 0; failAt < 8; ++failAt) {
      CAPTURE(copies);
      CAPTURE(failAt);
      const Counting problem(IntervalWorkload::View{1, false}, {{0, 1000}}, {});
      ScriptedHub hub(problem, 4 * kLanes, 0, std::nan(""));  // halves itself, which commits
      const auto driver = makeBatchDriver(problem, steady({.copies = copies, .failAt = failAt}), {}, 0);
      driver->drain(hub);
      CHECK(driver->failed());
      checkAllBack(hub);
      std::vector<std::uint64_t> words = problem.words().fresh();
      driver->mergeInto(problem.words(), words.data());
      checkBooks(problem, *driver, words[0]);
      CHECK(words[0] >= (failAt < 2 ? 0 : kLanes));  // the first launch was committed by the halving
    }
  }
}
