// Invariants of one element that follow from its lengths of factorization (Geroldinger, Halter-Koch 2006,
// chapter 1). Called by enumeration.cpp and by what prints an outcome.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace slicepool::factorizations {

/// Delta set: the distinct gaps between neighbours of the length set, ascending. `lengths` are (length, how
/// many) in ascending order. Empty when there are fewer than two lengths. O(k log k).
[[nodiscard]] std::vector<std::uint64_t> deltaSet(
    const std::vector<std::pair<std::uint64_t, std::uint64_t>>& lengths);

/// Elasticity, longest / shortest length, as a fraction in lowest terms. The zero element has 1/1.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> elasticity(std::uint64_t shortest,
                                                                 std::uint64_t longest);

}  // namespace slicepool::factorizations
