// How many random cases a test runs: all of them, or the share in $SLICEPOOL_TEST_SCALE (sanitizer builds are
// ten times slower). Included by unit and property tests.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace slicepool::test {

/// `cases` times the scale in (0, 1], at least 1.
inline std::size_t scaled(std::size_t cases) {
  const char* text = std::getenv("SLICEPOOL_TEST_SCALE");
  const double scale = text == nullptr ? 1.0 : std::strtod(text, nullptr);
  if (!(scale > 0.0) || scale >= 1.0) return cases;
  const auto count = static_cast<std::size_t>(static_cast<double>(cases) * scale);
  return count == 0 ? 1 : count;
}

/// Whether all cases are to run, and not a share of them.
inline bool runsAll() { return scaled(100) == 100; }

/// The largest size that a test tries: all of it, or `scaledDown` where only a share of the cases is to run.
/// For tests whose cost is in their largest sizes.
inline int largest(int full, int scaledDown) { return runsAll() ? full : scaledDown; }

}  // namespace slicepool::test
