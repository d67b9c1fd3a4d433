// Bases with short duals (runtime/lattice/short_dual.hpp), and searches in them: the tree and its vectors are
// those of the given basis, and coefficients are small whatever the given basis is.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "runtime/lattice/search_radius.hpp"
#include "runtime/lattice/short_dual.hpp"
#include "runtime/lattice/tables.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "slicepool/lattice/steps/coefficient_bounds.hpp"
#include "support/lattice/driver.hpp"
#include "support/lattice/instances.hpp"
#include "support/lattice/warps.hpp"

using namespace slicepool;
using namespace slicepool::lattice;
using namespace slicepool::test;

namespace {

using Coefficients = std::vector<std::int16_t>;
using Typed = TypedProblem<Search<16>, CollectVectors<16>>;

/// With coefficients of hundreds, unless the dimension is below 4.
ProblemSpec skewedLattice(std::mt19937_64& random, int dimension, bool pruned) {
  ProblemSpec spec = randomLattice(random, dimension, 5000, pruned);
  skew(spec, dimension / 4);
  return spec;
}

std::set<Coefficients> vectorsOf(const std::vector<std::byte>& results, int dimension) {
  std::set<Coefficients> all;
  for (std::size_t at = 0; at < results.size(); at += shortVectorBytes(dimension)) {
    Coefficients one(static_cast<std::size_t>(dimension));
    std::memcpy(one.data(), results.data() + at + sizeof(double), one.size() * sizeof(std::int16_t));
    all.insert(one);
  }
  return all;
}

/// Of all vectors within the radius, by the search of teams.
std::set<Coefficients> byTeams(const Problem& problem, int dimension) {
  const WarpOutcome outcome =
      WarpHost<AutomaticTeams, 16, LongPaths, CollectVectors<16>>(problem, {.results = 1U << 16U}).run();
  REQUIRE(outcome.refusals == 0);
  return vectorsOf(outcome.results, dimension);
}

/// Of a whole number of this size, what a search in the given basis alone needs as room.
double errorInGivenBasis(ProblemSpec spec) {
  constexpr int kScale = 60;  // so that half a unit more is nothing
  for (double& norm : spec.norms) norm = std::ldexp(norm, kScale);
  const SquaredRadius radius("14582151190267400552448.5");  // 12648 * 2^60 and a half
  spec.squaredRadius = radius.rounded();
  return searchRadius(radius, spec).givenBound / radius.rounded() - 1;
}

double greatestOf(const SearchView& view) {
  const std::vector<double> bounds = pathBounds(view);
  return *std::max_element(bounds.begin(), bounds.end());
}

/// The greatest coefficient of a search that devices may take part in.
double greatestOnDevices(ProblemSpec spec) {
  spec.devices = true;
  const auto problem = makeProblem(spec);
  return atCapacity(spec.dimension, [&](auto capacity) {
    return greatestOf(dynamic_cast<const WorkloadProblem<Search<capacity>>&>(*problem).viewOnHost());
  });
}

}  // namespace

TEST_CASE("lattice short dual: nodes of every level and vectors are those of the given basis") {
  std::mt19937_64 random(20261128);
  for (const int dimension : {1, 2, 3, 9, 16}) {
    for (const bool pruned : {false, true}) {
      INFO("seed 20261128, dimension " << dimension << ", pruned " << pruned);
      ProblemSpec spec = skewedLattice(random, dimension, pruned);
      spec.collect = true;
      const auto given = makeProblem(spec);
      const auto words = plainLatticeWords(spec);
      spec.devices = true;
      const auto changed = makeProblem(spec);
      const SearchView view = dynamic_cast<const Typed&>(*changed).viewOnHost();
      if (dimension >= 9) {
        REQUIRE(view.change != nullptr);
        CHECK(byTeams(*changed, dimension) == byTeams(*given, dimension));
      }
      // By the plain step.
      checkLatticeWords(spec, plainLatticeWords(spec), words);
    }
  }
}

