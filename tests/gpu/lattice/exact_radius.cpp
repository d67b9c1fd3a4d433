// The cases of tests/unit/lattice/exact_radius.cpp with a GPU, alone and with CPU workers beside it.
#include <doctest/doctest.h>

#include "support/exact_lattices.hpp"
#include "support/gpu.hpp"
#include "support/scale.hpp"

namespace {

using namespace slicepool;

EngineOptions optionsOf(Mode mode) {
  EngineOptions options;
  options.mode = mode;
  options.threads = 2;
  return options;
}

}  // namespace

TEST_CASE("lattice on a GPU: R^2 of norm - 1, norm and norm + 1 takes the vectors within and no other") {
  if (!test::gpuUsable()) return;
  using lattice::Algorithm;
  test::checkExactRadii(20261122, test::scaled(27),
                        {{"cpu", optionsOf(Mode::cpu)},
                         {"gpu", optionsOf(Mode::gpu)},
                         {"hybrid", optionsOf(Mode::hybrid)},
                         {"gpu, compacted", optionsOf(Mode::gpu), Algorithm::compacted},
                         {"hybrid, compacted", optionsOf(Mode::hybrid), Algorithm::compacted}});
}
