// The open nodes of one warp, by depth: where they lie in memory and how their coefficients are packed. Which
// of them are in use is warp_frontier.hpp, the search over them warp_search.hpp.
//
// An entry at depth q is a path of q accepted choices, x_{d-1} .. x_{d-q}, the centre and the squared norm
// that follow from it, and the next choice at level d-1-q. Entries of one depth lie side by side (a list of
// structures would scatter what 32 lanes read at once over 32 lines).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/lattice/steps/search.hpp"

namespace slicepool::lattice {

/// Places of one list. A list is worked on as soon as it holds an entry for each lane, and gets at most as
/// many at a time.
inline constexpr int kPlaces = 2 * kWarpSize;

struct alignas(16) FourWords {
  std::uint32_t word[4];
};

/// Coefficients of kBits bits (8 or 16), packed with a bias so that they turn into doubles without the
/// conversion unit, which has a sixteenth of the throughput of additions. Bits beyond the path are zeros,
/// biased.
template <int kBits>
struct Packing {
  static_assert(kBits == 8 || kBits == 16);
  static constexpr int kPerWord = 32 / kBits;
  static constexpr int kPerFour = 4 * kPerWord;
  static constexpr int kBias = 1 << (kBits - 1);
  static constexpr std::uint32_t kZeros = kBits == 8 ? 0x80808080U : 0x80008000U;
  static constexpr int kMaximum = kBias - 1;  ///< greatest absolute value
  using Stored = std::conditional_t<kBits == 8, std::uint8_t, std::uint16_t>;

  /// FourWords that hold `count` coefficients.
  SLICEPOOL_INLINE static int foursOf(int count) { return (count + kPerFour - 1) / kPerFour; }
  /// sum of foursOf(i) over i < count.
  SLICEPOOL_INLINE static int foursBelow(int count) {
    if (count <= 1) return 0;
    const int whole = (count - 1) / kPerFour;
    const int rest = (count - 1) % kPerFour;
    return kPerFour / 2 * whole * (whole + 1) + rest * (whole + 1);
  }
  /// Coefficient i of a word.
  template <int i>
  SLICEPOOL_INLINE static double unpack(std::uint32_t word) {
#if SLICEPOOL_ON_DEVICE
    // 2^52 + a small integer, by its bits.
    constexpr unsigned kPick = kBits == 8 ? 0x4440U + i : (i == 0 ? 0x4410U : 0x4432U);
    return __hiloint2double(0x43300000, static_cast<int>(__byte_perm(word, 0, kPick))) -
           (4503599627370496.0 + kBias);
#else
    return static_cast<int>(word >> (kBits * i) & ((1U << kBits) - 1U)) - kBias;
#endif
  }
  SLICEPOOL_INLINE static Stored store(int coefficient) { return static_cast<Stored>(coefficient + kBias); }
  SLICEPOOL_INLINE static int load(Stored stored) { return static_cast<int>(stored) - kBias; }
  /// Writes coefficient `at` of its FourWords.
  SLICEPOOL_INLINE static void insert(FourWords& four, int at, int coefficient) {
    const int shift = kBits * (at % kPerWord);
    const std::uint32_t mask = ((1U << kBits) - 1U) << shift;
    const std::uint32_t value = static_cast<std::uint32_t>(coefficient + kBias) << shift;
    // Every word is written, not the one by a number: a device keeps what is indexed by numbers in memory.
    SLICEPOOL_UNROLL
    for (int w = 0; w < 4; ++w) {
      const std::uint32_t own = at / kPerWord == w ? mask : 0;
      four.word[w] = (four.word[w] & ~own) | (value & own);
    }
  }
};

/// How the coefficients of a path lie in its FourWords. kBits = 8: each in 8 bits. kBits = 16: the first
/// `narrow` in 8 bits, the others in 16. Bounds grow with the depth, since the last rows of a reduced basis
/// have the shortest duals, and most nodes are far from the deepest levels.
template <int kBits>
struct PathLayout {
  using Narrow = Packing<8>;
  using Wide = Packing<16>;
  /// `narrow` is a multiple of it.
  static constexpr int kUnit = Narrow::kPerFour;
  int narrow = 0;

  /// FourWords of a path of at most `count` coefficients, whatever `narrow`.
  static constexpr int mostFours(int count) {
    constexpr int kEach = Packing<kBits>::kPerFour;
    return (count + kEach - 1) / kEach;
  }
  SLICEPOOL_INLINE bool isNarrow(int four) const { return kBits == 8 || kUnit * four < narrow; }
  /// Number of the first coefficient of a FourWords.
  SLICEPOOL_INLINE int firstOf(int four) const {
    return isNarrow(four) ? kUnit * four : narrow + Wide::kPerFour * (four - narrow / kUnit);
  }
  /// FourWords that hold `count` coefficients.
  SLICEPOOL_INLINE int foursOf(int count) const {
    if (kBits == 8 || count <= narrow) return Narrow::foursOf(count);
    return narrow / kUnit + Wide::foursOf(count - narrow);
  }
  /// sum of foursOf(i) over i < count.
  SLICEPOOL_INLINE int foursBelow(int count) const {
    if (kBits == 8 || count <= narrow + 1) return Narrow::foursBelow(count);
    return Narrow::foursBelow(narrow + 1) + (count - narrow - 1) * (narrow / kUnit) +
           Wide::foursBelow(count - narrow);
  }
  /// Coefficients for which those FourWords have room.
  SLICEPOOL_INLINE int roomOf(int count) const {
    if (kBits == 8 || count <= narrow) return kUnit * Narrow::foursOf(count);
    return narrow + Wide::kPerFour * Wide::foursOf(count - narrow);
  }
  /// sum of roomOf(i) over i < count.
  SLICEPOOL_INLINE int roomBelow(int count) const {
    if (kBits == 8 || count <= narrow + 1) return kUnit * Narrow::foursBelow(count);
    return kUnit * Narrow::foursBelow(narrow + 1) + (count - narrow - 1) * narrow +
           Wide::kPerFour * Wide::foursBelow(count - narrow);
  }
};

/// The lists of one warp. `order`, `count` and `nodes` are shared memory on a device, the rest is global.
template <int kBits>
struct WarpLists {
  std::uint8_t* order;   ///< kPlaces of each depth
  std::uint32_t* count;  ///< entries of each depth
  std::uint32_t* nodes;  ///< accepted nodes of each depth
  std::byte* memory;     ///< memoryBytes(), 16-byte aligned
  int dimension;
  PathLayout<kBits> layout;
  static constexpr int places = kPlaces;  ///< of each list

