// A set of factorizations in memory, coordinate by coordinate, and the keys by which a trade leads from one
// to another. Called by set_degrees.cpp and what makes sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "slicepool/factorizations/enumeration.hpp"
#include "slicepool/invariants/types.hpp"

namespace slicepool::invariants {

/// Distinct rows in decreasing lexicographic order.
class RowSet {
 public:
  /// Sorts; throws ConfigError with `field` for rows of different dimensions, doubled ones, and numbers
  /// beyond 2^31.
  explicit RowSet(const std::vector<Factorization>& rows, const std::string& field = "rows");
  /// Of an enumeration, which sorts.
  explicit RowSet(const factorizations::RowMatrix& rows);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(lengths_.size()); }
  [[nodiscard]] std::uint32_t dimension() const { return static_cast<std::uint32_t>(columns_.size()); }
  [[nodiscard]] std::uint32_t at(std::uint32_t row, std::uint32_t i) const { return columns_[i][row]; }
  [[nodiscard]] const std::vector<std::uint32_t>& column(std::uint32_t i) const { return columns_[i]; }
  [[nodiscard]] const std::vector<std::uint32_t>& lengths() const { return lengths_; }
  [[nodiscard]] Factorization row(std::uint32_t row) const;
  /// The row `from` + `change`, which is one; by bisection.
  [[nodiscard]] std::uint32_t find(std::uint32_t from, const std::vector<std::int32_t>& change) const;
  /// max(|a|, |b|) - |gcd(a, b)|.
  [[nodiscard]] std::uint32_t distance(std::uint32_t a, std::uint32_t b) const;

  /// Bytes of a set.
  [[nodiscard]] static std::size_t bytes(std::uint64_t rows, std::size_t dimension) {
    return rows * (dimension + 1) * sizeof(std::uint32_t);
  }

 private:
  void addLengths();

  std::vector<std::vector<std::uint32_t>> columns_;
  std::vector<std::uint32_t> lengths_;
};

/// Rows packed into integers whose order is that of the rows. Each coordinate has one bit more than it
/// needs, so that one subtraction says whether a row has all that a trade takes.
template <class Key>
class RowKeys {
 public:
  /// Bits that a key of these rows needs.
  [[nodiscard]] static unsigned bitsOf(const RowSet& set);

  explicit RowKeys(const RowSet& set);

  [[nodiscard]] Key of(const RowSet& set, std::uint32_t row) const;
  /// Of the positive (sign 1) or negative (-1) part of a change; nothing when no row has as much.
  [[nodiscard]] bool part(const std::vector<std::int32_t>& change, int sign, Key& key) const;
  [[nodiscard]] bool has(Key row, Key part) const { return (((row | guards_) - part) & guards_) == guards_; }

 private:
  std::vector<unsigned> shifts_;
  std::vector<unsigned> widths_;
  Key guards_ = 0;
};

extern template class RowKeys<std::uint64_t>;
extern template class RowKeys<unsigned __int128>;

}  // namespace slicepool::invariants
