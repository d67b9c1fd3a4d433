// What the searches of set_degrees.hpp have in common: the set, rows by length, keys of rows, moves by
// trades, and what is cheaper. Called by chain_degrees.cpp, adjacent_degree.cpp and tame_degree.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/invariants/nearest_problem.hpp"
#include "runtime/invariants/row_set.hpp"
#include "runtime/invariants/set_degrees.hpp"
#include "runtime/invariants/trades.hpp"

namespace slicepool::invariants {

// What is cheaper goes by these times, in ns. They decide how values are found and not what they are.
inline constexpr double kTradeStep = 3;     ///< of TradeLevels
inline constexpr double kRowOfTrade = 1.5;  ///< a row that a trade is tried on
inline constexpr double kRowLookedFor = 20;
inline constexpr double kPairOfCoordinates = 0.03;
/// The next level has more trades than the last one.
inline constexpr double kGrowth = 2;

/// Rows by position: all, or by length; classes are ranges of positions.
struct Classes {
  std::vector<std::uint32_t> order;   ///< row of a position
  std::vector<std::uint32_t> bounds;  ///< class c: positions bounds[c] .. bounds[c + 1] - 1
  [[nodiscard]] std::size_t size() const { return bounds.size() - 1; }
  [[nodiscard]] std::uint32_t sizeOf(std::size_t c) const { return bounds[c + 1] - bounds[c]; }
};

[[nodiscard]] Classes oneClass(const RowSet& set);
/// By length, ascending.
[[nodiscard]] Classes classesByLength(const RowSet& set);

/// Keys of positions.
template <class Key>
struct Keyed {
  RowKeys<Key> keys;
  std::vector<Key> rows;
  Keyed(const RowSet& set, const std::vector<std::uint32_t>& order) : keys(set) {
    rows.reserve(order.size());
    for (const std::uint32_t row : order) rows.push_back(keys.of(set, row));
  }
};

/// One direction of a trade.
template <class Key>
struct Move {
  Key takes = 0;
  Key shift = 0;  ///< key of what it gives, less `takes`
};

/// The move by a change (sign 1) or by its negative (-1); false when no row has what it takes.
template <class Key>
bool moveOf(const RowKeys<Key>& keys, const std::vector<std::int32_t>& change, int sign, Move<Key>& move) {
  Key gives = 0;
  if (!keys.part(change, -sign, move.takes) || !keys.part(change, sign, gives)) return false;
  move.shift = gives - move.takes;
  return true;
}

/// A set, what it is, and how pairs are searched.
class SetSearch {
 public:
  SetSearch(const RowSet& rows, std::optional<WholeSet> whole, RunProblem run)
      : set_(rows),
        whole_(std::move(whole)),
        run_(std::move(run)),
        bits_(RowKeys<std::uint64_t>::bitsOf(rows)) {}

  [[nodiscard]] const RowSet& set() const { return set_; }
  [[nodiscard]] const RunProblem& run() const { return run_; }
  /// use(Key{}), with the type of keys; of whole sets whose rows fit one.
  template <class Use>
  void byKeys(const Use& use) const {
    if (!whole_) return;
    if (bits_ <= 64)
      use(std::uint64_t{0});
    else if (bits_ <= 128)
      use(static_cast<unsigned __int128>(0));
  }
  /// Of a whole set.
  [[nodiscard]] TradeLevels trades() const { return {whole_->generators, whole_->element}; }
  [[nodiscard]] double pairsCost(double pairs) const {
    return pairs * kPairOfCoordinates * (set_.dimension() + 2);
  }

 private:
  const RowSet& set_;
  std::optional<WholeSet> whole_;
  RunProblem run_;
  unsigned bits_;
};

/// See SetDegrees.
[[nodiscard]] RowPair chainDegree(const SetSearch& search, bool ofEqualLength);
[[nodiscard]] RowPair adjacentDegree(const SetSearch& search);
[[nodiscard]] RowPair tameDegreeOf(const SetSearch& search);

}  // namespace slicepool::invariants
