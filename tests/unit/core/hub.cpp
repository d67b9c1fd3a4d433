// The engine's hub: a worker that sleeps for want of slices is woken by each way a slice can come, and by
// each end of a run. Workers sleep without an end of their own here: a wake-up that is lost hangs.
#include "runtime/core/hub.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "slicepool/core/error.hpp"
#include "support/interval_workload.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using test::IntervalWorkload;

namespace {

using Counting = TypedProblem<IntervalWorkload, Count>;
using Slice = IntervalWorkload::Slice;

const Counting& problem() {
  static const Counting made(IntervalWorkload::View{1, true}, {}, {});
  return made;
}

EngineOptions withoutTimeOut(std::size_t poolCapacity) {
  EngineOptions options;
  options.longestSleep = {};
  options.poolCapacity = poolCapacity;
  return options;
}

/// Threads that take slices, count them, and sleep in between. The hub must end before they go.
class Takers {
 public:
  Takers(EngineHub& hub, int count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, &hub, bulk = i % 2 == 0] {
        std::byte slice[sizeof(Slice)];
        for (;;) {
          if (hub.take(slice)) {
            hub.finish(1);
            taken_.fetch_add(1);
            taken_.notify_all();
          } else if (!hub.waitForWork(bulk)) {
            return;
          }
        }
      });
    }
  }
  void waitFor(std::uint64_t count) const {
    for (std::uint64_t now = taken_.load(); now < count; now = taken_.load()) taken_.wait(now);
  }

 private:
  std::atomic<std::uint64_t> taken_{0};
  std::vector<std::jthread> threads_;
};

}  // namespace

TEST_CASE("a slice that is given or put back always finds a worker, which may just be falling asleep") {
  std::byte slice[sizeof(Slice)] = {};
  for (const std::size_t capacity : {std::size_t{1}, std::size_t{64}}) {
    for (const int threads : {1, 2, 5}) {
      CAPTURE(capacity);
      CAPTURE(threads);
      EngineHub hub(problem(), withoutTimeOut(capacity), nullptr);
      hub.addOutstanding(1);  // the giver's own: the run goes on
      Takers takers(hub, threads);
      std::uint64_t given = 0;
      for (std::size_t round = 0; round < test::scaled(3000); ++round) {
        const std::size_t burst = 1 + round % 4;
        for (std::size_t i = 0; i < burst; ++i) {
          if (round % 2 == 0 && hub.give(slice)) continue;
          hub.addOutstanding(1);
          hub.putBack(slice, 1);
        }
        given += burst;
        takers.waitFor(given);  // the giver takes none itself
      }
      hub.finish(1);
      CHECK(hub.finished());
    }
  }
}

TEST_CASE("many slices put back at once wake all workers") {
  std::vector<std::byte> slices(8 * sizeof(Slice));
  EngineHub hub(problem(), withoutTimeOut(4), nullptr);  // four of them wait behind the pool
  hub.addOutstanding(1);
  Takers takers(hub, 4);
  for (std::uint64_t round = 1; round <= test::scaled(1000); ++round) {
    hub.addOutstanding(8);
    hub.putBack(slices.data(), 8);
    takers.waitFor(8 * round);
  }
  hub.finish(1);
  CHECK(hub.finished());
}

TEST_CASE("stop, decide, an error and a step limit wake those who sleep") {
  for (int way = 0; way < 4; ++way) {
    for (std::size_t round = 0; round < test::scaled(200); ++round) {
      EngineOptions options = withoutTimeOut(64);
      options.stepLimit = 100;
      EngineHub hub(problem(), options, nullptr);
      hub.addOutstanding(1);
      {
        const Takers takers(hub, 3);
        if (way == 0) hub.stop();
        if (way == 1) hub.decide();
        if (way == 2) hub.fail(std::make_exception_ptr(Error("on purpose")));
        if (way == 3) {
          hub.tookSteps(99);
          CHECK_FALSE(hub.stopping());
          hub.tookSteps(1);
        }
      }
      CHECK(hub.stopping());
      CHECK(hub.decided() == (way == 1));
      CHECK(hub.stepLimitReached() == (way == 3));
      CHECK_FALSE(hub.finished());
      if (way == 2) CHECK_THROWS_AS(hub.rethrow(), Error);
    }
  }
}

TEST_CASE("rates are of CPU workers and of whatever else works") {
  EngineHub hub(problem(), {}, nullptr);
  WorkerAccount first, second, device;
  first.kind = second.kind = "cpu";
  device.kind = "gpu";
  first.stepsPerSecond = 3;
  second.stepsPerSecond = 4;
  hub.setAccounts({&first, &second, &device});
  CHECK(hub.cpuRate() == 7);
  CHECK(hub.batchRate() == 0);
  device.stepsPerSecond = 100;
  CHECK(hub.cpuRate() == 7);
  CHECK(hub.batchRate() == 100);
  CHECK(hub.totalRate() == 107);
}
