// Lattices that a GPU reduces and searches in groups, and targets that it searches: the same checks as of the
// emulators, and searches of many against CPU workers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "slicepool/lattice/many_lattices.hpp"
#include "slicepool/lattice/steps/warp_reduction.hpp"
#include "support/gpu.hpp"
#include "support/lattice/reducer_groups.hpp"
#include "support/lattice/searched_targets.hpp"
#include "support/lattice/searcher_groups.hpp"

namespace {
namespace reducer_gpu_test {

using namespace slicepool;
using namespace slicepool::lattice;

TEST_SUITE_BEGIN("gpu-small");

TEST_CASE("a GPU makes reduced bases of the same lattices") {
  if (!test::gpuUsable()) return;
  const auto make = makerOf<LatticeReducerMaker>(typeid(LatticeReducer));
  REQUIRE(make);
  const auto reducer = make(0);
  for (const std::uint64_t seed : {21, 22}) {  // the second in the memory of the first
    test::ReducerGroup group =
        test::reducerGroup(seed, 60, seed == 21 ? WarpReductionShape::kMaximumRows : 40);
    reducer->reduce(group.entries, group.items);
    group.check();
  }
}

TEST_CASE("a GPU finds the shortest vectors of many lattices by the nodes of the emulator") {
  if (!test::gpuUsable()) return;
  const auto make = makerOf<LatticeSearcherMaker>(typeid(LatticeSearcher));
  REQUIRE(make);
  const auto searcher = make(0);
  for (const std::uint64_t seed :
       {41, 42, 43}) {  // of both capacities, the others in the memory of the first
    test::SearcherCase searched = test::searcherCase(seed, 60, seed == 41 ? 40 : 30);
    test::SearcherCase emulated = searched;
    searcher->search(searched.group.numbers, searched.group.items, searched.group.coefficients);
    test::checkSearched(searched);
    makeEmulatedSearcher()->search(emulated.group.numbers, emulated.group.items, emulated.group.coefficients);
    for (std::size_t k = 0; k < searched.numbers.size(); ++k) {
      CAPTURE(k);
      CHECK(searched.group.items[k].nodes == emulated.group.items[k].nodes);
      CHECK(searched.group.items[k].squaredNorm == emulated.group.items[k].squaredNorm);
      if (emulated.group.items[k].squaredNorm == 0) continue;  // nothing was written
      const auto first =
          static_cast<std::ptrdiff_t>(k) * std::ptrdiff_t{WarpShortestShape::kMaximumDimension};
      const auto begin = emulated.group.coefficients.begin() + first;
      CHECK(std::equal(begin, begin + emulated.group.items[k].dimension,
                       searched.group.coefficients.begin() + first));
    }
  }
}

TEST_CASE("a GPU finds the closest vectors of many targets by the nodes of the emulator") {
  if (!test::gpuUsable()) return;
  const auto make = makerOf<LatticeSearcherMaker>(typeid(LatticeSearcher));
  REQUIRE(make);
  const auto searcher = make(0);
  for (const int d : {24, 31, 32, 34}) {  // of both capacities
    CAPTURE(d);
    test::SearchedTargets searched = test::searchedTargets(70, d, 40);
    CHECK(searched.numbers.size() >= 10);
    test::SearchedTargets emulated = searched;
    searcher->search(searched.group.numbers, searched.group.items, searched.group.coefficients);
    searched.check();
    makeEmulatedSearcher()->search(emulated.group.numbers, emulated.group.items, emulated.group.coefficients);
    for (std::size_t k = 0; k < searched.numbers.size(); ++k) {
      CAPTURE(k);
      CHECK(searched.group.items[k].nodes == emulated.group.items[k].nodes);
      CHECK(searched.group.items[k].squaredNorm == emulated.group.items[k].squaredNorm);
      if (emulated.group.items[k].squaredNorm == 0) continue;  // nothing was written
      CHECK(std::equal(emulated.coefficients(k), emulated.coefficients(k) + emulated.group.items[k].dimension,
                       searched.coefficients(k)));
    }
  }
}

TEST_CASE("a GPU ends a search on its way when it is to stop, and has the next one") {
  if (!test::gpuUsable()) return;
  const auto searcher = makerOf<LatticeSearcherMaker>(typeid(LatticeSearcher))(0);
  test::SearchedTargets large = test::largeTarget();
  REQUIRE(large.numbers.size() == 1);
  const std::atomic<bool> stop{true};
  // The tree has more turns than pass between two questions to the host.
  CHECK_FALSE(searcher->search(large.group.numbers, large.group.items, large.group.coefficients, stop));
  test::SearchedTargets small = test::searchedTargets(72, 20, 10);
  CHECK(searcher->search(small.group.numbers, small.group.items, small.group.coefficients));
  small.check();
}

TEST_SUITE_END();

/// The answers in every mode have the norms, or distances, of the CPU. `byGpu` looks at an outcome of mode
/// gpu.
template <class Check>
void checkModes(const ManyRequest& request, const Check& byGpu) {
  const auto answersIn = [&](Mode mode) {
    EngineOptions options;
    options.mode = mode;
    ManyLattices many(request, options);
    many.run();
    ManyOutcome outcome = many.outcome();
    CHECK(outcome.failed == 0);
    CHECK(outcome.run.warnings.empty());
    if (mode == Mode::gpu) byGpu(outcome);
    return outcome.answers;
  };
  const auto expected = answersIn(Mode::cpu);
  for (const Mode mode : {Mode::gpu, Mode::hybrid}) {
    const auto answers = answersIn(mode);
    REQUIRE(answers.size() == expected.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      CAPTURE(i);
      REQUIRE(answers[i].vectors.size() == 1);
      CHECK(answers[i].vectors[0].squaredNorm == expected[i].vectors[0].squaredNorm);
    }
  }
}

/// q-ary, not reduced.
ManyRequest latticesOf(std::uint64_t seed, std::size_t count, int d) {
  std::mt19937_64 random(seed);
  test::ReducerGroup group;
  ManyRequest request;
  for (std::size_t i = 0; i < count; ++i) {
    group.add(random, d, 1009);
    request.lattices.push_back(group.given(i));
  }
  return request;
}

TEST_CASE("many targets on a GPU have the distances of the CPU") {
  if (!test::gpuUsable()) return;
  std::mt19937_64 random(71);
  const test::Rows rows = test::randomRows(random, 30, 0);
  ManyRequest request;
  request.basis = matrixText(test::given(rows));
  for (int i = 0; i < 2000; ++i) request.lattices.push_back(test::farTarget(random, 30, 1 + i % 3));
  checkModes(request, [&](const ManyOutcome& outcome) {
    CHECK(outcome.searchedByDevice > request.lattices.size() * 9 / 10);
  });
}

TEST_CASE("many lattices on a GPU have the norms of the CPU") {
  if (!test::gpuUsable()) return;
  const test::ReducerGroup group = test::reducerGroup(23, 3000, 34);
  ManyRequest request;
  for (std::size_t i = 0; i < group.items.size(); ++i) request.lattices.push_back(group.given(i));
  checkModes(request, [&](const ManyOutcome& outcome) {
    CHECK(outcome.reducedByDevice == request.lattices.size());
    CHECK(outcome.searchedByDevice <= request.lattices.size());
    CHECK(outcome.searchedByDevice > request.lattices.size() - request.lattices.size() / 100);
  });
}

TEST_CASE("lattices of a million nodes and more are searched by warps, and larger ones by all workers") {
  if (!test::gpuUsable()) return;
  const ManyRequest medium = latticesOf(24, 96, 38);
  checkModes(medium, [&](const ManyOutcome& outcome) { CHECK(outcome.searchedByDevice > 86); });
  ManyRequest large = latticesOf(25, 6, 46);
  large.nodesOfCore = 1e6;
  checkModes(large, [&](const ManyOutcome& outcome) { CHECK(outcome.pooled == 6); });
  std::mt19937_64 random(26);
  ManyRequest targets;
  targets.basis = matrixText(large.lattices[0]);
  targets.nodesOfCore = 1e6;
  for (int i = 0; i < 4; ++i) targets.lattices.push_back(test::farTarget(random, 46, 1 + i));
  checkModes(targets, [](const ManyOutcome& outcome) { CHECK(outcome.pooled == 4); });
}

}  // namespace reducer_gpu_test
}  // namespace
