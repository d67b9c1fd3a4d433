// Workload `ranked`: slices are ranges of ranks; the counts of suffixes turn a rank into a row and prune the
// way from one row to the next. A step is one row. This is the plain step function, for any view of the
// counts: the one here has 64-bit counts and ranks, that of wide_ranked.hpp has both of any width. The fast
// paths that write the same rows are cpu_workers/factorizations/rows.hpp and kernels/factorizations/rows.cuh.
// Instantiated by runtime/factorizations and kernels/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/core/turn.hpp"
#include "slicepool/factorizations/rows.hpp"
#include "slicepool/factorizations/steps/coordinates.hpp"
#include "slicepool/factorizations/steps/division.hpp"
#include "slicepool/factorizations/steps/pair.hpp"
#include "slicepool/factorizations/steps/rank_cuts.hpp"

namespace slicepool::factorizations {

/// What the stored values of a tail are the linear part of.
enum class TailValues : std::int32_t { none, fingerprint, length, predicate };

/// Rows of the last `tail` coordinates, ready to be put behind a prefix: what the fast paths of a device read
/// (DeviceTail plans them). A `tail` of 0: there are none, and only the plain step runs. Without offsets
/// the tail is 2 and its rows are progressions (pair.hpp).
struct RankedTail {
  std::int32_t tail = 0;
  std::int32_t elementBytes = 1;
  TailValues valueKind = TailValues::none;
  /// The coordinate before the tail takes every axisStride-th value only: elsewhere what is left is no
  /// multiple of the tail's greatest common divisor. That is where value * axisFactor = residual / axisCommon
  /// modulo axisStride, i.e. value = residual / axisCommon * axisInverse.
  std::uint32_t axisStride = 1;
  std::uint32_t axisCommon = 1;
  std::uint32_t axisInverse = 0;
  const std::uint32_t* offsets = nullptr;  ///< rows of residual p: offsets[p] .. offsets[p + 1]
  const std::byte* rows = nullptr;         ///< whole rows, zero before the tail
  const std::uint64_t* values = nullptr;   ///< per row
  const std::uint64_t* weights = nullptr;  ///< of the values, per coordinate
  std::uint32_t storedRows = 0;
};

/// The axis members of a tail whose generators have the greatest common divisor `common`, behind generator
/// `axis`. Host only.
inline void setAxisStride(RankedTail& tail, std::uint32_t axis, std::uint32_t common) {
  tail.axisCommon = std::gcd(axis, common);
  tail.axisStride = common / tail.axisCommon;
  tail.axisInverse = Pair<std::uint32_t>::inverseModulo(axis / tail.axisCommon, tail.axisStride);
}

/// What a view of the counts C_k[residual] = |Z(residual, (g_k..g_d))| has for the cursors and the step
/// below: kDimension, Word, Rank, generators, element, dims(), quotient(k, residual) = residual div g_k,
/// rankAt(offset) of a slice, and comparisons of counts with each other, with 0 and with ranks.
template <int D, class Word_>
struct RankedView {
  static constexpr int kDimension = D;
  using Word = Word_;
  using Rank = std::uint64_t;

  Word generators[kCapacity<D>];
  Divider<Word> dividers[kCapacity<D>];
  Pair<Word> pair;  ///< of the last two generators; unused for d = 1
  Word element;
  std::int32_t dimension;
  const std::uint64_t* levels;  ///< RankCounts::levels
  const std::uint64_t* chain;   ///< RankCounts::chain
  RankedTail tail;
  RankedCosts costs;  ///< of a device

