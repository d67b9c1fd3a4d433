// Invariants of elements that recurrences give for all integers up to the largest: numbers of factorizations,
// their lengths and what follows from these. Nothing is enumerated. For library users, and for the command
// `numerical-semigroup`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "slicepool/invariants/types.hpp"

namespace slicepool::invariants {

/// How much is wanted. Each recurrence costs more than the one before; d generators, the least g_1, the
/// largest element n.
struct LengthNeeds {
  bool denumerant = false;  ///< numbers of factorizations: O(d n)
  bool range = false;       ///< least and greatest length: O(d n)
  bool lengthSet = false;   ///< O(d n^2 / (64 g_1))
  bool histogram = false;   ///< number of factorizations of each length: O(d n^2 / g_1)
};

/// Of one element; what was not wanted is empty.
struct ElementLengths {
  std::uint64_t element = 0;
  Integer denumerant = 0;
  std::uint64_t minimumLength = 0;
  std::uint64_t maximumLength = 0;
  std::vector<std::uint64_t> lengthSet;                      ///< ascending
  std::vector<std::pair<std::uint64_t, Integer>> histogram;  ///< (length, how many), ascending
};

/// Numbers of factorizations of 0 .. last, exact. O(d last) additions. `memoryLimit` in bytes; 0: half of
/// what is free. Throws ConfigError and LimitError.
[[nodiscard]] std::vector<Integer> denumerants(const std::vector<std::uint64_t>& generators,
                                               std::uint64_t last, std::size_t memoryLimit = 0);

/// All of `elements`, in their order, in one pass over 0 .. the largest of them. `generators`: 1 or more,
/// from 1 to 2^63-1, in any order, with any greatest common divisor. An element without factorizations has a
/// denumerant of 0 and empty sets. Throws ConfigError and LimitError.
[[nodiscard]] std::vector<ElementLengths> elementLengths(const std::vector<std::uint64_t>& generators,
                                                         const std::vector<std::uint64_t>& elements,
                                                         const LengthNeeds& needs,
                                                         std::size_t memoryLimit = 0);

/// Mean length, over all factorizations. `histogram` is not empty.
[[nodiscard]] Fraction meanLength(const std::vector<std::pair<std::uint64_t, Integer>>& histogram);
/// Mean square of the distance from the mean.
[[nodiscard]] Fraction lengthVariance(const std::vector<std::pair<std::uint64_t, Integer>>& histogram);
/// The lengths that most factorizations have, ascending.
[[nodiscard]] std::vector<std::uint64_t> lengthModes(
    const std::vector<std::pair<std::uint64_t, Integer>>& histogram);

}  // namespace slicepool::invariants
