// The sinks of factorization sets beside Count: reductions, rows at known places, collected rows. Emitters
// run on CPU and GPU; they keep totals in registers and move them into the words at the end of a turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/platform.hpp"
#include "slicepool/core/sink.hpp"
#include "slicepool/factorizations/rows.hpp"
#include "slicepool/factorizations/steps/coordinates.hpp"

namespace slicepool::factorizations {

/// The weights of the linear form in rowHash, host side.
inline std::vector<std::uint64_t> fingerprintWeights(std::size_t dimension) {
  std::vector<std::uint64_t> weights;
  for (unsigned k = 0; k < dimension; ++k) weights.push_back(coordinateMultiplier(k));
  return weights;
}

/// Mix of one row: the member of the multiset whose sum and exclusive-or are the fingerprint.
template <int D, class Word>
SLICEPOOL_INLINE std::uint64_t rowHash(const Row<D, Word>& row) {
  std::uint64_t linear = kRowHashOffset;
  forCoordinates<D>(row.dimension, [&](int k) {
    linear += coordinateMultiplier(static_cast<unsigned>(k)) * static_cast<std::uint64_t>(row.coordinates[k]);
  });
  return mix64(linear);
}

/// Fingerprint words: sum at `index`, exclusive-or at `index` + 1.
struct FingerprintTotals {
  std::uint64_t sum = 0;
  std::uint64_t exclusiveOr = 0;

  SLICEPOOL_INLINE void add(std::uint64_t hash) {
    sum += hash;
    exclusiveOr ^= hash;
  }
  SLICEPOOL_INLINE void flush(std::uint64_t* words, int index) {
    if ((sum | exclusiveOr) == 0) return;
    mergeWord<Merge::add>(words + index, sum);
    mergeWord<Merge::exclusiveOr>(words + index + 1, exclusiveOr);
    sum = exclusiveOr = 0;
  }
};

/// Reduces rows to words. Which reductions are computed is a run-time choice: an index below zero is "not".
template <int D, class Word>
struct Reduce {
  struct View {
    std::int32_t fingerprint = -1;       ///< sum, exclusive-or
    std::int32_t lengthRange = -1;       ///< minimum, maximum
    std::int32_t coordinateMaxima = -1;  ///< d words
    std::int32_t predicate = -1;         ///< satisfied, violated
    std::int32_t lengths = -1;           ///< bins
    std::int32_t relation = 0;           ///< -1: <=, 0: =, 1: >=
    std::int64_t bound = 0;
    std::int64_t coefficients[kCapacity<D>] = {};
  };
  static constexpr std::size_t kResultBytes = 0;

  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View& sinkView, const SinkMemory& memory)
        : view(sinkView), words(memory.words) {
      forCoordinates<D>(
          kCapacity<D>, [&](int k) { maxima[k] = 0; });
    }

    SLICEPOOL_INLINE bool operator()(const Row<D, Word>& row) {
      ++count;
      dimension = row.dimension;
      if (view.fingerprint >= 0) totals.add(rowHash(row));
      if (view.lengthRange >= 0 || view.lengths >= 0) addLength(row);
      if (view.coordinateMaxima >= 0) {
        forCoordinates<D>(
            row.dimension,
            [&](int k) {
              if (row.coordinates[k] > maxima[k]) maxima[k] = row.coordinates[k];
            });
      }
      if (view.predicate >= 0) satisfied += satisfies(row) ? 1U : 0U;
      return true;
    }

    SLICEPOOL_INLINE void flush() {
      if (count == 0) return;
      mergeWord<Merge::add>(words, count);
      if (view.fingerprint >= 0) totals.flush(words, view.fingerprint);
      if (view.lengthRange >= 0) {
        mergeWord<Merge::minimum>(words + view.lengthRange, minimumLength);
        mergeWord<Merge::maximum>(words + view.lengthRange + 1, maximumLength);
      }
      if (view.coordinateMaxima >= 0) {
        forCoordinates<D>(
            dimension,
            [&](int k) {
              mergeWord<Merge::maximum>(words + view.coordinateMaxima + k,
                                        static_cast<std::uint64_t>(maxima[k]));
            });
      }
      if (view.predicate >= 0) {
        mergeWord<Merge::add>(words + view.predicate, satisfied);
        mergeWord<Merge::add>(words + view.predicate + 1, count - satisfied);
      }
      count = satisfied = 0;
    }

    SLICEPOOL_INLINE void addLength(const Row<D, Word>& row) {
      std::uint64_t length = 0;
      forCoordinates<D>(row.dimension, [&](int k) { length += row.coordinates[k]; });
      minimumLength = length < minimumLength ? length : minimumLength;
      maximumLength = length > maximumLength ? length : maximumLength;
      if (view.lengths >= 0) mergeWord<Merge::add>(words + view.lengths + length, 1);
    }

