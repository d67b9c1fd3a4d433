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

/// Coefficients of kBits bits (4, 5, 8 or 16), packed with a bias so that they turn into doubles without the
/// conversion unit, which has a sixteenth of the throughput of additions. Those beyond the path are zeros,
/// biased.
template <int kBits>
struct Packing {
  static_assert(kBits == 4 || kBits == 5 || kBits == 8 || kBits == 16);
  static constexpr int kPerWord = 32 / kBits;
  static constexpr int kPerFour = 4 * kPerWord;
  static constexpr int kBias = 1 << (kBits - 1);
  static constexpr int kMaximum = kBias - 1;  ///< greatest absolute value
  static constexpr std::uint32_t kMask = (1U << kBits) - 1U;
  static constexpr std::uint32_t kZeros = [] {
    std::uint32_t word = 0;
    for (int i = 0; i < kPerWord; ++i) word |= static_cast<std::uint32_t>(kBias) << (kBits * i);
    return word;
  }();

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
    if constexpr (kBits == 4) {
      // The even ones of a word together, and the odd ones: each is a byte then.
      const std::uint32_t bytes = (i % 2 == 0 ? word : word >> 4U) & 0x0f0f0f0fU;
      return biased(__byte_perm(bytes, 0, 0x4440U + i / 2));
    } else if constexpr (kBits == 5) {
      return biased(word >> (kBits * i) & kMask);
    } else {
      return biased(__byte_perm(word, 0, kBits == 8 ? 0x4440U + i : (i == 0 ? 0x4410U : 0x4432U)));
    }
#else
    return load(word, i);
#endif
  }
  SLICEPOOL_INLINE static int load(std::uint32_t word, int i) {
    return static_cast<int>(word >> (kBits * i) & kMask) - kBias;
  }
  SLICEPOOL_INLINE static std::uint32_t store(int coefficient, int i) {
    return static_cast<std::uint32_t>(coefficient + kBias) << (kBits * i);
  }
  /// Writes coefficient `at` of its FourWords.
  SLICEPOOL_INLINE static void insert(FourWords& four, int at, int coefficient) {
    const std::uint32_t mask = kMask << (kBits * (at % kPerWord));
    const std::uint32_t value = store(coefficient, at % kPerWord);
    // Every word is written, not the one by a number: a device keeps what is indexed by numbers in memory.
    SLICEPOOL_UNROLL
    for (int w = 0; w < 4; ++w) {
      const std::uint32_t own = at / kPerWord == w ? mask : 0;
      four.word[w] = (four.word[w] & ~own) | (value & own);
    }
  }
  /// A word of coefficient(0), coefficient(1), ..
  template <class Coefficient>
  SLICEPOOL_INLINE static std::uint32_t wordOf(Coefficient&& coefficient) {
    std::uint32_t word = 0;
    SLICEPOOL_UNROLL
    for (int i = 0; i < kPerWord; ++i) word |= store(coefficient(i), i);
    return word;
  }

#if SLICEPOOL_ON_DEVICE
 private:
  SLICEPOOL_INLINE static double biased(std::uint32_t lower) {
    return __hiloint2double(0x43300000, static_cast<int>(lower)) - (4503599627370496.0 + kBias);
  }
#endif
};

/// How the coefficients of a path lie in its FourWords: the first `narrow` in kNarrowBits bits, the others in
/// kWideBits, or all in as many bits where the two are the same. Bounds grow with the depth: few of the last
/// coefficients of a pruned path can be large, and the last rows of a reduced basis have the shortest duals.
/// Most nodes are far from the deepest levels.
template <int kNarrowBits, int kWideBits>
struct PathLayout {
  using Narrow = Packing<kNarrowBits>;
  using Wide = Packing<kWideBits>;
  static constexpr bool kMixed = kNarrowBits != kWideBits;
  /// `narrow` is a multiple of it.
  static constexpr int kUnit = Narrow::kPerFour;
  /// Products of a path are made for so many coefficients at a time, which are whole words of both packings.
  static constexpr int kTogether = kNarrowBits == 5 ? 6 : 8;
  static_assert(kTogether % Narrow::kPerWord == 0 && kTogether % Wide::kPerWord == 0);
  int narrow = 0;

