// The sink of an exploration: how many were found, how many failures there were and the smallest one.
// Emitters run on CPU and GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/sink.hpp"

namespace slicepool::semigroup {

/// A failure of a check: failureCode (check.hpp).
struct Failure {
  std::uint64_t code;
};
/// Something that is only counted.
struct Found {
  std::uint64_t count;
};

inline constexpr std::size_t kFoundWord = 0;
inline constexpr std::size_t kFailuresWord = 1;
inline constexpr std::size_t kFirstFailureWord = 2;
inline constexpr std::uint64_t kNoFailure = std::numeric_limits<std::uint64_t>::max();

struct Tally {
  struct View {};
  static constexpr std::size_t kResultBytes = 0;

  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View&, const SinkMemory& memory) : words(memory.words) {}
    SLICEPOOL_INLINE bool operator()(const Found& some) {
      found += some.count;
      return true;
    }
    SLICEPOOL_INLINE bool operator()(const Failure& failure) {
      ++failures;
      if (failure.code < first) first = failure.code;
      return true;
    }
    SLICEPOOL_INLINE void flush() {
      if (found != 0) mergeWord<Merge::add>(words + kFoundWord, found);
      if (failures != 0) {
        mergeWord<Merge::add>(words + kFailuresWord, failures);
        mergeWord<Merge::minimum>(words + kFirstFailureWord, first);
      }
      found = failures = 0;
    }
    std::uint64_t* words;
    std::uint64_t found = 0;
    std::uint64_t failures = 0;
    std::uint64_t first = kNoFailure;
  };

  [[nodiscard]] static WordLayout layout() { return {{{Merge::add, 2, 0}, {Merge::minimum, 1, kNoFailure}}}; }
};

}  // namespace slicepool::semigroup
