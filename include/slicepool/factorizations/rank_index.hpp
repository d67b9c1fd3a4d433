// Random access to the factorizations of one element without enumerating them: how many there are, the rank
// of a row, the row of a rank, uniform samples. Ranks have any width. For library users; the command line
// uses it for --rank-of, --row-at and --sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::factorizations {

struct WideSuffixCounts;

/// Position in decreasing lexicographic order; rank 0 is the lexicographically greatest factorization.
using Rank = boost::multiprecision::cpp_int;

/// A rank or count from decimal digits, leading zeros allowed. Throws ConfigError naming `field` for anything
/// else and beyond 2000 digits.
[[nodiscard]] Rank parseRank(const std::string& decimal, const std::string& field);

/// Independent, exactly uniform draws from the ranks begin .. end-1, with replacement. The same seed gives
/// the same draws on every platform, and the first draws do not depend on how many follow.
///
/// A draw is begin + x with x uniform in 0 .. end-begin-1 by rejection: with b the bits of end-begin-1, take
/// ceil(b / 64) outputs of std::mt19937_64(seed), the first as the least significant 64 bits, keep the lowest
/// b bits, and start again while x is not below end-begin. Fewer than two tries on average. One value: no
/// output is used. Not thread-safe.
class RankSampler {
 public:
  /// Throws ConfigError when there is no rank to draw: begin >= end.
  RankSampler(const Rank& begin, const Rank& end, std::uint64_t seed);
  [[nodiscard]] Rank next();

 private:
  Rank begin_;
  Rank size_;
  unsigned bits_;
  std::vector<std::uint64_t> words_;
  std::mt19937_64 generator_;
};

/// Suffix counts of one element, with limbs enough for its number of factorizations.
///
/// Memory: 8 d (n + 1) l bytes, where the number of factorizations has at most l 64-bit limbs. Every const
/// member is thread-safe.
///
///     slicepool::factorizations::RankIndex index({6, 9, 20}, 60);
///     index.count();              // 5
///     index.unrank(2);            // {4, 4, 0}
///     index.rankOf({0, 0, 3});    // 4
class RankIndex {
 public:
  /// O(d n l) time. Generators and element as in Request. `memoryLimit` bounds bytes(); 0: half of what is
  /// free. Throws ConfigError, and LimitError with the numbers when the counts need more.
  RankIndex(std::vector<std::uint64_t> generators, std::uint64_t element, std::size_t memoryLimit = 0);
  ~RankIndex();
  RankIndex(RankIndex&&) noexcept;
  RankIndex& operator=(RankIndex&&) noexcept;

  /// Number of factorizations, exact.
  [[nodiscard]] const Rank& count() const { return count_; }
  [[nodiscard]] unsigned dimension() const { return static_cast<unsigned>(generators_.size()); }
  [[nodiscard]] std::uint64_t element() const { return element_; }
  /// Bits of one stored count: a multiple of 64.
  [[nodiscard]] unsigned countBits() const;
  [[nodiscard]] std::size_t bytes() const;

  /// Number of factorizations that are lexicographically greater than `row`. O(d l).
  /// Throws ConfigError with field "rank_of" when the row has not one coordinate per generator or is not a
  /// factorization; the message says what its sum is.
  [[nodiscard]] Rank rankOf(const std::vector<std::uint64_t>& row) const;
  /// The factorization of rank `rank`. O(d l log n). Throws ConfigError with field "row_at" unless
  /// 0 <= rank < count().
  [[nodiscard]] std::vector<std::uint64_t> unrank(const Rank& rank) const;

  /// Bytes of the narrowest coordinate type (1, 2, 4, 8) that holds every coordinate of a row.
  [[nodiscard]] unsigned elementBytes() const;
  /// The rows of the sampler's next `rows` draws, in the order of the draws, to `output`: C order,
  /// dimension() unsigned little-endian elements of `elementBytes` bytes (1, 2, 4 or 8, at least
  /// elementBytes()). On `threads` CPU threads (0: all cores); the rows do not depend on how many. O(rows d l
  /// log n).
  /// The sampler draws ranks of this index. Throws ConfigError for another number of bytes.
  void sample(RankSampler& sampler, std::uint64_t rows, unsigned elementBytes, std::byte* output,
              int threads = 0) const;
  /// `rows` independent rows, each of all factorizations with the same probability, with replacement. Throws
  /// ConfigError when there is no factorization, LimitError when the rows do not fit an address space.
  [[nodiscard]] RowMatrix sample(std::uint64_t rows, std::uint64_t seed, int threads = 0) const;

 private:
  std::vector<std::uint64_t> generators_;
  std::uint64_t element_;
  Rank count_;
  std::unique_ptr<const WideSuffixCounts> counts_;
};

}  // namespace slicepool::factorizations
