// Which slices a batch driver takes, gives and asks for, step by step: the engine's pool, a device that does
// what a case says, and a log of what passes between them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/core/batch/batch_driver.hpp"
#include "support/interval_workload.hpp"
#include "support/observed_hub.hpp"
#include "support/steady_device.hpp"

using namespace slicepool;
using test::IntervalWorkload;
using test::ObservedHub;
using test::SteadyDevice;

namespace {

using Counting = TypedProblem<IntervalWorkload, Count>;
using Log = std::vector<std::string>;

Counting unsized() { return {IntervalWorkload::View{1, false}, {{0, 1000}}, {}}; }

/// Runs a driver until the hub stops. Launches are noted in the log.
std::unique_ptr<BatchDriver> drive(ObservedHub& hub, SteadyDevice::Script script,
                                   const BatchDriverOptions& options) {
  script.onLaunch = [&hub, inner = std::move(script.onLaunch)](std::uint32_t live) {
    hub.note("launch " + std::to_string(live));
    if (inner) inner(live);
  };
  auto driver = makeBatchDriver(hub.problem(), std::make_unique<SteadyDevice>(std::move(script)), options, 0);
  driver->drain(hub);
  return driver;
}

Log firstOf(const Log& log, std::size_t count) {
  return {log.begin(), log.begin() + static_cast<std::ptrdiff_t>(std::min(count, log.size()))};
}

std::size_t countOf(const Log& log, const std::string& entry) {
  return static_cast<std::size_t>(std::count(log.begin(), log.end(), entry));
}

}  // namespace

TEST_CASE("slices stay in the hub when there is no memory to take them, and come back when it fails later") {
  const Counting problem = unsized();
  for (const bool copies : {false, true}) {
    for (int failAt = 0; failAt < 6; ++failAt) {
      CAPTURE(copies);
      CAPTURE(failAt);
      ObservedHub hub(problem, {.stopAtEntries = 20});
      hub.fillParcel(10);
      hub.fill(100);
      const auto driver = drive(hub, {.copies = copies, .memoryFailsAt = failAt}, {});
      CHECK(hub.hasAll());
      CHECK(driver->failed() == !hub.warning.empty());
      if (failAt < 2) CHECK(driver->failed());
    }
  }
}

TEST_CASE("a take goes on to the next parcel, and to the pool, until it has what was wanted") {
  const Counting problem = unsized();
  ObservedHub hub(problem, {.stopAtEntries = 6});
  hub.fill(12);
  hub.fillParcel(5);
  hub.fillParcel(3);
  (void)drive(hub, {.lanes = 20}, {});
  // A quarter of what waits, at first: 5 of 20. Then of what is left.
  CHECK(firstOf(hub.log, 3) == Log{"parcel 3", "parcel 2", "launch 5"});
  CHECK(hub.hasAll());
}

TEST_CASE("a device that has given everything has taken nothing: it takes as one that begins") {
  const Counting problem = unsized();
  ObservedHub hub(problem, {.cpuRate = 1, .batchRate = 1, .stopAtEntries = 5});
  hub.fill(1);
  // Stuck with one slice it hands that over. Meanwhile others have put slices into the pool.
  bool filled = false;
  (void)drive(hub,
              {.splits = 0,
               .onWait =
                   [&] {
                     if (!std::exchange(filled, true)) hub.fill(99);
                   }},
              {.cpuWorkers = 4});
  // Half of what waits, and not all of it, which is what a device that asks for its part gets.
  CHECK(firstOf(hub.log, 4) == Log{"take 1", "launch 1", "back 1", "take 50"});
  CHECK(hub.hasAll());
}

TEST_CASE("a device does not take its own gift back before its next launch has ended") {
  const Counting problem = unsized();
  for (const bool spreads : {false, true}) {
    CAPTURE(spreads);
    ObservedHub hub(problem, {.hungryWorkers = 4, .cpuRate = 1, .batchRate = 3, .stopAtEntries = 6});
    hub.fill(256);
    // It asks for more, since it is much faster. All CPU workers are dry, and a batch gives them its quarter.
    std::vector<std::byte> others(192 * problem.sliceBytes());
    std::size_t taken = 0;
    (void)drive(hub,
                {.onLaunch =
                     [&](std::uint32_t) {
                       if (taken == 0) taken = hub.inner.takeBulk(others.data(), 192);
                     }},
                {.cpuWorkers = 4, .spreadBytes = spreads ? std::size_t{1} << 20 : 0});
    CHECK(taken == 192);
    CHECK(firstOf(hub.log, 6) == Log{"take 64", "launch 64", "launch 32", "back 8", "launch 24", "starves"});
  }
}

