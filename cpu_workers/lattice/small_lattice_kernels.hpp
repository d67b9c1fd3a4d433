// The functions of small_lattice.hpp. Compiled once for each instruction set in instances.cmake: the name of
// the set is the namespace.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "cpu_workers/lattice/small_lattice.hpp"

namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE {

/// Inner products below this, and what reduction makes of them on the way, are exact in doubles.
constexpr double kNarrowProduct = 70368744177664.0;       // 2^46
constexpr double kNarrowUpdate = 4503599627370496.0 / 2;  // 2^51
constexpr double kWideUpdate = 0x1p+120;
constexpr double kExactDouble = 4503599627370496.0;  // 2^52
constexpr double kLovasz = 0.99;
/// Coefficients up to this are taken off; the search does not need one half.
constexpr double kSizeReduced = 0.501;
/// Where a coefficient was larger, rounding errors of a row of projections may matter for the next.
constexpr double kLargeCoefficient = 4096;
constexpr double kRounding = 0x1p-53;

/// Eight doubles, wherever they lie: a loop over them is one instruction where the set has it. Never an
/// argument, whose passing depends on the set.
using Block = double __attribute__((vector_size(64), aligned(8), may_alias));

/// The greatest absolute values so far.
inline void raise(Block& most, const double* from, int count) {
  for (int j = 0; j < count; j += 8) {
    const Block value = *reinterpret_cast<const Block*>(from + j);
    const Block size = value < 0 ? -value : value;
    most = most < size ? size : most;
  }
}
inline double greatestOf(const Block& block) {
  double most = block[0];
  for (int i = 1; i < 8; ++i) most = std::max(most, block[i]);
  return most;
}

/// to[j] -= x * from[j] for j in [first, last); as many as fill up a block of eight are there.
inline void subtract(double* __restrict to, double x, const double* __restrict from, int first, int last) {
  first &= ~7;
  for (int j = first; j < last; j += 8)
    for (int i = j; i < j + 8; ++i) to[i] -= x * from[i];
}

inline double largest(const double* from, int count) {
  Block most{};
  raise(most, from, count);
  return greatestOf(most);
}

inline double narrowDot(const double* a, const double* b, int count) {
  double parts[8] = {};
  for (int j = 0; j < count; j += 8)
    for (int i = 0; i < 8; ++i) parts[i] += a[j + i] * b[j + i];
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

inline __int128 wideDot(const double* a, const double* b, int count) {
  __int128 sum = 0;
  for (int j = 0; j < count; ++j)
    sum += static_cast<__int128>(static_cast<std::int64_t>(a[j])) * static_cast<std::int64_t>(b[j]);
  return sum;
}

inline bool makeSmallGram(SmallLattice& lattice) {
  const int d = lattice.dimension;
  const int n = lattice.columns;
  double most = 0;
  for (int i = 0; i < d; ++i) most = std::max(most, largest(lattice.row(i), n));
  if (!(most < kSmallEntry)) return false;
  lattice.wide = !(most * most * n < kNarrowProduct);
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j <= i; ++j)
      if (lattice.wide)
        lattice.wideGram(i)[j] = lattice.wideGram(j)[i] = wideDot(lattice.row(i), lattice.row(j), n);
      else
        lattice.gram(i)[j] = lattice.gram(j)[i] = narrowDot(lattice.row(i), lattice.row(j), n);
  }
  return true;
}

/// What differs between inner products in doubles and in 128 bits.
struct NarrowProducts {
  static constexpr double kMaximumUpdate = kNarrowUpdate;
  static double* row(SmallLattice& lattice, int i) { return lattice.gram(i); }
  static void subtractRow(double* to, double x, const double* from, int count) {
    subtract(to, x, from, 0, count);
  }
  static double multiple(double x, double value) { return x * value; }
};
struct WideProducts {
  static constexpr double kMaximumUpdate = kWideUpdate;
  static __int128* row(SmallLattice& lattice, int i) { return lattice.wideGram(i); }
  /// Not what lies behind them, which may be anything: integers, unlike doubles, must not overflow.
  static void subtractRow(__int128* to, double x, const __int128* from, int count) {
    const auto factor = static_cast<std::int64_t>(x);
    for (int j = 0; j < count; ++j) to[j] -= factor * from[j];
  }
  static __int128 multiple(double x, __int128 value) { return static_cast<std::int64_t>(x) * value; }
};

