// What all counting tables share: their size, whether it can be addressed at all, and the step from the
// counts over some generators to those with one more. Called by tables.cpp, rank_counts.cpp and
// wide_counts.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "cpu_workers/core/setup_stop.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {

/// Bytes of that many 64-bit entries; saturates at SIZE_MAX.
inline std::size_t tableBytes(unsigned __int128 entries) {
  constexpr std::size_t kMaximum = std::numeric_limits<std::size_t>::max();
  return entries > kMaximum / sizeof(std::uint64_t)
             ? kMaximum
             : static_cast<std::size_t>(entries) * sizeof(std::uint64_t);
}

/// The same for `rows` rows of an entry for each of 0 .. element.
inline std::size_t tableBytes(std::uint64_t rows, std::uint64_t element) {
  return tableBytes(static_cast<unsigned __int128>(rows) * (static_cast<unsigned __int128>(element) + 1));
}

/// Throws LimitError for more bytes than an address space has.
inline void requireAddressable(std::size_t bytes, const std::string& what) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()))
    throw LimitError(what + ": the table is larger than the address space");
}

/// Blocks below this length cost more than their vectors save.
inline constexpr std::uint64_t kShortBlock = 4;

/// sums[m] = below[m] + sums[m - g] for m = 0 .. entries-1 and g >= 1; `sums` may be `below`. Blocks of g
/// entries do not depend on each other inside, which lets the compiler use vectors. False when a sum wrapped.
inline bool addGenerator(std::uint64_t* sums, const std::uint64_t* below, std::uint64_t entries,
                         std::uint64_t g) {
  checkSetup();
  if (sums != below) std::copy_n(below, std::min(entries, g), sums);
  std::uint64_t wrapped = 0;
  if (g < kShortBlock) {
    for (std::uint64_t m = g; m < entries; ++m)
      wrapped |= static_cast<std::uint64_t>(__builtin_add_overflow(below[m], sums[m - g], &sums[m]));
    return wrapped == 0;
  }
  for (std::uint64_t block = g; block < entries; block += g) {
    const std::uint64_t end = std::min(entries, block + g);
    const std::uint64_t* earlier = sums + block - g;
#pragma GCC ivdep
    for (std::uint64_t m = block; m < end; ++m) {
      const std::uint64_t sum = below[m] + earlier[m - block];
      wrapped |= static_cast<std::uint64_t>(sum < below[m]);
      sums[m] = sum;
    }
  }
  return wrapped == 0;
}

}  // namespace slicepool::factorizations
