// The steps of a GPU's thread against the plain step: the same visits in the same order, the same counts, the
// same slices after any number of passes, and the same splits; where semigroups are counted, and where they
// are selected by their numbers.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "runtime/numerical_semigroups/conditions.hpp"
#include "slicepool/detail/spilling_stack.hpp"
#include "slicepool/numerical_semigroups/selection_sinks.hpp"
#include "slicepool/numerical_semigroups/sinks.hpp"
#include "slicepool/numerical_semigroups/steps/search.hpp"
#include "slicepool/numerical_semigroups/steps/statistics.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using namespace slicepool::numerical_semigroups;

namespace {

/// What a sink S has on one side, with a buffer for 7 results, and counters near to it where `near` says so.
template <class S>
class Side {
 public:
  Side(const typename S::View& view, WordLayout layout, bool near)
      : layout_(std::move(layout)),
        words_(layout_.fresh()),
        buffer_(S::kResultBytes * kCapacity),
        view_(view),
        emit(view_, memory(near)) {}

  /// Words and results so far.
  [[nodiscard]] const std::vector<std::uint64_t>& words() {
    emit.flush();
    memory_.near.drain(words_.data(), 0, 1);
    return words_;
  }
  [[nodiscard]] const std::vector<std::byte>& results() {
    all_.insert(all_.end(), buffer_.begin(), buffer_.begin() + std::ptrdiff_t{used_} * S::kResultBytes);
    used_ = 0;
    return all_;
  }

 private:
  static constexpr std::uint32_t kCapacity = 7;
  const SinkMemory& memory(bool near) {
    memory_.words = words_.data();
    memory_.results = buffer_.data();
    memory_.resultCount = &used_;
    memory_.resultCapacity = kCapacity;
    if (near) memory_.near = {owners_.data(), counters_.data(), static_cast<std::uint32_t>(owners_.size())};
    return memory_;
  }

  WordLayout layout_;
  std::vector<std::uint64_t> words_;
  std::vector<std::byte> buffer_, all_;
  std::uint32_t used_ = 0;
  std::array<std::uint32_t, 64> owners_{}, counters_{};  // few, so that words compete for them
  SinkMemory memory_;
  typename S::View view_;

 public:
  typename S::Emitter emit;
};

template <int kWords>
bool sameSlice(const SearchSlice<kWords>& one, const SearchSlice<kWords>& two) {
  const std::size_t bytes = Search<kWords>::usedBytes(one);
  return bytes == Search<kWords>::usedBytes(two) && std::memcmp(&one, &two, bytes) == 0;
}

struct Compared {
  int splits = 0;
  int wide = 0;  ///< slices with elements beyond the mirror of a lane
  int refusals = 0;
};

/// Walks a part of the class of a slice on both sides. A turn of a lane that a full sink ended is compared as
/// one that had no more passes.
template <class W, class S, int kWords>
void compare(const typename W::View& view, const typename S::View& sinkView, const WordLayout& layout,
             const Class& in, std::mt19937_64& random, std::uint64_t mostSteps, Compared& compared) {
  using Lane = typename W::Lane;
  Side<S> plain(sinkView, layout, false);
  Side<S> byLane(sinkView, layout, true);
  auto slice = Search<kWords>::root(view, in);
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
    for (auto turns = 1 + random() % 3; turns != 0 && turn == Turn::budgetSpent; --turns) {
      const auto passes = static_cast<unsigned>(random() % (Tally::Emitter::kVisits + 1));
      const std::uint64_t before = taken;
      turn = lane.advance(view, passes, taken, stack, byLane.emit);
      REQUIRE(taken - before <= passes);
    }
    if (turn == Turn::sinkFull) ++compared.refusals;
    const bool more = turn != Turn::exhausted && lane.finish(stack, byLane.emit);
    Budget budget{taken};
    if constexpr (requires { plain.emit.inClass(in); }) plain.emit.inClass(in);
    const Turn expected = W::advance(view, slice, budget, plain.emit);
    REQUIRE(budget.left == 0);
    REQUIRE(plain.words() == byLane.words());
    REQUIRE(plain.results() == byLane.results());
    steps += taken;
    if (!more) {
      // The plain step sees in the next turn that nothing is left, if it was stopped there.
      if (expected != Turn::exhausted) {
        Budget none{0};
        REQUIRE(W::advance(view, slice, none, plain.emit) == Turn::exhausted);
      }
      return;
    }
    REQUIRE(expected == Turn::budgetSpent);
    SearchSlice<kWords> stored{};
    lane.store(view, stored, stack);
    REQUIRE(sameSlice<kWords>(stored, slice));
    if (slice.last >= Bits<kWords>::kSize) ++compared.wide;

    REQUIRE(lane.splittable(view, stack) == W::splittable(view, slice));
    if (random() % 3 != 0 || !lane.splittable(view, stack)) continue;
    SearchSlice<kWords> given{};
    SearchSlice<kWords> givenByLane{};
    REQUIRE(W::split(view, slice, given));
    lane.split(view, givenByLane, stack);
    REQUIRE(sameSlice<kWords>(given, givenByLane));
    lane.store(view, stored, stack);
    REQUIRE(sameSlice<kWords>(stored, slice));
    ++compared.splits;
    if (random() % 2 == 0) slice = given;
  }
}

