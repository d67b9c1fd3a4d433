// The first half of a stage: products that cannot be looked up are inserted into the table, winners are
// counted and get their numbers. Steps of Exploration (exploration.hpp), host and device.
//
// Only reduced products are computed (Froidure and Pin 1997): x.g is one when suffix(x).g is a tree edge,
// that is, when its word less the first letter is the word of an element. The others follow by look-ups
// (rows.hpp).
#pragma once

#include <cstdint>

#include "slicepool/semigroup/steps/view.hpp"

namespace slicepool::semigroup {

/// Products on their way into the table: their slots are asked for together, so that misses overlap.
struct Lot {
  static constexpr std::uint32_t kMaximum = 32;
  std::uint64_t hash[kMaximum];
  std::uint32_t candidate[kMaximum];
  std::uint32_t count = 0;
};

/// Inserts the product that a candidate of the stage stands for; returns its slot.
template <class Keys>
SLICEPOOL_INLINE std::uint32_t insertProduct(const View<Keys>& view, std::uint64_t hash,
                                             std::uint32_t candidate) {
  const std::uint32_t generators = view.generators;
  const Element x = view.stageBegin + candidate / generators;
  const std::uint32_t g = candidate % generators;
  const std::uint64_t slot = insertCandidate(view.table, hash, candidate, [&](std::uint64_t seen) {
    const std::uint32_t value = valueOf(seen);
    if (!isCandidate(seen)) return view.keys.productIs(x, g, value);
    return view.keys.productsEqual(x, g, view.stageBegin + value / generators, value % generators);
  });
  return static_cast<std::uint32_t>(slot);
}

template <class Keys>
SLICEPOOL_HD void insertLot(const View<Keys>& view, Lot& lot) {
  const Keys& keys = view.keys;
  const std::uint32_t generators = view.generators;
  for (std::uint32_t i = 0; i < lot.count; ++i) {  // the keys of what is probably met
    const std::uint64_t slot = loadRelaxed(view.table.slots + (lot.hash[i] & view.table.mask));
    if (slot == kEmptySlot || !tagsEqual(slot, lot.hash[i])) continue;
    prefetch(keys.address(isCandidate(slot) ? view.stageBegin + valueOf(slot) / generators : valueOf(slot)));
  }
  for (std::uint32_t i = 0; i < lot.count; ++i) {
    const std::uint32_t candidate = lot.candidate[i];
    view.right[static_cast<std::uint64_t>(view.stageBegin) * generators + candidate] =
        kPending | insertProduct(view, lot.hash[i], candidate);
  }
  lot.count = 0;
}

/// Number of reduced products of elements [begin, end) of the stage.
template <class Keys>
SLICEPOOL_HD std::uint64_t productsOf(const View<Keys>& view, Element begin, Element end) {
  constexpr Element kAhead = 8;
  std::uint64_t products = 0;
  for (Element x = begin; x < end; ++x) {
    if (x + kAhead < end) view.prefetchRow(view.rightRow(view.suffix[x + kAhead]));
    if (x == 0) {
      products += view.generators;
      continue;
    }
    const std::uint32_t* shorter = view.rightRow(view.suffix[x]);
    for (std::uint32_t g = 0; g < view.generators; ++g) products += isTree(shorter[g]) ? 1 : 0;
  }
  return products;
}

/// Elements [begin, end) of the stage: every entry of their rows becomes pending or unknown.
template <class Keys>
SLICEPOOL_HD void expand(const View<Keys>& view, Element begin, Element end) {
  constexpr Element kAhead = 8;
  Lot lot;
  for (Element x = begin; x < end; ++x) {
    if (x + kAhead < end) view.prefetchRow(view.rightRow(view.suffix[x + kAhead]));
    std::uint32_t* row = view.rightRow(x);
    const std::uint32_t* shorter = x == 0 ? nullptr : view.rightRow(view.suffix[x]);
    for (std::uint32_t g = 0; g < view.generators; ++g) {
      if (shorter != nullptr && !isTree(shorter[g])) {
        row[g] = kUnknown;
        continue;
      }
      const std::uint64_t hash = view.keys.hashOfProduct(x, g);
      prefetch(view.table.slots + (hash & view.table.mask));
      lot.hash[lot.count] = hash;
      lot.candidate[lot.count] = (x - view.stageBegin) * view.generators + g;
      if (++lot.count == Lot::kMaximum) insertLot(view, lot);
    }
  }
  insertLot(view, lot);
}

/// Elements [begin, end) into a table that has none of them yet.
template <class Keys>
SLICEPOOL_HD void rehash(const View<Keys>& view, Element begin, Element end) {
  constexpr Element kTogether = 32;
  std::uint64_t hashes[kTogether];
  for (Element x = begin; x < end; x += kTogether) {
    const Element count = end - x < kTogether ? end - x : kTogether;
    for (Element i = 0; i < count; ++i) {
      hashes[i] = view.keys.hashOf(x + i);
      prefetch(view.table.slots + (hashes[i] & view.table.mask));
    }
    for (Element i = 0; i < count; ++i) insertSettled(view.table, hashes[i], x + i);
  }
}

/// Whether candidate x.g won its slot. `entry` is its entry in the right graph.
template <class Keys>
SLICEPOOL_INLINE bool isWinner(const View<Keys>& view, std::uint32_t entry, std::uint32_t candidate) {
  if (!isPending(entry)) return false;
  const std::uint64_t slot = loadRelaxed(view.table.slots + elementOf(entry));
  return isCandidate(slot) && valueOf(slot) == candidate;
}

/// Asks for the slots of the pending entries of a row.
template <class Keys>
SLICEPOOL_INLINE void prefetchSlots(const View<Keys>& view, Element x) {
  const std::uint32_t* row = view.rightRow(x);
  for (std::uint32_t g = 0; g < view.generators; ++g)
    if (isPending(row[g])) prefetch(view.table.slots + elementOf(row[g]));
}

/// Number of new elements among the products of one block of the stage.
template <class Keys>
SLICEPOOL_HD void countBlock(const View<Keys>& view, std::uint32_t block) {
  constexpr Element kAhead = 4;
  const Element begin = view.stageBegin + block * kBlock;
  const Element end = begin + kBlock < view.stageEnd ? begin + kBlock : view.stageEnd;
  std::uint32_t winners = 0;
  for (Element x = begin; x < end; ++x) {
    if (x + kAhead < end) prefetchSlots(view, x + kAhead);
    const std::uint32_t* row = view.rightRow(x);
    for (std::uint32_t g = 0; g < view.generators; ++g)
      winners += isWinner(view, row[g], (x - view.stageBegin) * view.generators + g) ? 1 : 0;
  }
  view.blockWinners[block] = winners;
}

/// Makes element `y` out of the product x.g. Its word is that of x with g, its suffix that of x's with g.
template <class Keys>
SLICEPOOL_INLINE void addElement(const View<Keys>& view, Element x, std::uint32_t g, Element y) {
  view.parent[y] = x;
  view.last[y] = static_cast<Letter>(g);
  view.first[y] = x == 0 ? static_cast<Letter>(g) : view.first[x];
  view.suffix[y] = x == 0 ? 0 : elementOf(view.rightRow(view.suffix[x])[g]);
  view.keys.storeProduct(x, g, y);
}

/// Numbers the new elements of one block from `blockWinners[block]` on, in the order of candidates. Doing it
/// again does the same (a device that failed): an entry with kTree was a winner.
template <class Keys>
SLICEPOOL_HD void numberBlock(const View<Keys>& view, std::uint32_t block) {
  constexpr Element kAhead = 4;
  const Element begin = view.stageBegin + block * kBlock;
  const Element end = begin + kBlock < view.stageEnd ? begin + kBlock : view.stageEnd;
  Element next = view.blockWinners[block];
  for (Element x = begin; x < end; ++x) {
    if (x + kAhead < end) {
      prefetchSlots(view, x + kAhead);
      view.prefetchRow(view.rightRow(view.suffix[x + kAhead]));
    }
    std::uint32_t* row = view.rightRow(x);
    for (std::uint32_t g = 0; g < view.generators; ++g) {
      const std::uint32_t entry = row[g];
      if (isTree(entry)) {
        addElement(view, x, g, next++);
      } else if (isWinner(view, entry, (x - view.stageBegin) * view.generators + g)) {
        std::uint64_t* slot = view.table.slots + elementOf(entry);
        storeRelaxed(slot, settledSlot(loadRelaxed(slot), next));
        row[g] = kTree | next;
        addElement(view, x, g, next++);
      }
    }
  }
}

}  // namespace slicepool::semigroup