  /// For paths whose first `narrow` coefficients fit 8 bits.
  SLICEPOOL_INLINE void shape(int d, int narrow) {
    dimension = d;
    layout.narrow = narrow;
  }
  /// Of `memory`.
  [[nodiscard]] SLICEPOOL_HD std::size_t memoryBytes() const {
    return static_cast<std::size_t>(layout.foursBelow(dimension)) * kPlaces * sizeof(FourWords) +
           static_cast<std::size_t>(dimension) * (kScalarBytes + sizeof(double));
  }
  /// Of `order`, `count` and `nodes` together.
  [[nodiscard]] SLICEPOOL_HD std::size_t sharedBytes() const {
    return static_cast<std::size_t>(dimension) * (kPlaces + 2 * sizeof(std::uint32_t));
  }
  SLICEPOOL_INLINE void place(std::byte* shared) {
    count = reinterpret_cast<std::uint32_t*>(shared);
    nodes = count + dimension;
    order = reinterpret_cast<std::uint8_t*>(nodes + dimension);
  }

  SLICEPOOL_INLINE FourWords* fours(int depth) const {
    return reinterpret_cast<FourWords*>(memory) + layout.foursBelow(depth) * kPlaces;
  }
  SLICEPOOL_INLINE double* norms(int depth) const { return reinterpret_cast<double*>(scalars(depth)); }
  SLICEPOOL_INLINE double* centres(int depth) const { return norms(depth) + kPlaces; }
  SLICEPOOL_INLINE Choice* choices(int depth) const {
    return reinterpret_cast<Choice*>(norms(depth) + 2 * kPlaces);
  }
  /// Room for one number a level.
  SLICEPOOL_INLINE double* scratch() const { return reinterpret_cast<double*>(scalars(dimension)); }
  /// Coefficient `at` (0: x_{d-1}) of an entry's path.
  [[nodiscard]] SLICEPOOL_INLINE int coefficient(int depth, int entry, int at) const {
    return withCoefficient(
        depth, entry, at, [](auto pack, auto& stored) { return pack.load(stored); });
  }
  SLICEPOOL_INLINE void setCoefficient(int depth, int entry, int at, int value) const {
    withCoefficient(
        depth, entry, at,
        [&](auto pack, auto& stored) {
          stored = pack.store(value);
          return 0;
        });
  }

 private:
  static constexpr std::size_t kScalarBytes = kPlaces * (2 * sizeof(double) + sizeof(Choice));
  template <class Visit>
  SLICEPOOL_INLINE int withCoefficient(int depth, int entry, int at, Visit&& visit) const {
    FourWords* const from = fours(depth) + entry;
    if (kBits == 8 || at < layout.narrow) {
      using Pack = Packing<8>;
      auto* const four = from + std::ptrdiff_t{kPlaces} * (at / Pack::kPerFour);
      return visit(Pack{}, reinterpret_cast<Pack::Stored*>(four)[at % Pack::kPerFour]);
    }
    using Pack = Packing<16>;
    const int wide = at - layout.narrow;
    auto* const four =
        from + std::ptrdiff_t{kPlaces} * (layout.narrow / PathLayout<kBits>::kUnit + wide / Pack::kPerFour);
    return visit(Pack{}, reinterpret_cast<Pack::Stored*>(four)[wide % Pack::kPerFour]);
  }
  SLICEPOOL_INLINE std::byte* scalars(int depth) const {
    return memory + static_cast<std::size_t>(layout.foursBelow(dimension)) * kPlaces * sizeof(FourWords) +
           static_cast<std::size_t>(depth) * kScalarBytes;
  }
};

/// The columns of mu as the search reads them: the row of depth q holds mu_{d-1-i, d-1-q} for i < q, then
/// zeros up to whole FourWords of coefficients. Row q starts at element roomBelow(q).
template <class Lists>
SLICEPOOL_HD inline std::size_t packedColumns(const Lists& lists) {
  return static_cast<std::size_t>(lists.layout.roomBelow(lists.dimension));
}

/// Fills the row of one depth, `step` elements apart from `first` on.
template <class Lists>
SLICEPOOL_HD inline void packColumn(const Lists& lists, const SearchView& view, int depth, int first,
                                    int step, double* columns) {
  double* const row = columns + lists.layout.roomBelow(depth);
  const int level = view.dimension - 1 - depth;
  const int room = lists.layout.roomOf(depth);
  for (int i = first; i < room; i += step)
    row[i] = i < depth ? view.columns[level * view.stride + view.dimension - 1 - i] : 0;
}

}  // namespace slicepool::lattice
