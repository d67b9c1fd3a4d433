// Trades: pairs of factorizations (p, q) of one integer without a common generator. Two factorizations have
// distance N when one becomes the other by a trade with max(|p|, |q|) = N, its level. Called by
// set_degrees.cpp.
#pragma once

#include <cstdint>
#include <vector>

namespace slicepool::invariants {

struct Trade {
  std::vector<std::int32_t> change;  ///< q - p; the first coordinate other than 0 is negative
  std::uint32_t taken = 0;           ///< |p|
  std::uint32_t given = 0;           ///< |q|
  /// Not the sum of two trades (p', q'), (p'', q''). A trade that is a sum leads nowhere that its parts, of
  /// lower levels, do not lead one after another.
  bool primitive = true;
  /// |p| = |q|, and not the sum of two such trades.
  bool primitiveOfEqualLength = false;
};

/// The trades of the kernel of (g_1, .., g_d), level by level.
class TradeLevels {
 public:
  /// `element`: only trades of integers up to it are of use.
  TradeLevels(std::vector<std::uint64_t> generators, std::uint64_t element);

  /// The level of the last call of next(); 0 before the first.
  [[nodiscard]] std::uint32_t level() const { return level_; }
  /// The trades of the next level. O((2 N)^(d - 1)) at most.
  const std::vector<Trade>& next();
  /// Steps that the last call took.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  /// Of the vector that is being made.
  struct Part {
    std::int64_t taken = 0;
    std::int64_t given = 0;
    __int128 value = 0;       ///< of all coordinates so far
    __int128 valueTaken = 0;  ///< of those taken
  };

  void extend(std::size_t at, Part part);
  void close(Part part);
  void place(std::size_t at, std::int64_t change, Part& part);
  [[nodiscard]] bool hopeless(std::size_t at, const Part& part) const;
  void keep(const Part& part);

  std::vector<std::uint64_t> generators_;
  std::vector<std::uint64_t> largest_;  ///< of the generators from here on
  std::uint64_t element_;
  std::uint32_t level_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<std::int32_t> change_;
  std::vector<Trade> found_;
  std::vector<Trade> primitives_;    ///< of the levels before
  std::vector<Trade> equalLengths_;  ///< primitive ones of equal length, of the levels before
};

}  // namespace slicepool::invariants