  [[nodiscard]] SLICEPOOL_INLINE int dims() const {
    if constexpr (D > 0)
      return D;
    else
      return dimension;
  }
  [[nodiscard]] SLICEPOOL_INLINE Word quotient(int k, Word residual) const {
    return dividers[k].quotient(residual);
  }
  /// C_k[residual], 0 <= k < d; for k = 0 only at residuals n - t g_1.
  [[nodiscard]] SLICEPOOL_INLINE std::uint64_t count(int k, Word residual) const {
    const int last = dims() - 1;
    if (k == last) return quotient(k, residual) * generators[k] == residual ? 1 : 0;
    if (k == last - 1) return pair.count(residual);
    if (k == 0) return chain[quotient(0, static_cast<Word>(element - residual))];
    return levels[static_cast<std::uint64_t>(k - 1) * (static_cast<std::uint64_t>(element) + 1) + residual];
  }
  /// C_k[residual] = 0
  [[nodiscard]] SLICEPOOL_INLINE bool none(int k, Word residual) const { return count(k, residual) == 0; }
  /// C_k[a] != C_k[b]
  [[nodiscard]] SLICEPOOL_INLINE bool differ(int k, Word a, Word b) const {
    return count(k, a) != count(k, b);
  }
  /// C_k[residual] > rank
  [[nodiscard]] SLICEPOOL_INLINE bool exceeds(int k, Word residual, Rank rank) const {
    return count(k, residual) > rank;
  }
  /// rank -= C_k[residual]
  SLICEPOOL_INLINE void subtractFrom(Rank& rank, int k, Word residual) const { rank -= count(k, residual); }
  [[nodiscard]] SLICEPOOL_INLINE Rank rankAt(std::uint64_t offset) const { return offset; }
};

/// Without tables. Host only.
template <int D, class Word>
RankedView<D, Word> rankedView(const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  RankedView<D, Word> view{};
  const std::size_t d = generators.size();
  for (std::size_t k = 0; k < d; ++k) {
    view.generators[k] = static_cast<Word>(generators[k]);
    view.dividers[k] = Divider<Word>::by(view.generators[k]);
  }
  if (d >= 2) view.pair = Pair<Word>::of(view.generators[d - 2], view.generators[d - 1]);
  view.element = static_cast<Word>(element);
  view.dimension = static_cast<std::int32_t>(d);
  return view;
}

/// Ranks first .. last-1 are still to be emitted; offsets where the view says what ranks count from.
struct RankedSlice {
  std::uint64_t first;
  std::uint64_t last;
};

/// Largest t with more than `rank` rows having a_k >= t, by bisection: O(log n) comparisons. Devices have a
/// search for which a whole warp looks at once.
struct Bisection {
  template <class View>
  [[nodiscard]] SLICEPOOL_HD typename View::Word operator()(const View& view, int k,
                                                            typename View::Word residual,
                                                            const typename View::Rank& rank) const {
    using Word = typename View::Word;
    Word low = 0;
    Word high = view.quotient(k, residual);
    while (low < high) {
      const Word middle = static_cast<Word>(low + (high - low + 1) / 2);
      if (view.exceeds(k, static_cast<Word>(residual - middle * view.generators[k]), rank))
        low = middle;
      else
        high = static_cast<Word>(middle - 1);
    }
    return low;
  }
};

/// The first `depth` coordinates of the factorization of a given rank, and the next prefix of that length
/// that begins a factorization. 0 <= depth < d.
template <class View, class Search = Bisection>
class PrefixCursor {
 public:
  using Word = typename View::Word;
  using Rank = typename View::Rank;
  using Row = Coordinates<View::kDimension, Word>;

  SLICEPOOL_HD PrefixCursor(const View& view, int depth, const Rank& rank)
      : view_(view), depth_(depth), residual_(view.element), rank_(rank) {
    for (int k = 0; k < depth; ++k) coordinates_[k] = descendByRank(k);
  }

  /// Solves one coordinate more without making it part of the prefix: its value for the row at rank(),
  /// which is then the rank among the rows with that value.
  SLICEPOOL_HD Word descendByRank(int k) {
    const Word value = Search{}(view_, k, residual_, rank_);
    const Word g = view_.generators[k];
    // Rows with a greater a_k come first.
    const Word left = static_cast<Word>(residual_ - value * g);
    if (left >= g) view_.subtractFrom(rank_, k, static_cast<Word>(left - g));
    residual_ = left;
    return value;
  }

  /// To the next prefix in decreasing lexicographic order; false when there is none.
  SLICEPOOL_HD bool moveToNext() {
    Word residual = residual_;
    for (int k = depth_ - 1; k >= 0; --k) {
      const Word value = coordinates_[k];
      const Word before = static_cast<Word>(residual + value * view_.generators[k]);
      // Rows of this prefix with a smaller a_k: all but those with a_k >= value.
      if (value > 0 && view_.differ(k, before, residual)) {
        descend(k, before, static_cast<Word>(value - 1));
        return true;
      }
      residual = before;
    }
    return false;
  }

