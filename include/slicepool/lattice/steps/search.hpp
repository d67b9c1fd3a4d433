// Lattice enumeration as a workload: slices, steps, splitting.
//
// A node at level k is a choice of x_k .. x_{d-1} whose projection pi_k(sum_i x_i b_i) has a squared norm of
// at most pruning[k] R^2; its children choose x_{k-1}. With the centre c_k = -sum_{j>k} x_j mu_{j,k} of its
// parent the squared norm of a node is that of its parent plus (x_k - c_k)^2 r_k. Siblings are tried from the
// centre outwards (C. P. Schnorr, M. Euchner, "Lattice basis reduction: improved practical algorithms",
// 1994), so the first that is too long ends them. While everything above is zero, x_k starts at 0 and only
// grows: one of each pair of opposite vectors.
//
// A step is one accepted node, so the steps of a search at a fixed radius are its nodes: a function of the
// tree alone. Tests that fail come free; there is one below each node that was entered.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/turn.hpp"
#include "slicepool/detail/packing.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "slicepool/lattice/types.hpp"

namespace slicepool::lattice {

/// The parameters of a search, the same for all workers. Slices, mu and all steps are of one basis B' of the
/// lattice: the given one, B, or U B with a unit lower triangular integer matrix U, which has the same
/// Gram-Schmidt vectors and the same tree. Vectors that are emitted and packed slices are of B.
struct SearchView {
  const double* rows;     ///< rows[i * stride + j] = mu_{i,j} for j < i, else 0
  const double* columns;  ///< columns[j * stride + i] = mu_{i,j} for j < i, else 0
  const double* norms;    ///< r_k, `stride` of them, 1 beyond d
  const double* pruning;  ///< factors of R^2, `stride` of them
  double squaredRadius;   ///< R^2 at the start
  int dimension;          ///< d
  int stride;             ///< of the rows and columns: d rounded up to a multiple of 8
  bool shrinking;         ///< R^2 is in the shared word
  Algorithm algorithm;    ///< of devices and the emulator; CPU workers have one
  /// U by rows, as `rows` and modulo 2^16, without its diagonal: x = x' U. Null: B' is B.
  const std::int16_t* change = nullptr;
  const std::int16_t* inverse = nullptr;  ///< of U, likewise
};

/// Turns the coefficients x_0 .. x_{d-1} into those of another basis, in place: x becomes x M. `rows`: of the
/// unit lower triangular matrix M, as SearchView::change. Modulo 2^16: what comes out has to fit, and
/// nothing on the way. x_k depends on x_k .. x_{d-1} alone. O(d^2).
SLICEPOOL_HD inline void changeBasis(const SearchView& view, const std::int16_t* rows,
                                     std::int16_t* coefficients) {
  if (rows == nullptr) return;
  SLICEPOOL_NO_UNROLL
  for (int k = 1; k < view.dimension; ++k) {
    // Rows behind this one have yet to change it.
    const int own = coefficients[k];
    if (own == 0) continue;
    const std::int16_t* const row = rows + k * view.stride;
    for (int i = 0; i < k; ++i) coefficients[i] = static_cast<std::int16_t>(coefficients[i] + own * row[i]);
  }
}

/// One level of a path: the coefficient, and the step to the next sibling. Steps are 1, -2, 3, .. or
/// -1, 2, -3, .. around the first sibling, and always 1 where everything above is zero, which is `kUpwards`.
/// The step is stored, not computed from the centre again: two machines may round a centre to two sides of a
/// half, and would then disagree about which siblings have been tried.
struct Choice {
  static constexpr std::int16_t kUpwards = 0;
  std::int16_t coefficient;
  std::int16_t step;

