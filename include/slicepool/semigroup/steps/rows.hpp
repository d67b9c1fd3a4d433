// The second half of a stage: entries of the right graph that follow by look-ups, and rows of the left graph.
// Steps of Exploration (exploration.hpp), host and device.
//
// Let x = f.s (f its first letter, s its suffix) and s.g = t, where t's word is smaller than that of s with
// g. Then x.g = f.t, which is an entry of the left graph where t belongs to an earlier stage. Otherwise, t =
// p.h (parent and last letter), f.t = (f.p).h, an entry of the right graph. Its row may be of the stage in
// work and not be there yet; then it is derived in its turn, from its own x. That ends: for all entries,
// with any keys, the word of x.g is at most the word of x with g in shortlex order, so that (f.p, h)
// comes before (x, g).
#pragma once

#include <cstdint>

#include "slicepool/semigroup/steps/expand.hpp"
#include "slicepool/semigroup/steps/view.hpp"

namespace slicepool::semigroup {

/// x.g for x of the stage in work or before, with its winners numbered.
template <class Keys>
SLICEPOOL_HD Element productByLookup(const View<Keys>& view, Element x, std::uint32_t g) {
  for (;;) {
    const std::uint32_t entry = loadRelaxed(view.rightRow(x) + g);
    if ((entry & kPending) == 0) return elementOf(entry);
    if (entry != kUnknown) return valueOf(loadRelaxed(view.table.slots + elementOf(entry)));
    const std::uint32_t f = view.first[x];
    const Element t = elementOf(view.rightRow(view.suffix[x])[g]);
    if (t < view.stageBegin) return view.leftRow(t)[f];
    x = view.leftRow(view.parent[t])[f];
    g = view.last[t];
  }
}

/// Asks for what the entries of a row follow from.
template <class Keys>
SLICEPOOL_INLINE void prefetchOrigins(const View<Keys>& view, Element x) {
  if (x == 0) return;
  const std::uint32_t* shorter = view.rightRow(view.suffix[x]);
  const std::uint32_t f = view.first[x];
  for (std::uint32_t g = 0; g < view.generators; ++g) {
    if (isTree(shorter[g])) continue;
    const Element t = shorter[g];
    if (t < view.stageBegin) {
      prefetch(view.leftRow(t) + f);
    } else {
      prefetch(view.parent + t);
      prefetch(view.last + t);
    }
  }
}

/// Whether the edges of a complete row that are no tree edges agree at the source points; `fail(x, g)` where
/// not.
template <class Keys, class Fail>
SLICEPOOL_INLINE void checkSources(const View<Keys>& view, Element x, const Fail& fail) {
  if (view.keys.sources == 0) return;
  const std::uint32_t* row = view.rightRow(x);
  for (std::uint32_t g = 0; g < view.generators; ++g) {
    const std::uint32_t entry = loadRelaxed(row + g);
    if (!isTree(entry) && !view.keys.sourcesAgree(x, g, entry)) fail(x, g);
  }
}

/// Completes the rows of elements [begin, end) of the stage in the right graph. All of their entries must
/// agree at the source points (check.hpp); `fail(x, g)` is called where one does not. That goes for entries
/// that are there already, too: a device that failed may have derived them without being able to tell.
template <class Keys, class Fail>
SLICEPOOL_HD void derive(const View<Keys>& view, Element begin, Element end, const Fail& fail) {
  constexpr Element kAhead = 4;
  constexpr Element kBehind = 4;  // rows until the images of what was derived are looked at
  for (Element x = begin; x < end; ++x) {
    if (x + 2 * kAhead < end) view.prefetchRow(view.rightRow(view.suffix[x + 2 * kAhead]));
    if (x + kAhead < end) {
      prefetchOrigins(view, x + kAhead);
      prefetchSlots(view, x + kAhead);
    }
    std::uint32_t* row = view.rightRow(x);
    for (std::uint32_t g = 0; g < view.generators; ++g) {
      if ((loadRelaxed(row + g) & kPending) == 0) continue;
      const Element y = productByLookup(view, x, g);
      prefetch(view.keys.address(y));
      storeRelaxed(row + g, y);
    }
    if (x - begin >= kBehind) checkSources(view, x - kBehind, fail);
  }
  for (Element x = end - begin > kBehind ? end - kBehind : begin; x < end; ++x) checkSources(view, x, fail);
}

/// Rows of elements [begin, end) in the left graph: f.x = (f.parent(x)).last(x). The right rows of their
/// stage and the left rows of the stages before must be complete.
template <class Keys>
SLICEPOOL_HD void fillLeft(const View<Keys>& view, Element begin, Element end) {
  constexpr Element kAhead = 4;
  for (Element x = begin; x < end; ++x) {
    std::uint32_t* row = view.leftRow(x);
    if (x == 0) {
      for (std::uint32_t f = 0; f < view.generators; ++f) row[f] = elementOf(view.right[f]);
      continue;
    }
    if (x + kAhead < end) {
      const std::uint32_t* ahead = view.leftRow(view.parent[x + kAhead]);
      for (std::uint32_t f = 0; f < view.generators; ++f)
        prefetch(view.rightRow(ahead[f]) + view.last[x + kAhead]);
    }
    const std::uint32_t* shorter = view.leftRow(view.parent[x]);
    const std::uint32_t g = view.last[x];
    for (std::uint32_t f = 0; f < view.generators; ++f) row[f] = elementOf(view.rightRow(shorter[f])[g]);
  }
}

}  // namespace slicepool::semigroup
