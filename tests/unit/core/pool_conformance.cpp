// Conformance of the slice pool: what goes in comes out once, under every order and many threads.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "support/slice_pool.hpp"
#include "support/thread_counts.hpp"

using namespace slicepool;

namespace {

struct Entry {
  std::uint64_t id;
  std::uint64_t check;
  char padding[120];
};
Entry entry(std::uint64_t id) { return {id, ~id, {}}; }

}  // namespace

TEST_CASE("a pool hands entries out newest first or oldest first, as asked") {
  for (const auto order : {PoolOrder::lifo, PoolOrder::fifo}) {
    test::SlicePool<Entry> pool(8, order);
    for (std::uint64_t i = 0; i < 5; ++i) CHECK(pool.tryPush(entry(i)));
    CHECK(pool.approximateSize() == 5);
    for (std::uint64_t i = 0; i < 5; ++i) {
      Entry out{};
      REQUIRE(pool.tryPop(out));
      CHECK(out.id == (order == PoolOrder::lifo ? 4 - i : i));
    }
    Entry out{};
    CHECK_FALSE(pool.tryPop(out));
  }
}

TEST_CASE("a full pool refuses and loses nothing; popping makes room again") {
  for (const auto order : {PoolOrder::lifo, PoolOrder::fifo}) {
    test::SlicePool<Entry> pool(3, order);
    for (std::uint64_t i = 0; i < 3; ++i) CHECK(pool.tryPush(entry(i)));
    CHECK_FALSE(pool.tryPush(entry(3)));
    Entry out{};
    CHECK(pool.tryPop(out));
    CHECK(pool.tryPush(entry(4)));
    CHECK_FALSE(pool.tryPush(entry(5)));
    CHECK(pool.drain().size() == 3);
    CHECK(pool.approximateSize() == 0);
  }
}

TEST_CASE("bulk pops take at most what is asked and what is there") {
  test::SlicePool<Entry> pool(100);
  for (std::uint64_t i = 0; i < 10; ++i) CHECK(pool.tryPush(entry(i)));
  std::vector<Entry> out;
  CHECK(pool.tryPopBulk(out, 4) == 4);
  CHECK(pool.tryPopBulk(out, 100) == 6);
  CHECK(pool.tryPopBulk(out, 1) == 0);
  CHECK(out.size() == 10);
}

TEST_CASE("capacities beyond 65,535 work, and absurd ones are refused with the field's name") {
  test::SlicePool<Entry> pool(70'000);
  for (std::uint64_t i = 0; i < 70'000; ++i) REQUIRE(pool.tryPush(entry(i)));
  CHECK_FALSE(pool.tryPush(entry(0)));
  CHECK_THROWS_WITH_AS(test::SlicePool<Entry>(0), doctest::Contains("pool_capacity"), ConfigError);
}

TEST_CASE("every entry pushed by any thread is popped exactly once by some thread") {
  for (const auto order : {PoolOrder::lifo, PoolOrder::fifo}) {
    for (const int threads : test::threadCounts()) {
      constexpr std::uint64_t kEach = 5'000;
      const std::uint64_t total = kEach * static_cast<std::uint64_t>(threads);
      test::SlicePool<Entry> pool(64, order);  // small, so that fullness is met often
      std::vector<std::vector<std::uint64_t>> popped(static_cast<std::size_t>(threads));
      std::atomic<std::uint64_t> taken{0};
      std::vector<std::thread> workers;
      for (int t = 0; t < threads; ++t) {
        workers.emplace_back([&, t] {
          auto& mine = popped[static_cast<std::size_t>(t)];
          std::uint64_t next = static_cast<std::uint64_t>(t) * kEach;
          const std::uint64_t last = next + kEach;
          while (taken.load() < total) {
            for (int burst = 0; burst < 3 && next < last && pool.tryPush(entry(next)); ++burst) ++next;
            Entry out{};
            if (!pool.tryPop(out)) {
              std::this_thread::yield();
              continue;
            }
            if (out.check != ~out.id) break;  // torn entry: the count below fails
            mine.push_back(out.id);
            taken.fetch_add(1);
          }
        });
      }
      for (auto& worker : workers) worker.join();
      std::vector<std::uint64_t> all;
      for (const auto& mine : popped) all.insert(all.end(), mine.begin(), mine.end());
      std::sort(all.begin(), all.end());
      REQUIRE(all.size() == total);
      for (std::uint64_t i = 0; i < total; ++i) REQUIRE(all[i] == i);
    }
  }
}
