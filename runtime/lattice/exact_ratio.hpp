// A SquaredRadius as a ratio of two integers, for those who compute with it. Called by the runtime of the
// lattice workload.
#pragma once

#include "runtime/lattice/integer_basis.hpp"
#include "slicepool/lattice/squared_radius.hpp"

namespace slicepool::lattice {

/// What a SquaredRadius is made from, for errors and descriptions.
inline constexpr const char* kAcceptedRadius =
    "a number above 0, from 1e-300 to 1e300, of up to 4096 characters (1234, 1234.5, 2/3 or 1e30)";

/// Both above 0; not always in lowest terms.
struct ExactRatio {
  Integer numerator;
  Integer denominator = 1;
};

/// Of any length. Throws ConfigError for field "squared_radius" when it is out of range.
[[nodiscard]] SquaredRadius squaredRadiusOf(const ExactRatio& ratio);

/// `number` is given.
[[nodiscard]] ExactRatio exactRatio(const SquaredRadius& number);

/// Is a <= b? Exact.
[[nodiscard]] bool isAtMost(const SquaredRadius& a, const SquaredRadius& b);

}  // namespace slicepool::lattice
