// The sink of the tree of numerical semigroups by multiplicity: how many there are of each genus. Emitters
// run on CPU and GPU. They keep what a turn finds and move it into the words at its end. Sinks for other
// numbers are in selection_sinks.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/sink.hpp"
#include "slicepool/numerical_semigroups/types.hpp"

namespace slicepool::numerical_semigroups {

/// What a turn found in one class, by the distance of the genus to the bound.
struct LevelCounts {
  static constexpr int kLast = 3;  ///< levels that nearly all semigroups are in: in registers
  std::uint64_t last[kLast] = {};  ///< genus bound - 0, 1, 2
  std::uint64_t inner[kMaximumGenus + 1 - kLast] = {};  ///< bound - 3, ..
};

/// Counts by multiplicity and genus. Word 0 is the number of semigroups of the bound.
struct Tally {
  struct View {
    int genus;  ///< the bound
  };
  static constexpr std::size_t kResultBytes = 0;

  /// The word of the semigroups of this multiplicity, 1 .. bound + 1, and genus.
  SLICEPOOL_INLINE static std::size_t wordOf(int bound, int multiplicity, int genus) {
    return 1 + static_cast<std::size_t>(multiplicity - 1) * static_cast<std::size_t>(bound + 1) +
           static_cast<std::size_t>(genus);
  }

  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View& view, const SinkMemory& memory)
        : words(memory.words), bound(view.genus) {}
    /// What is added from here on has this multiplicity.
    SLICEPOOL_INLINE void inClass(int newMultiplicity) {
      if (newMultiplicity == multiplicity) return;
      flush();
      multiplicity = newMultiplicity;
    }
    SLICEPOOL_INLINE void add(int levels, std::uint64_t number) {
      // The last levels by name, so that they are registers.
      if (levels == 0)
        counts.last[0] += number;
      else if (levels == 1)
        counts.last[1] += number;
      else if (levels == 2)
        counts.last[2] += number;
      else {
        counts.inner[levels - LevelCounts::kLast] += number;
        furthest = levels > furthest ? levels : furthest;
      }
    }
    SLICEPOOL_INLINE void flush() {
      flushTo([&](int genus) { return wordOf(bound, multiplicity, genus); });
    }
    /// `wordAt(genus)`: the word of what was added.
    template <class WordAt>
    SLICEPOOL_INLINE void flushTo(const WordAt& wordAt) {
      for (int levels = 0; levels <= furthest; ++levels) {
        std::uint64_t& number =
            levels < LevelCounts::kLast ? counts.last[levels] : counts.inner[levels - LevelCounts::kLast];
        if (number == 0) continue;
        if (levels == 0) mergeWord<Merge::add>(words, number);
        mergeWord<Merge::add>(words + wordAt(bound - levels), number);
        number = 0;
      }
      furthest = LevelCounts::kLast - 1;
    }
    std::uint64_t* words;
    int bound;
    int multiplicity = 1;
    int furthest = LevelCounts::kLast - 1;  ///< levels that something was added to are at most this
    LevelCounts counts{};
  };

  [[nodiscard]] static WordLayout layout(int bound) {
    return {{{Merge::add, wordOf(bound, bound + 1, bound) + 1, 0}}};
  }
  /// That of the largest bound; problems use the one of theirs.
  [[nodiscard]] static WordLayout layout() { return layout(kMaximumGenus); }
};

}  // namespace slicepool::numerical_semigroups
