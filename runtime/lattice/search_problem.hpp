// From a checked specification to the problem of one capacity. Included by problem_instances.hpp.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "cpu_workers/lattice/search_turn.hpp"
#include "runtime/core/kept_values.hpp"
#include "runtime/lattice/problem_build.hpp"
#include "runtime/lattice/short_dual.hpp"
#include "runtime/lattice/tables.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "slicepool/lattice/steps/coefficient_bounds.hpp"
#include "slicepool/lattice/steps/search.hpp"
#include "slicepool/lattice/steps/start_nodes.hpp"

namespace slicepool::lattice {

/// Of a pruned tree whose radius shrinks: searches may be many and short.
inline constexpr std::size_t kRoughCells = 128;

/// The frontier is cut into this many slices for each shard, so that shards are about equally long.
inline constexpr std::size_t kSlicesPerShard = 64;

/// Counts the nodes above a frontier.
struct FrontierEmitter {
  void visited(int level, std::uint64_t nodes) {
    frontier.nodesPerLevel[static_cast<std::size_t>(level)] += nodes;
  }
  Frontier& frontier;
};

/// The whole, or the roots.
template <int kCapacity>
std::vector<SearchSlice<kCapacity>> rootSlices(const ProblemSpec& spec, const SearchView& view) {
  using W = Search<kCapacity>;
  std::vector<typename W::Slice> roots;
  if (spec.roots.empty()) roots.push_back(W::whole(view));
  for (const RootPrefix& prefix : spec.roots) roots.push_back(W::root(view, prefix));
  return roots;
}

/// The tables in the basis that the search is in.
template <int kCapacity>
SearchTables searchTables(const ProblemSpec& spec) {
  SearchTables tables(spec);
  if (!spec.devices) return tables;
  const SearchView given = tables.view();
  const auto roots = rootSlices<kCapacity>(spec, given);
  if (!std::all_of(roots.begin(), roots.end(),
                   [&](const auto& root) { return isBelowNodes<kCapacity>(given, root); }))
    return tables;
  const ShortDual dual(given);
  if (dual.helps()) tables.change(dual);
  return tables;
}

/// The frontier of all shards.
template <int kCapacity>
struct CutTree {
  std::vector<SearchSlice<kCapacity>> slices;
  Frontier frontier;
};

template <int kCapacity>
CutTree<kCapacity> cutTree(const ProblemSpec& spec, const SearchTables& tables) {
  const SearchView view = tables.view();
  CutTree<kCapacity> tree{rootSlices<kCapacity>(spec, view), {}};
  tree.frontier.nodesPerLevel.assign(static_cast<std::size_t>(spec.dimension), 0);
  FrontierEmitter emit{tree.frontier};
  const std::size_t wanted = kSlicesPerShard * spec.shards;
  const std::size_t room = static_cast<std::size_t>(spec.dimension) + 2;
  StartNodes<kCapacity, FrontierEmitter>(view, emit).expand(tree.slices, wanted, 2 * wanted + room);
  tree.frontier.slices = tree.slices.size();
  // Not of the slices as they are: machines may search in different bases.
  auto given = tree.slices;
  for (auto& slice : given) slice = Search<kCapacity>::ofGivenBasis(view, slice);
  tree.frontier.hash = XXH3_64bits(given.data(), given.size() * sizeof(given[0]));
  return tree;
}

/// Everything that the frontier depends on, byte by byte.
inline std::string frontierKey(const ProblemSpec& spec, const SearchTables& tables) {
  std::string key = fmt::format("{} {} {:a}", spec.dimension, spec.shards, spec.squaredRadius);
  for (const RootPrefix& prefix : spec.roots)
    key += fmt::format(" {}:{}", prefix.level, fmt::join(prefix.coefficients, ","));
  for (const Table& table : tables.tables()) key.append(static_cast<const char*>(table.data), table.bytes);
  return key;
}

template <int kCapacity>
std::shared_ptr<const CutTree<kCapacity>> frontierTree(const ProblemSpec& spec, const SearchTables& tables) {
  return keptOrMade(
      frontierKey(spec, tables), [&] { return cutTree<kCapacity>(spec, tables); });
}

/// What is searched: the whole or the roots, or the share of their frontier.
template <int kCapacity>
std::vector<SearchSlice<kCapacity>> startingSlices(const ProblemSpec& spec, const SearchTables& tables) {
  if (spec.shards == 1) return rootSlices<kCapacity>(spec, tables.view());
  const auto tree = frontierTree<kCapacity>(spec, tables);
  std::vector<SearchSlice<kCapacity>> dealt;
  for (std::size_t i = spec.shard; i < tree->slices.size(); i += spec.shards)
    dealt.push_back(tree->slices[i]);
  return dealt;
}

template <int kCapacity, class S>
std::unique_ptr<Problem> typedProblem(const ProblemSpec& spec) {
  // The captured tables live as long as the problem.
  const auto tables = std::make_shared<const SearchTables>(searchTables<kCapacity>(spec));
  const auto makeView = [tables](std::span<const void* const> addresses) {
    return tables->viewOver(addresses);
  };
  auto roots = startingSlices<kCapacity>(spec, *tables);
  const SinkView sinkView{spec.dimension, spec.shrinking && spec.findsLower, spec.findFactor};
  ProblemTraits traits;
  traits.workload = "lattice";
  if (spec.shrinking)
    traits.expectedSteps = expectedSteps(spec, kRoughCells);
  else
    traits.totalSteps = spec.shards == 1 ? expectedSteps(spec) : 0;
  if (spec.shrinking) traits.sharedStart = bitsOf(spec.squaredRadius);
  return std::make_unique<SearchProblem<kCapacity, S>>(
      tables->tables(), makeView, std::move(roots), S::layout(spec.dimension),
      [sinkView](std::byte*) { return sinkView; }, std::move(traits));
}

template <int kCapacity>
Frontier buildFrontier(const ProblemSpec& spec) {
  Frontier frontier = frontierTree<kCapacity>(spec, searchTables<kCapacity>(spec))->frontier;
  frontier.slicesOfShard =
      frontier.slices / spec.shards + (spec.shard < frontier.slices % spec.shards ? 1 : 0);
  return frontier;
}

template <int kCapacity>
std::unique_ptr<Problem> buildProblem(const ProblemSpec& spec) {
  if (spec.collect) return typedProblem<kCapacity, CollectVectors<kCapacity>>(spec);
  return typedProblem<kCapacity, Tally<kCapacity>>(spec);
}

}  // namespace slicepool::lattice