  /// The next sibling.
  [[nodiscard]] SLICEPOOL_INLINE Choice next() const {
    if (step == kUpwards) return {static_cast<std::int16_t>(coefficient + 1), kUpwards};
    return {static_cast<std::int16_t>(coefficient + step),
            static_cast<std::int16_t>(step > 0 ? -step - 1 : -step + 1)};
  }
  /// The first child at a level with this centre, when this is its parent.
  [[nodiscard]] SLICEPOOL_INLINE Choice firstBelow(double centre) const {
    if (step == kUpwards && coefficient == 0) return {0, kUpwards};
    return first(centre);
  }
  /// The integer next to the centre, and the way to the second.
  [[nodiscard]] SLICEPOOL_INLINE static Choice first(double centre) {
    const double nearest = roundToInteger(centre);
    return {static_cast<std::int16_t>(nearest), static_cast<std::int16_t>(centre < nearest ? -1 : 1)};
  }
  /// Round to nearest of |value| < 2^51, by the mantissa's end.
  [[nodiscard]] SLICEPOOL_INLINE static double roundToInteger(double value) {
    constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52
    return (value + kShift) - kShift;
  }
};

/// A depth-first search, stopped between two tests: path[d-1-k] is the choice at level k. The choice at
/// `level` is to be tested next; those above it are accepted nodes that are being searched. Of levels up to
/// `top` siblings are tried as well, levels above stay as they are.
template <int kCapacity>
struct SearchSlice {
  std::int16_t level;  ///< kNothing: nothing is left
  std::int16_t top;    ///< -1 .. d-1; may be level - 1: the choice at `level` and no sibling
  std::int16_t dimension;
  std::int16_t unused;
  Choice path[kCapacity];

  static constexpr std::int16_t kNothing = -1;
};

/// The radius as a turn sees it, and the bounds of the levels that follow.
struct Radius {
  double squared;

  /// The best that is known: of the start, or found since.
  template <class Emit>
  SLICEPOOL_INLINE static Radius current(const SearchView& view, const Emit& emit) {
    Radius radius{view.squaredRadius};
    if (!view.shrinking) return radius;
    if constexpr (requires { emit.shared(); }) {
      const std::uint64_t* word = emit.shared();
      if (word == nullptr) return radius;
      const std::uint64_t bits = *static_cast<const volatile std::uint64_t*>(word);
      if (bits < bitsOf(radius.squared)) radius.squared = valueOf(bits);
    }
    return radius;
  }
  [[nodiscard]] SLICEPOOL_INLINE double bound(const SearchView& view, int level) const {
    return view.pruning[level] * squared;
  }
};

/// The workload. kCapacity: capacityOf(d).
template <int kCapacity>
struct Search {
  using View = SearchView;
  using Slice = SearchSlice<kCapacity>;

  /// The whole search.
  static Slice whole(const View& view) {
    Slice slice{};
    slice.dimension = static_cast<std::int16_t>(view.dimension);
    slice.level = slice.top = static_cast<std::int16_t>(view.dimension - 1);
    return slice;
  }

  /// The search below a node, itself included.
  static Slice root(const View& view, const RootPrefix& prefix) {
    Slice slice{};
    slice.dimension = static_cast<std::int16_t>(view.dimension);
    slice.level = static_cast<std::int16_t>(prefix.level);
    slice.top = static_cast<std::int16_t>(prefix.level - 1);
    bool zeroAbove = true;
    for (int k = view.dimension - 1; k >= prefix.level; --k) {
      const std::int16_t coefficient = prefix.coefficients[static_cast<std::size_t>(k - prefix.level)];
      const std::int16_t step = zeroAbove ? Choice::kUpwards : std::int16_t{1};
      choice(view, slice, k) = Choice{coefficient, step};
      zeroAbove = zeroAbove && coefficient == 0;
    }
    changePath(view, view.inverse, slice);
    return slice;
  }

  /// A slice with the coefficients of the given basis, as packed ones are. Host only.
  static Slice ofGivenBasis(const View& view, Slice slice) {
    changePath(view, view.change, slice);
    return slice;
  }

  [[nodiscard]] SLICEPOOL_INLINE static Choice& choice(const View& view, Slice& slice, int level) {
    return slice.path[view.dimension - 1 - level];
  }
  [[nodiscard]] SLICEPOOL_INLINE static const Choice& choice(const View& view, const Slice& slice,
                                                             int level) {
    return slice.path[view.dimension - 1 - level];
  }

