// Nearest rows on a GPU, alone and beside the CPU: the words are those of the CPU, and so are the degrees
// that are found by pairs alone.
#include <doctest/doctest.h>

#include <numeric>
#include <optional>
#include <vector>

#include "runtime/invariants/nearest_problem.hpp"
#include "runtime/invariants/set_degrees.hpp"
#include "runtime/invariants/whole_set.hpp"
#include "support/gpu.hpp"
#include "support/invariants/engine.hpp"

using namespace slicepool;
using namespace slicepool::invariants;

namespace {

EngineOptions nearestOptions(Mode mode) {
  EngineOptions options;
  options.mode = mode;
  return options;
}

RowSet rowsOfElement(std::uint64_t element) {
  EngineOptions options;
  options.memoryLimit = std::size_t{1} << 32;
  return rowsOf({{13, 37, 38, 40}, element}, 0, options, [] { return false; });
}

}  // namespace

TEST_CASE("nearest rows: a GPU finds what the CPU finds, in both widths") {
  if (!test::gpuUsable()) return;
  const RowSet set = rowsOfElement(3000);
  std::vector<std::uint32_t> order(set.size());
  std::iota(order.begin(), order.end(), 0U);
  std::vector<NearestQuery> queries;
  for (std::uint32_t row = 0; row < set.size(); ++row)
    queries.push_back({row, row / 3, set.size(), row, row + 1});
  for (const bool wide : {false, true}) {
    CAPTURE(wide);
    const auto owned = makeNearestProblem(set, order, queries, wide);
    const auto words = test::wordsOnEngine(*owned.problem, nearestOptions(Mode::cpu));
    for (const Mode mode : {Mode::gpu, Mode::hybrid})
      CHECK(test::wordsOnEngine(*owned.problem, nearestOptions(mode)) == words);
  }
}

TEST_CASE("nearest rows: degrees by pairs on a GPU are those of the CPU by trades") {
  if (!test::gpuUsable()) return;
  const RowSet set = rowsOfElement(5000);
  const auto degreesBy = [&](std::optional<WholeSet> whole, Mode mode) {
    const SetDegrees degrees(set, std::move(whole), [mode](const Problem& problem) {
      return test::wordsOnEngine(problem, nearestOptions(mode));
    });
    return std::vector<std::uint32_t>{degrees.catenary().value, degrees.equalCatenary().value,
                                      degrees.adjacentCatenary().value, degrees.tame().value};
  };
  const auto expected = degreesBy(WholeSet{{13, 37, 38, 40}, 5000}, Mode::cpu);
  CHECK(degreesBy(std::nullopt, Mode::gpu) == expected);
  CHECK(degreesBy(std::nullopt, Mode::hybrid) == expected);
}
