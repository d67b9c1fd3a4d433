// See graph_answers.hpp.
#include "runtime/semigroup/graph_answers.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace slicepool::semigroup {

void requireElement(Element x, std::uint64_t count) {
  if (x >= count) throw std::out_of_range(fmt::format("element {} of {}", x, count));
}

void requireEdge(const Graph& graph, Element x, std::uint32_t g, Element complete) {
  requireElement(x, complete);
  if (g >= graph.generators) throw std::out_of_range(fmt::format("generator {} of {}", g, graph.generators));
}

Word wordOf(const Graph& graph, Element x) {
  Word letters;
  for (; x != 0; x = graph.suffix[x]) letters.push_back(graph.first[x]);
  return letters;
}

void writeImages(const Graph& graph, const Generators& generators, std::uint64_t begin, std::uint64_t end,
                 Image* images) {
  for (std::uint64_t number = begin; number < end; ++number, images += generators.points) {
    for (Image i = 0; i < generators.points; ++i) images[i] = i;
    for (auto x = static_cast<Element>(number); x != 0; x = graph.suffix[x])
      for (Image i = 0; i < generators.points; ++i) images[i] = generators.images[graph.first[x]][images[i]];
  }
}

std::vector<Rule> rulesInWords(const Graph& graph) {
  std::vector<Rule> found;
  for (Element x = 0; x < graph.complete; ++x) {
    for (std::uint32_t g = 0; g < graph.generators; ++g) {
      if (!graph.isRule(x, g)) continue;
      Word side = wordOf(graph, x);
      side.push_back(static_cast<Letter>(g));
      found.emplace_back(std::move(side), wordOf(graph, graph.rightOf(x, g)));
    }
  }
  return found;
}

std::vector<Element> idempotentsOf(const Graph& graph, const Generators& generators) {
  std::vector<Image> images(generators.points);
  const auto isByImages = [&](Element x) {
    writeImages(graph, generators, x, std::uint64_t{x} + 1, images.data());
    return std::all_of(images.begin(), images.end(), [&](Image image) { return images[image] == image; });
  };
  std::vector<Element> found;
  for (Element x = 0; x < graph.size(); ++x) {
    Element square = x;
    Element rest = x;
    for (; rest != 0 && square < graph.complete; rest = graph.suffix[rest])
      square = graph.rightOf(square, graph.first[rest]);
    // Where an unfinished graph ends, the images say it.
    if (rest == 0 ? square == x : isByImages(x)) found.push_back(x);
  }
  return found;
}

}  // namespace slicepool::semigroup
