// A synthetic search that only its surroundings can end, by the shared word.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/problem.hpp"
#include "slicepool/core/sink.hpp"
#include "slicepool/core/turn.hpp"
#include "slicepool/core/words.hpp"

namespace slicepool::test {

/// Counts up until the shared word is 0, which only its surroundings can make it: then it is exhausted.
struct UntilLowered {
  struct View {
    std::uint64_t unused;
  };
  struct Slice {
    std::uint64_t steps;
  };
  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View&, Slice& slice, Budget& budget, Emit& emit) {
    for (; budget.left != 0; --budget.left) {
      if (emit.shared() == 0) return Turn::exhausted;
      ++slice.steps;
    }
    return Turn::budgetSpent;
  }
  SLICEPOOL_HD static bool split(const View&, Slice&, Slice&) { return false; }
};

/// Its emitter shows the shared word to the search, as those of lattices do.
struct WatchShared {
  struct View {};
  static constexpr std::size_t kResultBytes = 0;
  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View&, const SinkMemory& memory) : word(memory.shared) {}
    [[nodiscard]] SLICEPOOL_INLINE std::uint64_t shared() const { return *word; }
    SLICEPOOL_INLINE bool operator()(std::uint64_t) { return true; }
    SLICEPOOL_INLINE void flush() {}
    std::uint64_t* word;
  };
  [[nodiscard]] static WordLayout layout() { return {{{Merge::add, 1, 0}}}; }
};

}  // namespace slicepool::test
