// Block reductions whose large trees a GPU searches, alone and beside cores, against cores.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>

#include "slicepool/reduce/reduction.hpp"
#include "support/gpu.hpp"
#include "support/reduce/checks.hpp"
#include "support/svp/bases.hpp"

namespace {

using namespace slicepool;

reduce::Outcome reducedOn(const reduce::Request& request, Mode mode) {
  EngineOptions options;
  options.mode = mode;
  options.threads = 4;
  reduce::Reduction reduction(request, options);
  reduction.run();
  CHECK(reduction.finished());
  return reduction.outcome();
}

}  // namespace

TEST_CASE("reduce on a GPU: bases of the same lattice, as short as those of cores") {
  if (!test::gpuUsable() || !test::canReduce()) return;
  std::mt19937_64 random(51);
  const auto basis = test::challengeBasis(72, random);
  reduce::Request request;
  request.basis = lattice::basisText(basis);
  request.blockSize = 64;
  request.tours = 1;
  const reduce::Outcome cores = reducedOn(request, Mode::cpu);
  for (const Mode mode : {Mode::gpu, Mode::hybrid, Mode::automatic}) {
    const reduce::Outcome outcome = reducedOn(request, mode);
    if (mode == Mode::gpu) CHECK(outcome.deviceSeconds > 0);
    CHECK(outcome.logPotential < cores.logPotential + 0.01 * std::abs(cores.logPotential));
    CHECK(test::sameLattice(lattice::parseBasis(outcome.basis, "outcome"), basis));
  }
}
