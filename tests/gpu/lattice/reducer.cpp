// Lattices that a GPU reduces in groups: the same checks as of the emulator, and searches of many lattices
// against CPU workers.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "slicepool/lattice/many_lattices.hpp"
#include "slicepool/lattice/steps/warp_reduction.hpp"
#include "support/gpu.hpp"
#include "support/lattice/reducer_groups.hpp"

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

TEST_SUITE_END();

TEST_CASE("many lattices on a GPU have the norms of the CPU") {
  if (!test::gpuUsable()) return;
  test::ReducerGroup group = test::reducerGroup(23, 3000, 34);
  ManyRequest request;
  for (std::size_t i = 0; i < group.items.size(); ++i) {
    GivenLattice one;
    one.rows = one.columns = group.lattices[i].d;
    one.entries.assign(group.row(i, 0), group.row(i, one.rows));
    request.lattices.push_back(one);
  }
  const auto answersIn = [&](Mode mode) {
    EngineOptions options;
    options.mode = mode;
    ManyLattices many(request, options);
    many.run();
    ManyOutcome outcome = many.outcome();
    CHECK(outcome.failed == 0);
    CHECK(outcome.run.warnings.empty());
    if (mode == Mode::gpu) CHECK(outcome.reducedByDevice == request.lattices.size());
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

}  // namespace reducer_gpu_test
}  // namespace
