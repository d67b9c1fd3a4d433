// The steps of a GPU's thread against the plain step: the same visits in the same order, the same counts, the
// same slices after any number of passes, and the same splits.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "slicepool/detail/spilling_stack.hpp"
#include "slicepool/numerical_semigroups/sinks.hpp"
#include "slicepool/numerical_semigroups/steps/search.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using namespace slicepool::numerical_semigroups;

namespace {

/// Counts of one side.
class Counts {
 public:
  explicit Counts(int genus)
      : words_(Tally::layout(genus).fresh()), view_{genus}, emit(view_, memoryOver(words_)) {}
  [[nodiscard]] const std::vector<std::uint64_t>& words() {
    emit.flush();
    return words_;
  }

 private:
  static SinkMemory memoryOver(std::vector<std::uint64_t>& words) {
    SinkMemory memory{};
    memory.words = words.data();
    return memory;
  }
  std::vector<std::uint64_t> words_;
  Tally::View view_;

 public:
  Tally::Emitter emit;
};

template <int kWords>
bool sameSlice(const SearchSlice<kWords>& one, const SearchSlice<kWords>& two) {
  const std::size_t bytes = Search<kWords>::usedBytes(one);
  return bytes == Search<kWords>::usedBytes(two) && std::memcmp(&one, &two, bytes) == 0;
}

struct Compared {
  int splits = 0;
  int wide = 0;  ///< slices with elements beyond the mirror of a lane
};

/// Walks a part of the class of a slice on both sides.
template <int kWords>
void compare(const SearchView& view, const Class& in, std::mt19937_64& random, std::uint64_t mostSteps,
             Compared& compared) {
  using Walk = Search<kWords>;
  using Lane = SearchLane<kWords>;
  Counts plain(view.genus);
  Counts byLane(view.genus);
  auto slice = Walk::root(view, in);
  Lane lane;
  using Fast = HostFrames<typename Lane::Frame, Lane::kFastFrames>;
  typename Lane::Frame others[Lane::kMaximumFrames];
  SpillingStack<typename Lane::Frame, Lane::kFastFrames, Fast> stack{Fast{}, others};
  std::uint64_t steps = 0;
  while (steps < mostSteps) {
    lane.load(view, slice, stack);
    Turn turn = Turn::budgetSpent;
    std::uint64_t taken = 0;
    // Some turns without a store in between.
    for (auto turns = 1 + random() % 3; turns != 0 && turn != Turn::exhausted; --turns) {
      const auto passes = static_cast<unsigned>(random() % (Tally::Emitter::kVisits + 1));
      const std::uint64_t before = taken;
      turn = lane.advance(view, passes, taken, stack, byLane.emit);
      REQUIRE(taken - before <= passes);
    }
    const bool more = turn != Turn::exhausted && lane.finish(stack, byLane.emit);
    Budget budget{taken};
    plain.emit.inClass(in.multiplicity);
    const Turn expected = Walk::advance(view, slice, budget, plain.emit);
    REQUIRE(budget.left == 0);
    REQUIRE(plain.words() == byLane.words());
    steps += taken;
    if (!more) {
      // The plain step sees in the next turn that nothing is left, if it was stopped there.
      if (expected != Turn::exhausted) {
        Budget none{0};
        REQUIRE(Walk::advance(view, slice, none, plain.emit) == Turn::exhausted);
      }
      return;
    }
    REQUIRE(expected == Turn::budgetSpent);
    SearchSlice<kWords> stored{};
    lane.store(view, stored, stack);
    REQUIRE(sameSlice<kWords>(stored, slice));
    if (slice.last >= Bits<kWords>::kSize) ++compared.wide;

    REQUIRE(lane.splittable(view, stack) == Walk::splittable(view, slice));
    if (random() % 3 != 0 || !lane.splittable(view, stack)) continue;
    SearchSlice<kWords> given{};
    SearchSlice<kWords> givenByLane{};
    REQUIRE(Walk::split(view, slice, given));
    lane.split(view, givenByLane, stack);
    REQUIRE(sameSlice<kWords>(given, givenByLane));
    lane.store(view, stored, stack);
    REQUIRE(sameSlice<kWords>(stored, slice));
    ++compared.splits;
    if (random() % 2 == 0) slice = given;
  }
}

}  // namespace

TEST_CASE("numerical semigroups: a lane visits what the plain step visits, and splits as it does") {
  Compared narrow;
  Compared wide;
  for (std::uint64_t seed = 0; seed < test::scaled(20); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    // Whole classes of small bounds, beginnings of those of large ones.
    for (const int genus : {1, 2, 3, 4, 7, 12, 40, 63}) {
      CAPTURE(genus);
      for (int round = 0; round < 6; ++round) {
        // Small multiplicities come to large Frobenius numbers soon.
        const int m = round < 2 ? 3 + round : 2 + static_cast<int>(random() % static_cast<unsigned>(genus));
        const int u = m + 1 + static_cast<int>(random() % static_cast<unsigned>(m));
        if (u > genus + 2) continue;
        CAPTURE(m);
        CAPTURE(u);
        compare<1>({genus}, {m, u}, random, 20'000, narrow);
        compare<2>({genus + 2}, {m, u}, random, 10'000, wide);
        compare<2>({genus + 64}, {m, u}, random, 10'000, wide);
      }
    }
  }
  CHECK(narrow.splits > 0);
  CHECK(narrow.wide > 0);
  CHECK(wide.splits > 0);
  CHECK(wide.wide > 0);
}
