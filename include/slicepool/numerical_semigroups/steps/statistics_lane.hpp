// The visits of a lane (search_lane.hpp) where all semigroups are visited and their numbers are wanted. They
// follow from those of the parent S, which loses s = F + 1 + j. Tests compare them with the plain step, which
// computes them from the set of elements.
//
// Embedding dimension: S \ {s} has one generator less, or as many if s + m becomes one.
//
// Pseudo-Frobenius numbers: those of S \ {s} are s, and those x of S for which s - x is no element. For x and
// every element y > 0 other than s, x + y is an element of S \ {s} unless it is s; and x + s is beyond s. So
// the type takes two words and a shift: the set of F - x moves up by j + 1, and loses all elements.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/numerical_semigroups/steps/element_set.hpp"
#include "slicepool/numerical_semigroups/steps/search_lane.hpp"
#include "slicepool/numerical_semigroups/steps/selection.hpp"

namespace slicepool::numerical_semigroups {

template <int kWords>
class StatisticsVisits {
 public:
  using View = StatisticsView;
  using Generators = Bits<kWords>;
  /// Sets of numbers from 0 to F, or of their distances to F: F < 128 kWords.
  using Numbers = Bits<2 * kWords>;

  /// See CountVisits.
  struct Frame {
    Generators open;
    Bits<kWords> mirror;
    Numbers pseudo;
    std::int16_t last;
    std::int16_t levels;
    std::uint32_t counts;
  };
  static constexpr int kFastFrames = 4;
  static constexpr int kCounted = 0;

  struct Child {
    Numbers pseudo;
    std::uint32_t counts;
    int right;  ///< generators above F
  };

  /// O(number of elements below F) shifts: ten visits' time or more.
  SLICEPOOL_INLINE void load(const View& view, const Class& in, const Node<kWords, 2 * kWords>& node) {
    *this = ofNode(view.needs, view.largest, in, node);
  }
  [[nodiscard]] SLICEPOOL_INLINE Frame frame(const Generators& open, const Node<kWords>& node,
                                             int levels) const {
    return {
        open,   node.mirror, pseudo_, static_cast<std::int16_t>(node.last), static_cast<std::int16_t>(levels),
        counts_};
  }
  SLICEPOOL_INLINE void goBack(const Frame& frame, int frobenius) {
    pseudo_ = frame.pseudo;
    counts_ = frame.counts;
    elements_ = elements_ | Numbers::from(frobenius + 1);
  }
  SLICEPOOL_INLINE void enter(const Child& child, int frobenius) {
    pseudo_ = child.pseudo;
    counts_ = child.counts;
    // Always less, of a semigroup; a GPU's set has no memory beyond its words.
    if (SLICEPOOL_ON_DEVICE != 0 || frobenius < Numbers::kSize) elements_.remove(frobenius);
  }
  [[nodiscard]] SLICEPOOL_INLINE Child own() const { return {pseudo_, counts_, part(counts_, kRight)}; }
  [[nodiscard]] SLICEPOOL_INLINE Child child(const View& view, const Generators& generators, int j,
                                             bool frees) const {
    Child child;
    child.pseudo = pseudo_;
    if ((view.needs & kNeedsType) != 0) {
      child.pseudo = pseudo_.template up<kWords>(j).template up<1>(1).without(elements_);
      child.pseudo.add(0);
    }
    child.counts = counts_ - (frees ? 0 : 1);
    child.right = generators.population() + part(counts_, kBeyond);
    return child;
  }

  template <class Emit, class NodeOf>
  SLICEPOOL_INLINE static bool visit(const View& view, const Class& in, Child& child, const NodeOf& nodeOf,
                                     int last, int levels, Generators& generators, Emit& emit) {
    if (isPassed(view, levels)) return true;
    // {0, m, m + 1, ..}: m is no gap.
    const int above = last + in.second;
    const int frobenius = above == in.multiplicity ? above - 1 : above;
    const SemigroupNumbers numbers{in.multiplicity,
                                   in.second,
                                   view.genus - levels,
                                   frobenius,
                                   child.pseudo.population(),
                                   part(child.counts, kGenerators),
                                   child.right};
    const Values values = numbers.values(view.needs);
    const auto gapsOf = [&] { return gapsOfNode(in, nodeOf()); };
    if (!emitSelected(view, values, levels, emit, gapsOf)) return false;
    const Generators all = generators;
    generators = removable(view, values, levels, last, in, all);
    if (view.largest != 0)
      child.counts += static_cast<std::uint32_t>(all.population() - generators.population()) << kBeyond;
    return true;
  }
  template <class Emit>
  SLICEPOOL_INLINE static void begin(const Class&, Emit&) {}
  template <class Emit>
  SLICEPOOL_INLINE static void end(Emit&) {}

 private:
  // What is called now and then is a function of its own: inlined, it would take registers from the walk.
  SLICEPOOL_HD __attribute__((noinline)) static StatisticsVisits ofNode(std::uint32_t needs, int largest,
                                                                        Class in,
                                                                        Node<kWords, 2 * kWords> node) {
    StatisticsVisits visits;
    const auto set = ElementSet<kWords>::of(in, node);
    visits.elements_ = set.elements.template low<2 * kWords>();
    if ((needs & kNeedsType) != 0) {
      // x becomes F - x, F being that of the walk.
      constexpr int kLast = 192 * kWords - 1;
      const int up = kLast - (node.last + in.second);
      visits.pseudo_ = set.pseudoFrobenius().reversed().down(up).template low<2 * kWords>();
    }
    if ((needs & kNeedsGenerators) == 0) return visits;
    const auto found = set.generators();
    const auto above = [&](int number) {
      return static_cast<std::uint32_t>(found.without(decltype(found)::below(number + 1)).population());
    };
    visits.counts_ = static_cast<std::uint32_t>(found.population()) << kGenerators |
                     above(set.frobenius) << kRight | (largest != 0 ? above(largest) << kBeyond : 0);
    return visits;
  }
  SLICEPOOL_HD __attribute__((noinline)) static typename ElementSet<kWords>::Gaps gapsOfNode(
      Class in, Node<kWords> node) {
    return ElementSet<kWords>::of(in, {node.elements, wideMirror(node), node.last}).gaps();
  }

  // Small numbers in one register: at which bit each begins.
  static constexpr int kGenerators = 0;  ///< embedding dimension
  static constexpr int kBeyond =
      8;  ///< generators whose removal is never visited: those above the bound of F
  static constexpr int kRight = 16;  ///< generators above F, of a node that waits to be visited
  [[nodiscard]] SLICEPOOL_INLINE static int part(std::uint32_t counts, int bit) {
    return static_cast<int>(counts >> bit & 0xffU);
  }

  Numbers elements_;  ///< up to F; above it all are
  Numbers pseudo_{};  ///< bit i: F - i is a pseudo-Frobenius number
  std::uint32_t counts_ = 0;
};

}  // namespace slicepool::numerical_semigroups
