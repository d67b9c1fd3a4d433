// Slices of every factorization algorithm: any budgets and any split tree give the oracle's rows, in order,
// each once. Problems are driven directly, without an engine.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "slicepool/factorizations/problem_factory.hpp"
#include "support/factorizations/oracle.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using slicepool::test::Driver;
using slicepool::test::Vector;
using slicepool::test::Vectors;

namespace {

constexpr std::size_t kTableMemory = std::size_t{1} << 28;

struct Instance {
  Vector generators;
  std::uint64_t element = 0;
};

/// Small instances with repeated, unsorted, non-coprime and too large generators, and unreachable elements.
Instance randomInstance(std::mt19937_64& random) {
  Instance instance;
  const std::size_t dimension = 1 + random() % 6;
  const std::uint64_t factor = random() % 4 == 0 ? 2 + random() % 3 : 1;
  const std::uint64_t tailFactor = random() % 3 == 0 ? 2 + random() % 5 : 1;
  const std::uint64_t largest = random() % 5 == 0 ? 60 : 14;
  for (std::size_t k = 0; k < dimension; ++k) {
    const std::uint64_t tail = k >= dimension / 2 ? tailFactor : 1;
    instance.generators.push_back(factor * tail * (1 + random() % largest));
  }
  if (dimension > 1 && random() % 4 == 0) instance.generators[dimension - 1] = instance.generators[0];
  static constexpr std::uint64_t kReach[] = {0, 400, 200, 120, 80, 60, 45};
  instance.element = random() % (kReach[dimension] + 1);
  return instance;
}

std::string describe(const ProblemSpec& spec) {
  std::string text = "n=" + std::to_string(spec.element) + " g=";
  for (const std::uint64_t g : spec.generators) text += std::to_string(g) + ",";
  text += " algorithm=" + std::to_string(static_cast<int>(spec.algorithm));
  text += spec.moduloJump ? " modulo" : "";
  if (spec.leafTable) {
    text += " leaf dimension=" + std::to_string(spec.leafTable->dimension) +
            " limit=" + std::to_string(spec.leafTable->limit);
  }
  return text;
}

ProblemSpec baseSpec(const Instance& instance, Algorithm algorithm, std::mt19937_64& random) {
  ProblemSpec spec;
  spec.generators = instance.generators;
  spec.element = instance.element;
  spec.algorithm = algorithm;
  spec.moduloJump = random() % 2 == 0;
  if (random() % 2 == 0)
    spec.stepCounts = std::make_shared<StepCounts>(makeStepCounts(spec.generators, spec.element));
  if (algorithm == Algorithm::tabulated) {
    const auto dimension = static_cast<unsigned>(1 + random() % spec.generators.size());
    const std::uint64_t range = random() % 2 == 0 ? spec.element + 3 : spec.element / 2 + 1;
    const std::uint64_t limit = 1 + random() % range;
    spec.leafTable = std::make_shared<LeafTable>(
        makeLeafTable(spec.generators, dimension, limit, FillMethod::sequential, 1, kTableMemory));
  }
  return spec;
}

void giveSuffixCounts(ProblemSpec& spec) {
  spec.suffixCounts = std::make_shared<SuffixCounts>(makeSuffixCounts(spec.generators, spec.element));
}

/// The generic family has room for 64 coordinates; only the first d count.
Vectors trimmed(const Vectors& rows, std::size_t dimension) {
  Vectors result = rows;
  for (Vector& row : result) row.resize(dimension);
  return result;
}

Vectors placed(const std::vector<std::uint32_t>& memory, std::size_t dimension) {
  Vectors rows;
  for (std::size_t at = 0; at + dimension <= memory.size(); at += dimension) {
    rows.emplace_back(memory.begin() + static_cast<std::ptrdiff_t>(at),
                      memory.begin() + static_cast<std::ptrdiff_t>(at + dimension));
  }
  return rows;
}

constexpr int kInstances = 1200;

}  // namespace

