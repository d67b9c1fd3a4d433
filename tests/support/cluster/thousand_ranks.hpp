// What is asked of a simulated run, by the short test and by the long one. Three in line 18 has about 3e12
// boards, of which a core visits 6.3 million a second and a GPU 1.95 billion
// (docs/performance/three-in-line.md).
#pragma once

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/cluster/simulated_ranks.hpp"

namespace slicepool::test {

/// From one root to the last board. Its time is simulated, so that no machine is too slow for it.
inline void requireEfficient(const std::string& what, const SimulatedRanksOptions& options,
                             double efficiency) {
  const SimulatedRun run = SimulatedRanks(1, options).run();
  MESSAGE(
      fmt::format("{}: {:.1f} s, efficiency {:.3f}, {} leases, {} messages, {:.0f} MB; coordinator {:.1f} % "
                  "of a core here",
                  what, run.seconds, run.efficiency, run.leases, run.messages,
                  static_cast<double>(run.bytes) / 1e6, 100 * run.coordinatorSeconds / run.seconds));
  CHECK(run.lostSteps == 0);
  CHECK(run.efficiency >= efficiency);
}

}  // namespace slicepool::test
