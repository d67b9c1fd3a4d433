// Stages made again from a checkpoint, which says of every product whether it is a new element: numbers and
// words follow without a look into the table; products that are reduced and not new are rules, and they alone
// are looked up. Steps of Exploration (exploration.hpp), host only; a device explores as before, which takes
// it less time than the file.
#pragma once

#include <cstdint>

#include "slicepool/semigroup/steps/expand.hpp"
#include "slicepool/semigroup/steps/view.hpp"

namespace slicepool::semigroup {

/// An entry of a rule until the rule is looked up.
inline constexpr std::uint32_t kRuleEntry = kPending;

[[nodiscard]] SLICEPOOL_INLINE bool treeBit(const std::uint32_t* bits, std::uint64_t index) {
  return (bits[index / 32] >> (index % 32) & 1U) != 0;
}

/// Rows of one block of the stage, and its new elements, which get numbers from `blockWinners[block]` on.
template <class Keys>
SLICEPOOL_HD void adoptBlock(const View<Keys>& view, std::uint32_t block) {
  constexpr Element kAhead = 8;
  const Element begin = view.stageBegin + block * kBlock;
  const Element end = begin + kBlock < view.stageEnd ? begin + kBlock : view.stageEnd;
  std::uint64_t bit = std::uint64_t{block} * kBlock * view.generators;
  Element next = view.blockWinners[block];
  for (Element x = begin; x < end; ++x) {
    if (x + kAhead < end) view.prefetchRow(view.rightRow(view.suffix[x + kAhead]));
    std::uint32_t* row = view.rightRow(x);
    const std::uint32_t* shorter = x == 0 ? nullptr : view.rightRow(view.suffix[x]);
    for (std::uint32_t g = 0; g < view.generators; ++g, ++bit) {
      if (treeBit(view.treeBits, bit)) {
        row[g] = kTree | next;
        addElement(view, x, g, next++);
      } else {
        row[g] = shorter != nullptr && !isTree(shorter[g]) ? kUnknown : kRuleEntry;
      }
    }
  }
}

/// The right sides of some rules of the stage; `fail(x, g)` where the table has none.
template <class Keys, class Fail>
SLICEPOOL_HD void resolveLot(const View<Keys>& view, Lot& lot, const Fail& fail) {
  for (std::uint32_t i = 0; i < lot.count; ++i) {
    const std::uint64_t slot = loadRelaxed(view.table.slots + (lot.hash[i] & view.table.mask));
    if (slot != kEmptySlot && tagsEqual(slot, lot.hash[i])) prefetch(view.keys.address(valueOf(slot)));
  }
  for (std::uint32_t i = 0; i < lot.count; ++i) {
    const Element x = view.stageBegin + lot.candidate[i] / view.generators;
    const std::uint32_t g = lot.candidate[i] % view.generators;
    const Element y =
        findSettled(view.table, lot.hash[i], [&](Element known) { return view.keys.productIs(x, g, known); });
    if (y == kNoElement)
      fail(x, g);
    else
      storeRelaxed(view.rightRow(x) + g, y);
  }
  lot.count = 0;
}

/// The same for all rules of elements [begin, end). The table has all elements that the stage has found.
template <class Keys, class Fail>
SLICEPOOL_HD void resolve(const View<Keys>& view, Element begin, Element end, const Fail& fail) {
  Lot lot;
  for (Element x = begin; x < end; ++x) {
    const std::uint32_t* row = view.rightRow(x);
    for (std::uint32_t g = 0; g < view.generators; ++g) {
      if (row[g] != kRuleEntry) continue;
      const std::uint64_t hash = view.keys.hashOfProduct(x, g);
      prefetch(view.table.slots + (hash & view.table.mask));
      lot.hash[lot.count] = hash;
      lot.candidate[lot.count] = (x - view.stageBegin) * view.generators + g;
      if (++lot.count == Lot::kMaximum) resolveLot(view, lot, fail);
    }
  }
  resolveLot(view, lot, fail);
}

}  // namespace slicepool::semigroup