TEST_CASE("collected rows are the oracle's, in order, under any budgets and split tree") {
  for (const Algorithm algorithm : {Algorithm::candidate, Algorithm::tabulated}) {
    std::uint64_t splits = 0;
    for (int seed = 0; seed < kInstances; ++seed) {
      std::mt19937_64 random(static_cast<std::uint64_t>(seed));
      const Instance instance = randomInstance(random);
      ProblemSpec spec = baseSpec(instance, algorithm, random);
      spec.collectRows = true;
      CAPTURE(seed);
      CAPTURE(describe(spec));
      const auto problem = makeProblem(spec);
      const Vectors expected = test::bruteForce(instance.generators, instance.element);
      Driver whole(*problem, 1 + static_cast<std::uint32_t>(random() % 16));
      for (const auto& root : whole.roots()) whole.finish(root, random);
      REQUIRE(trimmed(whole.rows(), instance.generators.size()) == expected);
      REQUIRE(whole.words()[0] == expected.size());
      Driver split(*problem, 1 + static_cast<std::uint32_t>(random() % 16));
      for (const auto& root : split.roots()) split.finishSplitting(root, random, 6);
      REQUIRE(trimmed(split.rows(), instance.generators.size()) == expected);
      splits += split.splits();
    }
    CHECK(splits > kInstances);
  }
}

TEST_CASE("rows find their places, positions are maintained and windows are cut exactly") {
  for (const Algorithm algorithm : {Algorithm::candidate, Algorithm::tabulated, Algorithm::ranked}) {
    for (int seed = 0; seed < kInstances; ++seed) {
      std::mt19937_64 random(static_cast<std::uint64_t>(seed));
      const Instance instance = randomInstance(random);
      ProblemSpec spec = baseSpec(instance, algorithm, random);
      giveSuffixCounts(spec);
      spec.reductions.fingerprint = true;
      CAPTURE(seed);
      CAPTURE(describe(spec));
      Vectors expected = test::bruteForce(instance.generators, instance.element);
      REQUIRE(spec.suffixCounts->total() == expected.size());
      RankRange window{0, expected.size()};
      if (random() % 2 == 0 && !expected.empty()) {
        window.begin = random() % expected.size();
        window.end = window.begin + random() % (expected.size() - window.begin + 1);
      }
      expected.resize(window.end);
      expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(window.begin));
      const std::size_t d = instance.generators.size();
      std::vector<std::uint32_t> memory(expected.size() * d, ~0U);
      spec.rows = ProblemSpec::Rows{reinterpret_cast<std::byte*>(memory.data()), window, 4};
      const auto problem = makeProblem(spec);
      Driver driver(*problem);
      for (const auto& root : driver.roots()) driver.finishSplitting(root, random, 6);
      REQUIRE(placed(memory, d) == expected);
      const ReductionWords words = reductionWords(spec);
      const Fingerprint fingerprint = test::fingerprintOf(expected);
      REQUIRE(driver.words()[0] == expected.size());
      REQUIRE(driver.words()[static_cast<std::size_t>(words.fingerprintSum)] == fingerprint.sum);
      REQUIRE(driver.words()[static_cast<std::size_t>(words.fingerprintXor)] == fingerprint.exclusiveOr);
    }
  }
}

TEST_CASE("the ranks of a split's parts partition the ranks of the slice") {
  for (const Algorithm algorithm : {Algorithm::candidate, Algorithm::tabulated, Algorithm::ranked}) {
    for (int seed = 0; seed < kInstances; ++seed) {
      std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 77777);
      const Instance instance = randomInstance(random);
      ProblemSpec spec = baseSpec(instance, algorithm, random);
      giveSuffixCounts(spec);
      CAPTURE(seed);
      CAPTURE(describe(spec));
      const std::uint64_t total = spec.suffixCounts->total();
      std::vector<std::uint64_t> memory(total * instance.generators.size());
      spec.rows = ProblemSpec::Rows{reinterpret_cast<std::byte*>(memory.data()), {0, total}, 8};
      const auto problem = makeProblem(spec);
      Driver driver(*problem);
      for (auto slice : driver.roots()) {
        RankRange ranks = problem->ranks(slice.data());
        REQUIRE(ranks.begin == 0);
        REQUIRE(ranks.end == total);
        for (int i = 0; i < 10; ++i) {
          Driver::Slice given(slice.size());
          if (!problem->split(slice.data(), given.data())) break;
          const RankRange kept = problem->ranks(slice.data());
          const RankRange rest = problem->ranks(given.data());
          REQUIRE(kept.begin == ranks.begin);
          REQUIRE(kept.end == rest.begin);
          REQUIRE(rest.end == ranks.end);
          ranks = kept;
          if (random() % 2 == 0) {
            slice = given;
            ranks = rest;
          }
          if (driver.turn(slice, 3) == Turn::exhausted) break;
          REQUIRE(problem->ranks(slice.data()).begin >= ranks.begin);
          ranks.begin = problem->ranks(slice.data()).begin;
        }
      }
    }
  }
}

