// A first reduction of a small lattice by a warp: the algorithm of cpu_workers/lattice/small_triangle.hpp,
// whose loops over coordinates are the lanes'. Run by kernels/lattice/reducer.cu, a warp for each lattice,
// and by loops on a host (runtime/lattice/emulated_reducer.cpp).
//
// Rows are known by their coordinates T in the orthonormal directions of b*_1, b*_2, ..: T_ij for j <= i. Two
// neighbours change places by one reflection of two coordinates. The rows themselves take part in integers,
// exactly: what comes out is a basis of the same lattice, as well reduced as rounding errors let it be.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/lanes.hpp"

namespace slicepool::lattice {

/// Rows and columns of a lattice that a warp reduces.
struct WarpReductionShape {
  /// With more rows a warp takes longer than the core would that waits for it.
  static constexpr int kMaximumRows = 64;
  static constexpr int kMaximumColumns = 128;
  /// Entries of rows, and multiples of rows that are taken off, are below these.
  static constexpr std::int64_t kMaximumEntry = std::int64_t{1} << 30;
  static constexpr double kMaximumMultiple = 0x1p+20;

  int rows = 0;
  int columns = 0;

  /// Odd, so that lanes that read a column meet different banks.
  SLICEPOOL_INLINE int triangleStride() const { return rows | 1; }
  SLICEPOOL_INLINE int rowStride() const { return columns | 1; }
  /// Of T, the inverses of its diagonal, and the rows.
  SLICEPOOL_INLINE std::size_t bytes() const {
    const std::size_t doubles =
        static_cast<std::size_t>(rows) * static_cast<std::size_t>(triangleStride() + 1);
    const std::size_t integers = static_cast<std::size_t>(rows) * static_cast<std::size_t>(rowStride());
    return sizeof(double) * doubles + sizeof(std::int32_t) * ((integers + 1) / 2 * 2);
  }
};

/// All lanes of a warp call every function together.
template <class Lanes>
class WarpReduction {
 public:
  /// `memory`: shape.bytes(), 8-byte aligned, seen by all lanes.
  SLICEPOOL_INLINE WarpReduction(const WarpReductionShape& shape, std::byte* memory)
      : d_(shape.rows),
        n_(shape.columns),
        stride_(shape.triangleStride()),
        rowStride_(shape.rowStride()),
        triangle_(reinterpret_cast<double*>(memory)),
        inverse_(triangle_ + static_cast<std::size_t>(d_) * static_cast<std::size_t>(stride_)),
        rows_(reinterpret_cast<std::int32_t*>(inverse_ + d_)) {
    Lanes::all([&](int, int held) { fits_[held] = true; });
  }

  /// Reduces the rows at `entries`, row by row without gaps, whose absolute values are below kMaximumEntry.
  /// False, with `entries` as they were: rows are dependent, as far as doubles tell, or numbers became too
  /// large.
  SLICEPOOL_INLINE bool run(std::int32_t* entries) {
    move([&](std::int32_t& mine, int i, int j) { mine = entries[i * n_ + j]; });
    Lanes::sync();
    exchanges_ = kExchangesPerRow * d_ * (d_ + 8);
    // Inner products of long rows say little about short b*_i: once more with rows that are short.
    for (int pass = 0; pass < 2; ++pass) {
      if (!triangulate()) return false;
      reduceNeighbours();
    }
    insertDeeply();
    if (!exact_ || Lanes::ballot(fits_) != kFullMask) return false;
    move([&](std::int32_t& mine, int i, int j) { entries[i * n_ + j] = mine; });
    return true;
  }

 private:
  /// As in small_triangle.hpp; a deep insertion may gain less here, where it costs less than in the search.
  static constexpr double kFirstLovasz = 0.8;
  static constexpr double kLovasz = 0.99;
  static constexpr double kDeepGain = 0.99;
  /// Of more rows only neighbours change places: deep insertions become many.
  static constexpr int kDeepRows = 44;
  static constexpr double kSizeReduced = 0.501;
  static constexpr int kExchangesPerRow = 64;

  // NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): below 2^13, in the registers of a
  // device
  SLICEPOOL_INLINE double* row(int i) { return triangle_ + i * stride_; }
  SLICEPOOL_INLINE std::int32_t* integers(int i) { return rows_ + i * rowStride_; }
  // NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
  /// Of numbers below 2^51 in absolute value, the nearest integer.
  SLICEPOOL_INLINE static double rounded(double value) {
    constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52
    return (value + kShift) - kShift;
  }

  template <class Move>
  SLICEPOOL_INLINE void move(const Move& moveOne) {
    for (int i = 0; i < d_; ++i)
      Lanes::all([&](int lane, int) {
        for (int j = lane; j < n_; j += kWarpSize) moveOne(integers(i)[j], i, j);
      });
  }

  /// T by Cholesky's algorithm from exact inner products. False where a diagonal element is not above 0.
  SLICEPOOL_INLINE bool triangulate() {
    for (int i = 0; i < d_; ++i) {
      double* const own = row(i);
      Lanes::all([&](int lane, int) {
        for (int j = lane; j <= i; j += kWarpSize) {
          std::int64_t product = 0;
          for (int c = 0; c < n_; ++c) product += std::int64_t{integers(i)[c]} * integers(j)[c];
          own[j] = static_cast<double>(product);
        }
      });
      Lanes::sync();
      for (int k = 0; k < i; ++k) {
        const double coordinate = own[k] * inverse_[k];
        Lanes::sync();
        Lanes::all([&](int lane, int) {
          for (int j = k + 1 + lane; j <= i; j += kWarpSize)
            own[j] -= coordinate * (j < i ? row(j)[k] : coordinate);
          if (lane == 0) own[k] = coordinate;
        });
        Lanes::sync();
      }
      const double square = own[i];
      if (!(square > 0)) return false;
      const double length = std::sqrt(square);
      Lanes::sync();
      Lanes::all([&](int lane, int) {
        if (lane != 0) return;
        own[i] = length;
        inverse_[i] = 1 / length;
      });
      Lanes::sync();
    }
    return true;
  }

  /// b_i -= x b_j. Every lane has read x.
  SLICEPOOL_INLINE void takeOff(int i, int j, double x) {
    exact_ = exact_ && std::abs(x) < WarpReductionShape::kMaximumMultiple;
    const auto factor = exact_ ? static_cast<std::int64_t>(x) : 0;
    double* const own = row(i);
    const double* const other = row(j);
    Lanes::sync();
    Lanes::all([&](int lane, int held) {
      for (int c = lane; c <= j; c += kWarpSize) own[c] -= x * other[c];
      for (int c = lane; c < n_; c += kWarpSize) {
        const std::int64_t entry = integers(i)[c] - factor * integers(j)[c];
        fits_[held] = fits_[held] && entry < WarpReductionShape::kMaximumEntry &&
                      entry > -WarpReductionShape::kMaximumEntry;
        integers(i)[c] = static_cast<std::int32_t>(entry);
      }
    });
    Lanes::sync();
  }

  /// Rows k - 1 and k change places.
  SLICEPOOL_INLINE void exchange(int k) {
    --exchanges_;
    double* const low = row(k - 1);
    double* const high = row(k);
    const double p = high[k - 1];
    const double q = high[k];
    const double a = low[k - 1];
    const double length = std::sqrt(p * p + q * q);
    const double inverse = 1 / length;
    const double c = p * inverse;
    const double s = q * inverse;
    Lanes::sync();
    Lanes::all([&](int lane, int) {
      for (int j = lane; j < k - 1; j += kWarpSize) swap(low[j], high[j]);
      for (int j = lane; j < n_; j += kWarpSize) swap(integers(k - 1)[j], integers(k)[j]);
      for (int i = k + 1 + lane; i < d_; i += kWarpSize) {
        double* const at = row(i) + (k - 1);
        const double x = at[0];
        const double y = at[1];
        at[0] = c * x + s * y;
        at[1] = s * x - c * y;
      }
      if (lane != 0) return;
      low[k - 1] = length;
      high[k - 1] = c * a;
      high[k] = s * a;
      inverse_[k - 1] = inverse;
      inverse_[k] = 1 / (s * a);
    });
    Lanes::sync();
  }

