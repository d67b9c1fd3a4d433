// Rules behind failed checks of an exploration, found on the host: the check is made once more, one element
// after another, and asks BaseGrowth what is behind each failure. Used when a base has to grow
// (staged_answers.hpp).
#pragma once

#include <algorithm>
#include <vector>

#include "runtime/semigroup/base_growth.hpp"
#include "slicepool/semigroup/steps/check.hpp"

namespace slicepool::semigroup {

/// Some of the false rules behind the failures of a phase in [from, end), which begin at `from`.
template <class Keys>
[[nodiscard]] std::vector<FalseRule> falseRules(const Graph& graph, const View<Keys>& view,
                                                const BaseGrowth& growth, Phase phase, Element from,
                                                Element end) {
  constexpr double kMaximumCost = 1U << 24;     // images that may be looked at
  constexpr Element kMaximumLooked = 1U << 13;  // elements from the first failure on
  const auto most = static_cast<std::size_t>(std::clamp(kMaximumCost / growth.costOfRule(), 4.0, 1024.0));
  std::vector<FalseRule> rules;
  std::size_t failures = 0;
  const auto add = [&](const FalseRule& rule) {
    if (std::find(rules.begin(), rules.end(), rule) == rules.end()) rules.push_back(rule);
  };
  const auto holds = [&](Element x, std::uint32_t g) {
    if (phase == Phase::derive)
      return isTree(graph.rightRow(x)[g]) || view.keys.sourcesAgree(x, g, graph.rightOf(x, g));
    return !graph.isRule(x, g) || firstDifference(view, x, g, graph.rightOf(x, g)) == view.keys.points;
  };
  for (Element x = from; x < end && x - from < kMaximumLooked && failures < most; ++x) {
    bool failedHere = false;
    if (phase == Phase::check) {
      checkElement(
          view, x,
          [&](Element, std::uint32_t g, std::uint32_t f) {
            if (!failedHere) add(growth.behindContradiction(x, g, f));
            failedHere = true;
          });
    } else {
      for (std::uint32_t g = 0; g < graph.generators && !failedHere; ++g) {
        failedHere = !holds(x, g);
        if (failedHere) add(growth.behindEdge(x, g));
      }
    }
    failures += failedHere ? 1 : 0;
  }
  return rules;
}

}  // namespace slicepool::semigroup
