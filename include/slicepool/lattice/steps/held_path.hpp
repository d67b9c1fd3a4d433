// The path of an open node as a lane holds it while it works on the node: read, extended by a choice,
// written. Used by warp_search.hpp and team_search.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "slicepool/core/platform.hpp"
#include "slicepool/lattice/steps/warp_lists.hpp"

namespace slicepool::lattice {

/// Calls visit(std::integral_constant<int, i>) for i < count. Unlike a loop that is unrolled, it leaves no
/// index that a compiler has to find out about: arrays stay in registers.
template <int count, class Visit>
SLICEPOOL_INLINE void forEachConstant(Visit&& visit) {
  [&]<int... i>(std::integer_sequence<int, i...>) { (visit(std::integral_constant<int, i>{}), ...); }
  (std::make_integer_sequence<int, count>{});
}

/// Paths of up to kFours FourWords, packed as PathLayout<kBits> says.
template <int kFours, int kBits>
struct HeldPath {
  using Layout = PathLayout<kBits>;
  FourWords four[kFours];

  /// Reads the FourWords of a path of `length` coefficients, `step` apart; those behind them become zeros.
  /// Called before anything is computed from the node: what follows need not wait again.
  SLICEPOOL_INLINE void read(const Layout& layout, int length, const FourWords* from, std::ptrdiff_t step) {
    const int there = layout.foursOf(length);
    forEachConstant<kFours>([&](auto v) {
      const std::uint32_t zeros = layout.isNarrow(v) ? Packing<8>::kZeros : Packing<16>::kZeros;
      four[v] = FourWords{{zeros, zeros, zeros, zeros}};
      if (v < there) four[v] = from[step * v];
    });
  }

  /// Writes FourWords first .. end - 1.
  SLICEPOOL_INLINE void write(int first, int end, FourWords* to, std::ptrdiff_t step) const {
    forEachConstant<kFours>([&](auto v) {
      if (v >= first && v < end) to[step * v] = four[v];
    });
  }

  /// Adds a choice to a path of `depth` coefficients; returns the centre below. `columns`: packColumn,
  /// 16-byte aligned.
  SLICEPOOL_INLINE double extend(const Layout& layout, int depth, int coefficient, const double* columns) {
    const int below = depth + 1;
    const double* const column = columns + layout.roomBelow(below);
    const int wanted = layout.foursOf(below);
    double even = 0;
    double odd = 0;
    forEachConstant<kFours>([&](auto v) {
      if (v >= wanted) return;
      const int first = layout.firstOf(v);
      if (layout.isNarrow(v)) {
        if (v == wanted - 1) Packing<8>::insert(four[v], depth - first, coefficient);
        addProducts<Packing<8>, 0, 2>(four[v], column + first, even, odd);
        if (first + 8 < below) addProducts<Packing<8>, 2, 4>(four[v], column + first, even, odd);
      } else {
        if (v == wanted - 1) Packing<16>::insert(four[v], depth - first, coefficient);
        addProducts<Packing<16>, 0, 4>(four[v], column + first, even, odd);
      }
    });
    return 0.0 - (even + odd);
  }

 private:
  struct alignas(16) TwoDoubles {
    double even;
    double odd;
  };

  /// Adds the products of the coefficients of words kFirst .. kEnd - 1 to sums, without a branch between
  /// them: loads and additions of several words overlap. What is behind the path is zero in the column.
  template <class Pack, int kFirst, int kEnd>
  SLICEPOOL_INLINE static void addProducts(const FourWords& words, const double* column, double& even,
                                           double& odd) {
    forEachConstant<kEnd - kFirst>([&](auto i) {
      constexpr int kWord = kFirst + i;
      const std::uint32_t word = words.word[kWord];
      forEachConstant<Pack::kPerWord / 2>([&](auto pair) {
        const auto& two = reinterpret_cast<const TwoDoubles*>(column)[(kWord * Pack::kPerWord) / 2 + pair];
        even += Pack::template unpack<2 * pair>(word) * two.even;
        odd += Pack::template unpack<2 * pair + 1>(word) * two.odd;
      });
    });
  }
};

}  // namespace slicepool::lattice
