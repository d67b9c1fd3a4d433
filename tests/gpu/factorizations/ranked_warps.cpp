// The warp steps of `ranked` on a GPU against the plain step on the host: rows of every width and alignment,
// every reduction, every length of the stored tail.
#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "cpu_workers/factorizations/tail_reduction.hpp"
#include "slicepool/factorizations/problem_factory.hpp"
#include "slicepool/factorizations/steps/suffix_rows.hpp"
#include "support/gpu.hpp"
#include "tests/gpu/batch_runner.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;

namespace {

struct Case {
  std::vector<std::uint64_t> generators;
  std::uint64_t element;
};

// Common divisors, repeated and unsorted generators, generators above n; 3 to 16 of them.
const std::vector<Case> kCases = {
    {{6, 9, 20}, 2000},
    {{1, 1, 1}, 60},
    {{13, 37, 38, 40}, 1500},
    {{40, 38, 37, 13, 13}, 400},
    {{12, 18, 30, 45, 8}, 500},
    {{7, 1000, 11, 900, 13, 5}, 300},
    {{11, 13, 17, 19, 23, 29, 31, 37}, 200},
    {{13, 37, 38, 40, 41, 42, 43, 44, 45}, 350},
    {{5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}, 40},
};

ProblemSpec specOf(const Case& c) {
  ProblemSpec spec;
  spec.generators = c.generators;
  spec.element = c.element;
  spec.algorithm = Algorithm::ranked;
  spec.rankCounts = std::make_shared<RankCounts>(makeRankCounts(c.generators, c.element));
  return spec;
}

/// Rowless tables are enough for values.
void giveTail(ProblemSpec& spec, unsigned tail, unsigned elementBytes, bool rowless = false) {
  const TailValues kind = tailValuesOf(spec.reductions).value();
  spec.deviceTail = std::make_shared<DeviceTail>(
      planDeviceTail(spec.generators, *spec.rankCounts, tail, elementBytes,
                     tailWeights(spec.reductions, kind, spec.generators.size()), rowless));
}

template <class F>
void forTails(F&& f) {
  for (const Case& c : kCases) {
    const auto longest = std::min<std::size_t>(c.generators.size() - 1, 5);
    for (unsigned tail = 2; tail <= longest; ++tail) {
      INFO("d = " << c.generators.size() << ", n = " << c.element << ", tail " << tail);
      f(c, tail);
    }
  }
}

DeviceOptions options() {
  DeviceOptions made;
  made.lanes = 1024;
  return made;
}

struct PlacedRows {
  std::vector<std::byte> bytes;
  std::vector<std::uint64_t> words;
};

PlacedRows placedRows(ProblemSpec spec, RankRange window, unsigned elementBytes, bool onGpu,
                      const BatchLaunch& settings) {
  PlacedRows rows;
  constexpr std::size_t kGuard = 64;  // bytes behind the last row that must stay untouched
  rows.bytes.assign((window.end - window.begin) * spec.generators.size() * elementBytes + kGuard,
                    std::byte{0xee});
  spec.rows = ProblemSpec::Rows{rows.bytes.data(), window, elementBytes};
  const auto problem = makeProblem(spec);
  rows.words = onGpu ? test::runOnDevice(*test::makeDevice(*problem, options()), *problem, settings).words
                     : test::runOnHost(*problem).words;
  return rows;
}

std::vector<Reductions> singleReductions(std::size_t d) {
  std::vector<Reductions> all(6);
  all[0].fingerprint = true;
  all[1].extremes = true;
  all[2].lengths = true;
  all[3].lengths = all[3].extremes = true;
  all[4].coordinateMaxima = true;
  LinearPredicate predicate;
  for (std::size_t k = 0; k < d; ++k) predicate.coefficients.push_back(static_cast<std::int64_t>(k % 3) - 1);
  predicate.relation = Relation::greaterEqual;
  predicate.bound = 1;
  all[5].predicate = predicate;
  return all;
}

}  // namespace

TEST_SUITE_BEGIN("gpu-small");

TEST_CASE("ranked by warps: rows of every width, whole and in windows, in one turn and in many") {
  if (!test::gpuUsable()) return;
  forTails([](const Case& c, unsigned tail) {
    ProblemSpec spec = specOf(c);
    spec.reductions.fingerprint = true;
    const std::uint64_t total = spec.rankCounts->total;
    const unsigned narrowest = c.element < 256 ? 1 : 2;
    for (const unsigned bytes : {narrowest, 2U, 4U, 8U}) {
      giveTail(spec, tail, bytes);
      for (const RankRange window : {RankRange{0, total}, RankRange{total / 3, total / 2 + 1}}) {
        const PlacedRows host = placedRows(spec, window, bytes, false, {});
        for (const BatchLaunch& settings : {BatchLaunch{37, 64, 512}, BatchLaunch{1U << 20U, 64, 64}}) {
          const PlacedRows gpu = placedRows(spec, window, bytes, true, settings);
          CHECK(gpu.bytes == host.bytes);
          CHECK(gpu.words == host.words);
        }
      }
    }
  });
}

TEST_CASE("ranked by warps: every single reduction equals the host's") {
  if (!test::gpuUsable()) return;
  forTails([](const Case& c, unsigned tail) {
    for (const Reductions& reductions : singleReductions(c.generators.size())) {
      ProblemSpec spec = specOf(c);
      spec.reductions = reductions;
      const bool hasValues = tailValuesOf(reductions) != TailValues::none;
      for (const bool rowless : {false, true}) {
        if (rowless && !hasValues) continue;
        giveTail(spec, tail, c.element < 256 ? 1 : 4, rowless);
        const auto problem = makeProblem(spec);
        const auto host = test::runOnHost(*problem);
        for (const BatchLaunch& settings : {BatchLaunch{37, 64, 512}, BatchLaunch{1U << 20U, 64, 64}})
          CHECK(test::runOnDevice(*test::makeDevice(*problem, options()), *problem, settings).words ==
                host.words);
      }
    }
  });
}

TEST_SUITE_END();
