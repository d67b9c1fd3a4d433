// Instantiates the problems of `ranked` for the families of each unit in instances.cmake; those with 32-bit
// words get the CPU fast paths when the specification brings stored tails. Called by makeProblem.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>

#include "cpu_workers/factorizations/ranked_turn.hpp"
#include "runtime/factorizations/problem_build.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/steps/rank_costs.hpp"

namespace slicepool::factorizations {

inline constexpr std::size_t kReducedRowBytes = 8;  // a row's stored value is what a reduction reads of it

template <int D, class Word>
ProblemParts<Ranked<D, Word>> rankedParts(const ProblemSpec& spec) {
  using View = RankedView<D, Word>;
  ProblemParts<Ranked<D, Word>> parts;
  View base = rankedView<D, Word>(spec.generators, spec.element);
  const std::size_t d = spec.generators.size();

  const auto add = [&](const auto& values) {
    parts.tables.push_back({values.data(), values.size() * sizeof(values[0])});
  };
  add(spec.rankCounts->levels);
  add(spec.rankCounts->chain);
  std::shared_ptr<const RankCosts> costs;
  const bool usable = spec.rows || (wantsReduce(spec) && tailValuesOf(spec.reductions).has_value());
  if (spec.deviceTail != nullptr && usable) {
    const DeviceTail& tail = *spec.deviceTail;
    base.tail.tail = static_cast<std::int32_t>(tail.tail);
    base.tail.elementBytes = static_cast<std::int32_t>(tail.elementBytes);
    base.tail.valueKind = tailValuesOf(spec.reductions).value_or(TailValues::none);
    setAxisStride(base.tail, static_cast<std::uint32_t>(spec.generators[d - tail.tail - 1]), tail.common);
    const std::size_t rowBytes = spec.rows ? tail.rowBytes() : kReducedRowBytes;
    costs = std::make_shared<const RankCosts>(
        makeRankCosts(spec.generators, *spec.rankCounts, tail.tail, rowBytes, base.tail.axisStride));
    add(costs->levels);
    add(costs->chain);
    if (tail.stored()) {
      base.tail.storedRows = static_cast<std::uint32_t>(tail.storedRows());
      add(tail.offsets);
      add(tail.weights);
      parts.tables.push_back({nullptr, tail.rowsMemory()});
      parts.tables.push_back({nullptr, tail.valuesMemory()});
    }
  }
  // The captured specification and costs keep the tables alive.
  parts.makeView = [base, costs, kept = keep(spec)](std::span<const void* const> addresses) {
    View view = base;
    view.levels = static_cast<const std::uint64_t*>(addresses[0]);
    view.chain = static_cast<const std::uint64_t*>(addresses[1]);
    if (costs != nullptr)
      view.costs = costs->on(static_cast<const std::uint64_t*>(addresses[2]),
                             static_cast<const std::uint64_t*>(addresses[3]));
    if (addresses.size() > 4) {
      view.tail.offsets = static_cast<const std::uint32_t*>(addresses[4]);
      view.tail.weights = static_cast<const std::uint64_t*>(addresses[5]);
      const auto* rows = static_cast<const std::byte*>(addresses[6]);
      view.tail.rows = rows != nullptr ? rows + SuffixRows::kReadable : nullptr;
      view.tail.values = static_cast<const std::uint64_t*>(addresses[7]);
    }
    return view;
  };
  const RankRange window = rankWindow(spec);
  const std::uint64_t ranks = window.end > window.begin ? window.end - window.begin : 0;
  const std::uint64_t roots = std::min<std::uint64_t>(ranks, std::max(1U, spec.rootSlices));
  for (std::uint64_t i = 0, first = window.begin; i < roots; ++i) {
    const std::uint64_t last = window.begin + ranks / roots * (i + 1) + ranks % roots * (i + 1) / roots;
    parts.roots.push_back({first, last});
    first = last;
  }
  parts.traits = problemTraits(spec);
  parts.traits.totalSteps = static_cast<double>(window.end - window.begin);
  return parts;
}

template <int D, class Word>
std::unique_ptr<Problem> buildRanked(const ProblemSpec& given) {
  ProblemSpec spec = given;
  if (spec.rankCounts == nullptr) {
    spec.rankCounts = std::make_shared<RankCounts>(makeRankCounts(spec.generators, spec.element));
    if (spec.rankCounts->overflow)
      throw ConfigError("rankCounts", "counts beyond 64 bits", "counts that fit 64 bits, for ranked");
  }
  auto parts = rankedParts<D, Word>(spec);
  if constexpr (D >= 3 && std::is_same_v<Word, std::uint32_t>) {
    if (spec.cpuTail != nullptr && spec.rows) return rankedRowsProblem<D>(spec, std::move(parts));
    const auto kind = tailValuesOf(spec.reductions);
    if (spec.cpuTail != nullptr && wantsReduce(spec) && kind.value_or(TailValues::none) != TailValues::none)
      return rankedReduceProblem<D>(spec, *kind, std::move(parts));
  }
  return joinAnySink<Ranked<D, Word>, D, Word, false>(spec, std::move(parts));
}

#define X(D, Word) template std::unique_ptr<Problem> buildRanked<D, Word>(const ProblemSpec&);
SLICEPOOL_INSTANCES
#undef X

}  // namespace slicepool::factorizations
