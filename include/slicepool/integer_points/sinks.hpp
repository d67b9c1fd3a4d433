// The sinks of the search for integer points: how many there are, their fingerprint and coordinate sums, the
// lines themselves. Emitters run on CPU and GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/platform.hpp"
#include "slicepool/core/sink.hpp"
#include "slicepool/integer_points/steps/search_plan.hpp"

namespace slicepool::integer_points {

/// The place in the table of completions of the first value of a line.
template <class Int>
SLICEPOOL_INLINE std::int64_t completionPlace(const Line<Int>& line) {
  const SearchPlan<Int>& plan = line.plan;
  std::int64_t place = plan.stride * line.first;
  SLICEPOOL_NO_UNROLL
  for (int i = 0; i < plan.digitCount; ++i)
    place += (line.residuals[plan.digits[i].row] - plan.digits[i].offset) * plan.digits[i].stride;
  return place;
}

/// Counts points, up to 2^96 of them in 2^48 counts. Word 0 is their number modulo 2^64. Word 1 is the sum of
/// bits 16 to 31 of each count, word 2 that of the bits above. What the lower bits add up to is less than
/// 2^64 and follows from word 0.
struct Tally {
  struct View {};
  static constexpr std::size_t kResultBytes = 0;
  static constexpr std::size_t kWords = 3;

  SLICEPOOL_INLINE static std::uint64_t middleOf(std::uint64_t count) { return count >> 16 & 0xffffU; }
  [[nodiscard]] static unsigned __int128 numberOf(const std::vector<std::uint64_t>& words) {
    const auto high = static_cast<unsigned __int128>(words.at(2)) << 32;
    const unsigned __int128 known = high + (static_cast<unsigned __int128>(words.at(1)) << 16);
    return known + (words.at(0) - static_cast<std::uint64_t>(known));
  }
  /// The words of one count.
  [[nodiscard]] static std::vector<std::uint64_t> wordsOf(unsigned __int128 count) {
    const auto low = static_cast<std::uint64_t>(count);
    return {low, middleOf(low), static_cast<std::uint64_t>(count >> 32)};
  }

  struct Emitter {
    static constexpr bool kCounts = true;  ///< only how many points there are
    SLICEPOOL_INLINE Emitter(const View& view, const SinkMemory& memory) : words(memory.words) { (void)view; }

    template <class Int>
    SLICEPOOL_INLINE bool operator()(const Values<Int>* path, const Line<Int>& line) {
      (void)path;
      if (line.plan.completions == nullptr)
        add(line.count);
      else
        addCompletions(line);
      return true;
    }

    template <class Int>
    SLICEPOOL_INLINE void addCompletions(const Line<Int>& line) {
      const SearchPlan<Int>& plan = line.plan;
      std::int64_t place = completionPlace(line);
      const std::int64_t next = plan.stride * plan.levels[plan.leaf].step;
      for (std::uint64_t i = 0; i < line.count; ++i, place += next) add(plan.completions[place]);
    }

    SLICEPOOL_INLINE void add(std::uint64_t number) {
      count += number;
      if (count < number) ++carries;
    }
    SLICEPOOL_INLINE void flush() {
      if ((count | carries) == 0) return;
      mergeWord<Merge::add>(words, count);
      mergeWord<Merge::add>(words + 1, middleOf(count));
      mergeWord<Merge::add>(words + 2, (count >> 32) + (carries << 32));
      count = carries = 0;
    }
    std::uint64_t* words;
    std::uint64_t count = 0;
    std::uint64_t carries = 0;
  };

  [[nodiscard]] static WordLayout layout() { return {{{Merge::add, kWords, 0}}}; }
};

/// The same with the fingerprint of the set: two more words, sum and exclusive-or; and, where wanted, how
/// many points have each coordinate sum.
struct Digest {
  struct View {
    std::uint64_t multipliers[kMaximumColumns];  ///< of the hash, by level
    std::int64_t leastSum;                       ///< of the first bin
    std::int32_t columns;
    std::int32_t bins;  ///< 0: sums are not wanted
  };
  static constexpr std::size_t kResultBytes = 0;
  static constexpr std::size_t kFingerprintWord = Tally::kWords;
  static constexpr std::size_t kFirstBin = kFingerprintWord + 2;
  static constexpr int kMaximumBins = 1 << 16;

  struct Emitter {
    static constexpr bool kCounts = false;
    SLICEPOOL_INLINE Emitter(const View& sinkView, const SinkMemory& memory)
        : view(sinkView), words(memory.words), tally({}, memory) {}

