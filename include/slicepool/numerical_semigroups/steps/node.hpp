// A numerical semigroup S as the search holds it, and the step to a child: the removal of a generator above
// the Frobenius number F. Executed by CPU workers and GPUs.
//
// Within a class (m, u) of types.hpp three windows describe S:
//   generators  bit j: F + 1 + j is a generator. Generators above F are at most F + m.
//   elements    bit i: u + i is in S.
//   mirror      bit i: F - i is in S and at least u.
// Only s + m can be a generator of S \ {s} that is none of S. It is one if it is no sum of two elements from
// u on. Such a sum would be (u + i) + (s + m - u - i). With s = F + 1 + j the second one is bit i - d of the
// mirror taken upwards, d = j + 1 + m - u. For d > 0 the sum of u and an element above F is one. Otherwise
// elements and the mirror moved down by -d have a bit in common exactly if there is a sum.
//
// The smaller element of a sum is at most (s + m) / 2, so the windows need half of what lies between u and F.
// Elements and mirror of kWords words are exact while F <= m + 128 kWords - 1. Semigroups of genus g have
// F <= 2g - 1. For the first node of a class, F stands for u - 1, also where that is m and no gap. The mirror
// of a node that has children to come back to has twice as many words: then the parent follows from the
// child.
#pragma once

#include "slicepool/core/platform.hpp"
#include "slicepool/numerical_semigroups/steps/bits.hpp"
#include "slicepool/numerical_semigroups/types.hpp"

namespace slicepool::numerical_semigroups {

/// kMirror: words of the mirror, kWords or twice as many.
template <int kWords, int kMirror = kWords>
struct Node {
  Bits<kWords> elements;
  Bits<kMirror> mirror;
  int last;  ///< F - u; -1 for the first node of a class

  /// {0, m, u, u + 1, ..}
  SLICEPOOL_INLINE static Node first() { return {Bits<kWords>::full(), Bits<kMirror>::below(0), -1}; }

  /// Whether F + 1 + j + m becomes a generator when the generator F + 1 + j is removed.
  [[nodiscard]] SLICEPOOL_INLINE bool frees(const Class& in, int j) const {
    const int distance = in.second - in.multiplicity - 1 - j;
    if (distance < 0) return false;
    return (elements & mirror.template down<kWords>(distance).template low<kWords>()).empty();
  }

  /// Removes F + 1 + j.
  SLICEPOOL_INLINE void remove(int j) {
    mirror = mirror.template up<kWords>(j).template up<1>(1);
    // Between the two Frobenius numbers all are elements.
    if constexpr (kWords == 1) {
      mirror.words[0] |= (std::uint64_t{2} << j) - 2;
    } else {
      Bits<kMirror> between = Bits<kMirror>::below(j + 1);
      between.remove(0);
      mirror = mirror | between;
    }
    last += j + 1;
    if (last < Bits<kWords>::kSize) elements.remove(last);
  }

  /// Becomes the ancestor `levels` above, 1 or more; it is in the class. Returns the j that was removed from
  /// it.
  SLICEPOOL_INLINE int restore(int levels = 1) {
    int j = 0;
    SLICEPOOL_NO_UNROLL
    for (; levels > 0; --levels) {
      j = Bits<kWords>::full().without(mirror.template down<1>(1).template low<kWords>()).lowest();
      mirror = mirror.template down<kWords>(j).template down<1>(1);
      last -= j + 1;
    }
    // All above F are elements.
    elements = elements | Bits<kWords>::from(last + 1);
    return j;
  }

  template <int kFewer>
  [[nodiscard]] SLICEPOOL_INLINE Node<kWords, kFewer> narrow() const {
    return {elements, mirror.template low<kFewer>(), last};
  }
};

/// The mirror of twice as many words. What is beyond the narrow one is close to u: the first elements.
template <int kWords>
SLICEPOOL_HD Bits<2 * kWords> wideMirror(const Node<kWords>& node) {
  constexpr int kSize = Bits<kWords>::kSize;
  Bits<2 * kWords> wide;
  const auto far =
      node.last < kSize ? Bits<kWords>::below(0) : node.elements.reversed().down(2 * kSize - 1 - node.last);
  for (int w = 0; w < kWords; ++w) {
    wide.words[w] = node.mirror.words[w];
    wide.words[kWords + w] = far.words[w];
  }
  return wide;
}

/// Generators above F of the first node of a class, without u: their removal stays in the class.
template <int kWords>
SLICEPOOL_INLINE Bits<kWords> firstGenerators(const Class& in) {
  Bits<kWords> generators = Bits<kWords>::below(in.multiplicity);
  generators.remove(0);
  generators.remove(2 * in.multiplicity - in.second);
  return generators;
}

/// Generators above the Frobenius number of the child that has lost number j of these. `frees`: it has a new
/// one.
template <int kWords>
SLICEPOOL_INLINE Bits<kWords> childGenerators(const Class& in, const Bits<kWords>& generators, int j,
                                              bool frees) {
  Bits<kWords> child = generators.down(j).template down<1>(1);
  if (frees) child.add(in.multiplicity - 1);
  return child;
}

/// How many of the children of a node have a generator that is none of the node.
template <int kWords>
SLICEPOOL_INLINE int countFreed(const Class& in, const Node<kWords>& node, const Bits<kWords>& generators) {
  int freed = 0;
  Bits<kWords> candidates = generators & Bits<kWords>::below(in.second - in.multiplicity);
  SLICEPOOL_NO_UNROLL
  for (; !candidates.empty(); candidates.removeLowest()) freed += node.frees(in, candidates.lowest()) ? 1 : 0;
  return freed;
}

}  // namespace slicepool::numerical_semigroups