TEST_CASE("lattice short dual: coefficients are as small for a skewed basis") {
  std::mt19937_64 random(3);
  for (const int dimension : {4, 24, 64, 100, 160}) {
    INFO("seed 3, dimension " << dimension);
    ProblemSpec spec = randomLattice(random, dimension, 5000, false);
    const double given = greatestOf(SearchTables(spec).view());
    const double least = greatestOnDevices(spec);
    CHECK(least <= given);
    // mu of independent numbers has an inverse that grows fast.
    if (dimension >= 64) CHECK(least < given / 2);
    skew(spec, dimension / 4);
    CHECK(greatestOf(SearchTables(spec).view()) > 100);
    const double skewed = greatestOnDevices(spec);
    CHECK(skewed <= std::max(least, ShortDual::kSmall) * (1 + 1e-6));
    if (dimension >= 64) CHECK(skewed == doctest::Approx(least).epsilon(1e-6));
  }
}

TEST_CASE("lattice short dual: packed slices are of the given basis, whatever a search is in") {
  std::mt19937_64 random(11);
  ProblemSpec spec = skewedLattice(random, 16, false);
  spec.collect = true;
  const auto given = makeProblem(spec);
  spec.devices = true;
  const auto changed = makeProblem(spec);
  REQUIRE(dynamic_cast<const Typed&>(*changed).viewOnHost().change != nullptr);
  // A search is stopped in one basis and goes on in the other, and the other way about.
  for (const bool first : {false, true}) {
    for (const std::uint64_t steps : {std::uint64_t{1}, std::uint64_t{40}, std::uint64_t{1000}}) {
      INFO("first in the given basis " << first << ", steps " << steps);
      const Problem& before = first ? *given : *changed;
      const Problem& after = first ? *changed : *given;
      std::vector<std::uint64_t> words = given->words().fresh();
      std::vector<std::byte> results(given->resultBytes() << 14U);
      std::uint32_t taken = 0;
      std::uint64_t shared = given->sharedStart();
      const SinkMemory memory{words.data(), results.data(), &taken, 1U << 14U, &shared};
      std::vector<std::byte> slice = before.roots();
      const Problem* now = &before;
      for (;;) {
        Budget budget{steps};
        const Turn turn = now->advance(slice.data(), budget, memory);
        REQUIRE(turn != Turn::sinkFull);
        if (turn == Turn::exhausted) break;
        const Problem* const next = now == &before ? &after : &before;
        std::vector<std::byte> packed;
        now->packSlice(slice.data(), packed);
        std::vector<std::byte> unpacked(slice.size(), std::byte{0});
        REQUIRE(next->unpackSlice(packed, unpacked.data()));
        // And back: the same bytes.
        std::vector<std::byte> again;
        next->packSlice(unpacked.data(), again);
        CHECK(again == packed);
        slice = unpacked;
        now = next;
      }
      results.resize(taken * given->resultBytes());
      CHECK(vectorsOf(results, spec.dimension) == byTeams(*given, spec.dimension));
      checkLatticeWords(spec, words, plainLatticeWords(spec));
    }
  }
}

TEST_CASE("lattice short dual: cores and the compacted search emit vectors of the given basis") {
  std::mt19937_64 random(14);
  ProblemSpec spec = skewedLattice(random, 16, false);
  spec.collect = true;
  const auto expected = byTeams(*makeProblem(spec), spec.dimension);
  spec.devices = true;
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::compacted}) {
    INFO("compacted " << (algorithm == Algorithm::compacted));
    spec.algorithm = algorithm;
    const auto problem = makeProblem(spec);
    REQUIRE(dynamic_cast<const Typed&>(*problem).viewOnHost().change != nullptr);
    std::vector<std::uint64_t> words = problem->words().fresh();
    std::vector<std::byte> results(problem->resultBytes() << 14U);
    std::uint32_t taken = 0;
    std::uint64_t shared = problem->sharedStart();
    const SinkMemory memory{words.data(), results.data(), &taken, 1U << 14U, &shared};
    constexpr std::uint32_t kRoom = 1U << 12U;
    std::vector<std::byte> slices(kRoom * problem->sliceBytes());
    std::copy(problem->roots().begin(), problem->roots().end(), slices.begin());
    if (algorithm == Algorithm::automatic) {
      Budget budget{1'000'000};
      REQUIRE(problem->advanceFast(slices.data(), budget, memory) == Turn::exhausted);
    } else {
      for (std::uint32_t live = 1; live != 0;)
        live = problem->advanceBatch(slices.data(), live, kRoom, 1000, memory).value().kept;
    }
    results.resize(taken * problem->resultBytes());
    CHECK(vectorsOf(results, spec.dimension) == expected);
    checkLatticeWords(spec, words, plainLatticeWords(spec));
  }
}

