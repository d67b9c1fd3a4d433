// What an exploration has found: the elements with their words, and both Cayley graphs, in flat columns.
// Filled by the explorers; read by answers, files and checkpoints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/core/grow_array.hpp"
#include "slicepool/semigroup/types.hpp"

namespace slicepool::semigroup {

struct Graph {
  std::uint32_t generators = 0;
  GrowArray<std::uint32_t> right;  ///< [element][generator]: entries (types.hpp)
  GrowArray<std::uint32_t> left;   ///< [element][generator]
  GrowArray<Element> parent;
  GrowArray<Element> suffix;
  GrowArray<Letter> first;
  GrowArray<Letter> last;
  /// Stage k is [stages[k], stages[k + 1]); stage 0 is the identity. At a boundary stages.back() is the
  /// number of elements, and the rows of all stages but the last one are complete.
  std::vector<Element> stages;

  [[nodiscard]] Element size() const { return stages.empty() ? 0 : stages.back(); }
  /// Elements whose rows of the right graph are complete.
  Element complete = 0;
  /// The same for the left graph.
  Element leftComplete = 0;

  [[nodiscard]] const std::uint32_t* rightRow(Element x) const {
    return right.data() + std::size_t{x} * generators;
  }
  [[nodiscard]] const std::uint32_t* leftRow(Element x) const {
    return left.data() + std::size_t{x} * generators;
  }
  [[nodiscard]] Element rightOf(Element x, std::uint32_t g) const { return elementOf(rightRow(x)[g]); }
  [[nodiscard]] Element leftOf(Element x, std::uint32_t f) const { return leftRow(x)[f]; }
  /// Whether word(x) g = word(x.g) is a rule of the shortlex system (both sides minimal).
  [[nodiscard]] bool isRule(Element x, std::uint32_t g) const {
    return !isTree(rightRow(x)[g]) && (x == 0 || isTree(rightRow(suffix[x])[g]));
  }

  /// Columns for `elements` elements.
  void resizeColumns(std::size_t elements) {
    parent.resize(elements);
    suffix.resize(elements);
    first.resize(elements);
    last.resize(elements);
  }
  /// Rows for `elements` elements.
  void resizeRows(std::size_t elements) {
    right.resize(elements * generators);
    left.resize(elements * generators);
  }
  [[nodiscard]] std::size_t bytesPerElement() const {
    return 2 * sizeof(Element) + 2 * sizeof(Letter) + std::size_t{2} * generators * sizeof(std::uint32_t);
  }
};

/// Number of rules among the complete rows, by up to `threads` threads (0: all cores). O(elements |G|).
[[nodiscard]] std::uint64_t countRules(const Graph& graph, int threads);

/// Whether entries of complete rows [begin, end) are tree edges, 32 to a word (packTreeBits). O(entries).
[[nodiscard]] std::vector<std::uint32_t> treeBits(const Graph& graph, Element begin, Element end,
                                                  int threads);

}  // namespace slicepool::semigroup