  /// c_k of the path above level k. The terms are added from the last coordinate down, as faster paths do.
  [[nodiscard]] SLICEPOOL_INLINE static double centre(const View& view, const Slice& slice, int level) {
    const int first = level * view.stride;  // in 32 bits, as devices count
    const double* column = view.columns + first;
    double sum = 0;
    SLICEPOOL_NO_UNROLL
    for (int j = view.dimension - 1; j > level; --j) sum -= choice(view, slice, j).coefficient * column[j];
    return sum;
  }

  /// Squared norm of a node from that of its parent.
  [[nodiscard]] SLICEPOOL_INLINE static double extend(const View& view, double above, double coefficient,
                                                      double centreOfLevel, int level) {
    const double distance = coefficient - centreOfLevel;
    return above + distance * distance * view.norms[level];
  }

  /// Takes at most `budget.left` steps. Emits ShortVectors; tells the emitter of accepted nodes by
  /// `visited(level)`.
  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View& view, Slice& slice, Budget& budget, Emit& emit) {
    if (slice.level == Slice::kNothing) return Turn::exhausted;
    double centres[kCapacity];
    double above[kCapacity];  // above[k]: squared norm of the path above level k
    refresh(view, slice, slice.level, centres, above);
    Radius radius = Radius::current(view, emit);
    for (int level = slice.level;;) {
      const Choice tried = choice(view, slice, level);
      const double norm = extend(view, above[level], tried.coefficient, centres[level], level);
      int moved = level;  // the level whose next sibling is to be tried
      if (norm <= radius.bound(view, level)) {
        slice.level = static_cast<std::int16_t>(level);
        if (budget.left == 0) return Turn::budgetSpent;
        if (level == 0 && !isZero(tried)) {
          if (!emit(vectorOf(view, slice, norm))) return Turn::sinkFull;
          radius = Radius::current(view, emit);
        }
        --budget.left;
        emit.visited(level);
        if (level > 0) {
          --level;
          above[level] = norm;
          centres[level] = centre(view, slice, level);
          choice(view, slice, level) = tried.firstBelow(centres[level]);
          continue;
        }
      } else {
        ++moved;
      }
      if (moved > slice.top) break;
      level = moved;
      choice(view, slice, level) = choice(view, slice, level).next();
    }
    slice.level = Slice::kNothing;
    return Turn::exhausted;
  }

  /// Gives the siblings that are left at the shallowest level that has any, and keeps the subtree at hand.
  SLICEPOOL_HD static bool split(const View& view, Slice& kept, Slice& given) {
    const int level = openLevel(view, kept);
    if (level < 0) return false;
    given.dimension = kept.dimension;
    given.unused = 0;
    given.level = given.top = static_cast<std::int16_t>(level);
    for (int k = view.dimension - 1; k > level; --k) choice(view, given, k) = choice(view, kept, k);
    for (int i = view.dimension - level; i < kCapacity; ++i) given.path[i] = Choice{0, 0};
    choice(view, given, level) = choice(view, kept, level).next();
    kept.top = static_cast<std::int16_t>(level - 1);
    return true;
  }

  // For slices of more than some 200 bytes, which a GPU works on where they lie.
  SLICEPOOL_HD static bool splittable(const View& view, const Slice& slice) requires(kCapacity > 32) {
    return openLevel(view, slice) >= 0;
  }
  SLICEPOOL_INLINE static std::size_t usedBytes(const Slice& slice) requires(kCapacity > 32) {
    if (slice.level == Slice::kNothing) return offsetof(Slice, path);
    return offsetof(Slice, path) + static_cast<std::size_t>(slice.dimension - slice.level) * sizeof(Choice);
  }

