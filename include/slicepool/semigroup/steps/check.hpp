// What makes the images of a few base points exact. Steps of Exploration (exploration.hpp), host and device.
//
// An exploration by keys that are the images of base points B finds N elements ("nodes"), their words, and a
// right graph on them. Keys of different nodes differ, so that |S| >= N, S being the monoid that the
// generators really generate. Keys may be equal where transformations are not; then some rule found is false.
// Two ways to know that this has not happened:
//
// Rules at all points (`checkRules`). Every word reduces by the rules to one of the N stored words. If every
// rule holds as an equality of transformations, then each word equals its stored word in S, and |S| <= N. The
// cost is n times the length of all rules. It needs no complete graph, so that it serves limited
// explorations, whose rules up to the length in hand are exact by it.
//
// A certificate (`checkElement`, and `sourcesAgree` in rows.hpp). Let node(w) be where the word w leads in
// the right graph from the identity. Suppose
//   (1) left multiplication is well defined on nodes: left[right[x][g]][f] = right[left[x][f]][g] for all x,
//   f
//       and g, where left[x][f] = node(f word(x)) by construction. Then by induction over the letters of w,
//       node(f w) depends on f and node(w) alone;
//   (2) the images of the source points Q agree along all edges: q.word(right[x][g]) = (q.word(x)).g. Then
//       q.w depends on node(w) alone;
//   (3) every point is q.w for a source q and some word w; sources.hpp of the runtime chooses Q so, one point
//       from each strongly connected component without an edge from outside.
// If node(u) = node(v), then node(wu) = node(wv) for all words w by (1), hence q.wu = q.wv by (2), and p.u =
// p.v for every point p by (3): u = v in S. So |S| <= N. Conversely, if S is separated by B, (1) and (2) are
// identities of S. The cost is N |G|^2 look-ups, for every n.
#pragma once

#include <cstdint>

#include "slicepool/semigroup/steps/view.hpp"

namespace slicepool::semigroup {

/// One number for a failure of (1), in the order of x, g, f. The smallest one is reported.
SLICEPOOL_INLINE std::uint64_t failureCode(Element x, std::uint32_t g, std::uint32_t f) {
  return (static_cast<std::uint64_t>(x) << 32) | (static_cast<std::uint64_t>(g) << 16) | f;
}

/// Condition (1) for one element, whose neighbours have complete rows; `fail(x, g, f)` where it does not
/// hold. Along tree edges it holds by construction.
template <class Keys, class Fail>
SLICEPOOL_HD void checkElement(const View<Keys>& view, Element x, const Fail& fail) {
  const std::uint32_t generators = view.generators;
  const std::uint32_t* rightOfX = view.rightRow(x);
  const std::uint32_t* leftOfX = view.leftRow(x);
  for (std::uint32_t f = 0; f < generators; ++f) {
    const std::uint32_t* across = view.rightRow(leftOfX[f]);
    for (std::uint32_t g = 0; g < generators; ++g) {
      if (isTree(rightOfX[g])) continue;
      if (view.leftRow(rightOfX[g])[f] != elementOf(across[g])) fail(x, g, f);
    }
  }
}

/// The same for elements [begin, end).
template <class Keys, class Fail>
SLICEPOOL_HD void checkElements(const View<Keys>& view, Element begin, Element end, const Fail& fail) {
  constexpr Element kAhead = 2;
  for (Element x = begin; x < end; ++x) {
    if (x + kAhead < end) {
      const std::uint32_t* right = view.rightRow(x + kAhead);
      const std::uint32_t* left = view.leftRow(x + kAhead);
      for (std::uint32_t g = 0; g < view.generators; ++g) {
        view.prefetchRow(view.rightRow(left[g]));
        if (!isTree(right[g])) view.prefetchRow(view.leftRow(right[g]));
      }
    }
    checkElement(view, x, fail);
  }
}

/// Whether x.g was computed and found to be known: the pair of words (word(x) g, word of that element) is a
/// rule of the shortlex system. An entry that was looked up is no rule.
template <class Keys>
SLICEPOOL_INLINE bool isRule(const View<Keys>& view, Element x, std::uint32_t g) {
  if (isTree(view.rightRow(x)[g])) return false;
  return x == 0 || isTree(view.rightRow(view.suffix[x])[g]);
}

/// Number of rules x.g = y of an element whose row is complete.
template <class Keys>
SLICEPOOL_INLINE std::uint32_t rulesOf(const View<Keys>& view, Element x) {
  const std::uint32_t* row = view.rightRow(x);
  const std::uint32_t* shorter = view.rightRow(view.suffix[x]);
  std::uint32_t rules = 0;
  for (std::uint32_t g = 0; g < view.generators; ++g)
    rules += !isTree(row[g]) && (x == 0 || isTree(shorter[g])) ? 1 : 0;
  return rules;
}

/// Images of points [0, count) under the word of x; `points` is replaced.
template <class Keys>
SLICEPOOL_INLINE void applyWord(const View<Keys>& view, Element x, Image* points, std::uint32_t count) {
  for (; x != 0; x = view.suffix[x]) {
    const std::uint32_t f = view.first[x];
    for (std::uint32_t i = 0; i < count; ++i) points[i] = view.keys.imageOf(points[i], f);
  }
}

/// The smallest point where x.g and y differ, or n.
template <class Keys>
SLICEPOOL_HD Image firstDifference(const View<Keys>& view, Element x, std::uint32_t g, Element y) {
  constexpr std::uint32_t kTogether = 64;
  Image product[kTogether];
  Image other[kTogether];
  const std::uint32_t n = view.keys.points;
  for (std::uint32_t begin = 0; begin < n; begin += kTogether) {
    const std::uint32_t count = n - begin < kTogether ? n - begin : kTogether;
    for (std::uint32_t i = 0; i < count; ++i) product[i] = other[i] = begin + i;
    applyWord(view, x, product, count);
    applyWord(view, y, other, count);
    for (std::uint32_t i = 0; i < count; ++i)
      if (view.keys.imageOf(product[i], g) != other[i]) return begin + i;
  }
  return n;
}

/// The rules of one element at all points; `fail(x, g, 0)` where one is false.
template <class Keys, class Fail>
SLICEPOOL_HD void checkRulesOf(const View<Keys>& view, Element x, const Fail& fail) {
  for (std::uint32_t g = 0; g < view.generators; ++g) {
    if (!isRule(view, x, g)) continue;
    if (firstDifference(view, x, g, elementOf(view.rightRow(x)[g])) != view.keys.points) fail(x, g, 0U);
  }
}

/// Whether x.x = x: at base points, whose images distinguish the elements.
template <class Keys>
SLICEPOOL_HD bool isIdempotent(const View<Keys>& view, Element x) {
  for (std::uint32_t i = 0; i < view.keys.width; ++i) {
    const Image image = view.keys.stored(x, i);
    Image twice = image;
    applyWord(view, x, &twice, 1);
    if (twice != image) return false;
  }
  return true;
}

/// The same at all points.
template <class Keys>
SLICEPOOL_HD bool isIdempotentEverywhere(const View<Keys>& view, Element x) {
  for (Image point = 0; point < view.keys.points; ++point) {
    Image image = point;
    applyWord(view, x, &image, 1);
    Image twice = image;
    applyWord(view, x, &twice, 1);
    if (twice != image) return false;
  }
  return true;
}

}  // namespace slicepool::semigroup