TEST_CASE("candidate examines exactly the counted steps and splits them in half") {
  for (int seed = 0; seed < kInstances; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 4242);
    const Instance instance = randomInstance(random);
    ProblemSpec spec = baseSpec(instance, Algorithm::candidate, random);
    spec.moduloJump = false;
    spec.stepCounts = std::make_shared<StepCounts>(makeStepCounts(spec.generators, spec.element));
    CAPTURE(seed);
    CAPTURE(describe(spec));
    const auto problem = makeProblem(spec);
    const double total = problem->totalSteps().value_or(1);
    if (spec.element > 0) REQUIRE(total == static_cast<double>(spec.stepCounts->counts[spec.element]));
    Driver driver(*problem);
    const auto roots = driver.roots();
    REQUIRE(problem->size(roots[0].data()) == total);
    auto kept = roots[0];
    Driver::Slice given(kept.size());
    if (problem->split(kept.data(), given.data())) {
      REQUIRE(problem->size(given.data()) == std::floor(total / 2));
      REQUIRE(problem->size(kept.data()) == total - std::floor(total / 2));
      driver.finish(kept, random);
      REQUIRE(static_cast<double>(driver.steps()) == total - std::floor(total / 2));
      driver.finish(given, random);
    } else {
      REQUIRE(total == 1);
      driver.finish(roots[0], random);
    }
    REQUIRE(static_cast<double>(driver.steps()) == total);
    REQUIRE(driver.words()[0] == test::countByRecurrence(instance.generators, instance.element));
  }
}

TEST_CASE("the modulo jump examines fewer candidates and finds the same rows") {
  for (int seed = 0; seed < kInstances; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 999);
    const Instance instance = randomInstance(random);
    ProblemSpec spec = baseSpec(instance, Algorithm::candidate, random);
    CAPTURE(seed);
    CAPTURE(describe(spec));
    spec.collectRows = true;
    spec.moduloJump = false;
    const auto plain = makeProblem(spec);
    spec.moduloJump = true;
    const auto jumping = makeProblem(spec);
    Driver all(*plain);
    Driver fewer(*jumping);
    for (const auto& root : all.roots()) all.finish(root, random);
    for (const auto& root : fewer.roots()) fewer.finish(root, random);
    REQUIRE(all.rows() == fewer.rows());
    REQUIRE(fewer.steps() <= all.steps());
  }
}

