// Slices of the lattice search: any budgets, any split tree and a sink that refuses give the results of one
// uninterrupted search, nodes of every level included, by the plain step and by the CPU's fast paths.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>

#include "cpu_workers/lattice/search_turn.hpp"
#include "cpu_workers/lattice/walk.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "support/lattice/driver.hpp"
#include "support/lattice/instances.hpp"
#include "support/scale.hpp"

using namespace slicepool;
using namespace slicepool::lattice;
using slicepool::test::LatticeDriver;

TEST_CASE("lattices: budgets, splits and refusals change nothing") {
  std::uint64_t splits = 0;
  std::uint64_t refusals = 0;
  const std::size_t cases = test::scaled(60);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const int dimension = 1 + static_cast<int>(random() % (seed % 10 == 0 ? 160 : 40));
    CAPTURE(dimension);
    ProblemSpec spec = test::randomLattice(random, dimension, 3000, seed % 3 == 0);
    spec.collect = true;
    const auto problem = makeProblem(spec);
    LatticeDriver whole(*problem, dimension);
    whole.runWhole();
    for (const bool fast : {false, true}) {
      LatticeDriver pieces(*problem, dimension, fast, 1 + static_cast<std::uint32_t>(seed % 3));
      pieces.runInPieces(random);
      REQUIRE(pieces.levels() == whole.levels());
      REQUIRE(pieces.found() == whole.found());
      REQUIRE(pieces.vectorSet() == whole.vectorSet());
      REQUIRE(pieces.steps == whole.steps);
      splits += pieces.splits;
      refusals += pieces.refusals;
    }
  }
  CHECK(splits > 20 * cases);
  CHECK(refusals > cases);
}

TEST_CASE("lattices: long turns, in which subtrees are searched by vectors, change nothing") {
  const std::size_t cases = test::scaled(12);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const int dimension = 20 + static_cast<int>(random() % (seed % 4 == 0 ? 140 : 30));
    CAPTURE(dimension);
    ProblemSpec spec = test::randomLattice(random, dimension, 1e6, seed % 3 == 0);
    spec.collect = true;
    const auto problem = makeProblem(spec);
    LatticeDriver whole(*problem, dimension);
    whole.runWhole();
    for (const char* name : {"portable", "avx2", "avx512"}) {
      const LatticeKernels* kernels = latticeKernelsNamed(name);
      if (kernels == nullptr) continue;
      CAPTURE(name);
      dynamic_cast<FastProblem&>(*problem).setKernels(*kernels);
      LatticeDriver pieces(*problem, dimension, true, 1 + static_cast<std::uint32_t>(random() % 100), 200000);
      pieces.runInPieces(random);
      REQUIRE(pieces.levels() == whole.levels());
      REQUIRE(pieces.found() == whole.found());
      REQUIRE(pieces.vectorSet() == whole.vectorSet());
      REQUIRE(pieces.steps == whole.steps);
    }
  }
}
