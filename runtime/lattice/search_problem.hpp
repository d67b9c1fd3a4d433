// From a checked specification to the problem of one capacity. Included by problem_instances.hpp.
#pragma once

#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "cpu_workers/lattice/search_turn.hpp"
#include "runtime/lattice/problem_build.hpp"
#include "runtime/lattice/tables.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "slicepool/lattice/steps/search.hpp"

namespace slicepool::lattice {

/// Steps of the whole search as expected; 0 (unknown) where the radius shrinks or roots are given.
inline double expectedSteps(const ProblemSpec& spec) {
  if (spec.shrinking || !spec.roots.empty()) return 0;
  const std::vector<double> levels = expectedNodes(spec);
  return std::accumulate(levels.begin(), levels.end(), 0.0);
}

template <int kCapacity, class S>
std::unique_ptr<Problem> typedProblem(const ProblemSpec& spec) {
  using W = Search<kCapacity>;
  // The captured tables live as long as the problem.
  const auto tables = std::make_shared<const SearchTables>(spec);
  const auto makeView = [tables](std::span<const void* const> addresses) {
    return tables->viewOver(addresses);
  };
  SearchView shape{};
  shape.dimension = spec.dimension;
  std::vector<typename W::Slice> roots;
  if (spec.roots.empty()) roots.push_back(W::whole(shape));
  for (const RootPrefix& prefix : spec.roots) roots.push_back(W::root(shape, prefix));
  const SinkView sinkView{spec.dimension, spec.shrinking && spec.findsLower, spec.findFactor};
  ProblemTraits traits;
  traits.workload = "lattice";
  traits.totalSteps = expectedSteps(spec);
  if (spec.shrinking) traits.sharedStart = bitsOf(spec.squaredRadius);
  return std::make_unique<SearchProblem<kCapacity, S>>(
      tables->tables(), makeView, std::move(roots), S::layout(spec.dimension),
      [sinkView](std::byte*) { return sinkView; }, std::move(traits));
}

template <int kCapacity>
std::unique_ptr<Problem> buildProblem(const ProblemSpec& spec) {
  if (spec.collect) return typedProblem<kCapacity, CollectVectors<kCapacity>>(spec);
  return typedProblem<kCapacity, Tally<kCapacity>>(spec);
}

}  // namespace slicepool::lattice
