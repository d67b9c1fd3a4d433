// Factorization sets on a GPU against the plain step on the host: every algorithm with every sink, driven
// through the batch device, and through the engine in every mode.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/factorizations/problem_factory.hpp"
#include "slicepool/factorizations/steps/tables.hpp"
#include "support/gpu.hpp"
#include "tests/gpu/batch_runner.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;

namespace {

struct Case {
  std::vector<std::uint64_t> generators;
  std::uint64_t element;
  unsigned leafDimension;
  std::uint64_t leafLimit;
};

// Dimensions 1 to 17 (the last is the generic family), common divisors, repeated and unsorted generators.
const std::vector<Case> kSmallCases = {
    {{7}, 700, 1, 50},
    {{6, 9}, 900, 1, 100},
    {{6, 9, 20}, 700, 2, 200},
    {{13, 37, 38, 40}, 900, 2, 300},
    {{40, 38, 37, 13, 13}, 300, 3, 120},
    {{12, 18, 30, 45, 8}, 260, 2, 100},
    {{11, 13, 17, 19, 23, 29, 31, 37}, 150, 4, 90},
    {{51, 53, 55, 117, 90, 91, 92, 93, 94, 95}, 420, 3, 300},
    {{5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21}, 34, 5, 20},
};

struct Variant {
  Algorithm algorithm;
  bool moduloJump;
  const char* name;
};
const std::vector<Variant> kVariants = {{Algorithm::candidate, true, "candidate"},
                                        {Algorithm::candidate, false, "candidate without jump"},
                                        {Algorithm::tabulated, true, "tabulated"},
                                        {Algorithm::ranked, true, "ranked"}};

ProblemSpec specOf(const Case& c, const Variant& variant) {
  ProblemSpec spec;
  spec.generators = c.generators;
  spec.element = c.element;
  spec.algorithm = variant.algorithm;
  spec.moduloJump = variant.moduloJump;
  if (variant.algorithm == Algorithm::ranked)
    spec.suffixCounts = std::make_shared<SuffixCounts>(makeSuffixCounts(c.generators, c.element));
  if (variant.algorithm == Algorithm::tabulated) {
    spec.leafTable = std::make_shared<LeafTable>(makeLeafTable(
        c.generators, c.leafDimension, c.leafLimit, FillMethod::sequential, 1, std::size_t{1} << 30U));
  }
  return spec;
}

DeviceOptions options(std::uint32_t lanes, std::uint32_t capacity = 0) {
  DeviceOptions made;
  made.lanes = lanes;
  made.resultCapacity = capacity;
  return made;
}

template <class F>
void forAll(const std::vector<Case>& cases, F&& f) {
  for (const auto& c : cases) {
    for (const auto& variant : kVariants) {
      INFO("d = " << c.generators.size() << ", n = " << c.element << ", " << std::string(variant.name));
      f(c, variant);
    }
  }
}

/// Device and host agree on words and results.
void checkSame(const Problem& problem, const DeviceOptions& device, const BatchLaunch& settings) {
  const auto host = test::runOnHost(problem);
  const auto gpu = test::runOnDevice(*test::makeDevice(problem, device), problem, settings);
  CHECK(gpu.words == host.words);
  CHECK(gpu.results == host.results);
}

void checkCount(const ProblemSpec& spec, const BatchLaunch& settings) {
  const auto problem = makeProblem(spec);
  const auto gpu = test::runOnDevice(*test::makeDevice(*problem, options(2048)), *problem, settings);
  CHECK(std::to_string(gpu.words.at(0)) == exactCount(spec.generators, spec.element));
}

Reductions everything(const Case& c) {
  Reductions reductions;
  reductions.fingerprint = reductions.extremes = reductions.coordinateMaxima = reductions.lengths = true;
  LinearPredicate predicate;
  for (std::size_t k = 0; k < c.generators.size(); ++k)
    predicate.coefficients.push_back(static_cast<std::int64_t>(k % 3) - 1);
  predicate.relation = Relation::greaterEqual;
  predicate.bound = 1;
  reductions.predicate = predicate;
  return reductions;
}

/// Rows of every element width, by rank: those of the device, over the whole set or a window.
struct PlacedRows {
  std::vector<std::byte> bytes;
  std::uint64_t count = 0;
};

PlacedRows placedRows(ProblemSpec spec, RankRange window, unsigned elementBytes, bool onGpu) {
  PlacedRows rows;
  const std::size_t rowBytes = spec.generators.size() * elementBytes;
  constexpr std::size_t kGuard = 64;  // bytes behind the last row that must stay untouched
  rows.bytes.assign((window.end - window.begin) * rowBytes + kGuard, std::byte{0xee});
  spec.rows = ProblemSpec::Rows{rows.bytes.data(), window, elementBytes};
  const auto problem = makeProblem(spec);
  rows.count =
      onGpu ? test::runOnDevice(*test::makeDevice(*problem, options(1024)), *problem, {37, 64, 1024}).words[0]
            : test::runOnHost(*problem).words[0];
  return rows;
}

void checkRows(const Case& c, const Variant& variant) {
  ProblemSpec spec = specOf(c, variant);
  spec.suffixCounts = std::make_shared<SuffixCounts>(makeSuffixCounts(c.generators, c.element));
  const std::uint64_t total = spec.suffixCounts->total();
  const unsigned narrowest = c.element < 256 ? 1 : 2;
  for (const RankRange window : {RankRange{0, total}, RankRange{total / 3, total / 2}}) {
    for (const unsigned bytes : {narrowest, 4U, 8U}) {
      const PlacedRows host = placedRows(spec, window, bytes, false);
      const PlacedRows gpu = placedRows(spec, window, bytes, true);
      CHECK(gpu.bytes == host.bytes);
      CHECK(gpu.count == window.end - window.begin);
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("gpu-small");

TEST_CASE("factorizations on a GPU: every algorithm counts what the counting table says") {
  if (!test::gpuUsable()) return;
  forAll(kSmallCases, [](const Case& c, const Variant& variant) {
    checkCount(specOf(c, variant), {25, 64, 2048});
    checkCount(specOf(c, variant), {1'000'000, 128, 0});
  });
}

TEST_CASE("factorizations on a GPU: n = 0 has one factorization, an unreachable n has none") {
  if (!test::gpuUsable()) return;
  forAll({{{6, 9, 20}, 0, 2, 10}, {{6, 9, 20}, 43, 2, 10}, {{4, 6}, 7, 1, 3}},
         [](const Case& c, const Variant& variant) {
           checkCount(specOf(c, variant), {25, 64, 64});
         });
}

TEST_CASE("factorizations on a GPU: every reduction equals the host's") {
  if (!test::gpuUsable()) return;
  forAll(kSmallCases, [](const Case& c, const Variant& variant) {
    ProblemSpec spec = specOf(c, variant);
    spec.reductions = everything(c);
    checkSame(*makeProblem(spec), options(1024), {40, 64, 1024});
  });
}

TEST_CASE("factorizations on a GPU: rows are the same bytes at the same places, whole and in windows") {
  if (!test::gpuUsable()) return;
  forAll(kSmallCases, checkRows);
}

TEST_CASE("factorizations on a GPU: collected rows are the host's set, through any buffer") {
  if (!test::gpuUsable()) return;
  forAll(kSmallCases, [](const Case& c, const Variant& variant) {
    if (variant.algorithm == Algorithm::ranked) return;  // knows its places, never collects
    ProblemSpec spec = specOf(c, variant);
    spec.collectRows = true;
    spec.reductions.fingerprint = true;
    const auto problem = makeProblem(spec);
    checkSame(*problem, options(512, 0), {50, 64, 512});
    checkSame(*problem, options(512, 100), {50, 64, 512});
  });
}

TEST_SUITE_END();

TEST_CASE("factorizations on a GPU: counts at the size of real runs") {
  if (!test::gpuUsable()) return;
  const std::vector<Case> cases = {{{13, 37, 38, 40}, 10'000, 2, 2000},
                                   {{11, 34, 35, 36, 37}, 3000, 3, 1000},
                                   {{51, 53, 55, 117, 200, 201}, 5000, 3, 3000}};
  forAll(cases, [](const Case& c, const Variant& variant) {
    checkCount(specOf(c, variant), {5000, 64, 2048});
  });
}

TEST_CASE("factorizations in the engine: gpu and hybrid give the CPU's words and bytes") {
  if (!test::gpuUsable()) return;
  const Case c{{51, 53, 55, 117, 90, 91}, 1500, 3, 600};
  for (const auto& variant : kVariants) {
    INFO(std::string(variant.name));
    ProblemSpec reducing = specOf(c, variant);
    reducing.reductions = everything(c);
    ProblemSpec placing = specOf(c, variant);
    placing.suffixCounts = std::make_shared<SuffixCounts>(makeSuffixCounts(c.generators, c.element));
    const std::uint64_t total = placing.suffixCounts->total();
    std::vector<std::uint64_t> words;
    std::vector<std::byte> bytes;
    for (const Mode mode : {Mode::cpu, Mode::gpu, Mode::hybrid}) {
      EngineOptions run;
      run.mode = mode;
      run.threads = 2;
      const auto reduced = makeProblem(reducing);
      Engine reducer(*reduced, run);
      reducer.run();
      CHECK(reducer.report().complete);
      std::vector<std::byte> rows(total * c.generators.size() * 2, std::byte{0xee});
      placing.rows = ProblemSpec::Rows{rows.data(), {0, total}, 2};
      const auto placed = makeProblem(placing);
      Engine placer(*placed, run);
      placer.run();
      CHECK(placer.report().words.at(0) == total);
      if (mode == Mode::cpu) {
        words = reducer.report().words;
        bytes = rows;
      }
      CHECK(reducer.report().words == words);
      CHECK(rows == bytes);
    }
  }
}
