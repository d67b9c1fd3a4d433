// No slice is lost and none comes twice, whichever way it goes into the hub and out of it: through the pool,
// behind it when it is full, in bulk, at a stop and into a checkpoint.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "runtime/core/hub.hpp"
#include "support/interval_workload.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using test::IntervalWorkload;

namespace {

using Counting = TypedProblem<IntervalWorkload, Count>;
using Slice = IntervalWorkload::Slice;
using Numbers = std::vector<std::uint64_t>;

const Counting& problem() {
  static const Counting made(IntervalWorkload::View{1, true}, {}, {});
  return made;
}

/// Slices that can be told apart, numbered from `first` on.
std::vector<std::byte> numbered(std::uint64_t first, std::size_t count) {
  std::vector<std::byte> bytes(count * sizeof(Slice));
  for (std::size_t i = 0; i < count; ++i) {
    const Slice slice{first + i, first + i + 1};
    std::memcpy(bytes.data() + i * sizeof(Slice), &slice, sizeof slice);
  }
  return bytes;
}

Numbers numbersOf(const std::vector<std::byte>& bytes) {
  Numbers numbers;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Slice)) {
    Slice slice{};
    std::memcpy(&slice, bytes.data() + at, sizeof slice);
    numbers.push_back(slice.begin);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Numbers upTo(std::uint64_t count) {
  Numbers numbers(count);
  for (std::uint64_t i = 0; i < count; ++i) numbers[i] = i;
  return numbers;
}

/// A hub whose pool holds `capacity` slices.
EngineOptions withPool(std::size_t capacity, PoolOrder order = PoolOrder::lifo) {
  EngineOptions options;
  options.poolCapacity = capacity;
  options.poolOrder = order;
  return options;
}

void append(std::vector<std::byte>& all, const std::vector<std::byte>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// The same slices as a parcel in memory of its own.
HeldSlices parcelOf(const std::vector<std::byte>& slices) {
  const auto memory = std::make_shared<const std::vector<std::byte>>(slices);
  return {memory, memory->data(), slices.size() / sizeof(Slice)};
}

/// Takes everything, in bulk where `bulk` is not 1.
std::vector<std::byte> takeAll(EngineHub& hub, std::size_t bulk) {
  std::vector<std::byte> all;
  std::vector<std::byte> some(bulk * sizeof(Slice));
  for (;;) {
    const std::size_t count = bulk == 1 ? hub.take(some.data()) : hub.takeBulk(some.data(), bulk);
    if (count == 0) return all;
    all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count * sizeof(Slice)));
    REQUIRE(all.size() < (std::size_t{1} << 20));  // more than ever went in
  }
}

}  // namespace

TEST_CASE("slices that are adopted come out once each, whether the pool holds them or not") {
  for (const PoolOrder order : {PoolOrder::lifo, PoolOrder::fifo}) {
    for (const std::size_t capacity : {std::size_t{1}, std::size_t{8}, std::size_t{64}}) {
      for (const std::size_t count :
           {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{9}, std::size_t{200}}) {
        for (const std::size_t bulk : {std::size_t{1}, std::size_t{3}, std::size_t{500}}) {
          CAPTURE(capacity);
          CAPTURE(count);
          CAPTURE(bulk);
          for (const bool together : {false, true}) {
            EngineHub hub(problem(), withPool(capacity, order), nullptr);
            hub.adopt(numbered(0, count), together);
            CHECK(hub.pooled() == count);
            std::vector<std::byte> saved;
            hub.appendWaiting(saved);
            CHECK(numbersOf(saved) == upTo(count));
            CHECK(numbersOf(takeAll(hub, bulk)) == upTo(count));
            CHECK(hub.pooled() == 0);
          }
        }
      }
    }
  }
}

TEST_CASE("slices that are adopted join those that wait already, in the pool and behind it") {
  for (const std::size_t capacity : {std::size_t{4}, std::size_t{32}}) {
    EngineHub hub(problem(), withPool(capacity), nullptr);
    hub.adopt(numbered(0, 20));
    hub.adopt(numbered(20, 20));
    const auto more = numbered(40, 20);
    hub.putBack(more.data(), 20);
    hub.adopt(numbered(60, 40));
    CHECK(hub.pooled() == 100);
    CHECK(numbersOf(hub.drainSlices()) == upTo(100));
    CHECK(hub.pooled() == 0);
    CHECK(hub.drainSlices().empty());
  }
}

