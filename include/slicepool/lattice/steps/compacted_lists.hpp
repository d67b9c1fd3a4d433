// The open nodes of one warp in the compacted tree, where kNodeLevels levels of the enumeration tree make one
// stored level: where they lie in memory, how their paths are packed, and the columns of mu in the order in
// which the search reads them. Which of them are in use is warp_frontier.hpp, the search over them
// compacted_search.hpp.
//
// An entry of stored level s is a node with s * kNodeLevels accepted coefficients, and a recursion over the
// levels below it that has paused. Each member is an array over the places of its level (a structure of
// arrays), so that lanes read side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/lattice/steps/search.hpp"
#include "slicepool/lattice/steps/warp_paths.hpp"

namespace slicepool::lattice {

/// Levels of the tree that make one stored level.
inline constexpr int kNodeLevels = 3;
inline constexpr int kMaximumStoredLevels = (kMaximumDimension + kNodeLevels - 1) / kNodeLevels;

SLICEPOOL_INLINE constexpr int storedLevels(int dimension) {
  return (dimension + kNodeLevels - 1) / kNodeLevels;
}

/// The coefficients of one stored level in a word: three of 10 bits (kBits = 8) or of 20 (kBits = 16).
template <int kBits>
struct PackedNode {
  static_assert(kBits == 8 || kBits == 16);
  static constexpr int kEach = kBits == 8 ? 10 : 20;
  static constexpr int kBias = 1 << (kEach - 1);
  static constexpr int kMaximum = kBias - 1;  ///< greatest absolute value
  using Word = std::conditional_t<kBits == 8, std::uint32_t, std::uint64_t>;

  SLICEPOOL_INLINE static Word pack(const Choice (&choice)[kNodeLevels]) {
    Word word = 0;
    SLICEPOOL_UNROLL
    for (int i = 0; i < kNodeLevels; ++i)
      word |= static_cast<Word>(static_cast<unsigned>(choice[i].coefficient + kBias)) << (kEach * i);
    return word;
  }
  SLICEPOOL_INLINE static int unpack(Word word, int i) {
    return static_cast<int>(static_cast<unsigned>(word >> (kEach * i)) & (2U * kBias - 1U)) - kBias;
  }
};

/// A paused recursion: the choices of the levels below the node, of which `at` (counted from the node) is
/// to be tested next and those above it are accepted; siblings are tried from `top` on.
struct alignas(16) PausedNode {
  Choice choice[kNodeLevels];
  std::int16_t at;
  std::int16_t top;
};
static_assert(sizeof(PausedNode) == 16);

/// The lists of one warp. `order`, `parents`, `count`, `raw` and `nodes` are shared memory on a device.
template <int kBits>
struct CompactedLists {
  using Pack = PackedNode<kBits>;
  using Word = typename Pack::Word;
  static constexpr int kMinimumPlaces = 2 * kWarpSize;  ///< one less, and one for each lane
  static constexpr int kDefaultPlaces = 128;
  static constexpr int kMaximumPlaces = 256;  ///< places are bytes
  /// Whether lists of so many places never overflow.
  static constexpr bool mayHave(int places) {
    return places >= kMinimumPlaces && places <= kMaximumPlaces && places % kWarpSize == 0;
  }
  static_assert(mayHave(kDefaultPlaces));

  std::uint32_t* count;   ///< entries of each stored level
  std::uint32_t* raw;     ///< of these the last ones, whose centres are still to be computed
  std::uint32_t* nodes;   ///< accepted nodes by the number of their coefficients less one
  std::uint8_t* order;    ///< `places` of each stored level
  std::uint8_t* parents;  ///< `places`: of the children that a step makes
  std::byte* memory;      ///< memoryBytes(), 16-byte aligned
  int dimension;
  int places = kDefaultPlaces;  ///< of each list, see mayHave()