TEST_CASE("a device that has not got its part yet is fed, however well it is loaded") {
  for (const bool sized : {false, true}) {
    const Counting problem(IntervalWorkload::View{1, sized}, {{0, 1000}}, {});
    ObservedHub hub(problem, {.cpuRate = 1, .batchRate = 1});
    hub.fill(256);
    (void)drive(hub, {}, {.cpuWorkers = 8});
    CHECK(countOf(hub.log, "starves") == (sized ? 0 : 1));
    CHECK(hub.hasAll());
  }
}

TEST_CASE("the part of a device is by the highest rate that it had: it is slow with too few slices") {
  const Counting problem = unsized();
  ObservedHub hub(problem, {.cpuRate = 1e6, .batchRate = 1, .stopAtEntries = 100});
  hub.fill(256);
  // Ten times as fast as the CPU workers at first, and a hundred times slower later.
  (void)drive(hub, {.onWait = [&] { hub.scene.tick = hub.log.size() < 20 ? 1'000 : 1'000'000; }},
              {.cpuWorkers = 100});
  CHECK(countOf(firstOf(hub.log, 100), "starves") == 1);
  CHECK(countOf(firstOf(hub.log, 100), "is fed") == 0);
  CHECK(hub.hasAll());
}

TEST_CASE(
    "the first device puts the part of those that will join aside, once, if it is there from the start") {
  const Counting problem = unsized();
  for (const bool deals : {false, true}) {
    ObservedHub hub(problem, {.devicesToCome = 1});
    hub.fill(20'000);
    (void)drive(hub, {.lanes = 4096}, {.deals = deals});
    CHECK(countOf(hub.log, "back 2048") == (deals ? 1 : 0));
    for (const std::string& entry : hub.log) CHECK((!entry.starts_with("back") || entry == "back 2048"));
    CHECK(hub.hasAll());
  }
}

namespace {

/// The integers of an interval, which have rows at their places.
struct RowsWorkload : IntervalWorkload {
  static RankRange ranks(const View&, const Slice& slice) { return {slice.begin, slice.end}; }
};

}  // namespace

TEST_CASE("slices with rows are not taken as parcels: their ranges are read off the snapshot") {
  std::vector<std::byte> rows(8 * 20'000);
  ProblemTraits traits;
  traits.places = {rows.data(), {0, 20'000}, 8};
  const TypedProblem<RowsWorkload, Count> problem(IntervalWorkload::View{1, true}, {{0, 1000}}, traits);
  ObservedHub hub(problem, {});
  hub.fillParcel(20);
  (void)drive(hub, {}, {});
  CHECK(hub.log.at(0) == "take 5");
  for (const std::string& entry : hub.log) CHECK_FALSE(entry.starts_with("parcel"));
  CHECK(hub.hasAll());
}

TEST_CASE("many slices are given for a short time only where memory to commit them lies unused") {
  constexpr std::uint32_t kMany = 5'000'000;  // 80 MB, of which it takes half
  const Counting problem = unsized();
  for (const bool hasMemory : {false, true}) {
    CAPTURE(hasMemory);
    // A gift of half saves 0.05 s.
    ObservedHub hub(problem, {.hungryDevices = 1, .batchRate = 1000, .stepsLeft = 100, .stopAtEntries = 4});
    hub.fillParcel(kMany);
    (void)drive(hub, {.copies = true, .hasMemory = hasMemory, .lanes = kMany}, {.otherDevices = true});
    const Log taken = {"parcel 2500001", "launch 2500001"};
    CHECK(firstOf(hub.log, 2) == taken);
    CHECK(countOf(hub.log, "back 1250001") == (hasMemory ? 1 : 0));
    CHECK(hub.hasAll());
  }
}
