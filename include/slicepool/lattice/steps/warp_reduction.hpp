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

  /// Odd, so that lanes that read a column meet different banks. In T, whose rows follow each other without
  /// gaps, they do so as well, or nearly: numbers i (i + 1) / 2 differ modulo powers of two.
  SLICEPOOL_INLINE int rowStride() const { return columns | 1; }
  /// Of T, the inverses of its diagonal, and the rows.
  SLICEPOOL_INLINE std::size_t bytes() const {
    const auto count = static_cast<std::size_t>(rows);
    const std::size_t integers = count * static_cast<std::size_t>(rowStride());
    return sizeof(double) * (count * (count + 1) / 2 + count) +
           sizeof(std::int32_t) * ((integers + 1) / 2 * 2);
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
        rowStride_(shape.rowStride()),
        triangle_(reinterpret_cast<double*>(memory)),
        inverse_(row(d_)),
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
  /// What an exchange of neighbours has to gain, at first and at the end, and a deep insertion. With these,
  /// reduction and search together take least time at 29 rows (docs/performance/lattice.md).
  static constexpr double kFirstLovasz = 0.9;
  static constexpr double kLovasz = 0.99;
  static constexpr double kDeepGain = 0.93;
  /// With more rows than lanes the search takes longer than the reduction.
  static constexpr double kLargeDeepGain = 0.99;
  /// Of more rows only neighbours change places: deep insertions become many.
  static constexpr int kDeepRows = 44;
  static constexpr double kSizeReduced = 0.501;
  static constexpr int kExchangesPerRow = 64;

  // NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): below 2^13, in the registers of a
  // device
  SLICEPOOL_INLINE double* row(int i) { return triangle_ + i * (i + 1) / 2; }
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
    Lanes::sync();  // a lane may still read T
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

  SLICEPOOL_INLINE static double inverseRoot(double x) {
#if SLICEPOOL_ON_DEVICE
    return rsqrt(x);
#else
    return 1 / std::sqrt(x);
#endif
  }

  /// Rows k - 1 and k change places. No division: the product of both diagonal elements stays, up to a
  /// rounding error that only coefficients feel.
  SLICEPOOL_INLINE void exchange(int k) {
    --exchanges_;
    double* const low = row(k - 1);
    double* const high = row(k);
    const double p = high[k - 1];
    const double q = high[k];
    const double a = low[k - 1];
    const double square = p * p + q * q;
    const double inverse = inverseRoot(square);
    const double length = square * inverse;
    const double inverseProduct = inverse_[k - 1] * inverse_[k];
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
      inverse_[k] = length * inverseProduct;
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

  /// A row while much is taken off it: what a lane has of it lies in registers, so that no lane waits for
  /// what another one writes.
  struct HeldRow {
    static constexpr int kRowSlots = WarpReductionShape::kMaximumRows / kWarpSize;
    static constexpr int kColumnSlots = WarpReductionShape::kMaximumColumns / kWarpSize;
    typename Lanes::template Per<double> coordinates[kRowSlots];
    typename Lanes::template Per<std::int32_t> entries[kColumnSlots];
  };

  /// Calls use(held, slot, column) for the columns of each lane below `end`, by slots that are known to the
  /// compiler: registers have no addresses.
  template <int kSlots, int kSlot = 0, class Use>
  SLICEPOOL_INLINE static void forColumns(int end, const Use& use) {
    if constexpr (kSlot < kSlots) {
      if (kSlot * kWarpSize >= end) return;
      Lanes::all([&](int lane, int held) {
        const int column = kSlot * kWarpSize + lane;
        if (column < end) use(held, kSlot, column);
      });
      forColumns<kSlots, kSlot + 1>(end, use);
    }
  }

  /// Coefficients above one half are taken off, from column `from` down, if one is above `most`.
  SLICEPOOL_INLINE void sizeReduce(int i, int from, double most) {
    std::uint32_t any = 0;
    for (int begin = 0; begin <= from; begin += kWarpSize) any |= above(i, begin, from, most);
    if (any == 0) return;
    HeldRow work;
    double* const own = row(i);
    std::int32_t* const entries = integers(i);
    forColumns<HeldRow::kRowSlots>(
        from + 1, [&](int held, int slot, int c) { work.coordinates[slot][held] = own[c]; });
    forColumns<HeldRow::kColumnSlots>(
        n_, [&](int held, int slot, int c) { work.entries[slot][held] = entries[c]; });
    static_assert(HeldRow::kRowSlots == 2);
    if (from >= kWarpSize) takeOffSlot<1>(work, from);
    takeOffSlot<0>(work, from < kWarpSize ? from : kWarpSize - 1);
    Lanes::sync();
    forColumns<HeldRow::kRowSlots>(
        from + 1, [&](int held, int slot, int c) { own[c] = work.coordinates[slot][held]; });
    forColumns<HeldRow::kColumnSlots>(
        n_, [&](int held, int slot, int c) { entries[c] = work.entries[slot][held]; });
    Lanes::sync();
  }

  /// Coefficients above one half at the columns of a slot, `last` and below, are taken off.
  template <int kSlot>
  SLICEPOOL_INLINE void takeOffSlot(HeldRow& work, int last) {
    constexpr int kBegin = kSlot * kWarpSize;
    typename Lanes::template Per<double> inverse;
    Lanes::all(
        [&](int lane, int held) { inverse[held] = kBegin + lane <= last ? inverse_[kBegin + lane] : 0; });
    for (int j = last; j >= kBegin; --j) {
      typename Lanes::template Per<bool> flags;
      typename Lanes::template Per<double> coefficients;
      Lanes::all([&](int lane, int held) {
        const bool within = kBegin + lane <= j;
        coefficients[held] = within ? work.coordinates[kSlot][held] * inverse[held] : 0;
        flags[held] = std::abs(coefficients[held]) > 0.5;
      });
      const std::uint32_t left = Lanes::ballot(flags);
      if (left == 0) return;
      const int lane = highestBit(left);
      j = kBegin + lane;
      takeOffHeld<kSlot + 1>(work, j, rounded(Lanes::valueOf(coefficients, lane)));
    }
  }

  /// As takeOff, of a row that is held; b_j reaches into the first `kSlots` slots.
  template <int kSlots>
  SLICEPOOL_INLINE void takeOffHeld(HeldRow& work, int j, double x) {
    exact_ = exact_ && std::abs(x) < WarpReductionShape::kMaximumMultiple;
    const auto factor = exact_ ? static_cast<std::int64_t>(x) : 0;
    const double* const other = row(j);
    const std::int32_t* const entries = integers(j);
    forColumns<kSlots>(j + 1,
                       [&](int held, int slot, int c) { work.coordinates[slot][held] -= x * other[c]; });
    forColumns<HeldRow::kColumnSlots>(n_, [&](int held, int slot, int c) {
      const std::int64_t entry = work.entries[slot][held] - factor * entries[c];
      fits_[held] = fits_[held] && entry < WarpReductionShape::kMaximumEntry &&
                    entry > -WarpReductionShape::kMaximumEntry;
      work.entries[slot][held] = static_cast<std::int32_t>(entry);
    });
  }
  SLICEPOOL_INLINE static int lowestBit(std::uint32_t bits) {
#if SLICEPOOL_ON_DEVICE
    return __ffs(static_cast<int>(bits)) - 1;
#else
    return __builtin_ctz(bits);
#endif
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
  SLICEPOOL_INLINE int placeOf(int i) { return d_ <= kWarpSize ? placeByLanes(i) : placeByLoop(i); }

  /// With a lane for each row.
  SLICEPOOL_INLINE int placeByLanes(int i) {
    const double* const own = row(i);
    typename Lanes::template Per<double> squares;
    Lanes::all([&](int lane, int held) { squares[held] = lane <= i ? own[lane] * own[lane] : 0; });
    const auto rests = Lanes::sumsToEnd(squares);
    typename Lanes::template Per<bool> flags;
    Lanes::all([&](int lane, int held) {
      flags[held] = false;
      if (lane >= i) return;
      const double before = row(lane)[lane];
      flags[held] = rests[held] < (lane == i - 1 ? kLovasz : kDeepGain) * before * before;
    });
    const std::uint32_t shortened = Lanes::ballot(flags);
    return shortened == 0 ? i : lowestBit(shortened);
  }

  SLICEPOOL_INLINE int placeByLoop(int i) {
    const double* const own = row(i);
    double rest = own[i] * own[i];
    int place = i;
    const int last = d_ <= kDeepRows ? 0 : i - 1;
    for (int k = i - 1; k >= last; --k) {
      rest += own[k] * own[k];
      const double before = row(k)[k];
      const double gain = k == i - 1 ? kLovasz : kLargeDeepGain;
      if (rest < gain * before * before) place = k;
    }
    return place;
  }

  int d_;
  int n_;
  int rowStride_;
  double* triangle_;
  double* inverse_;  ///< of T_ii
  std::int32_t* rows_;
  int exchanges_ = 0;
  bool exact_ = true;                          ///< multiples were small, the same for all lanes
  typename Lanes::template Per<bool> fits_{};  ///< what a lane made of entries
};

}  // namespace slicepool::lattice
