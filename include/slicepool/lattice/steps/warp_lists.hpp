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
    SLICEPOOL_UNROLL
    for (int w = 0; w < 4; ++w)
      if (at / kPerWord == w) four.word[w] = (four.word[w] & ~mask) | value;
  }
};

/// Choice::step of an entry without siblings.
inline constexpr std::int16_t kNoSiblings = -32768;

/// The lists of one warp. `order`, `count` and `nodes` are shared memory on a device, the rest is global.
template <int kBits>
struct WarpLists {
  using Pack = Packing<kBits>;
  std::uint8_t* order;   ///< kPlaces of each depth
  std::uint32_t* count;  ///< entries of each depth
  std::uint32_t* nodes;  ///< accepted nodes of each depth
  std::byte* memory;     ///< memoryBytes(), 16-byte aligned
  int dimension;
  static constexpr int places = kPlaces;  ///< of each list

  /// Of `memory`.
  [[nodiscard]] std::size_t memoryBytes() const {
    return static_cast<std::size_t>(Pack::foursBelow(dimension)) * kPlaces * sizeof(FourWords) +
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
    return reinterpret_cast<FourWords*>(memory) + Pack::foursBelow(depth) * kPlaces;
  }
  SLICEPOOL_INLINE double* norms(int depth) const { return reinterpret_cast<double*>(scalars(depth)); }
  SLICEPOOL_INLINE double* centres(int depth) const { return norms(depth) + kPlaces; }
  SLICEPOOL_INLINE Choice* choices(int depth) const {
    return reinterpret_cast<Choice*>(norms(depth) + 2 * kPlaces);
  }
  /// Room for one number a level.
  SLICEPOOL_INLINE double* scratch() const { return reinterpret_cast<double*>(scalars(dimension)); }
  /// Coefficient `at` (0: x_{d-1}) of an entry's path.
  SLICEPOOL_INLINE typename Pack::Stored& coefficient(int depth, int entry, int at) const {
    auto* const four = fours(depth) + at / Pack::kPerFour * kPlaces + entry;
    return reinterpret_cast<typename Pack::Stored*>(four)[at % Pack::kPerFour];
  }

 private:
  static constexpr std::size_t kScalarBytes = kPlaces * (2 * sizeof(double) + sizeof(Choice));
  SLICEPOOL_INLINE std::byte* scalars(int depth) const {
    return memory + static_cast<std::size_t>(Pack::foursBelow(dimension)) * kPlaces * sizeof(FourWords) +
           static_cast<std::size_t>(depth) * kScalarBytes;
  }
};

/// The columns of mu as the search reads them: the row of depth q holds mu_{d-1-i, d-1-q} for i < q, then
/// zeros up to whole FourWords of coefficients. Row q starts at element kPerFour * foursBelow(q).
template <int kBits>
SLICEPOOL_HD inline std::size_t packedColumns(int dimension) {
  return static_cast<std::size_t>(Packing<kBits>::kPerFour) *
         static_cast<std::size_t>(Packing<kBits>::foursBelow(dimension));
}

/// Fills the row of one depth, `step` elements apart from `first` on.
template <int kBits>
SLICEPOOL_HD inline void packColumn(const SearchView& view, int depth, int first, int step, double* columns) {
  using Pack = Packing<kBits>;
  double* const row = columns + Pack::kPerFour * Pack::foursBelow(depth);
  const int level = view.dimension - 1 - depth;
  for (int i = first; i < Pack::kPerFour * Pack::foursOf(depth); i += step)
    row[i] = i < depth ? view.columns[level * view.stride + view.dimension - 1 - i] : 0;
}

}  // namespace slicepool::lattice
