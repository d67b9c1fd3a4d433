// Reads rows that a program wrote and says whether they are a factorization set, and what they add up to. The
// judge of every benchmark of rows: untimed, and independent of slicepool's step functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/support/instances.hpp"
#include "slicepool/core/fingerprint.hpp"

namespace slicepool::bench {

struct RowFacts {
  std::uint64_t rows = 0;
  Fingerprint fingerprint;
  std::vector<std::uint64_t> lengths;           ///< [length]: rows of it; 0 .. element / min(generators)
  std::vector<std::uint64_t> coordinateMaxima;  ///< one per generator; zeros without rows
  /// What is wrong with the first bad row: its sum is not the element, or it is not lexicographically smaller
  /// than the row before it. Empty: rows of Z(element), all different, in decreasing lexicographic order.
  std::string problem;
};

/// Facts of `count` rows at `rows`: C order, `elementBytes` (1, 2, 4, 8) per coordinate, unsigned
/// little-endian. O(count d), on all cores.
[[nodiscard]] RowFacts inspectRows(const Instance& instance, const std::byte* rows, std::uint64_t count,
                                   unsigned elementBytes);

/// How `found` differs from what is right (`expected` has been inspected and has no problem); empty: not at
/// all.
[[nodiscard]] std::string differenceOf(const RowFacts& found, const RowFacts& expected);

}  // namespace slicepool::bench
