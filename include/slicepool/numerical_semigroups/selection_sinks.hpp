// The sinks of the tree of numerical semigroups beside Tally: counts by one or two statistics, and the
// semigroups themselves. Emitters run on CPU and GPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/platform.hpp"
#include "slicepool/core/sink.hpp"
#include "slicepool/numerical_semigroups/sinks.hpp"
#include "slicepool/numerical_semigroups/steps/element_set.hpp"
#include "slicepool/numerical_semigroups/steps/selection.hpp"
#include "slicepool/numerical_semigroups/types.hpp"

namespace slicepool::numerical_semigroups {

/// Counts by a grade, which is the genus or the Frobenius number, and by one or two statistics: where each
/// count lies. Word 0 is the number of semigroups whose grade is the bound. The last two words are the
/// fingerprint of all: sum, exclusive-or.
struct HistogramShape {
  std::int32_t bound;  ///< grades are 0 .. bound
  Statistic grade;     ///< genus or frobenius
  Statistic first;
  Statistic second;  ///< as `first`: there is none

  /// Values of the statistic are below this. The largest Frobenius number is 2 g - 1, and no other statistic
  /// is above the genus and 2, or, for a bound of Frobenius numbers, that and 2.
  [[nodiscard]] SLICEPOOL_INLINE int valuesOf(Statistic statistic) const {
    return statistic == Statistic::frobenius && grade == Statistic::genus ? 2 * bound + 2 : bound + 3;
  }
  [[nodiscard]] SLICEPOOL_INLINE bool isTwoWay() const { return first != second; }
  [[nodiscard]] SLICEPOOL_INLINE int secondValues() const { return isTwoWay() ? valuesOf(second) : 1; }
  /// `secondValue` is 0 where there is no second statistic.
  [[nodiscard]] SLICEPOOL_INLINE std::size_t wordOf(int gradeValue, int firstValue, int secondValue) const {
    const auto row = static_cast<std::size_t>(gradeValue) * static_cast<std::size_t>(valuesOf(first)) +
                     static_cast<std::size_t>(firstValue);
    return 1 + row * static_cast<std::size_t>(secondValues()) + static_cast<std::size_t>(secondValue);
  }
  [[nodiscard]] SLICEPOOL_INLINE std::size_t fingerprintWord() const { return wordOf(bound + 1, 0, 0); }
  [[nodiscard]] WordLayout layout() const {
    return {{{Merge::add, fingerprintWord() + 1, 0}, {Merge::exclusiveOr, 1, 0}}};
  }
};

/// That of the largest bound and any statistics; problems use the one of theirs.
[[nodiscard]] inline WordLayout largestHistogram() {
  return HistogramShape{kMaximumGenus, Statistic::genus, Statistic::frobenius, Statistic::multiplicity}
      .layout();
}

/// Mix of one semigroup, by the words of its set of gaps: the member of the multiset whose sum and
/// exclusive-or are the fingerprint. Words that are zero at the end change nothing.
template <int kWords>
SLICEPOOL_INLINE std::uint64_t semigroupHash(const Bits<kWords>& gaps) {
  std::uint64_t linear = kRowHashOffset;
  for (int w = 0; w < kWords; ++w) linear += coordinateMultiplier(static_cast<unsigned>(w)) * gaps.words[w];
  return mix64(linear);
}

/// Counts what a search selects.
struct Histogram {
  struct View : HistogramShape {
    bool fingerprint;
  };
  static constexpr std::size_t kResultBytes = 0;
  static constexpr std::uint32_t kNearWords = 1024;  // most visits are to a few hundred words

  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View& sinkView, const SinkMemory& memory)
        : view(sinkView), words(memory.words), near(memory.near) {}
    template <class GapsOf>
    SLICEPOOL_INLINE bool operator()(const SelectedSemigroup<GapsOf>& found) {
      const int grade = found.values[view.grade];
      if (grade == view.bound) ++count;
      const int other = view.isTwoWay() ? found.values[view.second] : 0;
      near.addOne(words, view.wordOf(grade, found.values[view.first], other));
      if (view.fingerprint) {
        const std::uint64_t hash = semigroupHash(found.gaps());
        sum += hash;
        exclusiveOr ^= hash;
      }
      return true;
    }
    SLICEPOOL_INLINE void flush() {
      if (count != 0) mergeWord<Merge::add>(words, count);
      if ((sum | exclusiveOr) != 0) {
        mergeWord<Merge::add>(words + view.fingerprintWord(), sum);
        mergeWord<Merge::exclusiveOr>(words + view.fingerprintWord() + 1, exclusiveOr);
      }
      count = sum = exclusiveOr = 0;
    }
    const View& view;
    std::uint64_t* words;
    NearWords near;
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    std::uint64_t exclusiveOr = 0;
  };

  [[nodiscard]] static WordLayout layout() { return largestHistogram(); }
};

/// Collects the sets of gaps of what a search selects, in no particular order.
template <int kWords>
struct CollectGaps {
  struct View {};
  using Gaps = typename ElementSet<kWords>::Gaps;
  static constexpr std::size_t kResultBytes = sizeof(Gaps);

  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View& view, const SinkMemory& memory)
        : collect(typename Collect<Gaps>::View{}, memory) {
      (void)view;
    }
    template <class GapsOf>
    SLICEPOOL_INLINE bool operator()(const SelectedSemigroup<GapsOf>& found) {
      return collect(found.gaps());
    }
    SLICEPOOL_INLINE void flush() { collect.flush(); }
    typename Collect<Gaps>::Emitter collect;
  };

  [[nodiscard]] static WordLayout layout() { return Collect<Gaps>::layout(); }
};

/// Counts by genus and by multiplicity, second element or both: what a class is known by, so that the last
/// levels need no visit.
struct ClassTally {
  using View = HistogramShape;
  static constexpr std::size_t kResultBytes = 0;

  struct Place {
    SLICEPOOL_INLINE explicit Place(const View& view) : shape(view) {}
    SLICEPOOL_INLINE static bool isSame(const Class& one, const Class& two) { return one == two; }
    [[nodiscard]] SLICEPOOL_INLINE std::size_t wordOf(const Class& in, int levels) const {
      const int second = shape.isTwoWay() ? value(in, shape.second) : 0;
      return shape.wordOf(shape.bound - levels, value(in, shape.first), second);
    }
    [[nodiscard]] SLICEPOOL_INLINE static int value(const Class& in, Statistic statistic) {
      return statistic == Statistic::multiplicity ? in.multiplicity : in.second;
    }
    HistogramShape shape;
  };
  using Emitter = LevelEmitter<ClassTally>;

  [[nodiscard]] static WordLayout layout() { return largestHistogram(); }
};

}  // namespace slicepool::numerical_semigroups