  /// All coefficients of a path have the same number of bits.
  SLICEPOOL_INLINE void shape(int d, int) { dimension = d; }
  [[nodiscard]] std::size_t memoryBytes() const {
    const auto levels = static_cast<std::size_t>(storedLevels(dimension));
    return static_cast<std::size_t>(places) * (levels * kScalarBytes + words(levels) * sizeof(Word)) +
           static_cast<std::size_t>(dimension) * sizeof(double);
  }
  /// Of the shared part.
  [[nodiscard]] SLICEPOOL_HD std::size_t sharedBytes() const {
    const auto levels = static_cast<std::size_t>(storedLevels(dimension));
    return sizeof(std::uint32_t) * (2 * levels + static_cast<std::size_t>(dimension)) +
           (levels + 1) * static_cast<std::size_t>(places);
  }
  SLICEPOOL_INLINE void place(std::byte* shared) {
    const int levels = storedLevels(dimension);
    count = reinterpret_cast<std::uint32_t*>(shared);
    raw = count + levels;
    nodes = raw + levels;
    order = reinterpret_cast<std::uint8_t*>(nodes + dimension);
    const int entries = levels * places;
    parents = order + entries;
  }

  /// Squared norms of the nodes.
  SLICEPOOL_INLINE double* norms(int level) const { return reinterpret_cast<double*>(scalars(level)); }
  /// Centre at the i-th level below a node, of the node's path alone.
  SLICEPOOL_INLINE double* centres(int level, int i) const { return norms(level) + (1 + i) * places; }
  SLICEPOOL_INLINE PausedNode* paused(int level) const {
    return reinterpret_cast<PausedNode*>(norms(level) + (1 + kNodeLevels) * places);
  }
  /// The i-th word of the paths.
  SLICEPOOL_INLINE Word* path(int level, int i) const {
    std::byte* const from = memory + static_cast<std::size_t>(storedLevels(dimension)) *
                                         static_cast<std::size_t>(places) * kScalarBytes;
    return reinterpret_cast<Word*>(from) + (level * (level - 1) / 2 + i) * places;
  }
  /// Coefficient i (0: x_{d-1}) of the path of an entry.
  SLICEPOOL_INLINE int coefficient(int level, int entry, int i) const {
    return Pack::unpack(path(level, i / kNodeLevels)[entry], i % kNodeLevels);
  }
  /// Room for one number a level of the tree.
  SLICEPOOL_INLINE double* scratch() const {
    return reinterpret_cast<double*>(path(storedLevels(dimension), 0));
  }

 private:
  static constexpr std::size_t kScalarBytes = (1 + kNodeLevels) * sizeof(double) + sizeof(PausedNode);
  static constexpr std::size_t words(std::size_t levels) { return levels * (levels - 1) / 2; }
  SLICEPOOL_INLINE std::byte* scalars(int level) const {
    return memory + static_cast<std::size_t>(level) * static_cast<std::size_t>(places) * kScalarBytes;
  }
};

/// mu as the search reads it, for each stored level s one after the other: for every coefficient j of a path
/// the mu of it and the levels below the node, then those of the levels below among themselves (i < j, in
/// the order of j, then of i). Zero beyond level 0.
struct CompactedTable {
  static constexpr int kAmong = kNodeLevels * (kNodeLevels - 1) / 2;

  SLICEPOOL_INLINE static int begin(int level) {
    return kNodeLevels * kNodeLevels * (level * (level - 1) / 2) + kAmong * level;
  }
  SLICEPOOL_INLINE static int among(int level) { return begin(level) + kNodeLevels * kNodeLevels * level; }
  SLICEPOOL_HD static std::size_t size(int dimension) {
    return static_cast<std::size_t>(begin(storedLevels(dimension)));
  }
  /// Fills the part of one stored level, `step` elements apart from `first` on.
  SLICEPOOL_HD static void fill(const SearchView& view, int level, int first, int step, double* table) {
    const int path = kNodeLevels * level;
    double* const from = table + begin(level);
    for (int at = first; at < kNodeLevels * path; at += step)
      from[at] = mu(view, at / kNodeLevels, path + at % kNodeLevels);
    if (first != 0) return;
    double* to = table + among(level);
    for (int j = 1; j < kNodeLevels; ++j)
      for (int i = 0; i < j; ++i) *to++ = mu(view, path + i, path + j);
  }

 private:
  /// By numbers of levels from d-1 downwards.
  SLICEPOOL_INLINE static double mu(const SearchView& view, int above, int below) {
    const int last = view.dimension - 1;
    return below > last ? 0 : view.columns[(last - below) * view.stride + last - above];
  }
};

}  // namespace slicepool::lattice
