// Threads that are kept: work runs once, at the same time, on threads that are free; arenas call every
// worker.
#include "cpu_workers/core/thread_crew.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <latch>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "cpu_workers/core/cpu_arena.hpp"
#include "support/scale.hpp"
#include "support/thread_counts.hpp"

using namespace slicepool;

TEST_CASE("one after the other runs on one thread, and what is captured is gone at the end") {
  ThreadCrew crew;
  std::set<std::thread::id> threads;
  const auto captured = std::make_shared<int>(0);
  for (std::uint64_t i = 0; i < test::scaled(2000); ++i) {
    crew.start([&threads, captured] { threads.insert(std::this_thread::get_id()); }).wait();
    REQUIRE(captured.use_count() == 1);
    REQUIRE(crew.idle() == 1);
  }
  CHECK(threads.size() == 1);
  CHECK(crew.started() == 1);
}

TEST_CASE("what is started runs at the same time") {
  ThreadCrew crew;
  constexpr int kTogether = 5;
  for (int round = 0; round < 20; ++round) {
    std::latch meeting(kTogether);
    std::vector<ThreadCrew::Work> all;
    for (int i = 0; i < kTogether; ++i) all.push_back(crew.start([&] { meeting.arrive_and_wait(); }));
    for (const auto& work : all) work.wait();
    for (const auto& work : all) work.wait();  // once more says the same
    CHECK(crew.idle() == kTogether);
  }
  CHECK(crew.started() == kTogether);
}

TEST_CASE("a thread that expects work is the one that gets it, and ends when none comes") {
  ThreadCrew crew;
  crew.expect();  // there is no thread
  CHECK(crew.started() == 0);
  crew.start([] {}).wait();
  int done = 0;
  for (std::uint64_t i = 0; i < test::scaled(500); ++i) {
    crew.expect();
    if (i % 3 != 0) crew.start([&] { ++done; }).wait();
    if (i % 3 == 2) crew.expect();  // twice is as good as once
  }
  CHECK(done == static_cast<int>(test::scaled(500) - (test::scaled(500) + 2) / 3));
  CHECK(crew.started() == 1);
  crew.expect();
  crew.dismiss();
  CHECK(crew.idle() == 0);
  crew.start([] {}).wait();
  crew.expect();  // the end of the crew does not wait for work
}

TEST_CASE("threads without work are dismissed, those at work are not") {
  ThreadCrew crew;
  crew.dismiss();
  std::latch begun(1), ends(1);
  const auto busy = crew.start([&] {
    begun.count_down();
    ends.wait();
  });
  begun.wait();
  crew.start([] {}).wait();
  CHECK(crew.idle() == 1);
  crew.dismiss();
  CHECK(crew.idle() == 0);
  ends.count_down();
  busy.wait();
  CHECK(crew.idle() == 1);
  crew.start([] {}).wait();
  CHECK(crew.started() == 2);
}

TEST_CASE("the end of a crew waits for its work") {
  std::atomic<int> done{0};
  std::vector<ThreadCrew::Work> all;
  {
    ThreadCrew crew;
    for (int i = 0; i < 8; ++i) all.push_back(crew.start([&] { done.fetch_add(1); }));
  }
  CHECK(done == 8);
  for (const auto& work : all) work.wait();  // it outlives the crew
}

TEST_CASE("an arena calls every worker once in each of its runs") {
  for (const int threads : test::threadCounts()) {
    CAPTURE(threads);
    CpuArena arena(threads);
    CHECK(arena.threads() == threads);
    for (int run = 0; run < 10; ++run) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(threads));
      arena.run([&](std::size_t i) { calls[i].fetch_add(1); });
      for (const auto& call : calls) REQUIRE(call == 1);
    }
  }
}
