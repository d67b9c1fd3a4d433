// The sinks of the lattice enumeration: a tally of everything that is counted, and the same with the vectors
// themselves. Emitters run on CPU and GPU.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/platform.hpp"
#include "slicepool/core/sink.hpp"
#include "slicepool/lattice/types.hpp"

namespace slicepool::lattice {

/// Indices into the reduction words of both sinks, which depend on the dimension d.
inline constexpr std::size_t kCountWord = 0;  ///< vectors up to sign
inline constexpr std::size_t kNodesWord = 1;  ///< accepted nodes of level 0, 1, .., d-1: d words
SLICEPOOL_INLINE constexpr std::size_t minimumWord(
    int dimension) {  ///< least squared norm, bits of the double
  return kNodesWord + static_cast<std::size_t>(dimension);
}
SLICEPOOL_INLINE constexpr std::size_t fingerprintWord(int dimension) {  ///< sum, then exclusive-or
  return minimumWord(dimension) + 1;
}

/// Doubles that are not negative are ordered as their bits are.
SLICEPOOL_INLINE std::uint64_t bitsOf(double value) {
#if SLICEPOOL_ON_DEVICE
  return static_cast<std::uint64_t>(__double_as_longlong(value));
#else
  return std::bit_cast<std::uint64_t>(value);
#endif
}
SLICEPOOL_INLINE double valueOf(std::uint64_t bits) {
#if SLICEPOOL_ON_DEVICE
  return __longlong_as_double(static_cast<long long>(bits));
#else
  return std::bit_cast<double>(bits);
#endif
}

/// Mix of one vector: the member of the multiset whose sum and exclusive-or are the fingerprint.
/// `coefficients`: d of them, the last that is not zero is positive.
SLICEPOOL_HD inline std::uint64_t vectorHash(const std::int16_t* coefficients, int dimension) {
  std::uint64_t linear = kRowHashOffset;
  SLICEPOOL_NO_UNROLL
  for (int i = 0; i < dimension; ++i) {
    linear += coordinateMultiplier(static_cast<unsigned>(i)) *
              static_cast<std::uint64_t>(static_cast<std::int64_t>(coefficients[i]));
  }
  return mix64(linear);
}

/// Parameters of both sinks.
struct SinkView {
  int dimension;
  bool shrinking;     ///< a vector that was taken lowers the shared word to the bits of its squared norm ..
  double findFactor;  ///< .. times this, at least 1
};

/// Counts vectors and nodes of each level; keeps the least norm and the fingerprint of the set of vectors.
template <int kCapacity>
struct Tally {
  using View = SinkView;
  static constexpr std::size_t kResultBytes = 0;

  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View& sink, const SinkMemory& memory)
        : view(sink), words(memory.words), sharedWord(memory.shared) {}
    /// Takes a vector.
    SLICEPOOL_HD bool operator()(const ShortVector<kCapacity>& found) {
      const std::uint64_t bits = bitsOf(found.squaredNorm);
      const std::uint64_t hash = vectorHash(found.coefficients, view.dimension);
      mergeWord<Merge::add>(words + kCountWord, 1);
      mergeWord<Merge::minimum>(words + minimumWord(view.dimension), bits);
      mergeWord<Merge::add>(words + fingerprintWord(view.dimension), hash);
      mergeWord<Merge::exclusiveOr>(words + fingerprintWord(view.dimension) + 1, hash);
      if (view.shrinking && sharedWord != nullptr)
        mergeWord<Merge::minimum>(sharedWord, bitsOf(found.squaredNorm * view.findFactor));
      return true;
    }
    /// `nodes` nodes of this level were accepted. Called once for a node, however often a vector was refused.
    SLICEPOOL_INLINE void visited(int level, std::uint64_t nodes = 1) {
      mergeWord<Merge::add>(words + kNodesWord + level, nodes);
    }
    /// The word that holds the radius of a shrinking search, or null.
    [[nodiscard]] SLICEPOOL_INLINE const std::uint64_t* shared() const { return sharedWord; }
    SLICEPOOL_INLINE void flush() {}
    View view;
    std::uint64_t* words;
    std::uint64_t* sharedWord;
  };

  [[nodiscard]] static WordLayout layout(int dimension) {
    return {{{Merge::add, minimumWord(dimension), 0},
             {Merge::minimum, 1, std::numeric_limits<std::uint64_t>::max()},
             {Merge::add, 1, 0},
             {Merge::exclusiveOr, 1, 0}}};
  }
};

/// Tally, and the vectors themselves in no particular order.
template <int kCapacity>
struct CollectVectors {
  using View = SinkView;
  static constexpr std::size_t kResultBytes = sizeof(ShortVector<kCapacity>);

  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View& sink, const SinkMemory& sinkMemory)
        : memory(sinkMemory), tally(sink, sinkMemory) {}
    SLICEPOOL_HD bool operator()(const ShortVector<kCapacity>& found) {
      const std::uint32_t index = reserveResult(memory);
      if (index == memory.resultCapacity) return false;
      reinterpret_cast<ShortVector<kCapacity>*>(memory.results)[index] = found;
      return tally(found);
    }
    SLICEPOOL_INLINE void visited(int level, std::uint64_t nodes = 1) { tally.visited(level, nodes); }
    [[nodiscard]] SLICEPOOL_INLINE const std::uint64_t* shared() const { return tally.shared(); }
    SLICEPOOL_INLINE void flush() { tally.flush(); }
    SinkMemory memory;
    typename Tally<kCapacity>::Emitter tally;
  };

  [[nodiscard]] static WordLayout layout(int dimension) { return Tally<kCapacity>::layout(dimension); }
};

}  // namespace slicepool::lattice
