// Ten thousand random searches in simulated time: what a hybrid run may cost beside the better of its halves,
// slices that may be lost and hand-overs that may go on. Release builds only: elsewhere a machine is
// simulated by threads, which takes ten times as long, and fewer cases run without marks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "support/scale.hpp"
#include "support/simulation/cases.hpp"

using namespace slicepool;
using namespace slicepool::test;

namespace {

constexpr std::size_t kCases = 10'000;  // of the three families together

/// What the ratios of a family are held against: their geometric mean, the least of them, what one in a
/// hundred is below, and the part that is below 0.98.
struct HybridMark {
  double mean, least, hundredth, below;
};

constexpr double kMostExchanges = 40;  // of the device, in a run of some hundredths of a second

}  // namespace

TEST_CASE("ten thousand simulated searches: hybrid runs against the better of their halves") {
  constexpr HybridMark kMarks[] = {
      {1.19, 0.80, 0.89, 0.085}, {1.12, 0.355, 0.66, 0.235}, {1.14, 0.41, 0.62, 0.205}};
  const std::size_t each = scaled(kFibers ? kCases : 100) / 3 + 1;
  Cases random(9);
  for (std::size_t family = 0; family < 3; ++family) {
    Ratios ratios;
    double exchanges = 0;
    for (std::size_t i = 0; i < each; ++i) {
      CAPTURE(family);
      CAPTURE(i);
      Case made = random.draw(kFamilies[family], random.between(0.005, 0.05), random.between(0.8, 20));
      made.machine.traces = true;
      const SimulatedResult hybrid = whole(made.search, made.machine);
      made.machine.traces = false;
      const double cpu = whole(made.search, cpuOnly(made.machine)).seconds;
      const double gpu = whole(made.search, gpuOnly(made.machine)).seconds;
      ratios.values.push_back(std::min(cpu, gpu) / hybrid.seconds);
      exchanges = std::max(exchanges, exchangesOf(hybrid));
      CHECK(exchangesOf(hybrid) <= kMostExchanges);
    }
    MESSAGE(std::string(kNames[family])
            << ": " << each << " cases, better half / hybrid: mean " << ratios.mean() << ", least "
            << ratios.least() << ", 1 % below " << ratios.quantile(0.01) << ", 10 % below "
            << ratios.quantile(0.1) << ", below 0.98 " << 100 * ratios.below(0.98) << " %; at most "
            << exchanges << " exchanges");
    if (each <= kCases / 3) continue;
    CHECK(ratios.mean() >= kMarks[family].mean);
    CHECK(ratios.least() >= kMarks[family].least);
    CHECK(ratios.quantile(0.01) >= kMarks[family].hundredth);
    CHECK(ratios.below(0.98) <= kMarks[family].below);
  }
}
