// A basis whose entries doubles hold exactly, with its Gram-Schmidt data in doubles, and LLL on it: what the
// tours of a trial work on. Called by block_tours.cpp and tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/lattice/integer_basis.hpp"

namespace slicepool::svp {

/// Rows change places without being copied, and only what a change touches is computed again. Inner products
/// come from the rows themselves, so that errors do not add up (Nguyen and Stehlé 2009, the L² algorithm).
class ShortRows {
 public:
  /// Whether the entries are short enough.
  [[nodiscard]] static bool fits(const lattice::IntegerBasis& basis);
  /// `basis`: independent rows, without a Gram matrix, that fit.
  explicit ShortRows(const lattice::IntegerBasis& basis);

  [[nodiscard]] int dimension() const { return dimension_; }
  /// LLL of the rows from `first` to `end` - 1: none is moved in front of `first`. All are size-reduced
  /// against all rows before them. Throws Error where double precision is not enough.
  void reduce(int first, int end);
  /// r_i = |b*_i|^2 and mu_ij, j < i, of a row that reduce() has seen and that nothing has changed since.
  [[nodiscard]] double norm(int row) const { return r_[at(row, row)]; }
  [[nodiscard]] double mu(int row, int column) const { return mu_[at(row, column)]; }
  /// Row `first` becomes the sum of x_i times row `first` + i, whose coefficients have no common divisor but
  /// 1. The others complete it to a basis.
  void insert(int first, std::vector<std::int64_t> x);

  [[nodiscard]] std::vector<lattice::Integer> row(int place) const;
  [[nodiscard]] lattice::IntegerBasis basis() const;

 private:
  [[nodiscard]] std::size_t at(int row, int column) const {
    return static_cast<std::size_t>(places_[static_cast<std::size_t>(row)]) * stride_ +
           static_cast<std::size_t>(column);
  }
  [[nodiscard]] double* entries(int row) { return rows_.data() + at(row, 0); }
  [[nodiscard]] int& known(int row) {
    return known_[static_cast<std::size_t>(places_[static_cast<std::size_t>(row)])];
  }
  double product(int row, int other);
  void update(int row);
  void sizeReduce(int row);
  void move(int from, int to);
  void add(int row, int other, double times);
  void changed(int row);
  void forget(int from, int column);

  int dimension_;
  int columns_;
  std::size_t stride_;       ///< of rows in memory
  std::vector<int> places_;  ///< where the rows are, in their order
  std::vector<double> rows_;
  std::vector<double> mu_, r_;     ///< row by row, as rows_
  std::vector<int> known_;         ///< columns of mu and r that are up to date
  std::vector<double> products_;   ///< of pairs of places
  std::vector<std::uint64_t> of_;  ///< the changes of both rows at which a product was made
  std::vector<std::uint64_t> changes_;
  std::vector<double> work_;
};

}  // namespace slicepool::svp
