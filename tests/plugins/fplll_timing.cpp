// What a call of the plug-in costs beside the search. Runs alone, and only says what it sees.
#include "support/fplll_plugin.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace {

using slicepool::test::ExternalBlock;
using slicepool::test::kDeclined;
using slicepool::test::RegisteredPlugin;

/// Microseconds of a call that has nothing to search; the median of many.
double callMicroseconds(ExternalBlock& block, bool declined) {
  constexpr int kCalls = 501;
  std::vector<double> times;
  for (int i = 0; i < kCalls; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const auto counts = block.enumerate();
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    CHECK((counts[0] == kDeclined) == declined);
  }
  std::nth_element(times.begin(), times.begin() + kCalls / 2, times.end());
  return times[kCalls / 2];
}

}  // namespace

TEST_CASE("a call on the CPU path costs at most 100 us beside the search, pruned or not, taken or declined") {
  for (const bool pruned : {false, true}) {
    ExternalBlock block;
    block.spec = slicepool::test::latticeInstance("k60").spec;
    block.spec.squaredRadius = 1;  // nothing but the zero path
    if (pruned)
      for (int k = 0; k < 60; ++k) block.spec.pruning.push_back(1.0 - k / 100.0);
    block.process = [](double, double*) { return 1.0; };
    CAPTURE(pruned);
    {
      const RegisteredPlugin plugin("0", "1", "1e300");
      const double microseconds = callMicroseconds(block, false);
      MESSAGE("taken: " << microseconds << " us");
      WARN(microseconds <= 100);
    }
    {
      const RegisteredPlugin plugin("0", "1e6", "1e300");
      const double microseconds = callMicroseconds(block, true);
      MESSAGE("declined: " << microseconds << " us");
      WARN(microseconds <= 100);
    }
  }
}
