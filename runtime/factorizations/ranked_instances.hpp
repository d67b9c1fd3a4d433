// Instantiates the problems of `ranked` for the families of each unit in instances.cmake; those with 32-bit
// words get the CPU fast paths when the specification brings stored tails. Called by makeProblem.
#pragma once

#include <memory>
#include <type_traits>

#include "cpu_workers/factorizations/ranked_turn.hpp"
#include "runtime/factorizations/problem_build.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/steps/row_slices.hpp"

namespace slicepool::factorizations {

inline constexpr std::size_t kReducedRowBytes = 8;  // a row's stored value is what a reduction reads of it

template <int D, class Word>
ProblemParts<Ranked<D, Word>> rankedParts(const ProblemSpec& spec) {
  using View = RankedView<D, Word>;
  ProblemParts<Ranked<D, Word>> parts;
  View base{};
  const std::size_t d = spec.generators.size();
  for (std::size_t k = 0; k < d; ++k) {
    base.generators[k] = static_cast<Word>(spec.generators[k]);
    base.dividers[k] = Divider<Word>::by(base.generators[k]);
  }
  if (d >= 2) base.pair = Pair<Word>::of(base.generators[d - 2], base.generators[d - 1]);
  base.element = static_cast<Word>(spec.element);
  base.dimension = static_cast<std::int32_t>(d);

  const auto add = [&](const auto& values) {
    parts.tables.push_back({values.data(), values.size() * sizeof(values[0])});
  };
  add(spec.rankCounts->levels);
  add(spec.rankCounts->chain);
  const bool usable = spec.rows || (wantsReduce(spec) && tailValuesOf(spec.reductions).has_value());
  if (spec.deviceTail != nullptr && usable) {
    const SuffixRows& tail = *spec.deviceTail;
    base.tail.tail = static_cast<std::int32_t>(tail.tail);
    base.tail.elementBytes = static_cast<std::int32_t>(tail.elementBytes);
    base.tail.valueKind = tailValuesOf(spec.reductions).value_or(TailValues::none);
    setAxisStride(base.tail, static_cast<std::uint32_t>(spec.generators[d - tail.tail - 1]), tail.common);
    if (tail.stored()) {
      add(tail.offsets);
      parts.tables.push_back({tail.memory.get(), tail.memoryBytes()});
      if (tail.sums != nullptr)
        parts.tables.push_back({tail.values(), tail.storedRows() * sizeof(std::uint64_t)});
    }
  }
  // The captured specification keeps the tables alive.
  parts.makeView = [base, kept = keep(spec)](std::span<const void* const> addresses) {
    View view = base;
    view.levels = static_cast<const std::uint64_t*>(addresses[0]);
    view.chain = static_cast<const std::uint64_t*>(addresses[1]);
    if (addresses.size() > 2) {
      view.tail.offsets = static_cast<const std::uint32_t*>(addresses[2]);
      const auto* rows = static_cast<const std::byte*>(addresses[3]);
      view.tail.rows = rows != nullptr ? rows + SuffixRows::kReadable : nullptr;
    }
    if (addresses.size() > 4) view.tail.values = static_cast<const std::uint64_t*>(addresses[4]);
    return view;
  };
  const RankRange window = rankWindow(spec);
  if (spec.rootSlices > 1 && base.tail.tail != 0) {
    const std::size_t rowBytes = spec.rows ? spec.deviceTail->rowBytes() : kReducedRowBytes;
    const auto boundaries = cutWindow(spec.generators, *spec.rankCounts, spec.deviceTail->tail, rowBytes,
                                      window, spec.rootSlices);
    for (std::size_t i = 1; i < boundaries.size(); ++i)
      parts.roots.push_back({boundaries[i - 1], boundaries[i]});
  } else if (window.begin < window.end) {
    parts.roots.push_back({window.begin, window.end});
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