  /// FourWords of a path of at most `count` coefficients, whatever `narrow`.
  static constexpr int mostFours(int count) { return (count + Wide::kPerFour - 1) / Wide::kPerFour; }
  SLICEPOOL_INLINE bool isNarrow(int four) const { return !kMixed || kUnit * four < narrow; }
  /// Number of the first coefficient of a FourWords.
  SLICEPOOL_INLINE int firstOf(int four) const {
    return isNarrow(four) ? kUnit * four : narrow + Wide::kPerFour * (four - narrow / kUnit);
  }
  /// FourWords that hold `count` coefficients.
  SLICEPOOL_INLINE int foursOf(int count) const {
    if (!kMixed || count <= narrow) return Narrow::foursOf(count);
    return narrow / kUnit + Wide::foursOf(count - narrow);
  }
  /// sum of foursOf(i) over i < count.
  SLICEPOOL_INLINE int foursBelow(int count) const {
    if (!kMixed || count <= narrow + 1) return Narrow::foursBelow(count);
    return Narrow::foursBelow(narrow + 1) + (count - narrow - 1) * (narrow / kUnit) +
           Wide::foursBelow(count - narrow);
  }
  /// Of numbers that are multiplied with as many coefficients, in one row.
  SLICEPOOL_INLINE static int roomOf(int count) { return (count + kTogether - 1) / kTogether * kTogether; }
  /// sum of roomOf(i) over i < count.
  SLICEPOOL_INLINE static int roomBelow(int count) {
    if (count <= 1) return 0;
    const int whole = (count - 1) / kTogether;
    const int rest = (count - 1) % kTogether;
    return kTogether * (kTogether / 2 * whole * (whole + 1) + rest * (whole + 1));
  }
  /// Coefficient `at` of a path whose words lie side by side.
  SLICEPOOL_INLINE int coefficient(const std::uint32_t* words, int at) const {
    if (!kMixed || at < narrow) return Narrow::load(words[at / Narrow::kPerWord], at % Narrow::kPerWord);
    const int wide = at - narrow;
    return Wide::load(words[narrow / Narrow::kPerWord + wide / Wide::kPerWord], wide % Wide::kPerWord);
  }
  /// Word `w` of FourWords `four` of a path of coefficient(0), coefficient(1), ..
  template <class Coefficient>
  SLICEPOOL_INLINE std::uint32_t wordOf(int four, int w, Coefficient&& coefficient) const {
    const int first = firstOf(four);
    if (isNarrow(four))
      return Narrow::wordOf([&](int i) { return coefficient(first + Narrow::kPerWord * w + i); });
    return Wide::wordOf([&](int i) { return coefficient(first + Wide::kPerWord * w + i); });
  }
};

/// Every coefficient in 8 bits.
using BytePaths = PathLayout<8, 8>;
/// Of coefficients up to hundreds or thousands.
using LongPaths = PathLayout<8, 16>;
/// Of up to 64 levels in a basis whose dual is size-reduced (runtime/lattice/short_dual.hpp).
using ShortestPaths = PathLayout<4, 4>;
/// Of more levels in such a basis, whose last coefficients can be above 7.
using ShortPaths = PathLayout<5, 5>;

/// The lists of one warp. `order`, `count` and `nodes` are shared memory on a device, the rest is global.
template <class LayoutType>
struct WarpLists {
  using Layout = LayoutType;
  std::uint8_t* order;   ///< kPlaces of each depth
  std::uint32_t* count;  ///< entries of each depth
  std::uint32_t* nodes;  ///< accepted nodes of each depth
  std::byte* memory;     ///< memoryBytes(), 16-byte aligned
  int dimension;
  Layout layout;
  static constexpr int places = kPlaces;  ///< of each list

  /// For paths whose first `narrow` coefficients fit the narrow packing.
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
    FourWords* const from = fours(depth) + entry;
    if (!Layout::kMixed || at < layout.narrow) return load<typename Layout::Narrow>(from, at);
    return load<typename Layout::Wide>(from + std::ptrdiff_t{kPlaces} * (layout.narrow / Layout::kUnit),
                                       at - layout.narrow);
  }
  /// Writes word `w` of FourWords `four` of an entry's path.
  SLICEPOOL_INLINE void setWord(int depth, int entry, int four, int w, std::uint32_t word) const {
    fours(depth)[std::ptrdiff_t{kPlaces} * four + entry].word[w] = word;
  }

 private:
  static constexpr std::size_t kScalarBytes = kPlaces * (2 * sizeof(double) + sizeof(Choice));
  template <class Pack>
  SLICEPOOL_INLINE static int load(const FourWords* from, int at) {
    const FourWords& four = from[std::ptrdiff_t{kPlaces} * (at / Pack::kPerFour)];
    return Pack::load(four.word[at % Pack::kPerFour / Pack::kPerWord], at % Pack::kPerWord);
  }
  SLICEPOOL_INLINE std::byte* scalars(int depth) const {
    return memory + static_cast<std::size_t>(layout.foursBelow(dimension)) * kPlaces * sizeof(FourWords) +
           static_cast<std::size_t>(depth) * kScalarBytes;
  }
};

/// The columns of mu as the search reads them: the row of depth q holds mu_{d-1-i, d-1-q} for i < q, then
/// zeros up to a multiple of kTogether. Row q starts at element roomBelow(q).
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
