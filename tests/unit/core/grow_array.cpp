// Arrays that grow in place: what is there stays, what is new is zero.
#include "runtime/core/grow_array.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <new>
#include <random>
#include <utility>
#include <vector>

using slicepool::GrowArray;
using slicepool::GrowMemory;

TEST_CASE("an array that grows again and again has the values of a vector, new ones zero") {
  std::mt19937_64 random(20261122);
  GrowArray<std::uint32_t> array;
  std::vector<std::uint32_t> expected;
  CHECK(array.size() == 0);
  while (expected.size() < 2'000'000) {  // over the size of a huge page
    const std::size_t size = expected.size() + 1 + random() % (expected.size() / 2 + 1000);
    array.resize(size);
    expected.resize(size);
    REQUIRE(array.size() == size);
    for (int i = 0; i < 100; ++i) {
      const std::size_t at = random() % size;
      REQUIRE(array[at] == expected[at]);
      expected[at] = static_cast<std::uint32_t>(random());
      array[at] = expected[at];
    }
    REQUIRE(std::vector<std::uint32_t>(array.data(), array.data() + size) == expected);
  }
}

TEST_CASE("an array that shrinks and grows keeps what it had") {
  GrowArray<std::uint64_t> array;
  array.resize(1000);
  array[999] = 7;
  array.resize(10);
  CHECK(array.size() == 10);
  array.resize(1000);
  CHECK(array[999] == 7);
  array.clear();
  CHECK(array.size() == 0);
  CHECK(array.data() == nullptr);
  array.resize(1000);
  CHECK(array[999] == 0);
}

TEST_CASE("memory moves with its owner, and what cannot be had is bad_alloc and changes nothing") {
  GrowMemory memory;
  memory.reserve(100);
  static_cast<char*>(memory.data())[99] = 'x';
  GrowMemory taken(std::move(memory));
  // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move): the class promises what is left
  CHECK(memory.data() == nullptr);
  CHECK(static_cast<char*>(taken.data())[99] == 'x');
  CHECK_THROWS_AS(taken.reserve(std::numeric_limits<std::size_t>::max() / 4), std::bad_alloc);
  CHECK(static_cast<char*>(taken.data())[99] == 'x');
  memory = std::move(taken);
  CHECK(static_cast<char*>(memory.data())[99] == 'x');
}
