// What a graph says of its elements: words, images, rules, idempotents. Called by enumeration.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/semigroup/generators.hpp"
#include "runtime/semigroup/graph.hpp"
#include "slicepool/semigroup/enumeration.hpp"

namespace slicepool::semigroup {

/// Throws std::out_of_range for an element that is not below `count`.
void requireElement(Element x, std::uint64_t count);
/// The same for element `x` of the `complete` ones, and for generator `g`.
void requireEdge(const Graph& graph, Element x, std::uint32_t g, Element complete);

/// The letters of element `x`, from left to right. O(length).
[[nodiscard]] Word wordOf(const Graph& graph, Element x);
/// The images of elements [begin, end), a row each. O(points) a letter.
void writeImages(const Graph& graph, const Generators& generators, std::uint64_t begin, std::uint64_t end,
                 Image* images);
/// The rules among the complete rows, in the order of their left sides.
[[nodiscard]] std::vector<Rule> rulesInWords(const Graph& graph);
/// Ascending.
[[nodiscard]] std::vector<Element> idempotentsOf(const Graph& graph, const Generators& generators);

}  // namespace slicepool::semigroup
