// Where to cut a range of ranks so that its parts take a device equally long: by descents through the costs
// of prefixes, as a rank is turned into a row by descents through counts. Costs are integers, so that every
// worker finds the same cuts. Used by the steps of `ranked`.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"

namespace slicepool::factorizations {

/// Tables of RankCosts (rank_costs.hpp), as a view has them.
struct RankedCosts {
  const std::uint64_t* levels = nullptr;
  const std::uint64_t* chain = nullptr;  ///< null: all rows cost the same
  std::uint32_t axis = 0;                ///< coordinates in front of the blocks
  std::uint32_t row = 1;                 ///< cost of a row
  std::uint32_t stride = 1;              ///< of the axis coordinates that have a block

  // In bytes of output that take as long (measured on an H200; docs/performance/factorizations.md).
  static constexpr std::uint64_t kPrefix = 1500;
  static constexpr std::uint64_t kBlock = 48;

  /// Of a prefix with that many rows, whose greatest axis coordinate is `top`.
  [[nodiscard]] SLICEPOOL_INLINE std::uint64_t ofPrefix(std::uint64_t rows, std::uint64_t top) const {
    return rows == 0 ? 0 : rows * row + kPrefix + kBlock * (top / stride + 1);
  }
};

/// Cuts of the ranks of a RankedView with costs.
template <class View>
class RankCuts {
 public:
  using Word = typename View::Word;

  SLICEPOOL_HD explicit RankCuts(const View& view) : view_(view) {}

  /// Cost of all rows.
  [[nodiscard]] SLICEPOOL_HD std::uint64_t total() const { return cost(0, view_.element); }

  /// Cost of the rows in front of `rank`, which is below the number of rows. O(axis log n).
  [[nodiscard]] SLICEPOOL_HD std::uint64_t costBefore(std::uint64_t rank) const {
    Word residual = view_.element;
    std::uint64_t before = 0;
    for (int k = 0; k < axis(); ++k) {
      const Word left = lastWith(k, residual, [&](Word p) { return view_.count(k, p) > rank; });
      if (left >= view_.generators[k]) {
        const auto earlier = static_cast<Word>(left - view_.generators[k]);
        rank -= view_.count(k, earlier);
        before += cost(k, earlier);
      }
      residual = left;
    }
    return before + partOf(cost(axis(), residual), rank, view_.count(axis(), residual));
  }

  /// A rank in front of which rows cost about `before`, which is below total(): it increases with `before`.
  /// Not more than `slack` is given up for a rank that begins a prefix. O(axis log n).
  [[nodiscard]] SLICEPOOL_HD std::uint64_t rankAt(std::uint64_t before, std::uint64_t slack) const {
    Word residual = view_.element;
    std::uint64_t rank = 0;
    for (int k = 0; k < axis(); ++k) {
      if (cost(k, residual) <= slack) return rank;
      const Word left = lastWith(k, residual, [&](Word p) { return cost(k, p) > before; });
      if (left >= view_.generators[k]) {
        const auto earlier = static_cast<Word>(left - view_.generators[k]);
        rank += view_.count(k, earlier);
        before -= cost(k, earlier);
      }
      residual = left;
    }
    const std::uint64_t whole = cost(axis(), residual);
    return whole <= slack ? rank : rank + partOf(view_.count(axis(), residual), before, whole);
  }

 private:
  [[nodiscard]] SLICEPOOL_INLINE int axis() const { return static_cast<int>(view_.costs.axis); }

  /// K_k[p], k <= axis; for k = 0 only at residuals n - t g_1.
  [[nodiscard]] SLICEPOOL_INLINE std::uint64_t cost(int k, Word p) const {
    const RankedCosts& costs = view_.costs;
    if (k == axis()) return costs.ofPrefix(view_.count(k, p), view_.quotient(k, p));
    if (k == 0) return costs.chain[view_.quotient(0, static_cast<Word>(view_.element - p))];
    return costs
        .levels[static_cast<std::uint64_t>(k - 1) * (static_cast<std::uint64_t>(view_.element) + 1) + p];
  }

  /// The least p = residual modulo g_k for which `enough` holds; it holds from there up to the residual.
  template <class Enough>
  [[nodiscard]] SLICEPOOL_HD Word lastWith(int k, Word residual, Enough enough) const {
    const Word g = view_.generators[k];
    Word low = 0;
    Word high = view_.quotient(k, residual);
    while (low < high) {
      const auto middle = static_cast<Word>(low + (high - low + 1) / 2);
      if (enough(static_cast<Word>(residual - middle * g)))
        low = middle;
      else
        high = static_cast<Word>(middle - 1);
    }
    return static_cast<Word>(residual - low * g);
  }

  /// whole * part / all without an overflow, part <= all, 0 < all. Rounded alike everywhere: one product and
  /// one quotient of doubles.
  [[nodiscard]] SLICEPOOL_HD static std::uint64_t partOf(std::uint64_t whole, std::uint64_t part,
                                                         std::uint64_t all) {
    const double product = static_cast<double>(whole) * static_cast<double>(part);
    const auto found = static_cast<std::uint64_t>(product / static_cast<double>(all));
    return found < whole ? found : whole;
  }

  const View& view_;
};

/// The begin of part `index` of `parts` of the ranks first .. last-1; that of part `parts` is `last`.
/// They increase with the index, and all parts cost about as much, or have equally many ranks where there are
/// no costs. O(axis log n).
template <class View>
[[nodiscard]] SLICEPOOL_HD std::uint64_t cutOfRanks(const View& view, std::uint64_t first, std::uint64_t last,
                                                    std::uint32_t index, std::uint32_t parts) {
  if (index == 0 || first >= last) return first;
  if (index >= parts) return last;
  // span * index / parts without an overflow
  const auto share = [&](std::uint64_t span) { return span / parts * index + span % parts * index / parts; };
  if (view.costs.chain == nullptr) return first + share(last - first);
  const RankCuts<View> cuts(view);
  const std::uint64_t begin = first == 0 ? 0 : cuts.costBefore(first);
  const std::uint64_t end = last >= view.count(0, view.element) ? cuts.total() : cuts.costBefore(last);
  const std::uint64_t span = end - begin;
  // What is given up for whole prefixes: a slice that begins with a part of one has to find it again.
  constexpr std::uint64_t kSlackShare = 4;
  const std::uint64_t rank = cuts.rankAt(begin + share(span), span / parts / kSlackShare);
  return rank < first ? first : rank < last ? rank : last;
}

}  // namespace slicepool::factorizations