  template <class T>
  SLICEPOOL_INLINE static void swap(T& a, T& b) {
    const T kept = a;
    a = b;
    b = kept;
  }

  /// Bit c: the coefficient of row i at column `begin` + c, up to `last`, is above `most`.
  SLICEPOOL_INLINE std::uint32_t above(int i, int begin, int last, double most) {
    typename Lanes::template Per<bool> flags;
    Lanes::all([&](int lane, int held) {
      const int j = begin + lane;
      flags[held] = j <= last && std::abs(row(i)[j] * inverse_[j]) > most;
    });
    return Lanes::ballot(flags);
  }

  /// Coefficients above one half are taken off, from column `from` down, if one is above `most`.
  SLICEPOOL_INLINE void sizeReduce(int i, int from, double most) {
    std::uint32_t any = 0;
    for (int begin = 0; begin <= from; begin += kWarpSize) any |= above(i, begin, from, most);
    if (any == 0) return;
    for (int j = from; j >= 0;) {
      const int begin = j / kWarpSize * kWarpSize;
      const std::uint32_t left = above(i, begin, j, 0.5);
      if (left == 0) {
        j = begin - 1;
        continue;
      }
      j = begin + highestBit(left);
      takeOff(i, j, rounded(row(i)[j] * inverse_[j]));
      --j;
    }
  }
  SLICEPOOL_INLINE static int highestBit(std::uint32_t bits) {
#if SLICEPOOL_ON_DEVICE
    return 31 - __clz(static_cast<int>(bits));
#else
    return 31 - __builtin_clz(bits);
#endif
  }

  /// LLL. Rows stay nearly size-reduced only: a neighbour's coefficient decides an exchange, others do not.
  SLICEPOOL_INLINE void reduceNeighbours() {
    for (int k = 1; k < d_ && exchanges_ > 0 && exact_;) {
      const double* const own = row(k);
      const double x = rounded(own[k - 1] * inverse_[k - 1]);
      if (x != 0) takeOff(k, k - 1, x);
      const double before = row(k - 1)[k - 1];
      if (own[k - 1] * own[k - 1] + own[k] * own[k] < kFirstLovasz * before * before) {
        exchange(k);
        if (k > 1) --k;
        continue;
      }
      if (k > 1) sizeReduce(k, k - 2, 1.0);
      ++k;
    }
  }

  SLICEPOOL_INLINE void insertDeeply() {
    for (int i = 1; i < d_ && exchanges_ > 0 && exact_;) {
      sizeReduce(i, i - 1, kSizeReduced);
      const int place = placeOf(i);
      if (place == i) {
        ++i;
        continue;
      }
      for (int k = i; k > place; --k) exchange(k);
      i = place > 1 ? place : 1;
    }
  }

  /// The first row that row i, in its place, would shorten by enough.
  SLICEPOOL_INLINE int placeOf(int i) {
    const double* const own = row(i);
    double rest = own[i] * own[i];
    int place = i;
    const int last = d_ <= kDeepRows ? 0 : i - 1;
    for (int k = i - 1; k >= last; --k) {
      rest += own[k] * own[k];
      const double before = row(k)[k];
      const double gain = k == i - 1 ? kLovasz : kDeepGain;
      if (rest < gain * before * before) place = k;
    }
    return place;
  }

  int d_;
  int n_;
  int stride_;
  int rowStride_;
  double* triangle_;
  double* inverse_;  ///< of T_ii
  std::int32_t* rows_;
  int exchanges_ = 0;
  bool exact_ = true;                          ///< multiples were small, the same for all lanes
  typename Lanes::template Per<bool> fits_{};  ///< what a lane made of entries
};

}  // namespace slicepool::lattice