/// LLL with exact inner products. Rows of projections are kept as far as they are valid: a row needs new ones
/// only from the first row before it that has changed on.
template <class Products>
class SmallReduction {
 public:
  explicit SmallReduction(SmallLattice& lattice)
      : lattice_(lattice), d_(lattice.dimension), stride_(lattice.stride()) {}

  bool run() {
    double longest = 0;
    for (int i = 0; i < d_; ++i) {
      longest = std::max(longest, diagonal(i));
      lattice_.rowMaxima[at(i)] = largest(lattice_.row(i), lattice_.columns);
    }
    longest_ = std::sqrt(longest);
    std::int64_t left = kRoundsPerRow * d_ * (d_ + 8);
    for (int i = 0; i < d_;) {
      if (--left < 0 || !sizeReduce(i)) return false;
      const int place = insertionPlace(i);
      if (place < 0) return false;
      if (place == i) {
        settle(i);
        ++i;
        continue;
      }
      insert(i, place);
      i = place + 1;
    }
    return true;
  }

 private:
  static constexpr std::int64_t kRoundsPerRow = 64;
  static constexpr int kMaximumPasses = 64;

  /// To the nearest integer, by the mantissa's end where it has room.
  static double rounded(double value) {
    constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52
    return std::abs(value) < kSmallEntry ? (value + kShift) - kShift : std::nearbyint(value);
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  template <class Product>
  static double magnitude(Product value) {
    return std::abs(static_cast<double>(value));
  }
  template <class Product>
  double largestProduct(const Product* row) const {
    double most = 0;
    for (int j = 0; j < d_; ++j) most = std::max(most, magnitude(row[j]));
    return most;
  }
  double diagonal(int i) const { return static_cast<double>(Products::row(lattice_, i)[i]); }

  /// <b_i, b*_j> for j < i, those from the block of valid[i] on anew. Columns are zero up to the diagonal, so
  /// that blocks change nothing before it.
  void project(int i) {
    double* const own = lattice_.projections(i);
    const auto* const products = Products::row(lattice_, i);
    const int first = lattice_.valid[at(i)] & ~7;
    for (int j = first; j < i; ++j) own[j] = static_cast<double>(products[j]);
    for (int k = 0; k < i; ++k) subtract(own, own[k], lattice_.column(k), std::max(first, k + 1), i);
    lattice_.valid[at(i)] = i;
  }

  /// False where numbers become too large.
  bool sizeReduce(int i) {
    double* const own = lattice_.projections(i);
    for (int pass = 0; pass < kMaximumPasses; ++pass) {
      project(i);
      double most = 0;
      for (int j = i - 1; j >= 0; --j) {
        const double mu = own[j] * lattice_.inverseNorms[at(j)];
        if (!(std::abs(mu) > kSizeReduced)) continue;
        const double x = rounded(mu);
        if (!takeOff(i, j, x)) return false;
        most = std::max(most, std::abs(x));
        subtract(own, x, lattice_.projections(j), 0, j + 1);
      }
      if (most == 0) return true;
      mirror(i);
      if (most <= kLargeCoefficient) return true;
      lattice_.valid[at(i)] = 0;
    }
    return false;
  }

  /// b_i -= x b_j.
  bool takeOff(int i, int j, double x) {
    const double size = std::abs(x);
    double& maximum = lattice_.rowMaxima[at(i)];
    const double entries = size * lattice_.rowMaxima[at(j)];
    if (!(entries + maximum < kExactDouble)) return false;
    // Neither what is taken off nor what is left has larger products. What one pass takes off adds up, and
    // the longest row is that before it.
    const double next = std::sqrt(diagonal(i)) + size * std::sqrt(diagonal(j));
    if (!(next * std::max(next, longest_) * 2 < Products::kMaximumUpdate)) return false;
    auto* const own = Products::row(lattice_, i);
    const auto* const other = Products::row(lattice_, j);
    // Of a matrix that somebody calls a Gram matrix the diagonal bounds nothing.
    const bool bounded = lattice_.hasRows;
    if (!bounded && !(size * largestProduct(other) + largestProduct(own) < Products::kMaximumUpdate))
      return false;
    const auto square = own[i];
    const auto mixed = own[j];
    Products::subtractRow(own, x, other, d_);
    if (!bounded && !(size * (magnitude(mixed) + magnitude(own[j])) < Products::kMaximumUpdate)) return false;
    own[i] = square - Products::multiple(x, mixed) - Products::multiple(x, own[j]);
    subtract(lattice_.row(i), x, lattice_.row(j), 0, lattice_.columns);
    maximum = entries + maximum;
    return true;
  }

  void mirror(int i) {
    const auto* const own = Products::row(lattice_, i);
    for (int k = 0; k < d_; ++k) Products::row(lattice_, k)[i] = own[k];
    lattice_.rowMaxima[at(i)] = largest(lattice_.row(i), lattice_.columns);
    longest_ = std::max(longest_, std::sqrt(diagonal(i)));
  }

  /// Where the i-th row belongs: sums[k] is what is left of it behind the first k; -1: it vanishes.
  int insertionPlace(int i) {
    const double* const own = lattice_.projections(i);
    double* const rest = lattice_.sums.data();
    double left = diagonal(i);
    for (int k = 0; k < i; ++k) {
      rest[k] = left;
      left -= own[k] * own[k] * lattice_.inverseNorms[at(k)];
    }
    rest[i] = left;
    if (!(diagonal(i) > 0)) return -1;
    int place = i;
    while (place > 0 && rest[place - 1] < kLovasz * lattice_.norms()[place - 1]) --place;
    // A rest that is lost in rounding errors is not known.
    if (!(rest[place] > diagonal(i) * 0x1p-45)) return -1;
    return place;
  }

  /// The i-th row has its place.
  void settle(int i) {
    double* const own = lattice_.projections(i);
    const double norm = lattice_.sums[at(i)];
    own[i] = norm;
    lattice_.norms()[i] = norm;
    lattice_.inverseNorms[at(i)] = 1 / norm;
    // What blocks reach beside their elements is zero.
    for (int j = i + 1; j % 8 != 0; ++j) own[j] = 0;
    for (int j = i & ~7; j <= i; ++j) lattice_.column(i)[j] = 0;
    for (int k = 0; k < i; ++k) lattice_.column(k)[i] = own[k] * lattice_.inverseNorms[at(k)];
  }

  /// Row i becomes row `place`.
  void insert(int i, int place) {
    std::rotate(lattice_.row(place), lattice_.row(i), lattice_.row(i) + lattice_.rowStride());
    auto* const from = Products::row(lattice_, place);
    auto* const middle = Products::row(lattice_, i);
    std::rotate(from, middle, middle + stride_);
    for (int k = 0; k < d_; ++k) {
      auto* const products = Products::row(lattice_, k);
      const auto moved = products[i];
      for (int j = i; j > place; --j) products[j] = products[j - 1];
      products[place] = moved;
    }
    std::rotate(lattice_.projections(place), lattice_.projections(i), lattice_.projections(i) + stride_);
    const auto begin = lattice_.rowMaxima.begin();
    std::rotate(begin + place, begin + i, begin + i + 1);
    for (int k = i; k > place; --k) lattice_.valid[at(k)] = std::min(lattice_.valid[at(k - 1)], place);
    for (int k = i + 1; k < d_; ++k) lattice_.valid[at(k)] = std::min(lattice_.valid[at(k)], place);
    lattice_.valid[at(place)] = place;
    settle(place);
  }

  SmallLattice& lattice_;
  int d_;
  int stride_;
  double longest_ = 0;
};

/// M and r, rounded. False where an r is not above 0.
inline bool factorize(SmallLattice& lattice) {
  const int d = lattice.dimension;
  for (int i = 0; i < d; ++i) {
    double* const own = lattice.projections(i);
    for (int j = 0; j < lattice.stride(); ++j) own[j] = j <= i ? lattice.gram(i)[j] : 0;
    double* const mu = lattice.mu(i);
    for (int k = 0; k < i; ++k) {
      const double projection = own[k];
      const double x = projection * lattice.inverseNorms[static_cast<std::size_t>(k)];
      mu[k] = x;
      double* const column = lattice.column(k);
      column[i] = x;
      // What lies before place k + 1 in the same block is not read again.
      subtract(own, projection, column, k + 1, i + 1);
    }
    for (int k = i; k < lattice.stride(); ++k) mu[k] = 0;
    const double norm = own[i];
    if (!(norm > 0) || !std::isfinite(norm)) return false;
    lattice.norms()[i] = norm;
    lattice.inverseNorms[static_cast<std::size_t>(i)] = 1 / norm;
  }
  return true;
}

#include "cpu_workers/lattice/small_triangle.hpp"

/// The first reduction, of rows that span the lattice by themselves. Rows that it spoils are put back.
inline bool reduceTriangle(SmallLattice& lattice) {
  if (lattice.wide || !lattice.hasRows) return true;
  lattice.saveRows();
  if (!factorize(lattice)) return true;
  if (!SmallTriangle(lattice).run(true)) lattice.restoreRows();
  return makeSmallGram(lattice);
}

inline bool reduceSmall(SmallLattice& lattice) {
  if (!lattice.reduced && !reduceTriangle(lattice)) return false;
  std::fill(lattice.valid.begin(), lattice.valid.end(), 0);
  return lattice.wide ? SmallReduction<WideProducts>(lattice).run()
                      : SmallReduction<NarrowProducts>(lattice).run();
}

inline void certifySmall(SmallLattice& lattice) {
  const int d = lattice.dimension;
  const int stride = lattice.stride();
  lattice.certificate = {};
  if (lattice.wide)
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j) lattice.gram(i)[j] = static_cast<double>(lattice.wideGram(i)[j]);
  if (!factorize(lattice)) return;
  // The inverse of M row by row, and sums of rows of N and |M|.
  double widest = 1;      // of |M|
  double comparison = 1;  // of N
  double entry = 1;       // of the inverse
  for (int i = 0; i < d; ++i) {
    const double* const mu = lattice.mu(i);
    double* const own = lattice.inverse(i);
    std::fill(own, own + stride, 0.0);
    double width = 1;
    double sum = 1;
    for (int j = 0; j < i; ++j) {
      subtract(own, mu[j], lattice.inverse(j), 0, j + 1);
      width += std::abs(mu[j]);
      sum += std::abs(mu[j]) * lattice.sums[static_cast<std::size_t>(j)];
    }
    own[i] = 1;
    lattice.sums[static_cast<std::size_t>(i)] = sum;
    widest = std::max(widest, width);
    comparison = std::max(comparison, sum);
    entry = std::max(entry, largest(own, i + 1));
  }
  // A hundredth more covers the roundings of all that follows.
  const double gamma = 1.01 * (d + 10) * kRounding;
  const double lost = gamma * comparison * widest * entry;
  if (!(lost < 0x1p-20)) return;
  // Roots of the diagonal of the inverse of Q~, from above.
  double* const weights = lattice.weights.data();
  std::fill(weights, weights + stride, 0.0);
  for (int k = 0; k < d; ++k) {
    const double* const own = lattice.inverse(k);
    const double scale = lattice.inverseNorms[static_cast<std::size_t>(k)];
    for (int i = 0; i <= k; ++i) {
      const double size = std::abs(own[i]) + lost;
      weights[i] += size * size * scale;
    }
  }
  double reach = 0;
  for (int i = 0; i < d; ++i) {
    weights[i] = std::sqrt(weights[i]) * 1.000001;
    reach = std::max(reach, weights[i]);
  }
  // |x^T E x| <= gamma sum_k r_k (sum_j |x_j mu_jk|)^2, and the errors of centres in a search.
  double form = 0;
  double centres = 0;
  for (int k = 0; k < d; ++k) {
    const double* const column = lattice.column(k);
    double above = 0;
    for (int j = k + 1; j < d; ++j) above += weights[j] * std::abs(column[j]);
    const double norm = lattice.norms()[k];
    form += norm * (above + weights[k]) * (above + weights[k]);
    const double delta = (d - k + 2) * kRounding * above;
    centres += delta * delta * norm;
  }
  form *= gamma;
  if (!(form < 0x1p-10) || !(centres < 0x1p-20)) return;
  lattice.certificate.formError = form * 1.01;
  // As in runtime/lattice/search_radius.cpp, with the radius that Q~ has for vectors within R.
  lattice.certificate.searchError = ((d + 8) * kRounding + 2 * std::sqrt(centres) + centres) * 1.01;
  lattice.certificate.reach = reach * 1.01;
  lattice.certificate.holds = true;
}

inline bool isSmallReduced(SmallLattice& lattice) {
  const double* const norms = lattice.norms();
  for (int i = 1; i < lattice.dimension; ++i) {
    const double* const mu = lattice.mu(i);
    if (largest(mu, i) > kSizeReduced) return false;
    if (norms[i] + mu[i - 1] * mu[i - 1] * norms[i - 1] < kLovasz * norms[i - 1]) return false;
  }
  return true;
}

SmallLatticeKernels smallLatticeKernels(const char* name);
SmallLatticeKernels smallLatticeKernels(const char* name) {
  return {name, makeSmallGram, reduceSmall, certifySmall, isSmallReduced};
}

}  // namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE
