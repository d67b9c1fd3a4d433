// Counters near to the threads that count, for reduction words that grow by ones: a table in front of the
// words in which a word has a counter of 32 bits where its place is free. In kernels the counters are in the
// shared memory of a block; elsewhere there are none. Used by emitters (slicepool/core/sink.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/words.hpp"

namespace slicepool {

/// `size` places, a power of two: word w has place w modulo `size` if it is the first one to ask for it. All
/// other words are counted where they lie. Threads of a block share the places. A place keeps its word until
/// the memory is used for something else, so that whatever is drained belongs to it.
struct NearWords {
  std::uint32_t* owners = nullptr;    ///< of each place: its word and one, 0: free; null: there are no places
  std::uint32_t* counters = nullptr;  ///< of each place: less than 2^32 ones between two drains
  std::uint32_t size = 0;

  static constexpr std::size_t kBytes = 2 * sizeof(std::uint32_t);  ///< of a place

  /// words[word] += 1, with Merge::add. O(1).
  SLICEPOOL_INLINE void addOne(std::uint64_t* words, std::size_t word) const {
    if (owners != nullptr && owns(static_cast<std::uint32_t>(word)))
      add(counters + (word & (size - 1)));
    else
      mergeWord<Merge::add>(words + word, 1);
  }
  /// Moves what the places first, first + stride, .. have counted to the words. Other threads may count and
  /// drain meanwhile.
  SLICEPOOL_INLINE void drain(std::uint64_t* words, std::uint32_t first, std::uint32_t stride) const {
    for (std::uint32_t place = first; place < size; place += stride) {
      const std::uint32_t ones = take(counters + place);
      if (ones != 0) mergeWord<Merge::add>(words + (ownerOf(place) - 1), ones);
    }
  }

 private:
  [[nodiscard]] SLICEPOOL_INLINE bool owns(std::uint32_t word) const {
    std::uint32_t* const owner = owners + (word & (size - 1));
#if SLICEPOOL_ON_DEVICE
    std::uint32_t found = *static_cast<volatile std::uint32_t*>(owner);
    if (found == 0) {
      found = atomicCAS(owner, 0U, word + 1);
      __threadfence_block();  // before it counts
      if (found == 0) return true;
    }
    return found == word + 1;
#else
    if (*owner == 0) *owner = word + 1;
    return *owner == word + 1;
#endif
  }
  /// Of a place that has counted.
  [[nodiscard]] SLICEPOOL_INLINE std::uint32_t ownerOf(std::uint32_t place) const {
#if SLICEPOOL_ON_DEVICE
    __threadfence_block();  // not before the counter was read
    return *static_cast<volatile std::uint32_t*>(owners + place);
#else
    return owners[place];
#endif
  }
  SLICEPOOL_INLINE static void add(std::uint32_t* counter) {
#if SLICEPOOL_ON_DEVICE
    atomicAdd(counter, 1U);
#else
    ++*counter;
#endif
  }
  SLICEPOOL_INLINE static std::uint32_t take(std::uint32_t* counter) {
#if SLICEPOOL_ON_DEVICE
    return atomicExch(counter, 0U);
#else
    const std::uint32_t ones = *counter;
    *counter = 0;
    return ones;
#endif
  }
};

}  // namespace slicepool
