// Part of staged_explorer.hpp, apart because it comes after rounds and between explorations: what a failed
// check makes of the base, and questions about what was found.
#pragma once

#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/semigroup/base_growth.hpp"
#include "runtime/semigroup/false_rules.hpp"
#include "runtime/semigroup/staged_explorer.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool::semigroup {

/// A check has failed in [begin, end): the base does not separate the elements.
template <class Store>
typename StagedExplorer<Store>::StageEnd StagedExplorer<Store>::failed(Phase phase, std::uint64_t begin,
                                                                       std::uint64_t end) {
  growBase(phase, begin, end);
  restart();
  ++restarts_;
  return StageEnd::failed;
}

template <class Store>
void StagedExplorer<Store>::growBase(Phase phase, std::uint64_t begin, std::uint64_t end) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t failures = tally_[kFailuresWord];
  const auto first = static_cast<Element>(tally_[kFirstFailureWord] >> 32);
  (void)fetch();
  const BaseGrowth growth(graph_, generators_);
  const auto rules = falseRules(graph_, hostView(), growth, phase,
                                std::max(first, static_cast<Element>(begin)), static_cast<Element>(end));
  if (options_.fixedBase) {
    throw ConfigError("base", fmt::format("{}", fmt::join(base_, ",")),
                      fmt::format("points that separate the elements (of these {} checks failed by stage {}; "
                                  "false, for example: {}), or no fixed_base, so that points are added",
                                  failures, graph_.stages.size() - 2, growth.describe(rules.front())));
  }
  for (const Image point : growth.separatingPoints(rules)) base_.push_back(point);
  const double seconds = secondsSince(start);
  run_.addSeconds(seconds);
  addTime("grow base", seconds);
}

template <class Store>
Element StagedExplorer<Store>::find(std::span<const Image> images) {
  if (!tableValid_) return kNoElement;
  std::vector<Image> ofBase;
  for (const Image point : base_) ofBase.push_back(images[point]);
  const Element x = orOnHost([&] {
    (void)fetch();
    return tableValid_ ? at_->find(store_.hashOf(images), ofBase.data()) : kNoElement;
  });
  if (x == kNoElement) return kNoElement;
  // The key says which element it would be; all points say whether it is.
  for (Image point = 0; point < generators_.points; ++point) {
    Image image = point;
    for (Element y = x; y != 0; y = graph_.suffix[y]) image = generators_.images[graph_.first[y]][image];
    if (image != images[point]) return kNoElement;
  }
  return x;
}

template <class Store>
std::uint64_t StagedExplorer<Store>::countIdempotents() {
  // Base points distinguish the elements; x.x is one where the exploration is complete.
  const Phase phase = graph_.complete < graph_.size() ? Phase::idempotentsEverywhere : Phase::idempotents;
  const auto count = [&] { return round("idempotents", {{phase, 0, graph_.size()}}); };
  return orOnHost(count) == RoundEnd::cancelled ? 0 : tally_[kFoundWord];
}

template <class Store>
std::uint64_t StagedExplorer<Store>::countRules(int threads) {
  if (away()) {
    // Of a run that was stopped as well: copying both graphs to count them on the host takes far longer.
    const auto count = [&] {
      const struct Answering {
        bool& flag;
        explicit Answering(bool& answering) : flag(answering) { flag = true; }
        ~Answering() { flag = false; }
      } answering(answering_);
      return round("rules", {{Phase::rules, 0, graph_.complete}});
    };
    if (orOnHost(count) == RoundEnd::complete && away()) return tally_[kFoundWord];
  }
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t rules = Explorer::countRules(threads);
  const double seconds = secondsSince(start);
  run_.addSeconds(seconds);
  addTime("rules", seconds);
  return rules;
}

}  // namespace slicepool::semigroup
