// Base points that a failed check asks for: from entries of the graphs that contradict each other to rules
// that are false, and from these to points that separate their sides. Called by staged_answers.hpp between
// rounds, on one thread; deterministic, so that the base is the same in every mode.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/semigroup/generators.hpp"
#include "runtime/semigroup/graph.hpp"

namespace slicepool::semigroup {

/// An edge of the right graph, x.g, that is a rule of the exploration and no equality of transformations.
struct FalseRule {
  Element x = 0;
  std::uint32_t g = 0;
  Image point = 0;  ///< a point where the sides differ
  friend bool operator==(const FalseRule&, const FalseRule&) = default;
};

class BaseGrowth {
 public:
  BaseGrowth(const Graph& graph, const Generators& generators) : graph_(graph), generators_(generators) {}

  /// The edge x.g is false at some point: a false rule behind it.
  [[nodiscard]] FalseRule behindEdge(Element x, std::uint32_t g) const;
  /// left[right[x][g]][f] and right[left[x][f]][g] differ: a false rule behind that.
  [[nodiscard]] FalseRule behindContradiction(Element x, std::uint32_t g, std::uint32_t f) const;
  /// Points, few of them, one of which separates the sides of each rule. Greedy; O(rules n length).
  [[nodiscard]] std::vector<Image> separatingPoints(const std::vector<FalseRule>& rules) const;

  /// Both sides of a rule as words: "3 1 4 = 4 1 3 at point 7".
  [[nodiscard]] std::string describe(const FalseRule& rule) const;
  /// Cost of looking at one rule at all points, in images.
  [[nodiscard]] double costOfRule() const;

 private:
  [[nodiscard]] Image image(Image point, Element x) const;
  [[nodiscard]] bool isFalse(Element x, std::uint32_t g, Image point) const;
  bool firstFalseEdge(std::uint32_t f, Element word, Image point, FalseRule& found) const;
  [[nodiscard]] FalseRule reduce(FalseRule edge) const;

  const Graph& graph_;
  const Generators& generators_;
};

}  // namespace slicepool::semigroup
