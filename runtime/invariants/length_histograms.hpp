// Numbers of factorizations of each length, for 0 .. n one after another. Called by elements.cpp.
//
// Generators are added from the largest to the smallest. With the first j of them, the numbers by length of m
// are those without g_j plus those of m - g_j, whose lengths grow by one. A row counts lengths down from
// floor(m / g_j), the greatest there can be. So counted, the row of m - g_j becomes that of m by adding the
// other one to it, in place: for each generator only the rows of the last g_j integers are kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/invariants/tables.hpp"

namespace slicepool::invariants {

/// each(m, t, counts, size) for m = 0 .. last: counts[i] factorizations have the length t - i. O(d last^2 /
/// g_1) additions for the least generator g_1. Numbers wrap where `Count` is too narrow for them. Throws
/// LimitError.
template <class Count>
void forLengthHistograms(
    std::vector<std::uint64_t> generators, std::uint64_t last, std::size_t memoryLimit,
    const std::function<void(std::uint64_t, std::uint64_t, const Count*, std::size_t)>& each) {
  struct Rows {
    std::uint64_t generator;
    std::size_t width;
    std::vector<Count> counts;
  };
  std::sort(generators.begin(), generators.end(), std::greater<>());
  const std::uint64_t largest = generators.front();
  const auto widthOf = [&](std::uint64_t generator) { return last / generator - last / largest + 2; };
  unsigned __int128 entries = 0;
  for (const std::uint64_t generator : generators)
    entries += static_cast<unsigned __int128>(std::min(generator, last + 1)) * widthOf(generator);
  requireTable(entries, sizeof(Count), memoryLimit, "numbers of factorizations by length");
  std::vector<Rows> rows;
  for (const std::uint64_t generator : generators) {
    const std::size_t width = widthOf(generator);
    rows.push_back({generator, width, std::vector<Count>(std::min(generator, last + 1) * width, Count(0))});
  }
  rows.front().counts.front() = 1;  // multiples of the largest generator by it alone
  for (std::uint64_t m = 0; m <= last; ++m) {
    if ((m & 0x3F) == 0) checkSetup();
    const std::uint64_t shortest = m / largest;
    const Count* before = rows.front().counts.data() + (m % largest) * rows.front().width;
    std::uint64_t longestBefore = shortest;
    for (std::size_t j = 1; j < rows.size(); ++j) {
      const std::uint64_t longest = m / rows[j].generator;
      Count* const row = rows[j].counts.data() + (m % rows[j].generator) * rows[j].width;
      Count* const shifted = row + (longest - longestBefore);
      const std::size_t size = longestBefore - shortest + 1;
      for (std::size_t i = 0; i < size; ++i) shifted[i] += before[i];
      before = row;
      longestBefore = longest;
    }
    each(m, longestBefore, before, longestBefore - shortest + 1);
  }
}

}  // namespace slicepool::invariants
