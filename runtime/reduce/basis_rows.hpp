// The basis that a block reduction works on: exact rows, and their Gram-Schmidt data in double precision.
// Called by tours.cpp and tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/lattice/integer_basis.hpp"
#include "runtime/reduce/local_block.hpp"

namespace slicepool::reduce {

/// Everything but the rows is a function of the rows, whatever was done before: a run that goes on from saved
/// rows has the same numbers to the last bit. Not thread-safe.
class BasisRows {
 public:
  /// Rows that are LLL-reduced. O(d^2 n).
  explicit BasisRows(const lattice::IntegerBasis& basis);

  [[nodiscard]] int dimension() const { return dimension_; }
  /// ln |b*_i|^2.
  [[nodiscard]] std::vector<double> logNorms() const;
  /// Rows first .. first + size - 1, projected to be orthogonal to those before, in units of a power of two.
  [[nodiscard]] ProjectedBlock block(int first, int size) const;
  /// These rows become their combinations. Gram-Schmidt data is stale until refresh(). Exact; throws Error
  /// when entries become larger than any that reduced bases have.
  void apply(int first, const Transformation& transformation);
  /// Size-reduces rows from `first` on, and makes their Gram-Schmidt data. Those before are as they were.
  /// O((d - first) d n). Throws Error when double precision is not enough.
  void refresh(int first);

  [[nodiscard]] lattice::IntegerBasis basis() const;

 private:
  [[nodiscard]] std::size_t at(int row, int column, int stride) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(stride) +
           static_cast<std::size_t>(column);
  }
  [[nodiscard]] int exponentOfRows() const;
  void refreshFrom(int first, int exponent);
  void widen();
  void toDoubles(int row);
  void project(int row, std::vector<double>& coordinates) const;
  [[nodiscard]] bool needsExactProducts(int row) const;
  void projectExactly(int row, std::vector<double>& coordinates) const;
  bool sizeReduce(int row, std::vector<double>& coordinates);
  void subtract(int row, int from, double factor);
  void orthogonalize(int row, std::vector<double>& coordinates, bool exact);
  template <class Entry>
  void combine(std::vector<Entry>& rows, int first, const Transformation& transformation) const;

  int dimension_ = 0;
  int columns_ = 0;
  bool narrow_ = true;
  std::vector<std::int64_t> narrowRows_;
  std::vector<lattice::Integer> wideRows_;
  int exponent_ = 0;                ///< of the unit of all doubles
  std::vector<double> row_;         ///< the row in work
  std::vector<double> directions_;  ///< b*_i / |b*_i|, d * n
  std::vector<double> byColumn_;    ///< the same, n * d
  std::vector<double> triangle_;    ///< <b_i, b*_j> / |b*_j|, d * d
};

}  // namespace slicepool::reduce