    template <class Int>
    SLICEPOOL_INLINE bool operator()(const Values<Int>* path, const Line<Int>& line) {
      const SearchPlan<Int>& plan = line.plan;
      tally.add(line.count);
      std::uint64_t linear = kRowHashOffset;
      std::uint64_t linearStep = 0;
      std::int64_t sum = -view.leastSum;
      std::int64_t sumStep = 0;
      for (int i = 0; i < plan.columns; ++i) {
        const Int value = i < plan.leaf    ? path[i].first
                          : i == plan.leaf ? line.first
                                           : tailValue(plan, i, line.residuals, line.first);
        linear += view.multipliers[i] * static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
        sum += value;
        if (i < plan.leaf) continue;
        const Int step = increment(plan, i);
        linearStep += view.multipliers[i] * static_cast<std::uint64_t>(static_cast<std::int64_t>(step));
        sumStep += step;
      }
      for (std::uint64_t i = 0; i < line.count; ++i, linear += linearStep, sum += sumStep) {
        const std::uint64_t hash = mix64(linear);
        total += hash;
        exclusiveOr ^= hash;
        if (view.bins != 0) mergeWord<Merge::add>(words + kFirstBin + sum, 1);
      }
      return true;
    }
    SLICEPOOL_INLINE void flush() {
      tally.flush();
      if ((total | exclusiveOr) == 0) return;
      mergeWord<Merge::add>(words + kFingerprintWord, total);
      mergeWord<Merge::exclusiveOr>(words + kFingerprintWord + 1, exclusiveOr);
      total = exclusiveOr = 0;
    }
    const View& view;
    std::uint64_t* words;
    Tally::Emitter tally;
    std::uint64_t total = 0;
    std::uint64_t exclusiveOr = 0;
  };

  [[nodiscard]] static WordLayout layout(int bins) {
    return {{{Merge::add, kFingerprintWord + 1, 0},
             {Merge::exclusiveOr, 1, 0},
             {Merge::add, static_cast<std::size_t>(bins), 0}}};
  }
  [[nodiscard]] static WordLayout layout() { return layout(kMaximumBins); }
};

/// A line as it is collected: the number of its points in four bytes, then the coordinates of the first one,
/// less their lower bounds, as unsigned numbers of `width` bytes each, in the order of levels.
template <int kBytes>
struct alignas(4) LineRecord {
  std::uint8_t bytes[kBytes];
};
inline constexpr int kCountBytes = 4;
/// More points of a line are further records.
inline constexpr std::uint64_t kMaximumPiece = 0x7fffffff;

/// Collects lines, in no particular order. With a table of completions a line is one value of the leaf's
/// column; its coordinates end there, and its number is that of the completions.
template <int kBytes>
struct CollectLines {
  struct View {
    std::int32_t width;  ///< bytes of a coordinate: 1, 2, 4 or 8
  };
  using Record = LineRecord<kBytes>;
  static constexpr std::size_t kResultBytes = sizeof(Record);

  struct Emitter {
    static constexpr bool kCounts = false;
    SLICEPOOL_INLINE Emitter(const View& sinkView, const SinkMemory& sinkMemory)
        : view(sinkView), memory(sinkMemory), tally({}, sinkMemory) {}

    template <class Int>
    SLICEPOOL_INLINE bool operator()(const Values<Int>* path, const Line<Int>& line) {
      const std::uint64_t number =
          line.plan.completions == nullptr ? line.count : line.plan.completions[completionPlace(line)];
      const auto count = static_cast<std::uint32_t>(number);
      memcpy(record.bytes, &count, kCountBytes);
      std::uint8_t* const to = record.bytes + kCountBytes;
      switch (view.width) {
        case 1: putFirst<std::uint8_t>(to, path, line); break;
        case 2: putFirst<std::uint16_t>(to, path, line); break;
        case 4: putFirst<std::uint32_t>(to, path, line); break;
        default: putFirst<std::uint64_t>(to, path, line); break;
      }
      if (number == 0) return true;  // the record has its coordinates for the next one
      const std::uint32_t index = reserveResult(memory);
      if (index == memory.resultCapacity) return false;
      reinterpret_cast<Record*>(memory.results)[index] = record;
      tally.add(number);
      return true;
    }
    SLICEPOOL_INLINE void flush() { tally.flush(); }

    template <class Number, class Int>
    SLICEPOOL_INLINE static void putFirst(std::uint8_t* to, const Values<Int>* path, const Line<Int>& line) {
      const SearchPlan<Int>& plan = line.plan;
      const Level<Int>* const levels = plan.levels;
      const int leaf = plan.leaf;
      for (int i = line.changed; i < leaf; ++i) put<Number>(to, i, path[i].first - levels[i].lower);
      put<Number>(to, leaf, line.first - levels[leaf].lower);
      if (plan.completions != nullptr) return;
      for (int i = leaf + 1; i < plan.columns; ++i)
        put<Number>(to, i, tailValue(plan, i, line.residuals, line.first) - levels[i].lower);
    }
    template <class Number, class Int>
    SLICEPOOL_INLINE static void put(std::uint8_t* to, int place, Int value) {
      const auto number = static_cast<Number>(value);
      memcpy(to + static_cast<std::size_t>(place) * sizeof(Number), &number, sizeof(Number));
    }

    View view;
    SinkMemory memory;
    Tally::Emitter tally;
    Record record;  ///< of the line before
  };

  [[nodiscard]] static WordLayout layout() { return Tally::layout(); }
};

}  // namespace slicepool::integer_points
