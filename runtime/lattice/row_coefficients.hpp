// From a vector of a lattice to its coefficients over the rows of a basis, which need not be reduced. Made
// once for a basis (target_lattice.cpp), read by all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/lattice/integer_basis.hpp"

namespace slicepool::lattice {

/// Coefficients are found modulo the prime 2^61 - 1, by an inverse of d columns of the basis, and then tried:
/// x B = v, exactly. There is one x at most, because the rows are independent.
class RowCoefficients {
 public:
  /// O(d^2 (d + n)).
  explicit RowCoefficients(const IntegerBasis& basis);

  /// Empty where coefficients are beyond 60 bits, or an entry of the basis is beyond 62. O(d n).
  [[nodiscard]] std::vector<std::int64_t> of(const std::vector<std::int64_t>& vector) const;

 private:
  [[nodiscard]] bool give(const std::vector<std::int64_t>& coefficients,
                          const std::vector<std::int64_t>& vector) const;

  std::size_t columns_ = 0;
  std::vector<std::int64_t> entries_;
  std::vector<std::size_t> pivots_;     ///< the columns; fewer than rows: of no use
  std::vector<std::uint64_t> inverse_;  ///< d * d
};

}  // namespace slicepool::lattice
