// CPU workers: those that leave their cores to the driver of a device, slices that are taken together, stops
// and snapshots at any of their looks, slices that are called back, and the length of turns.
#include "cpu_workers/core/cpu_workers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/core/hub.hpp"
#include "support/interval_workload.hpp"
#include "support/observed_hub.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using test::IntervalWorkload;

namespace {

using Counting = TypedProblem<IntervalWorkload, Count>;
using Turns = std::vector<std::uint64_t>;

Turns turnsOf(const std::vector<WorkerAccount*>& accounts) {
  Turns turns;
  for (const auto* account : accounts) turns.push_back(account->turns.load());
  return turns;
}

std::uint64_t sum(const Turns& turns) {
  std::uint64_t all = 0;
  for (const auto one : turns) all += one;
  return all;
}

}  // namespace

TEST_CASE("workers that leave their cores take no more turns, and the last one stays") {
  const Counting problem(IntervalWorkload::View{1, true}, {}, {});
  for (const int threads : {1, 2, 4}) {
    for (const int leaving : {0, 1, 2, 9}) {
      CAPTURE(threads);
      CAPTURE(leaving);
      EngineHub hub(problem, {}, nullptr);
      const auto workers = makeCpuWorkers(problem, {threads, 10, 50});
      const auto accounts = workers->accounts();
      hub.setAccounts(accounts);
      hub.startClock();
      hub.begin();
      // One endless slice for each worker, so that none is cut.
      std::vector<std::byte> slices;
      for (int i = 0; i < threads; ++i) {
        const IntervalWorkload::Slice slice{0, std::uint64_t{1} << 60};
        const auto* const bytes = reinterpret_cast<const std::byte*>(&slice);
        slices.insert(slices.end(), bytes, bytes + sizeof slice);
      }
      hub.addOutstanding(static_cast<std::size_t>(threads));
      hub.adopt(slices);
      std::thread drain([&] { workers->drain(hub); });
      const auto everybodyWorks = [&] {
        const Turns turns = turnsOf(accounts);
        return std::all_of(turns.begin(), turns.end(), [](std::uint64_t one) { return one > 0; });
      };
      while (!everybodyWorks()) std::this_thread::yield();
      for (int i = 0; i < leaving; ++i) workers->leaveCore();
      const Turns before = turnsOf(accounts);
      // Long enough for every one that stays to have its turns, whatever else the machine does.
      const int staying = std::max(1, threads - leaving);
      int working = 0;
      for (std::uint64_t turns = 1000; working < staying; turns += 1000) {
        while (sum(turnsOf(accounts)) < sum(before) + turns) std::this_thread::yield();
        const Turns now = turnsOf(accounts);
        working = 0;
        // One turn is under way when a worker is told to go, and one may just begin.
        for (std::size_t i = 0; i < now.size(); ++i) working += now[i] > before[i] + 3 ? 1 : 0;
      }
      CHECK(working == staying);
      hub.stop();
      drain.join();
      CHECK_FALSE(hub.finished());
      CHECK(hub.drainSlices().size() == slices.size());
    }
  }
}

namespace {

/// Slices of `length` integers each, one after the other, which lie together in the hub.
void putTogether(EngineHub& hub, std::size_t count, std::uint64_t length) {
  std::vector<std::byte> slices(count * sizeof(IntervalWorkload::Slice));
  for (std::size_t i = 0; i < count; ++i) {
    const IntervalWorkload::Slice slice{i * length, (i + 1) * length};
    std::memcpy(slices.data() + i * sizeof slice, &slice, sizeof slice);
  }
  hub.addOutstanding(count);
  hub.putBackTogether(slices.data(), count);
}

std::uint64_t integersOf(const std::byte* slices, std::size_t count) {
  std::uint64_t integers = 0;
  for (std::size_t i = 0; i < count; ++i) {
    IntervalWorkload::Slice slice{};
    std::memcpy(&slice, slices + i * sizeof slice, sizeof slice);
    integers += slice.end - slice.begin;
  }
  return integers;
}

}  // namespace

