// The open nodes of one warp, by depth: where they lie in memory and how their coefficients are packed. The
// search over them is warp_search.hpp.
//
// An entry at depth q is a path of q accepted choices, x_{d-1} .. x_{d-q}, the centre and the squared norm
// that follow from it, and the next choice at level d-1-q. Entries of one depth lie side by side (a list of
// structures would scatter what 32 lanes read at once over 32 lines). A list is an order of its places: those
// in use come first, so that a pop and a push move bytes of that order and never an entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "slicepool/core/platform.hpp"
#include "slicepool/lattice/steps/search.hpp"

namespace slicepool::lattice {

/// Places of one list. A list is worked on as soon as it holds 32 entries, and gets at most 32 at a time.
inline constexpr int kPlaces = 64;

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
  static constexpr int kMost = kBias - 1;  ///< greatest absolute value
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

/// An integer of fewer than 31 bits as a double, without the conversion unit.
SLICEPOOL_INLINE double exactDouble(int value) {
#if SLICEPOOL_ON_DEVICE
  return __hiloint2double(0x43300000, static_cast<int>(static_cast<unsigned>(value) ^ 0x80000000U)) -
         4503601774854144.0;  // 2^52 + 2^31
#else
  return value;
#endif
}

/// The choice nearest to a centre, by one addition.
SLICEPOOL_INLINE Choice nearestChoice(double centre) {
#if SLICEPOOL_ON_DEVICE
  constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52
  const double shifted = centre + kShift;
  return {static_cast<std::int16_t>(__double2loint(shifted)),
          static_cast<std::int16_t>(centre < shifted - kShift ? -1 : 1)};
#else
  return Choice::first(centre);
#endif
}

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

/// A set of depths, the same in all lanes.
template <int kCapacity>
struct DepthSet {
  static constexpr int kWords = (kCapacity + 63) / 64;
  std::uint64_t word[kWords];

  SLICEPOOL_INLINE void clear() {
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) word[w] = 0;
  }
  SLICEPOOL_INLINE void put(int depth, bool in) {
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) {
      const std::uint64_t bit = depth / 64 == w ? std::uint64_t{1} << (depth % 64) : 0;
      word[w] = in ? word[w] | bit : word[w] & ~bit;
    }
  }
  /// -1 when empty.
  SLICEPOOL_INLINE int deepest() const {
    int found = -1;
    SLICEPOOL_UNROLL
    for (int w = 0; w < kWords; ++w) {
#if SLICEPOOL_ON_DEVICE
      if (word[w] != 0) found = 64 * w + 63 - __clzll(static_cast<long long>(word[w]));
#else
      if (word[w] != 0) found = 64 * w + 63 - __builtin_clzll(word[w]);
#endif
    }
    return found;
  }
  SLICEPOOL_INLINE int shallowest() const {
    int found = -1;
    SLICEPOOL_UNROLL
    for (int w = kWords - 1; w >= 0; --w) {
#if SLICEPOOL_ON_DEVICE
      if (word[w] != 0) found = 64 * w + __ffsll(static_cast<long long>(word[w])) - 1;
#else
      if (word[w] != 0) found = 64 * w + __builtin_ctzll(word[w]);
#endif
    }
    return found;
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
