// The hash set of keys: open addressing with linear probing over 64-bit slots, insertion by compare-and-swap.
// A slot holds 30 bits of the hash, whether it is settled, and either the number of an element or, while a
// stage is in work, the smallest number of a candidate with that key. The keys themselves are where elements
// and candidates are, so that a slot is one word. Room for a stage is made before it starts (at a barrier).
//
// The smallest candidate wins, in any order of arrival. So the numbering is shortlex in every mode.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/atomic.hpp"
#include "slicepool/semigroup/types.hpp"

namespace slicepool::semigroup {

struct Table {
  std::uint64_t* slots;
  std::uint64_t mask;  ///< number of slots - 1; the number is a power of two
};

inline constexpr std::uint64_t kEmptySlot = 0;
inline constexpr std::uint64_t kUsed = 1ULL << 33;
inline constexpr std::uint64_t kCandidate = 1ULL << 32;
inline constexpr int kTagShift = 34;

SLICEPOOL_INLINE std::uint64_t settledSlot(std::uint64_t hash, Element element) {
  return (hash >> kTagShift << kTagShift) | kUsed | element;
}
SLICEPOOL_INLINE std::uint64_t candidateSlot(std::uint64_t hash, std::uint32_t candidate) {
  return (hash >> kTagShift << kTagShift) | kUsed | kCandidate | candidate;
}
SLICEPOOL_INLINE bool isCandidate(std::uint64_t slot) { return (slot & kCandidate) != 0; }
SLICEPOOL_INLINE std::uint32_t valueOf(std::uint64_t slot) { return static_cast<std::uint32_t>(slot); }
SLICEPOOL_INLINE bool tagsEqual(std::uint64_t slot, std::uint64_t other) {
  return (slot ^ other) >> kTagShift == 0;
}

/// Inserts a candidate unless its key is there, and lowers the candidate that is there to it. Returns the
/// slot of the key. `same(slot)` compares the keys themselves. There must be an empty slot.
template <class Same>
SLICEPOOL_HD std::uint64_t insertCandidate(const Table& table, std::uint64_t hash, std::uint32_t candidate,
                                           const Same& same) {
  const std::uint64_t mine = candidateSlot(hash, candidate);
  for (std::uint64_t at = hash & table.mask;; at = (at + 1) & table.mask) {
    std::uint64_t seen = loadRelaxed(table.slots + at);
    if (seen == kEmptySlot && compareAndSwap(table.slots + at, seen, mine)) return at;
    if (!tagsEqual(seen, mine) || !same(seen)) continue;
    while (isCandidate(seen) && valueOf(seen) > candidate)
      if (compareAndSwap(table.slots + at, seen, mine)) break;
    return at;
  }
}

/// Inserts an element whose key is known not to be there (a table that grows).
SLICEPOOL_HD inline void insertSettled(const Table& table, std::uint64_t hash, Element element) {
  const std::uint64_t mine = settledSlot(hash, element);
  for (std::uint64_t at = hash & table.mask;; at = (at + 1) & table.mask) {
    std::uint64_t seen = loadRelaxed(table.slots + at);
    if (seen == kEmptySlot && compareAndSwap(table.slots + at, seen, mine)) return;
  }
}

/// The settled element with this key, or kNoElement. `same(element)` compares the keys themselves.
template <class Same>
SLICEPOOL_HD Element findSettled(const Table& table, std::uint64_t hash, const Same& same) {
  const std::uint64_t wanted = settledSlot(hash, 0);
  for (std::uint64_t at = hash & table.mask;; at = (at + 1) & table.mask) {
    const std::uint64_t seen = loadRelaxed(table.slots + at);
    if (seen == kEmptySlot) return kNoElement;
    if (tagsEqual(seen, wanted) && !isCandidate(seen) && same(valueOf(seen))) return valueOf(seen);
  }
}

}  // namespace slicepool::semigroup
