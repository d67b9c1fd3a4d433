// Words of the exploration of transformation semigroups: algorithms, phases, slices and the encoding of an
// unfinished entry of the right Cayley graph. Included by step functions and by the front.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"

namespace slicepool::semigroup {

/// Number of an element in shortlex order; 0 is the identity, the empty word.
using Element = std::uint32_t;
/// Number of a generator.
using Letter = std::uint16_t;
/// An image of a point, as the front gives it: 0 .. n - 1.
using Image = std::uint32_t;

inline constexpr Element kNoElement = 0xffffffffU;
inline constexpr std::uint32_t kMaximumGenerators = 0xffff;
/// Two bits of an entry are flags; numbers of elements and of slots of the table must fit into the others.
inline constexpr std::uint32_t kMaximumElements = (1U << 30) - 2;
inline constexpr std::uint64_t kMaximumSlots = 1U << 29;

enum class Algorithm : std::uint8_t {
  fingerprint,  ///< images of a few base points; the rules are checked, the base grows until they hold
  froidurePin,  ///< the same on the images of all points: nothing to check
  words         ///< every product is composed from its word; the published baseline
};

/// What a slice does with the elements (or blocks of elements) of its range.
enum class Phase : std::uint32_t {
  measure,      ///< elements of the stage: how many products cannot be looked up
  expand,       ///< elements of the stage: products that cannot be looked up are inserted into the table
  count,        ///< blocks of the stage: how many products are new
  number,       ///< blocks of the stage: new elements get their numbers and columns
  derive,       ///< elements of the stage: the rest of their row of the right graph, by look-ups
  left,         ///< elements: their row of the left graph, by look-ups
  check,        ///< elements: whether left and right multiplication commute there (exactness)
  checkRules,   ///< elements: whether their rules hold at all points (exactness of a limited exploration)
  rehash,       ///< elements: insertion into an empty, larger table
  rules,        ///< elements: how many rules begin with them
  idempotents,  ///< elements: how many are idempotent, at base points
  idempotentsEverywhere,  ///< the same at all points
  adopt,                  ///< blocks of a saved stage: rows and new elements (replay.hpp)
  resolve                 ///< elements of a saved stage: right sides of its rules, by look-ups in the table
};

/// A phase over a range of indices: elements, or blocks of kBlock elements of the stage.
struct Slice {
  std::uint32_t phase;
  std::uint32_t reserved;
  std::uint64_t begin;
  std::uint64_t end;
};

/// Cuts a range in two; false when it has fewer than two indices.
SLICEPOOL_INLINE bool halve(Slice& kept, Slice& given) {
  const std::uint64_t length = kept.end - kept.begin;
  if (length < 2) return false;
  given = kept;
  kept.end = kept.begin + length / 2;
  given.begin = kept.end;
  return true;
}

/// Elements of a stage that are numbered together: the prefix sum over winners has one term for each.
inline constexpr std::uint32_t kBlock = 32;

// An entry of a row of the right graph is the number of an element, with kTree where the product's word is
// the row's word with one more letter. While a stage is in work an entry may also be kPending | slot of the
// table, or kUnknown: to be derived.
inline constexpr std::uint32_t kTree = 1U << 31;
inline constexpr std::uint32_t kPending = 1U << 30;
inline constexpr std::uint32_t kIndex = kPending - 1;
inline constexpr std::uint32_t kUnknown = kPending | kIndex;

SLICEPOOL_INLINE bool isTree(std::uint32_t entry) { return (entry & kTree) != 0; }
SLICEPOOL_INLINE bool isPending(std::uint32_t entry) {
  return (entry & (kTree | kPending)) == kPending && entry != kUnknown;
}
SLICEPOOL_INLINE Element elementOf(std::uint32_t entry) { return entry & kIndex; }
/// Whether each of `count` entries is a tree edge, 32 to a word; what is left of the last word is zero.
SLICEPOOL_HD inline void packTreeBits(const std::uint32_t* entries, std::uint64_t count,
                                      std::uint32_t* bits) {
  for (std::uint64_t i = 0; i < count; i += 32) {
    std::uint32_t word = 0;
    const std::uint32_t together = count - i < 32 ? static_cast<std::uint32_t>(count - i) : 32;
    for (std::uint32_t k = 0; k < together; ++k) word |= entries[i + k] >> 31 << k;
    *bits++ = word;
  }
}

}  // namespace slicepool::semigroup
