// The sink of nearest factorizations: the best column of each query. Emitters run on CPU and GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/sink.hpp"
#include "slicepool/invariants/steps/nearest.hpp"

namespace slicepool::invariants {

/// Word 0: results. Word 1 + q: of query q, the least distance * 2^32 + column.
struct LeastDistances {
  struct View {};
  static constexpr std::size_t kResultBytes = 0;
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View&, const SinkMemory& memory) : words(memory.words) {}
    SLICEPOOL_INLINE bool operator()(const NearestResult& result) {
      mergeWord<Merge::minimum>(
          words + 1 + result.query,
          (static_cast<std::uint64_t>(result.nearest.distance) << 32) | result.nearest.column);
      ++count;
      return true;
    }
    SLICEPOOL_INLINE void flush() {
      if (count != 0) mergeWord<Merge::add>(words, count);
      count = 0;
    }
    std::uint64_t* words;
    std::uint64_t count = 0;
  };

  [[nodiscard]] static WordLayout layout(std::size_t queries) {
    return {{{Merge::add, 1, 0}, {Merge::minimum, queries, kNone}}};
  }
  /// Without queries; problems use the one of theirs.
  [[nodiscard]] static WordLayout layout() { return layout(0); }
};

}  // namespace slicepool::invariants
