// Blocks through converting threads: order, bounds, errors.
#include "runtime/io/block_pipeline.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using slicepool::BlockActions;
using slicepool::BlockPipeline;

void ignore(std::size_t) {}

/// Lets the other threads run.
void letOthersRun() {
  for (int i = 0; i < 100; ++i) std::this_thread::yield();
}

}  // namespace

TEST_CASE("blocks are placed in the order of submission and written once each, with any number of threads") {
  for (const int threads : {1, 2, 3, 7}) {
    constexpr int kBlocks = 4;
    constexpr int kRounds = 500;
    std::array<int, kBlocks> content{};
    std::vector<int> placed;
    std::vector<std::atomic<int>> written(kRounds);
    std::vector<std::atomic<int>> users(static_cast<std::size_t>(threads) + 1);
    std::atomic<int> collisions{0};
    BlockActions actions;
    actions.convert = [&](std::size_t block, int thread) {
      auto& user = users.at(static_cast<std::size_t>(thread));
      if (user.fetch_add(1) != 0) ++collisions;
      // Later ones are often done first.
      if (content.at(block) % 3 == 0) letOthersRun();
      user.fetch_sub(1);
    };
    actions.place = [&](std::size_t block) { placed.push_back(content.at(block)); };
    actions.write = [&](std::size_t block) { ++written.at(static_cast<std::size_t>(content.at(block))); };
    BlockPipeline pipeline(kBlocks, threads, actions);
    for (int i = 0; i < kRounds; ++i) {
      const std::size_t block = pipeline.acquire();
      content.at(block) = i;
      pipeline.submit(block);
      if (i % 100 == 50) {
        pipeline.drain();
        CHECK(placed.size() == static_cast<std::size_t>(i) + 1);
      }
    }
    pipeline.drain();
    std::vector<int> expected(kRounds);
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(placed == expected);
    CHECK(std::all_of(written.begin(), written.end(), [](const auto& times) { return times == 1; }));
    CHECK(collisions == 0);
  }
}

TEST_CASE("the last block of a few goes through all actions without a thread, behind those before it") {
  std::vector<std::size_t> placed;
  std::vector<std::thread::id> converters;
  BlockActions actions{[&](std::size_t, int) { converters.push_back(std::this_thread::get_id()); },
                       [&](std::size_t block) { placed.push_back(block); }, ignore};
  BlockPipeline pipeline(3, 1, actions);
  const std::size_t only = pipeline.acquire();
  pipeline.drainWith(only);
  CHECK(placed == std::vector<std::size_t>{only});
  CHECK(converters == std::vector<std::thread::id>{std::this_thread::get_id()});
  CHECK(pipeline.threads() == 0);
  actions.convert = [&](std::size_t, int) { letOthersRun(); };
  placed.clear();
  BlockPipeline more(3, 2, actions);
  std::vector<std::size_t> blocks;
  for (int i = 0; i < 3; ++i) {
    blocks.push_back(more.acquire());
    if (i < 2) more.submit(blocks.back());
  }
  more.drainWith(blocks.back());
  CHECK(placed == blocks);
  CHECK(more.threads() >= 1);
}

TEST_CASE("a producer waits when all blocks are under way") {
  std::mutex gate;
  std::unique_lock closed(gate);
  BlockActions actions{[&](std::size_t, int) { const std::lock_guard pass(gate); }, ignore, ignore};
  BlockPipeline pipeline(2, 2, actions);
  std::atomic<int> handed{0};
  std::jthread producer([&] {
    for (int i = 0; i < 5; ++i) {
      pipeline.submit(pipeline.acquire());
      ++handed;
    }
  });
  while (handed < 2) std::this_thread::yield();
  for (int i = 0; i < 10; ++i) letOthersRun();  // time to be wrong in; what is right does not depend on it
  CHECK(handed == 2);
  closed.unlock();
  producer.join();
  CHECK(handed == 5);
  pipeline.drain();
}

TEST_CASE("an exception of any stage reaches the producer, whether it submits, waits or drains") {
  for (const int stage : {0, 1, 2}) {
    const auto failAt = [stage](int here) {
      if (here == stage) throw std::runtime_error("the disk is full");
    };
    BlockActions actions{[&](std::size_t, int) { failAt(0); }, [&](std::size_t) { failAt(1); },
                         [&](std::size_t) { failAt(2); }};
    BlockPipeline pipeline(2, 2, actions);
    const auto produce = [&] {
      for (;;) pipeline.submit(pipeline.acquire());
    };
    CHECK_THROWS_WITH_AS(produce(), "the disk is full", std::runtime_error);
    CHECK_THROWS_WITH_AS(pipeline.drain(), "the disk is full", std::runtime_error);
    CHECK_THROWS_WITH_AS((void)pipeline.acquire(), "the disk is full", std::runtime_error);
  }
}

TEST_CASE("what waits is given up when the pipeline goes, and nothing hangs") {
  std::atomic<int> converted{0};
  std::promise<void> begun;
  std::promise<void> gate;
  {
    BlockActions actions{[&](std::size_t, int) {
                           if (++converted != 1) return;
                           begun.set_value();
                           gate.get_future().wait();
                         },
                         ignore, ignore};
    BlockPipeline pipeline(64, 1, actions);
    for (int i = 0; i < 64; ++i) pipeline.submit(pipeline.acquire());
    begun.get_future().wait();
    pipeline.abandon();
    gate.set_value();
  }
  CHECK(converted == 1);
}
