// The phases of an exploration one entry of a row at a time, for devices that give every entry a thread of
// its own: the same table, keys and look-ups as the loops over elements in expand.hpp, rows.hpp and
// check.hpp, without what hides latency on a CPU. Used by the kernels and by the stand-in for a GPU
// (emulated_stage_device.hpp).
#pragma once

#include <cstdint>

#include "slicepool/semigroup/steps/check.hpp"
#include "slicepool/semigroup/steps/expand.hpp"
#include "slicepool/semigroup/steps/rows.hpp"
#include "slicepool/semigroup/steps/view.hpp"

namespace slicepool::semigroup {

/// x.g for x of the stage in work: its entry becomes pending or unknown. O(width of a key).
template <class Keys>
SLICEPOOL_INLINE void expandEntry(const View<Keys>& view, Element x, std::uint32_t g) {
  std::uint32_t& entry = view.rightRow(x)[g];
  if (x != 0 && !isTree(view.rightRow(view.suffix[x])[g])) {
    entry = kUnknown;
    return;
  }
  const std::uint32_t candidate = (x - view.stageBegin) * view.generators + g;
  entry = kPending | insertProduct(view, view.keys.hashOfProduct(x, g), candidate);
}

/// The entry x.g after its winners are numbered; `fail(x, g)` where a derived one disagrees at a source.
template <class Keys, class Fail>
SLICEPOOL_INLINE void deriveEntry(const View<Keys>& view, Element x, std::uint32_t g, const Fail& fail) {
  std::uint32_t* at = view.rightRow(x) + g;
  const std::uint32_t entry = loadRelaxed(at);
  if ((entry & kPending) == 0) return;
  const Element y = productByLookup(view, x, g);
  if (entry == kUnknown && !view.keys.sourcesAgree(x, g, y)) fail(x, g);
  storeRelaxed(at, y);
}

/// f.x: an entry of the left graph; what it needs is as for fillLeft.
template <class Keys>
SLICEPOOL_INLINE void leftEntry(const View<Keys>& view, Element x, std::uint32_t f) {
  view.leftRow(x)[f] = x == 0 ? elementOf(view.right[f])
                              : elementOf(view.rightRow(view.leftRow(view.parent[x])[f])[view.last[x]]);
}

/// Condition (1) of check.hpp for one x, g and f.
template <class Keys>
SLICEPOOL_INLINE bool commutes(const View<Keys>& view, Element x, std::uint32_t g, std::uint32_t f) {
  const std::uint32_t edge = view.rightRow(x)[g];
  return isTree(edge) || view.leftRow(edge)[f] == elementOf(view.rightRow(view.leftRow(x)[f])[g]);
}

/// Whether the key of x is these images of the base points.
template <class Keys>
SLICEPOOL_INLINE bool keyIs(const View<Keys>& view, Element x, const Image* images) {
  for (std::uint32_t i = 0; i < view.keys.width; ++i)
    if (view.keys.stored(x, i) != images[i]) return false;
  return true;
}

}  // namespace slicepool::semigroup
