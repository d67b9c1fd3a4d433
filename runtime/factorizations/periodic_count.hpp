// The number of factorizations of elements far beyond any table, for generators with a small common multiple.
// Called by algorithm_choice.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slicepool::factorizations {

/// Exact, decimal: the denumerant is a polynomial in n along n, n + L, n + 2 L, .., for the least common
/// multiple L of the generators. O(d^2 L) time, 16 d L bytes. Nothing where that is more than `bytes` or a
/// second, or numbers on the way are beyond 128 bits.
[[nodiscard]] std::optional<std::string> periodicCount(const std::vector<std::uint64_t>& generators,
                                                       std::uint64_t element, std::size_t bytes);

}  // namespace slicepool::factorizations
