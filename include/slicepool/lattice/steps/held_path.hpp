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

/// Paths of up to kFours FourWords, packed as LayoutType says.
template <int kFours, class LayoutType>
struct HeldPath {
  using Layout = LayoutType;
  using Narrow = typename Layout::Narrow;
  using Wide = typename Layout::Wide;
  FourWords four[kFours];

  /// Reads the FourWords of a path of `length` coefficients, `step` apart; those behind them become zeros.
  /// Called before anything is computed from the node: what follows need not wait again.
  SLICEPOOL_INLINE void read(const Layout& layout, int length, const FourWords* from, std::ptrdiff_t step) {
    const int there = layout.foursOf(length);
    forEachConstant<kFours>([&](auto v) {
      four[v] = zeros(layout, v);
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
    const double* const column = columns + Layout::roomBelow(below);
    const int last = layout.foursOf(below) - 1;
    double even = 0;
    double odd = 0;
    forEachConstant<kFours>([&](auto v) {
      if (v > last) return;
      if (v == last) insertInto(v, layout, depth, coefficient);
      addFour(v, layout, below, column, even, odd);
    });
    return 0.0 - (even + odd);
  }

 private:
  struct alignas(16) TwoDoubles {
    double even;
    double odd;
  };

  SLICEPOOL_INLINE static FourWords zeros(const Layout& layout, int v) {
    const std::uint32_t word = layout.isNarrow(v) ? Narrow::kZeros : Wide::kZeros;
    return FourWords{{word, word, word, word}};
  }

  template <int v>
  SLICEPOOL_INLINE void insertInto(std::integral_constant<int, v>, const Layout& layout, int at,
                                   int coefficient) {
    const int own = at - layout.firstOf(v);
    if (layout.isNarrow(v))
      Narrow::insert(four[v], own, coefficient);
    else
      Wide::insert(four[v], own, coefficient);
  }

  /// Of the coefficients of FourWords v among the first `count`.
  template <int v>
  SLICEPOOL_INLINE void addFour(std::integral_constant<int, v>, const Layout& layout, int count,
                                const double* row, double& even, double& odd) const {
    const int first = layout.firstOf(v);
    if (layout.isNarrow(v))
      addParts<Narrow>(four[v], row + first, count - first, even, odd);
    else
      addParts<Wide>(four[v], row + first, count - first, even, odd);
  }

  /// Of the first `count` coefficients of FourWords; what is behind them is zero in the row. Without a branch
  /// among Layout::kTogether of them: loads and additions overlap.
  template <class Pack>
  SLICEPOOL_INLINE static void addParts(const FourWords& words, const double* row, int count, double& even,
                                        double& odd) {
    constexpr int kWords = Layout::kTogether / Pack::kPerWord;
    forEachConstant<4 / kWords>([&](auto part) {
      if (part != 0 && part * Layout::kTogether >= count) return;
      forEachConstant<kWords>([&](auto i) {
        constexpr int kWord = kWords * part + i;
        const std::uint32_t word = words.word[kWord];
        forEachConstant<Pack::kPerWord / 2>([&](auto pair) {
          const auto& two = reinterpret_cast<const TwoDoubles*>(row)[(kWord * Pack::kPerWord) / 2 + pair];
          even += Pack::template unpack<2 * pair>(word) * two.even;
          odd += Pack::template unpack<2 * pair + 1>(word) * two.odd;
        });
      });
    });
  }
};

}  // namespace slicepool::lattice
