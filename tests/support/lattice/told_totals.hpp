// What progress says of the size of a search, wherever it is stopped. Included by unit tests.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>

#include "support/lattice/front.hpp"

namespace slicepool::test {

/// One thread, stopped after 0.3, 0.6 and 0.9 of its nodes: the total that was told is between `least` and
/// `most` times as many.
inline void checkToldTotals(const lattice::Request& request, double least, double most) {
  EngineOptions options;
  options.threads = 1;
  options.cpuBudget = 10'000;
  const auto nodes = static_cast<double>(runLattice(request, options).nodes);
  for (const double share : {0.3, 0.6, 0.9}) {
    CAPTURE(share);
    options.stepLimit = static_cast<std::uint64_t>(share * nodes);
    Progress last;
    options.onProgress = [&](const Progress& progress) { last = progress; };
    (void)runLattice(request, options);
    MESSAGE(nodes << " nodes, told " << last.totalSteps << " at " << last.steps);
    CHECK(last.steps >= share * nodes);
    CHECK(last.totalSteps > least * nodes);
    CHECK(last.totalSteps < most * nodes);
    CHECK(last.secondsLeft >= 0);
  }
}

}  // namespace slicepool::test