  // For checkpoints: the path from the root, which neighbours share, then its ends. Centres and norms are no
  // part of a slice.
  static constexpr const char* kPacking = "path-1";
  static void pack(const View& view, const Slice& slice, ByteWriter& to) {
    if (slice.level == Slice::kNothing) return;
    const Slice given = ofGivenBasis(view, slice);
    for (int i = 0; i < view.dimension - slice.level; ++i) {
      to.signedNumber(given.path[i].coefficient);
      to.signedNumber(given.path[i].step);
    }
    to.byte(static_cast<unsigned>(slice.level));
    to.byte(static_cast<unsigned>(slice.top + 1));
  }
  static bool unpack(const View& view, ByteReader& from, Slice& slice) {
    slice.dimension = static_cast<std::int16_t>(view.dimension);
    slice.level = Slice::kNothing;
    if (from.left() == 0) return true;
    int length = 0;
    for (; from.left() > 2; ++length) {
      const std::int64_t coefficient = from.signedNumber();
      const std::int64_t step = from.signedNumber();
      if (!from.good() || length >= view.dimension || !isShort(coefficient) || !isShort(step)) return false;
      slice.path[length] = Choice{static_cast<std::int16_t>(coefficient), static_cast<std::int16_t>(step)};
    }
    slice.level = static_cast<std::int16_t>(from.byte());
    slice.top = static_cast<std::int16_t>(static_cast<int>(from.byte()) - 1);
    if (!from.good() || slice.level != view.dimension - length || slice.top >= view.dimension) return false;
    changePath(view, view.inverse, slice);
    return true;
  }

  /// The vector of a complete path; the choice at level 0 is slice's.
  SLICEPOOL_HD static ShortVector<kCapacity> vectorOf(const View& view, const Slice& slice, double norm) {
    ShortVector<kCapacity> found{};
    found.squaredNorm = norm;
    SLICEPOOL_NO_UNROLL
    for (int k = 0; k < view.dimension; ++k) found.coefficients[k] = choice(view, slice, k).coefficient;
    changeBasis(view, view.change, found.coefficients);
    return found;
  }

  /// Whether the path that ends here is zero throughout.
  [[nodiscard]] SLICEPOOL_INLINE static bool isZero(Choice last) {
    return last.step == Choice::kUpwards && last.coefficient == 0;
  }

 private:
  /// changeBasis, of the path of a slice.
  static void changePath(const View& view, const std::int16_t* rows, Slice& slice) {
    if (rows == nullptr || slice.level == Slice::kNothing) return;
    std::int16_t coefficients[kCapacity] = {};
    for (int k = slice.level; k < view.dimension; ++k) coefficients[k] = choice(view, slice, k).coefficient;
    changeBasis(view, rows, coefficients);
    for (int k = slice.level; k < view.dimension; ++k) choice(view, slice, k).coefficient = coefficients[k];
  }

  [[nodiscard]] static constexpr bool isShort(std::int64_t value) {
    return value >= INT16_MIN && value <= INT16_MAX;
  }

  /// Centres and squared norms of the levels from `level` on, of the path above it.
  SLICEPOOL_HD static void refresh(const View& view, const Slice& slice, int level, double* centres,
                                   double* above) {
    double norm = 0;
    SLICEPOOL_NO_UNROLL
    for (int k = view.dimension - 1; k >= level; --k) {
      above[k] = norm;
      centres[k] = centre(view, slice, k);
      norm = extend(view, norm, choice(view, slice, k).coefficient, centres[k], k);
    }
  }

  /// The shallowest level, from `top` down, whose next sibling is a node; -1 if there is none. At the
  /// starting radius: a slice that is given may prove empty in a search that has shrunk it.
  SLICEPOOL_HD static int openLevel(const View& view, const Slice& slice) {
    if (slice.level == Slice::kNothing) return -1;
    double norm = 0;
    SLICEPOOL_NO_UNROLL
    for (int k = view.dimension - 1; k >= slice.level; --k) {
      const double centreOfLevel = centre(view, slice, k);
      const Choice taken = choice(view, slice, k);
      const double bound = view.pruning[k] * view.squaredRadius;
      const double own = extend(view, norm, taken.coefficient, centreOfLevel, k);
      // Nothing but the way up is left where the choice to be tested is too long.
      if (own > bound) return -1;
      if (k <= slice.top && extend(view, norm, taken.next().coefficient, centreOfLevel, k) <= bound) return k;
      norm = own;
    }
    return -1;
  }
};

}  // namespace slicepool::lattice
