// Integers modulo 2^61 - 1: whether rows are independent, what coefficients they have and whether a matrix is
// unimodular is decided there, in machine integers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace slicepool::lattice::mersenne {

inline constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

/// A value below 2^122.
inline std::uint64_t folded(unsigned __int128 value) {
  const std::uint64_t sum =
      (static_cast<std::uint64_t>(value) & kPrime) + static_cast<std::uint64_t>(value >> 61);
  return sum >= kPrime ? sum - kPrime : sum;
}

inline std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return folded(static_cast<unsigned __int128>(a) * b);
}

/// Of a number other than zero, by Fermat.
inline std::uint64_t inverted(std::uint64_t a) {
  std::uint64_t result = 1;
  for (std::uint64_t e = kPrime - 2; e != 0; e >>= 1U, a = times(a, a))
    if ((e & 1U) != 0) result = times(result, a);
  return result;
}

inline std::uint64_t residueOf(std::int64_t value) {
  const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
  const std::uint64_t rest = folded(magnitude);
  return value < 0 && rest != 0 ? kPrime - rest : rest;
}

/// row -= factor * other.
inline void eliminate(std::vector<std::uint64_t>& row, std::uint64_t factor,
                      const std::vector<std::uint64_t>& other) {
  if (factor == 0) return;
  for (std::size_t j = 0; j < row.size(); ++j)
    row[j] = folded(row[j] + static_cast<unsigned __int128>(kPrime - factor) * other[j]);
}

/// Whether integers with these residues have the determinant 1 or -1, but for a chance of 2^-60. Square.
/// O(d^3).
inline bool isUnimodular(std::vector<std::vector<std::uint64_t>> rows) {
  std::vector<std::size_t> pivots;
  std::uint64_t determinant = 1;
  for (std::vector<std::uint64_t>& row : rows) {
    for (std::size_t k = 0; k < pivots.size(); ++k) eliminate(row, row[pivots[k]], rows[k]);
    const auto pivot = std::find_if(row.begin(), row.end(), [](std::uint64_t value) { return value != 0; });
    if (pivot == row.end()) return false;
    pivots.push_back(static_cast<std::size_t>(pivot - row.begin()));
    determinant = times(determinant, *pivot);
    const std::uint64_t scale = inverted(*pivot);
    for (std::uint64_t& value : row) value = times(value, scale);
  }
  return determinant == 1 || determinant == kPrime - 1;
}

}  // namespace slicepool::lattice::mersenne
