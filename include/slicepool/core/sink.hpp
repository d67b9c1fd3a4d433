// The interface between step functions and the consumers of results, and the two generic sinks.
//
// A sink type S has
//   S::View     trivially copyable parameters of the consumer, taken by value by workers and kernels;
//   S::Emitter  built per turn from (View, SinkMemory); callable with a result; returns false when the
//               result was NOT taken (buffer full), which ends the turn as Turn::sinkFull; `flush()` is
//               called once at the end of the turn and moves register totals into the words;
//   layout()    the reduction words (host); word 0 is always the number of results (Merge::add);
//   kResultBytes  size of one buffered result, 0 when the sink only reduces;
//   kNearWords  optional, a power of two: the emitter counts by SinkMemory::near, which on a device with
//               rounds has this many counters in the shared memory of a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/words.hpp"
#include "slicepool/detail/near_words.hpp"

namespace slicepool {

/// Where one worker (or one device batch) accumulates. Pointers are host or device addresses alike.
struct SinkMemory {
  std::uint64_t* words = nullptr;  ///< reduction words, laid out by S::layout()
  std::byte* results = nullptr;    ///< buffer of `resultCapacity` results, or null
  std::uint32_t* resultCount =
      nullptr;  ///< results in the buffer; may exceed the capacity after a refusal on a device
  std::uint32_t resultCapacity = 0;  ///< results
  std::uint64_t* shared = nullptr;   ///< one monotone (decreasing) word improved by all workers, or null
  NearWords near = {};               ///< counters for the words that are counted most; there may be none
};

/// A result may stand for several (a table leaf): then it has a member `multiplicity`.
template <class R>
SLICEPOOL_INLINE std::uint64_t multiplicityOf(const R& result) {
  if constexpr (requires { result.multiplicity; }) {
    return result.multiplicity;
  } else {
    (void)result;
    return 1;
  }
}

/// Reserves one entry of a result buffer; returns its index, or `resultCapacity` when it is full.
SLICEPOOL_INLINE std::uint32_t reserveResult(const SinkMemory& memory) {
#if SLICEPOOL_ON_DEVICE
  const std::uint32_t index = atomicAdd(memory.resultCount, 1U);
  return index < memory.resultCapacity ? index : memory.resultCapacity;
#else
  if (*memory.resultCount >= memory.resultCapacity) return memory.resultCapacity;
  return (*memory.resultCount)++;
#endif
}

/// Counts results of any workload.
struct Count {
  struct View {};
  static constexpr std::size_t kResultBytes = 0;

  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View&, const SinkMemory& memory) : words(memory.words) {}
    template <class R>
    SLICEPOOL_INLINE bool operator()(const R& result) {
      count += multiplicityOf(result);
      return true;
    }
    SLICEPOOL_INLINE void flush() {
      if (count != 0) mergeWord<Merge::add>(words, count);
      count = 0;
    }
    std::uint64_t* words;
    std::uint64_t count = 0;
  };

  [[nodiscard]] static WordLayout layout() { return {{{Merge::add, 1, 0}}}; }
};

/// Collects results of type R as they are, in no particular order. Bounded on every worker by its
/// buffer; the engine empties the buffers into a host consumer between turns.
template <class R>
struct Collect {
  static_assert(std::is_trivially_copyable_v<R>, "a collected result must be trivially copyable");
  struct View {};
  static constexpr std::size_t kResultBytes = sizeof(R);

  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View&, const SinkMemory& sinkMemory) : memory(sinkMemory) {}
    SLICEPOOL_INLINE bool operator()(const R& result) {
      const std::uint32_t index = reserveResult(memory);
      if (index == memory.resultCapacity) return false;
      reinterpret_cast<R*>(memory.results)[index] = result;
      ++count;
      return true;
    }
    SLICEPOOL_INLINE void flush() {
      if (count != 0) mergeWord<Merge::add>(memory.words, count);
      count = 0;
    }
    SinkMemory memory;
    std::uint64_t count = 0;
  };

  [[nodiscard]] static WordLayout layout() { return {{{Merge::add, 1, 0}}}; }
};

}  // namespace slicepool