TEST_CASE(
    "slices that lie together are taken some at a time, and none is lost, wherever a run stops or is saved") {
  constexpr std::size_t kSlices = 1000;
  constexpr std::uint64_t kLength = 10;
  const Counting problem(IntervalWorkload::View{1, true}, {}, {});
  for (const int threads : {1, 2, 4}) {
    for (const std::uint64_t stepLimit : {0, 1, 137, 5000, 9990}) {
      CAPTURE(threads);
      CAPTURE(stepLimit);
      EngineOptions options;
      options.stepLimit = stepLimit;
      EngineHub hub(problem, options, nullptr);
      const auto workers = makeCpuWorkers(problem, {threads, 10, 7});
      hub.setAccounts(workers->accounts());
      hub.startClock();
      hub.begin();
      putTogether(hub, kSlices, kLength);
      hub.askEvery(50);
      std::thread drain([&] { workers->drain(hub); });
      std::size_t most = 0;
      while (!hub.waitUntil(std::chrono::steady_clock::now() + std::chrono::hours(1))) {
        hub.close();
        std::vector<std::byte> waiting;
        hub.appendWaiting(waiting);
        std::uint64_t left = integersOf(waiting.data(), waiting.size() / sizeof(IntervalWorkload::Slice));
        std::vector<HeldSlices> held;
        workers->appendHeld(held);
        for (const HeldSlices& some : held) {
          left += integersOf(some.slices, some.count);
          most = std::max(most, some.count);
        }
        double done = 0;
        for (const auto* account : workers->accounts()) done += static_cast<double>(account->steps.load());
        CHECK(static_cast<double>(left) + done == kSlices * kLength);
        hub.open();
      }
      hub.askEvery(0);
      drain.join();
      std::uint64_t done = 0;
      for (const auto* account : workers->accounts()) done += account->steps.load();
      const std::vector<std::byte> rest = hub.drainSlices();
      CHECK(done + integersOf(rest.data(), rest.size() / sizeof(IntervalWorkload::Slice)) ==
            kSlices * kLength);
      CHECK(hub.finished() == (done == kSlices * kLength));
      if (stepLimit == 0) {
        CHECK(hub.finished());
        CHECK(most > 1);
        std::vector<std::uint64_t> words = problem.words().fresh();
        workers->mergeInto(problem.words(), words.data());
        CHECK(words.at(0) == IntervalWorkload::expected(1, kSlices * kLength).size());
      }
    }
  }
}

TEST_CASE(
    "a worker that is told to stop, or to leave its core, at any of its looks leaves nothing in its hand") {
  const std::size_t all = std::max<std::size_t>(40, test::scaled(200));
  const Counting problem(IntervalWorkload::View{1, true}, {}, {});
  // One worker after the other: the second one has what the first one leaves.
  const auto inTurn = [](const std::function<void(std::size_t)>& loop) {
    for (const std::size_t worker : {0, 1}) loop(worker);
  };
  for (const bool stops : {true, false}) {
    CAPTURE(stops);
    std::size_t most = 0;
    bool reached = true;
    for (std::size_t last = 1; reached; ++last) {
      test::ObservedHub hub(problem, {});
      const auto slices = hub.made(all);  // of 1000 integers each
      hub.inner.putBackTogether(reinterpret_cast<const std::byte*>(slices.data()), all);
      CpuWorkerOptions options{2, 10, 700};
      options.run = inTurn;
      const auto workers = makeCpuWorkers(problem, options);
      reached = false;
      hub.atLook = [&](std::size_t look) {
        if (look != last) return false;
        reached = true;
        std::vector<HeldSlices> held;
        workers->appendHeld(held);
        for (const HeldSlices& some : held) most = std::max(most, some.count);
        if (!stops) workers->leaveCore();
        return stops;
      };
      workers->drain(hub);
      std::uint64_t done = 0;
      for (const auto* account : workers->accounts()) done += account->steps.load();
      const std::vector<std::byte> rest = hub.inner.drainSlices();
      REQUIRE(done + integersOf(rest.data(), rest.size() / sizeof(IntervalWorkload::Slice)) == all * 1000);
      REQUIRE(hub.inner.outstanding() == rest.size() / sizeof(IntervalWorkload::Slice));
      if (!stops || !reached) REQUIRE(rest.empty());
    }
    CHECK(most > 1);
  }
}