template <int kWords>
void compareCounts(int genus, const Class& in, std::mt19937_64& random, std::uint64_t mostSteps,
                   Compared& compared) {
  compare<Search<kWords>, Tally, kWords>({genus}, {genus}, Tally::layout(genus), in, random, mostSteps,
                                         compared);
  const HistogramShape shape{genus, Statistic::genus, Statistic::second, Statistic::multiplicity};
  compare<Search<kWords>, ClassTally, kWords>({genus}, shape, shape.layout(), in, random, mostSteps / 4,
                                              compared);
}

/// A class with a semigroup of a genus up to the bound. Small multiplicities come to large Frobenius numbers
/// soon.
std::vector<Class> someClasses(int bound, std::mt19937_64& random) {
  std::vector<Class> classes;
  for (int round = 0; round < 6; ++round) {
    const int m = round < 2 ? 3 + round : 2 + static_cast<int>(random() % static_cast<unsigned>(bound));
    const int u = m + 1 + static_cast<int>(random() % static_cast<unsigned>(m));
    if (u <= bound + 2) classes.push_back({m, u});
  }
  return classes;
}

/// A search with random statistics, conditions and kinds of bounds.
struct RandomSelection {
  StatisticsView view{};
  HistogramShape shape{};
  bool fingerprint = false;

  RandomSelection(int bound, std::mt19937_64& random) {
    const auto coin = [&](unsigned sides) { return random() % sides == 0; };
    const auto statistic = [&] { return static_cast<Statistic>(random() % kCountedStatistics); };
    view.genus = bound;
    view.largest = coin(3) ? bound : 0;
    view.exactly = coin(4);
    view.trimmed = coin(4);
    view.negated = coin(2);
    const std::vector<std::string> conditions{"",
                                              "",
                                              "t <= 3",
                                              "eliahou < 4 or children = 2",
                                              "2*e - t >= 5 and wilf < 90",
                                              "d >= 3 or u < m + 3",
                                              "g > 3 and F < 2g - 3"};
    const auto some = [&] { return conditions[random() % conditions.size()]; };
    if (const auto text = some(); !text.empty()) view.where = parseConditions(text, "where");
    if (const auto text = some(); !text.empty()) view.asked = parseConditions(text, "asked");
    shape = {bound, view.largest != 0 ? Statistic::frobenius : Statistic::genus, statistic(), statistic()};
    fingerprint = coin(2);
    view.needs = random() & 7U;
    view.needs |= needsOf(shape.first) | needsOf(shape.second) | (view.trimmed ? kNeedsGenerators : 0U);
    for (const Conditions* list : {&view.where, &view.asked})
      for (int i = 0; i < list->count; ++i)
        for (int k = 0; k < kStatistics; ++k)
          if (list->list[i].coefficients[k] != 0) view.needs |= needsOf(static_cast<Statistic>(k));
  }
};

template <int kWords>
void compareSelections(int bound, const Class& in, std::mt19937_64& random, std::uint64_t mostSteps,
                       Compared& compared) {
  const RandomSelection made(bound, random);
  // The first semigroup of other classes is beyond the bound.
  if (made.view.largest != 0 && in.second != in.multiplicity + 1 && in.second - 1 > bound) return;
  CAPTURE(made.view.largest);
  CAPTURE(made.view.trimmed);
  CAPTURE(made.view.exactly);
  CAPTURE(static_cast<int>(made.shape.first));
  CAPTURE(static_cast<int>(made.shape.second));
  compare<Statistics<kWords>, Histogram, kWords>(made.view, {made.shape, made.fingerprint},
                                                 made.shape.layout(), in, random, mostSteps, compared);
  compare<Statistics<kWords>, CollectGaps<kWords>, kWords>(made.view, {}, CollectGaps<kWords>::layout(), in,
                                                           random, mostSteps / 4, compared);
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
      for (const Class& in : someClasses(genus, random)) {
        CAPTURE(in.multiplicity);
        CAPTURE(in.second);
        compareCounts<1>(genus, in, random, 20'000, narrow);
        compareCounts<2>(genus + 2, in, random, 10'000, wide);
        compareCounts<2>(genus + 64, in, random, 10'000, wide);
      }
    }
  }
  for (const Compared& compared : {narrow, wide}) {
    CHECK(compared.splits > 0);
    CHECK(compared.wide > 0);
  }
}

TEST_CASE("numerical semigroups: a lane has the numbers of the plain step, from the parent's") {
  Compared narrow;
  Compared wide;
  for (std::uint64_t seed = 0; seed < test::scaled(10); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (const int bound : {1, 2, 3, 5, 8, 12, 40, 63}) {
      CAPTURE(bound);
      for (const Class& in : someClasses(bound, random)) {
        CAPTURE(in.multiplicity);
        CAPTURE(in.second);
        compareSelections<1>(bound, in, random, 6'000, narrow);
        compareSelections<2>(bound + 2, in, random, 3'000, wide);
        compareSelections<2>(bound + 64, in, random, 3'000, wide);
      }
    }
  }
  for (const Compared& compared : {narrow, wide}) {
    CHECK(compared.splits > 0);
    if (test::scaled(10) == 10) CHECK(compared.wide > 0);  // rare: a seed or two have none
    CHECK(compared.refusals > 0);
  }
}
