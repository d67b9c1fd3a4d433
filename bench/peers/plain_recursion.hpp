// The honest peer: what a good C++ programmer writes to list a factorization set on one core, without
// slicepool. Called by its own program (plain_recursion_main.cpp), by bench/rows and by a unit test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace slicepool::bench {

inline constexpr std::size_t kPeerLeastDimension = 2;
inline constexpr std::size_t kPeerLargestDimension = 16;

/// Writes every a >= 0 with sum_i a_i generators[i] = element to `rows`, in decreasing lexicographic order, C
/// order, generators.size() elements a row, and returns how many rows there are. One thread; tables of (d +
/// 7) (element + 1) bytes are built first and belong to its time.
///
/// `rows` must have room for all of them: the caller has counted (countByRecurrence).
/// Throws std::invalid_argument unless 2 <= d <= 16, every generator is positive and
/// element * max(generators) < 2^30.
std::size_t plainRecursion(const std::vector<std::uint64_t>& generators, std::uint64_t element,
                           std::int32_t* rows);

}  // namespace slicepool::bench
