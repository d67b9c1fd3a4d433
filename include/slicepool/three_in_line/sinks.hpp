// The sinks of the no-three-in-line search: a tally of everything that is counted, and the same with the
// solutions themselves. Emitters run on CPU and GPU; they keep totals in registers and move them into the
// words at the end of a turn.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/platform.hpp"
#include "slicepool/core/sink.hpp"
#include "slicepool/three_in_line/types.hpp"

namespace slicepool::three_in_line {

/// Indices into the reduction words of both sinks.
inline constexpr std::size_t kCountWord = 0;    ///< solutions up to symmetry
inline constexpr std::size_t kNodesWord = 1;    ///< boards visited
inline constexpr std::size_t kClassesWord = 2;  ///< solutions of each SymmetryClass: 8 words
inline constexpr std::size_t kFingerprintWord = kClassesWord + kSymmetryClasses;  ///< sum, then exclusive-or

/// Mix of one solution: the member of the multiset whose sum and exclusive-or are the fingerprint.
SLICEPOOL_HD inline std::uint64_t solutionHash(const Configuration& points) {
  std::uint64_t linear = kRowHashOffset;
  SLICEPOOL_NO_UNROLL
  for (int y = 0; y < kMaximumSize; ++y)
    linear += coordinateMultiplier(static_cast<unsigned>(y)) * points.rows[y];
  return mix64(linear);
}

/// Counts solutions, by class as well, and nodes; keeps the fingerprint of the set of solutions.
struct Tally {
  struct View {};
  static constexpr std::size_t kResultBytes = 0;

  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View&, const SinkMemory& memory) : words(memory.words) {}
    /// Takes a solution. Solutions are rare: straight into the words.
    SLICEPOOL_HD bool operator()(const Solution& solution) {
      mergeWord<Merge::add>(words + kCountWord, 1);
      mergeWord<Merge::add>(words + kClassesWord + static_cast<std::size_t>(solution.symmetry), 1);
      const std::uint64_t hash = solutionHash(solution.points);
      mergeWord<Merge::add>(words + kFingerprintWord, hash);
      mergeWord<Merge::exclusiveOr>(words + kFingerprintWord + 1, hash);
      return true;
    }
    /// A board was visited. Called once for a board, however often a solution on it was refused.
    SLICEPOOL_INLINE void visited() { ++nodes; }
    SLICEPOOL_INLINE void flush() {
      if (nodes != 0) mergeWord<Merge::add>(words + kNodesWord, nodes);
      nodes = 0;
    }
    std::uint64_t* words;
    std::uint64_t nodes = 0;
  };

  [[nodiscard]] static WordLayout layout() {
    return {{{Merge::add, kFingerprintWord + 1, 0}, {Merge::exclusiveOr, 1, 0}}};
  }
};

/// Tally, and the solutions as Configurations in no particular order.
struct CollectSolutions {
  struct View {};
  static constexpr std::size_t kResultBytes = sizeof(Configuration);

  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View&, const SinkMemory& sinkMemory)
        : memory(sinkMemory), tally(Tally::View{}, sinkMemory) {}
    SLICEPOOL_HD bool operator()(const Solution& solution) {
      const std::uint32_t index = reserveResult(memory);
      if (index == memory.resultCapacity) return false;
      reinterpret_cast<Configuration*>(memory.results)[index] = solution.points;
      return tally(solution);
    }
    SLICEPOOL_INLINE void visited() { tally.visited(); }
    SLICEPOOL_INLINE void flush() { tally.flush(); }
    SinkMemory memory;
    Tally::Emitter tally;
  };

  [[nodiscard]] static WordLayout layout() { return Tally::layout(); }
};

}  // namespace slicepool::three_in_line