  [[nodiscard]] SLICEPOOL_INLINE Row& coordinates() { return coordinates_; }
  [[nodiscard]] SLICEPOOL_INLINE const Row& coordinates() const { return coordinates_; }
  /// What is left for the coordinates behind the prefix.
  [[nodiscard]] SLICEPOOL_INLINE Word residual() const { return residual_; }
  /// Rank among the rows with this prefix. Meaningless after moveToNext.
  [[nodiscard]] SLICEPOOL_INLINE const Rank& rank() const { return rank_; }

 private:
  /// Greatest prefix that begins a row, is as now before k, and has a_k <= top.
  SLICEPOOL_HD void descend(int k, Word residual, Word top) {
    for (;;) {
      const Word g = view_.generators[k];
      Word left = static_cast<Word>(residual - top * g);
      while (view_.none(k + 1, left)) {
        --top;
        left = static_cast<Word>(left + g);
      }
      coordinates_[k] = top;
      residual = left;
      if (++k == depth_) break;
      top = view_.quotient(k, residual);
    }
    residual_ = residual;
  }

  const View& view_;
  int depth_;
  Word residual_;
  Rank rank_;
  Row coordinates_;
};

/// The factorization of a given rank, and its successors.
template <class View>
class RankedCursor {
 public:
  /// `rank` is below the number of factorizations.
  SLICEPOOL_HD RankedCursor(const View& view, const typename View::Rank& rank)
      : prefix_(view, view.dims() - 1, rank), view_(view) {
    solveLast();
  }
  /// To the next row in decreasing lexicographic order; there must be one.
  SLICEPOOL_HD void moveToNext() {
    (void)prefix_.moveToNext();
    solveLast();
  }
  [[nodiscard]] SLICEPOOL_INLINE const typename PrefixCursor<View>::Row& coordinates() const {
    return prefix_.coordinates();
  }

 private:
  SLICEPOOL_HD void solveLast() {
    const int last = view_.dims() - 1;
    prefix_.coordinates()[last] = view_.quotient(last, prefix_.residual());
  }

  PrefixCursor<View> prefix_;
  const View& view_;
};

template <class View>
concept HasCosts = requires(const View& view) {
  view.costs.chain;
};

template <class View_>
struct RankedSteps {
  using View = View_;
  using Slice = RankedSlice;

  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View& view, Slice& slice, Budget& budget, Emit& emit) {
    if (slice.first >= slice.last) return Turn::exhausted;
    if (budget.left == 0) return Turn::budgetSpent;
    RankedCursor<View> cursor(view, view.rankAt(slice.first));
    for (;;) {
      const Row<View::kDimension, typename View::Word> row{cursor.coordinates(), view.dims(), slice.first};
      if (!emit(row)) return Turn::sinkFull;
      ++slice.first;
      --budget.left;
      if (slice.first == slice.last) return Turn::exhausted;
      if (budget.left == 0) return Turn::budgetSpent;
      cursor.moveToNext();
    }
  }
  /// Exactly in half.
  SLICEPOOL_HD static bool split(const View&, Slice& kept, Slice& given) {
    if (kept.last - kept.first < 2) return false;
    given = {kept.first + (kept.last - kept.first + 1) / 2, kept.last};
    kept.last = given.first;
    return true;
  }
  /// Parts of about equal cost for a device, where the view has costs. Cuts are ranks.
  SLICEPOOL_HD static std::uint64_t cut(const View& view, const Slice& whole, std::uint32_t index,
                                        std::uint32_t parts) requires HasCosts<View> {
    return cutOfRanks(view, whole.first, whole.last, index, parts);
  }
  SLICEPOOL_HD static Slice between(const Slice&, std::uint64_t from,
                                    std::uint64_t to) requires HasCosts<View> {
    return {from, to};
  }
  /// Remaining rows, exact.
  SLICEPOOL_HD static double size(const View&, const Slice& slice) {
    return static_cast<double>(slice.last - slice.first);
  }
  static RankRange ranks(const View&, const Slice& slice) { return {slice.first, slice.last}; }
};

template <int D, class Word>
using Ranked = RankedSteps<RankedView<D, Word>>;

}  // namespace slicepool::factorizations