TEST_CASE("lattice short dual: shards and roots are those of the given basis") {
  std::mt19937_64 random(12);
  ProblemSpec spec = skewedLattice(random, 16, false);
  spec.shards = 3;
  const Frontier given = frontierOf(spec);
  spec.devices = true;
  CHECK(frontierOf(spec).hash == given.hash);
  spec.shards = 1;
  // The node above the first vector that there is, as a root.
  spec.collect = true;
  const auto all = byTeams(*makeProblem(spec), spec.dimension);
  REQUIRE(!all.empty());
  const Coefficients& one = *all.begin();
  spec.roots = {{8, {one.begin() + 8, one.end()}}};
  const auto changed = makeProblem(spec);
  CHECK(dynamic_cast<const Typed&>(*changed).viewOnHost().change != nullptr);
  const auto below = byTeams(*changed, spec.dimension);
  CHECK(below.count(one) == 1);
  spec.devices = false;
  CHECK(below == byTeams(*makeProblem(spec), spec.dimension));
}

TEST_CASE("lattice short dual: numbers of the other basis are exact to a rounding, however large U is") {
  using Exact = boost::multiprecision::cpp_rational;
  constexpr std::size_t kDimension = 64;
  std::mt19937_64 random(15);
  std::uniform_real_distribution<double> little(0, 0x1p-20);
  ProblemSpec spec = randomLattice(random, kDimension, 5000, false);
  // As far from zero as a reduced basis has them: the entries of U are hundreds.
  for (std::size_t i = 0; i < kDimension; ++i)
    for (std::size_t j = 0; j < i; ++j)
      spec.mu[i * kDimension + j] = (random() % 2 == 0 ? 1 : -1) * (0.5 - little(random));
  spec.squaredRadius = spec.norms.front();
  const ShortDual dual(SearchTables(spec).view());
  REQUIRE(dual.found());
  const std::vector<std::int16_t> change = dual.change(kDimension);
  REQUIRE(*std::max_element(change.begin(), change.end()) > 256);
  for (std::size_t i = 0; i < kDimension; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      INFO("seed 15, row " << i << ", column " << j);
      Exact sum = Exact(spec.mu[i * kDimension + j]) + change[i * kDimension + j];
      for (std::size_t k = j + 1; k < i; ++k)
        sum += change[i * kDimension + k] * Exact(spec.mu[k * kDimension + j]);
      const Exact error = sum - Exact(dual.mu()[i * kDimension + j]);
      CHECK(std::abs(error.convert_to<double>()) <= 0x1.01p-53 * std::abs(sum.convert_to<double>()));
    }
  }
}

TEST_CASE("lattice short dual: the bound on errors of norms is that of both bases together") {
  const LatticeInstance instance = latticeInstance("k60");
  ProblemSpec changed = instance.spec;
  const ShortDual dual(SearchTables(instance.spec).view());
  REQUIRE(dual.helps());
  changed.mu = dual.mu();
  // That basis has no shorter dual than its own.
  const double error = normError(instance.spec);
  const double inChanged = normError(changed);
  const double inGiven = errorInGivenBasis(instance.spec);
  CHECK(error + 0x1p-50 >= inChanged + inGiven);
  const SearchRadius radius = searchRadius(SquaredRadius("12648"), instance.spec);
  CHECK(radius.error >= 12648 * error * (1 - 1e-9));
  CHECK(radius.givenBound <= radius.bound);
}

TEST_CASE("lattice short dual: none for roots that have no nodes above them, or with too large numbers") {
  std::mt19937_64 random(13);
  ProblemSpec spec = skewedLattice(random, 16, false);
  spec.devices = spec.collect = true;
  Coefficients far(8, 0);
  far.back() = 12000;
  spec.roots = {{8, far}};
  CHECK(dynamic_cast<const Typed&>(*makeProblem(spec)).viewOnHost().change == nullptr);
  ProblemSpec large;
  large.dimension = 3;
  large.mu = {0, 0, 0, 1e12, 0, 0, 0, 1e12, 0};
  large.norms = {1, 1, 1};
  large.squaredRadius = 100;
  CHECK(!ShortDual(SearchTables(large).view()).found());
}
