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

/// Emitter of a sink S that counts by genus and by what a class is known by. `S::Place`, made from S::View,
/// says in which word the semigroups of a class and level are counted, and which classes share theirs.
template <class S>
struct LevelEmitter {
  SLICEPOOL_INLINE LevelEmitter(const typename S::View& view, const SinkMemory& memory)
      : words(memory.words), place(view) {}
  /// What is added from here on is of this class.
  SLICEPOOL_INLINE void inClass(const Class& newClass) {
    if (S::Place::isSame(newClass, in)) return;
    flush();
    in = newClass;
  }
  /// Semigroups whose genus is `levels` below the bound.
  SLICEPOOL_INLINE void add(int levels, std::uint64_t number) {
    // The last levels by name, so that they are registers.
    if (levels == 2)
      last2 += number;
    else if (levels == 1)
      last1 += number;
    else if (levels == 0)
      last0 += number;
    else
      merge(levels, number);
  }
  /// One more, `levels` being kLast or more. At most kVisits of them between two calls of settle().
  SLICEPOOL_INLINE void visited(int levels) {
    if (levels < kLast + kRecent)
      recent += std::uint64_t{1} << (8 * (levels - kLast));
    else
      merge(levels, 1);
  }
  SLICEPOOL_INLINE void settle() {
    std::uint32_t any = 0;
    SLICEPOOL_UNROLL
    for (int i = 0; i < kRecent; ++i) {
      middle[i] += static_cast<std::uint32_t>(recent >> (8 * i) & kVisits);
      any |= middle[i];
    }
    recent = 0;
    if (any >> 31U != 0) flush();
  }
  SLICEPOOL_INLINE void flush() {
    if (last0 != 0) mergeWord<Merge::add>(words, last0);
    merge(0, last0);
    merge(1, last1);
    merge(2, last2);
    last0 = last1 = last2 = 0;
    SLICEPOOL_UNROLL
    for (int i = 0; i < kRecent; ++i) {
      merge(kLast + i, middle[i]);
      middle[i] = 0;
    }
  }
  SLICEPOOL_INLINE void merge(int levels, std::uint64_t number) {
    if (number != 0) mergeWord<Merge::add>(words + place.wordOf(in, levels), number);
  }
  static constexpr int kLast = 3;    ///< levels that nearly all semigroups are in
  static constexpr int kRecent = 8;  ///< levels beside them that most visited ones are in
  static constexpr std::uint64_t kVisits = 255;

  std::uint64_t* words;
  typename S::Place place;
  Class in{1, 2};
  std::uint64_t last0 = 0;  ///< of the bound, one level below it, ..
  std::uint64_t last1 = 0;
  std::uint64_t last2 = 0;
  std::uint64_t recent = 0;  ///< a byte for each of the next levels
  std::uint32_t middle[kRecent] = {};
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

  struct Place {
    SLICEPOOL_INLINE explicit Place(const View& view) : bound(view.genus) {}
    SLICEPOOL_INLINE static bool isSame(const Class& one, const Class& two) {
      return one.multiplicity == two.multiplicity;
    }
    [[nodiscard]] SLICEPOOL_INLINE std::size_t wordOf(const Class& in, int levels) const {
      return Tally::wordOf(bound, in.multiplicity, bound - levels);
    }
    int bound;
  };
  using Emitter = LevelEmitter<Tally>;

  [[nodiscard]] static WordLayout layout(int bound) {
    return {{{Merge::add, wordOf(bound, bound + 1, bound) + 1, 0}}};
  }
  /// That of the largest bound; problems use the one of theirs.
  [[nodiscard]] static WordLayout layout() { return layout(kMaximumGenus); }
};

}  // namespace slicepool::numerical_semigroups
