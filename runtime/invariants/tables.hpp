// Tables over the integers 0 .. n that the recurrences of this folder fill: least and greatest lengths of
// factorizations. Called by the other sources of runtime/invariants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "slicepool/invariants/types.hpp"

namespace slicepool::invariants {

/// A length that is none: the integer has no factorization.
inline constexpr std::uint32_t kNoLength = std::numeric_limits<std::uint32_t>::max();

/// Throws LimitError for a table of `entries` entries of `entryBytes` that does not fit `limit` bytes.
void requireTable(unsigned __int128 entries, std::size_t entryBytes, std::size_t limit,
                  const std::string& what);

/// Least lengths of factorizations of 0 .. last over `generators`. O(d n). Throws LimitError.
[[nodiscard]] std::vector<std::uint32_t> leastLengths(const std::vector<std::uint64_t>& generators,
                                                      std::uint64_t last, std::size_t memoryLimit);
/// The same for greatest lengths.
[[nodiscard]] std::vector<std::uint32_t> greatestLengths(const std::vector<std::uint64_t>& generators,
                                                         std::uint64_t last, std::size_t memoryLimit);

/// A factorization of `n` whose length is lengths[n], which is one of the two tables; `n` has one. O(d
/// length).
[[nodiscard]] Factorization traced(const std::vector<std::uint64_t>& generators,
                                   const std::vector<std::uint32_t>& lengths, std::uint64_t n);

}  // namespace slicepool::invariants
