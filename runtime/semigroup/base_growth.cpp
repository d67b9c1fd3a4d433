// See base_growth.hpp.
#include "runtime/semigroup/base_growth.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "slicepool/core/error.hpp"

namespace slicepool::semigroup {
namespace {

[[noreturn]] void inconsistent() {
  throw Error(
      "semigroup: the Cayley graphs contradict each other without a false rule (a defect of slicepool)");
}

}  // namespace

Image BaseGrowth::image(Image point, Element x) const {
  for (; x != 0; x = graph_.suffix[x]) point = generators_.images[graph_.first[x]][point];
  return point;
}

/// Whether the edge x.g says something wrong about this point.
bool BaseGrowth::isFalse(Element x, std::uint32_t g, Image point) const {
  return generators_.images[g][image(point, x)] != image(point, graph_.rightOf(x, g));
}

/// The first edge that is false at `point` on the way of the letter f and the word of `word` from the
/// identity.
bool BaseGrowth::firstFalseEdge(std::uint32_t f, Element word, Image point, FalseRule& found) const {
  Element node = 0;
  std::uint32_t letter = f;
  for (;;) {
    if (isFalse(node, letter, point)) {
      found = {node, letter, point};
      return true;
    }
    if (word == 0) return false;
    node = graph_.rightOf(node, letter);
    letter = graph_.first[word];
    word = graph_.suffix[word];
  }
}

/// From an edge that is false at a point to a rule that is. An edge that was looked up says x = f.s, s.g = t,
/// and where f.t leads: either s.g = t is false at the image of the point under f, or an edge on the way of
/// f.t is false at the point. All of these come before x.g in the order of derivation.
FalseRule BaseGrowth::reduce(FalseRule edge) const {
  while (!graph_.isRule(edge.x, edge.g)) {
    if (isTree(graph_.rightRow(edge.x)[edge.g])) inconsistent();
    const std::uint32_t f = graph_.first[edge.x];
    const Element s = graph_.suffix[edge.x];
    const Image moved = generators_.images[f][edge.point];
    if (isFalse(s, edge.g, moved))
      edge = {s, edge.g, moved};
    else if (!firstFalseEdge(f, graph_.rightOf(s, edge.g), edge.point, edge))
      inconsistent();
  }
  return edge;
}

FalseRule BaseGrowth::behindEdge(Element x, std::uint32_t g) const {
  for (Image point = 0; point < generators_.points; ++point)
    if (isFalse(x, g, point)) return reduce({x, g, point});
  inconsistent();
}

FalseRule BaseGrowth::behindContradiction(Element x, std::uint32_t g, std::uint32_t f) const {
  const Element y = graph_.rightOf(x, g);
  const Element z = graph_.leftOf(x, f);
  for (Image point = 0; point < generators_.points; ++point) {
    const Image moved = generators_.images[f][point];
    FalseRule edge;
    if (isFalse(x, g, moved)) return reduce({x, g, moved});
    if (isFalse(z, g, point)) return reduce({z, g, point});
    for (const Element word : {x, y})
      if (image(moved, word) != image(point, graph_.leftOf(word, f)) && firstFalseEdge(f, word, point, edge))
        return reduce(edge);
  }
  inconsistent();
}

std::vector<Image> BaseGrowth::separatingPoints(const std::vector<FalseRule>& rules) const {
  std::vector<std::vector<bool>> separates;  // [rule][point]
  for (const auto& rule : rules) {
    std::vector<bool> at(generators_.points);
    for (Image point = 0; point < generators_.points; ++point) at[point] = isFalse(rule.x, rule.g, point);
    separates.push_back(std::move(at));
  }
  std::vector<Image> points;
  while (!separates.empty()) {
    std::vector<std::size_t> rulesAt(generators_.points);
    for (const auto& at : separates)
      for (Image point = 0; point < generators_.points; ++point) rulesAt[point] += at[point] ? 1 : 0;
    const auto best = std::max_element(rulesAt.begin(), rulesAt.end()) - rulesAt.begin();
    points.push_back(static_cast<Image>(best));
    std::erase_if(separates, [&](const std::vector<bool>& at) { return at[points.back()]; });
  }
  return points;
}

std::string BaseGrowth::describe(const FalseRule& rule) const {
  const auto word = [&](Element x) {
    std::string text;
    for (; x != 0; x = graph_.suffix[x]) text += fmt::format("{} ", graph_.first[x]);
    return text;
  };
  return fmt::format("{}{} = {}at point {}", word(rule.x), rule.g, word(graph_.rightOf(rule.x, rule.g)),
                     rule.point);
}

double BaseGrowth::costOfRule() const {
  return static_cast<double>(generators_.points) * 2 * static_cast<double>(graph_.stages.size());
}

}  // namespace slicepool::semigroup