    /// The sum cannot overflow: makeProblem checks max |c_i| * max length + |bound| < 2^63.
    [[nodiscard]] SLICEPOOL_INLINE bool satisfies(const Row<D, Word>& row) const {
      std::int64_t value = 0;
      forCoordinates<D>(row.dimension, [&](int k) {
        value += view.coefficients[k] * static_cast<std::int64_t>(row.coordinates[k]);
      });
      if (view.relation < 0) return value <= view.bound;
      return view.relation > 0 ? value >= view.bound : value == view.bound;
    }

    const View& view;
    std::uint64_t* words;
    std::uint64_t count = 0;
    std::uint64_t satisfied = 0;
    std::uint64_t minimumLength = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t maximumLength = 0;
    FingerprintTotals totals;
    std::int32_t dimension = 0;
    Coordinates<D, Word> maxima;
  };

  [[nodiscard]] static WordLayout layout() {
    return {{{Merge::add, 1, 0}}};
  }  // makeProblem passes the full one
};

/// Writes rows of 1, 2, 4 or 8-byte elements at their final places; rows outside the window are dropped and
/// not counted.
template <int D, class Word>
struct PlaceRows {
  struct View {
    std::byte* base = nullptr;  ///< address of the row with rank `begin`
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::int32_t elementBytes = 4;
    std::int32_t fingerprint = -1;
  };
  static constexpr std::size_t kResultBytes = 0;

  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View& sinkView, const SinkMemory& memory)
        : view(sinkView), words(memory.words) {}

    SLICEPOOL_INLINE bool operator()(const Row<D, Word>& row) {
      if (row.position < view.begin || row.position >= view.end) return true;
      ++count;
      if (view.fingerprint >= 0) totals.add(rowHash(row));
      const std::uint64_t index = (row.position - view.begin) * static_cast<std::uint64_t>(row.dimension);
      switch (view.elementBytes) {
        case 1: store<std::uint8_t>(row, index); break;
        case 2: store<std::uint16_t>(row, index); break;
        case 4: store<std::uint32_t>(row, index); break;
        default: store<std::uint64_t>(row, index); break;
      }
      return true;
    }
    template <class Element>
    SLICEPOOL_INLINE void store(const Row<D, Word>& row, std::uint64_t index) const {
      Element* target = reinterpret_cast<Element*>(view.base) + index;
      forCoordinates<D>(row.dimension, [&](int k) { target[k] = static_cast<Element>(row.coordinates[k]); });
    }
    SLICEPOOL_INLINE void flush() {
      if (count != 0) mergeWord<Merge::add>(words, count);
      count = 0;
      if (view.fingerprint >= 0) totals.flush(words, view.fingerprint);
    }

    const View& view;
    std::uint64_t* words;
    std::uint64_t count = 0;
    FingerprintTotals totals;
  };

  [[nodiscard]] static WordLayout layout() { return {{{Merge::add, 1, 0}}}; }
};

/// A row as collected: the first d words are its coordinates. For D = 0 the rest is zero.
template <int D>
struct CollectedRow {
  std::uint64_t coordinates[kCapacity<D>];
};

/// Collects rows in no particular order, when their places are not known.
template <int D, class Word>
struct CollectRows {
  struct View {
    std::int32_t fingerprint = -1;
  };
  static constexpr std::size_t kResultBytes = sizeof(CollectedRow<D>);

  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View& sinkView, const SinkMemory& sinkMemory)
        : view(sinkView), memory(sinkMemory) {}

    SLICEPOOL_INLINE bool operator()(const Row<D, Word>& row) {
      const std::uint32_t index = reserveResult(memory);
      if (index == memory.resultCapacity) return false;
      auto& target = reinterpret_cast<CollectedRow<D>*>(memory.results)[index];
      forCoordinates<D>(kCapacity<D>, [&](int k) {
        target.coordinates[k] = k < row.dimension ? static_cast<std::uint64_t>(row.coordinates[k]) : 0;
      });
      ++count;
      if (view.fingerprint >= 0) totals.add(rowHash(row));
      return true;
    }
    SLICEPOOL_INLINE void flush() {
      if (count != 0) mergeWord<Merge::add>(memory.words, count);
      count = 0;
      if (view.fingerprint >= 0) totals.flush(memory.words, view.fingerprint);
    }

    const View& view;
    SinkMemory memory;
    std::uint64_t count = 0;
    FingerprintTotals totals;
  };

  [[nodiscard]] static WordLayout layout() { return {{{Merge::add, 1, 0}}}; }
};

}  // namespace slicepool::factorizations
