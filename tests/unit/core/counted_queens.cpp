// The counted queens of the examples: known counts however a search is cut, and lanes that do what the plain
// step does.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "examples/nqueens/counted_queens.hpp"
#include "examples/nqueens/nqueens.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/detail/spilling_stack.hpp"
#include "support/scale.hpp"

using namespace slicepool;

namespace {

constexpr std::uint64_t kKnown[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};  // OEIS A000170

/// Takes nothing every now and then.
struct Counter {
  std::mt19937_64& random;
  std::uint64_t refusals = 0;
  std::uint64_t found = 0;
  bool operator()(const CountedQueens::Pair& pair) {
    if (random() % 8 == 0) {
      ++refusals;
      return false;
    }
    found += pair.multiplicity;
    return true;
  }
};

bool same(const CountedQueens::Slice& one, const CountedQueens::Slice& two) {
  const std::size_t bytes = CountedQueens::usedBytes(one);
  return bytes == CountedQueens::usedBytes(two) && std::memcmp(&one, &two, bytes) == 0;
}

using Fast = HostFrames<CountedQueens::Row, CountedQueens::Lane::kFastFrames>;
using Stack = SpillingStack<CountedQueens::Row, CountedQueens::Lane::kFastFrames, Fast>;

}  // namespace

TEST_CASE("counted queens: known counts, whatever the turns and the splits") {
  for (int n = 2; n <= 12; ++n) {
    CAPTURE(n);
    std::mt19937_64 random(static_cast<unsigned>(n));
    const CountedQueens::View view{n};
    Counter counter{random};
    std::uint64_t splits = 0;
    auto slices = CountedQueens::roots(view);
    while (!slices.empty()) {
      std::swap(slices[random() % slices.size()], slices.back());
      CountedQueens::Slice slice = slices.back();
      slices.pop_back();
      CountedQueens::Slice given{};
      const bool can = CountedQueens::splittable(view, slice);
      if (random() % 2 == 0) {
        REQUIRE(CountedQueens::split(view, slice, given) == can);
        if (can) {
          slices.push_back(given);
          ++splits;
        }
      }
      Budget budget{random() % 500};
      if (CountedQueens::advance(view, slice, budget, counter) != Turn::exhausted) slices.push_back(slice);
    }
    CHECK(counter.found == kKnown[n]);
    CHECK((n < 8 || splits > 0));
    CHECK((n < 11 || counter.refusals > 0));
  }
}

TEST_CASE("counted queens: a lane takes the steps of the plain search, and splits as it does") {
  std::uint64_t splits = 0;
  for (std::uint64_t seed = 0; seed < test::scaled(200); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const CountedQueens::View view{8 + static_cast<int>(random() % 20)};
    const auto roots = CountedQueens::roots(view);
    CountedQueens::Slice slice = roots[random() % roots.size()];
    std::mt19937_64 plainRandom(seed);
    std::mt19937_64 laneRandom(seed);
    CountedQueens::Lane lane;
    CountedQueens::Row others[CountedQueens::Lane::kMaximumFrames];
    Stack stack{Fast{}, others};
    for (int turns = 0; turns < 300; ++turns) {
      Counter plain{plainRandom};
      Counter byLane{laneRandom};
      const auto passes = static_cast<unsigned>(random() % 300);
      std::uint64_t taken = 0;
      lane.load(view, slice, stack);
      const Turn turn = lane.advance(view, passes, taken, stack, byLane);
      Budget budget{passes};
      const Turn expected = CountedQueens::advance(view, slice, budget, plain);
      REQUIRE(passes - budget.left == taken);
      REQUIRE(plain.found == byLane.found);
      REQUIRE(plain.refusals == byLane.refusals);
      // A lane sees in its next pass that nothing is left.
      const bool more = lane.finish(stack, byLane);
      REQUIRE((expected == Turn::exhausted) == (turn == Turn::exhausted || !more));
      if (expected == Turn::exhausted) break;
      CountedQueens::Slice stored{};
      lane.store(view, stored, stack);
      REQUIRE(same(stored, slice));

      const bool can = CountedQueens::splittable(view, slice);
      REQUIRE(lane.splittable(view, stack) == can);
      if (!can || random() % 3 != 0) continue;
      CountedQueens::Slice given{};
      CountedQueens::Slice givenByLane{};
      REQUIRE(CountedQueens::split(view, slice, given));
      lane.split(view, givenByLane, stack);
      REQUIRE(same(given, givenByLane));
      lane.store(view, stored, stack);
      REQUIRE(same(stored, slice));
      ++splits;
      if (random() % 2 == 0) slice = given;
    }
  }
  CHECK(splits > 0);
}