TEST_CASE("reductions agree with the oracle for every algorithm") {
  for (const Algorithm algorithm : {Algorithm::candidate, Algorithm::tabulated, Algorithm::ranked}) {
    for (int seed = 0; seed < kInstances; ++seed) {
      std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 31337);
      const Instance instance = randomInstance(random);
      const std::size_t d = instance.generators.size();
      ProblemSpec spec = baseSpec(instance, algorithm, random);
      giveSuffixCounts(spec);
      LinearPredicate predicate;
      for (std::size_t k = 0; k < d; ++k)
        predicate.coefficients.push_back(static_cast<std::int64_t>(random() % 7) - 3);
      predicate.relation = static_cast<Relation>(random() % 3);
      predicate.bound = static_cast<std::int64_t>(random() % 21) - 10;
      spec.reductions = {true, true, true, true, predicate};
      CAPTURE(seed);
      CAPTURE(describe(spec));
      const auto problem = makeProblem(spec);
      Driver driver(*problem);
      for (const auto& root : driver.roots()) driver.finishSplitting(root, random, 4);

      const Vectors rows = test::bruteForce(instance.generators, instance.element);
      std::vector<std::uint64_t> histogram(
          instance.element / *std::min_element(instance.generators.begin(), instance.generators.end()) + 1);
      Vector maxima(d);
      std::uint64_t minimum = ~std::uint64_t{0};
      std::uint64_t maximum = 0;
      std::uint64_t satisfied = 0;
      for (const Vector& row : rows) {
        const std::uint64_t length = std::accumulate(row.begin(), row.end(), std::uint64_t{0});
        ++histogram[length];
        minimum = std::min(minimum, length);
        maximum = std::max(maximum, length);
        std::int64_t value = 0;
        for (std::size_t k = 0; k < d; ++k) {
          maxima[k] = std::max(maxima[k], row[k]);
          value += predicate.coefficients[k] * static_cast<std::int64_t>(row[k]);
        }
        satisfied += predicate.relation == Relation::lessEqual ? value <= predicate.bound
                     : predicate.relation == Relation::equal   ? value == predicate.bound
                                                               : value >= predicate.bound;
      }
      const ReductionWords words = reductionWords(spec);
      const auto at = [&](int index) { return driver.words().at(static_cast<std::size_t>(index)); };
      const Fingerprint fingerprint = test::fingerprintOf(rows);
      REQUIRE(at(words.count) == rows.size());
      REQUIRE(at(words.fingerprintSum) == fingerprint.sum);
      REQUIRE(at(words.fingerprintXor) == fingerprint.exclusiveOr);
      REQUIRE(at(words.minimumLength) == minimum);
      REQUIRE(at(words.maximumLength) == maximum);
      REQUIRE(at(words.satisfied) == satisfied);
      for (std::size_t k = 0; k < d; ++k)
        REQUIRE(at(words.coordinateMaxima + static_cast<int>(k)) == maxima[k]);
      for (std::size_t k = 0; k < histogram.size(); ++k)
        REQUIRE(at(words.lengths + static_cast<int>(k)) == histogram[k]);
    }
  }
}

TEST_CASE("counting takes whole leaves and blocks and still counts every factorization") {
  for (const Algorithm algorithm : {Algorithm::candidate, Algorithm::tabulated, Algorithm::ranked}) {
    for (int seed = 0; seed < kInstances; ++seed) {
      std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 5);
      const Instance instance = randomInstance(random);
      ProblemSpec spec = baseSpec(instance, algorithm, random);
      if (algorithm == Algorithm::ranked) giveSuffixCounts(spec);
      CAPTURE(seed);
      CAPTURE(describe(spec));
      const auto problem = makeProblem(spec);
      Driver driver(*problem);
      for (const auto& root : driver.roots()) driver.finishSplitting(root, random, 5);
      REQUIRE(driver.words()[0] == test::countByRecurrence(instance.generators, instance.element));
    }
  }
}

TEST_CASE("large dimensions and large numbers run in the generic family") {
  const std::uint64_t scale = std::uint64_t{1} << 55;
  for (int seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 606);
    Instance instance = randomInstance(random);
    const Vectors expected = test::bruteForce(instance.generators, instance.element);
    // Scaled by 2^55 the rows are the same; or the dimension is padded beyond 16 by generators above n.
    if (random() % 2 == 0) {
      const std::uint64_t most = std::max(
          instance.element, *std::max_element(instance.generators.begin(), instance.generators.end()));
      const std::uint64_t factor = std::min(scale, (~std::uint64_t{0} >> 1) / (most + 1));
      for (auto& g : instance.generators) g *= factor;
      instance.element *= factor;
    } else {
      while (instance.generators.size() < 20) instance.generators.push_back(1000 + random() % 100);
    }
    for (const bool modulo : {false, true}) {
      ProblemSpec spec;
      spec.generators = instance.generators;
      spec.element = instance.element;
      spec.moduloJump = modulo;
      spec.collectRows = true;
      CAPTURE(seed);
      CAPTURE(describe(spec));
      const auto problem = makeProblem(spec);
      REQUIRE(problem->resultBytes() == 64 * sizeof(std::uint64_t));
      Driver driver(*problem);
      for (const auto& root : driver.roots()) driver.finishSplitting(root, random, 4);
      REQUIRE(trimmed(driver.rows(), instance.generators.size()) == [&] {
        Vectors padded = expected;
        for (Vector& row : padded) row.resize(instance.generators.size());
        return padded;
      }());
    }
  }
}