TEST_CASE("workers put down what they hold and take nothing while a device calls all slices back") {
  const Counting problem(IntervalWorkload::View{1, true}, {}, {});
  EngineHub hub(problem, {}, nullptr);
  const auto workers = makeCpuWorkers(problem, {2, 10, 50});
  const auto accounts = workers->accounts();
  hub.setAccounts(accounts);
  hub.startClock();
  hub.begin();
  constexpr std::size_t kSlices = 64;
  putTogether(hub, kSlices, std::uint64_t{1} << 50);
  std::thread drain([&] { workers->drain(hub); });
  while (sum(turnsOf(accounts)) < 100) std::this_thread::yield();
  hub.setRecalling(true);
  while (hub.pooled() != hub.outstanding()) std::this_thread::yield();
  hub.close();
  std::vector<HeldSlices> held;
  workers->appendHeld(held);
  CHECK(held.empty());
  CHECK(hub.pooled() == hub.outstanding());
  const Turns before = turnsOf(accounts);
  hub.open();
  hub.setRecalling(false);
  while (sum(turnsOf(accounts)) < sum(before) + 10) std::this_thread::yield();
  hub.stop();
  drain.join();
  CHECK(hub.drainSlices().size() == hub.outstanding() * sizeof(IntervalWorkload::Slice));
}

namespace {

/// A slice without an end, each step of which takes a microsecond of the hub's clock.
struct SlowWorkload : IntervalWorkload {
  static inline test::ObservedHub* hub = nullptr;

  template <class Emit>
  static Turn advance(const View&, Slice&, Budget& budget, Emit&) {
    hub->note(std::to_string((budget.left + 5) / 10 * 10));  // rates are rounded
    hub->pass(1e-6 * static_cast<double>(budget.left));
    budget.left = 0;
    return Turn::budgetSpent;
  }
};

}  // namespace

TEST_CASE("turns last 0.5 ms at most beside devices that work, unless the user has fixed their steps") {
  const TypedProblem<SlowWorkload, Count> problem(IntervalWorkload::View{1, false}, {}, {});
  const auto turns = [&](test::ObservedHub::Scene scene, std::uint64_t fixedBudget) {
    scene.cpuRate = 1e6;
    scene.tick = 0;
    scene.stopAtEntries = 3;
    test::ObservedHub hub(problem, scene);
    hub.pass(10);  // the run has lasted long enough for turns of 10 ms
    hub.fill(1);
    SlowWorkload::hub = &hub;
    makeCpuWorkers(problem, {1, 10, fixedBudget})->drain(hub);
    CHECK(hub.hasAll());
    return hub.log;
  };
  using Log = std::vector<std::string>;
  CHECK(turns({}, 0) == Log{"2050", "10000", "10000"});
  CHECK(turns({.batchRate = 1}, 0) == Log{"2050", "500", "500"});
  CHECK(turns({.batchRate = 1}, 700) == Log{"700", "700", "700"});
  // While slices are called back, none is taken.
  CHECK(turns({.recallLooks = 2}, 700) == Log{"waits", "waits", "700"});
  // The two rates are not read at the same time: their difference is no device.
  CHECK(turns({.drift = 1}, 0) == Log{"2050", "10000", "10000"});
}
