// Whether bytes are the rows that they should be, without a second enumeration: every row is a factorization
// and lexicographically less than the one before it. Where the ranks of the first and the last row fit as
// well, there is no other sequence of so many rows. Called by `verify`, and for files that an earlier process
// left unfinished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "slicepool/factorizations/rank_index.hpp"

namespace slicepool::factorizations {

/// Rows in order, in pieces.
class RowCheck {
 public:
  /// Elements of 1, 2, 4 or 8 bytes, unsigned little-endian; rows have one for each generator.
  RowCheck(std::vector<std::uint64_t> generators, std::uint64_t element, unsigned elementBytes);

  /// The next `count` rows; nothing more once one was wrong. O(count d), at the pace of memory.
  void take(const std::byte* rows, std::uint64_t count);
  /// Takes row `index`, which is at `row`, as the last one; those before it count as taken.
  void skipTo(const std::byte* row, std::uint64_t index);
  /// Row `row` < count of rows that are at `rows`.
  [[nodiscard]] std::vector<std::uint64_t> rowAt(const std::byte* rows, std::uint64_t row) const;

  [[nodiscard]] const std::vector<std::uint64_t>& generators() const { return generators_; }
  [[nodiscard]] std::uint64_t element() const { return element_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::size_t rowBytes() const { return generators_.size() * elementBytes_; }
  /// Of the first row that is wrong: "row 5 (2, 0, 1) is not a factorization of 60"; empty: none is.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// Of the rows taken, none before the first.
  [[nodiscard]] const std::vector<std::uint64_t>& first() const { return first_; }
  [[nodiscard]] const std::vector<std::uint64_t>& last() const { return last_; }

 private:
  template <class Element>
  void takeAs(const std::byte* rows, std::uint64_t count);
  void refuse(const std::byte* row, const std::string& what);

  std::vector<std::uint64_t> generators_;
  std::uint64_t element_;
  unsigned elementBytes_;
  bool narrow_;  ///< sums fit 64 bits, whatever the bytes are
  std::uint64_t rows_ = 0;
  std::string problem_;
  std::vector<std::uint64_t> first_, last_;
};

/// What is wrong with the ranks of rows that were taken without a problem, whose first one should have rank
/// `firstRank`; empty: nothing, or the counting table takes more than `memoryLimit` bytes.
[[nodiscard]] std::string rankProblem(const RowCheck& taken, const Rank& firstRank, std::size_t memoryLimit);
/// The same with a table that is there. Precondition: at least one row was taken.
[[nodiscard]] std::string rankProblem(const RowCheck& taken, const RankIndex& index, const Rank& firstRank);

/// What is wrong with `count` rows in memory that should have the ranks from `firstRank` on; empty: nothing.
/// `memoryLimit` as above. On `threads` threads.
[[nodiscard]] std::string problemOfRows(const RowCheck& kind, const std::byte* rows, std::uint64_t count,
                                        const Rank& firstRank, std::size_t memoryLimit, int threads);

}  // namespace slicepool::factorizations
