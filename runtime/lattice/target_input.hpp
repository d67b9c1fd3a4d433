// A target of a search for close vectors, as exact rational numbers. Called by prepared_search.cpp,
// one_target.cpp, the front of the workload and tests.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/lattice/integer_basis.hpp"

namespace slicepool::lattice {

/// numerators / denominator.
struct Target {
  std::vector<Integer> numerators;
  Integer denominator = 1;  ///< above 0; the least one
};

/// Parses `[1/2 -0.25 3 1e2]`: integers, decimals and fractions of integers, separated by white space or
/// commas; a second pair of brackets around them is skipped. Throws ConfigError with the number of the entry,
/// what stands there and what is accepted.
[[nodiscard]] Target parseTarget(std::string_view text, const std::string& name);
/// Reads a file. Throws ConfigError for field "target" when it cannot be read.
[[nodiscard]] Target readTarget(const std::string& path);
/// Throws ConfigError unless a target has as many numbers as a basis has columns, or a Gram matrix rows.
void requireTargetSize(std::size_t numbers, int columns, bool gram, const std::string& name);

/// a / b in lowest terms: "7/4", "3". b is above 0.
[[nodiscard]] std::string fractionText(const Integer& numerator, const Integer& denominator);

}  // namespace slicepool::lattice