TEST_CASE("a parcel is kept until its last slice is taken, whole or in parts") {
  EngineHub hub(problem(), withPool(4), nullptr);
  const HeldSlices parcel = parcelOf(numbered(0, 10));
  const std::weak_ptr<const void> memory = parcel.memory;
  hub.putBackParcel(HeldSlices(parcel));
  hub.putBackParcel({});
  CHECK(hub.pooled() == 10);
  CHECK(hub.takeParcel(0).count == 0);
  const HeldSlices part = hub.takeParcel(4);
  CHECK(part.count == 4);
  CHECK(part.slices == parcel.slices + 6 * sizeof(Slice));  // where they lie
  CHECK(hub.pooled() == 6);
  std::vector<std::byte> saved;
  hub.appendWaiting(saved);
  CHECK(numbersOf(saved) == upTo(6));
  CHECK(memory.use_count() == 3);
  CHECK(numbersOf(takeAll(hub, 1)) == upTo(6));
  CHECK(memory.use_count() == 2);  // ours
  CHECK(hub.takeParcel(4).count == 0);
}

TEST_CASE("the memory of a parcel is freed after the lock: to free pinned memory takes milliseconds") {
  for (int way = 0; way < 2; ++way) {
    EngineHub hub(problem(), withPool(4), nullptr);
    bool freed = false;
    const auto slices = numbered(0, 10);
    {
      // Another thread uses the hub meanwhile: under the lock this would hang.
      const std::shared_ptr<const std::byte> memory(slices.data(), [&](const std::byte*) {
        std::vector<std::byte> waiting;
        std::jthread([&] { hub.appendWaiting(waiting); }).join();
        freed = true;
      });
      hub.putBackParcel({memory, memory.get(), 10});
    }
    CHECK_FALSE(freed);
    CHECK(numbersOf(way == 0 ? takeAll(hub, 3) : hub.drainSlices()) == upTo(10));
    CHECK(freed);
  }
}

TEST_CASE("of the pool one slice is taken, and some of those that were put back together") {
  EngineHub hub(problem(), withPool(100), nullptr);
  hub.putBack(numbered(0, 3).data(), 3);
  hub.putBackTogether(numbered(3, 20).data(), 20);
  CHECK(hub.pooled() == 23);
  std::vector<std::byte> some(64 * sizeof(Slice));
  for (int i = 0; i < 3; ++i) CHECK(hub.takeSome(some.data(), 8) == 1);
  CHECK(hub.takeSome(some.data(), 8) == 8);
  some.resize(8 * sizeof(Slice));
  CHECK(numbersOf(some) == Numbers{15, 16, 17, 18, 19, 20, 21, 22});
  CHECK(hub.takeSome(some.data(), 1) == 1);
  some.resize(64 * sizeof(Slice));
  CHECK(hub.takeSome(some.data(), 64) == 11);
  CHECK(hub.takeSome(some.data(), 64) == 0);
  CHECK(hub.pooled() == 0);
}

TEST_CASE("slices are called back as long as one device says so") {
  EngineHub hub(problem(), {}, nullptr);
  CHECK_FALSE(hub.recalling());
  hub.setRecalling(true);
  hub.setRecalling(true);
  hub.setRecalling(false);
  CHECK(hub.recalling());
  hub.setRecalling(false);
  CHECK_FALSE(hub.recalling());
}

TEST_CASE("after any sequence of giving and taking every slice has come out once or still waits") {
  std::mt19937_64 random(42);
  for (std::size_t round = 0; round < test::scaled(300); ++round) {
    CAPTURE(round);
    EngineHub hub(problem(), withPool(1 + random() % 40), nullptr);
    hub.addOutstanding(1);  // of the giver
    std::uint64_t next = 0;
    std::vector<std::byte> out;
    std::vector<std::byte> some(64 * sizeof(Slice));
    for (int action = 0; action < 60; ++action) {
      const std::size_t count = 1 + random() % 64;
      const auto slices = numbered(next, count);
      std::size_t taken = 0;
      switch (random() % 9) {
        case 0: next += hub.give(slices.data()) ? 1 : 0; break;
        case 1: hub.putBack(slices.data(), count), next += count; break;
        case 2: hub.adopt(slices, random() % 2 != 0), next += count; break;
        case 3: taken = hub.take(some.data()); break;
        case 4: hub.putBackParcel(parcelOf(slices)), next += count; break;
        case 6: hub.putBackTogether(slices.data(), count), next += count; break;
        case 7: taken = hub.takeSome(some.data(), count); break;
        case 5: {
          const HeldSlices parcel = hub.takeParcel(count);
          taken = parcel.count;
          if (taken != 0) std::memcpy(some.data(), parcel.slices, taken * sizeof(Slice));
          break;
        }
        default: taken = hub.takeBulk(some.data(), count); break;
      }
      out.insert(out.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(taken * sizeof(Slice)));
      CHECK(hub.pooled() == next - out.size() / sizeof(Slice));
    }
    std::vector<std::byte> saved = out;
    hub.appendWaiting(saved);
    CHECK(numbersOf(saved) == upTo(next));
    append(out, random() % 2 == 0 ? hub.drainSlices() : takeAll(hub, 7));
    CHECK(numbersOf(out) == upTo(next));
  }
}
