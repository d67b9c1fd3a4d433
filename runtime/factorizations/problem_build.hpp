// Shared by the translation units that instantiate problems: from a specification, a workload and its tables
// to a Problem with the sink that the specification asks for.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "slicepool/core/problem.hpp"
#include "slicepool/factorizations/problem_factory.hpp"
#include "slicepool/factorizations/steps/types.hpp"

namespace slicepool::factorizations {

/// Instantiated in lexicographic_instances.hpp and ranked_instances.hpp, called by makeProblem.
template <int D, class Word>
std::unique_ptr<Problem> buildCandidate(const ProblemSpec& spec);
template <int D, class Word>
std::unique_ptr<Problem> buildTabulated(const ProblemSpec& spec);
template <int D, class Word>
std::unique_ptr<Problem> buildRanked(const ProblemSpec& spec);

/// problem_factory_wide.cpp: `ranked` over spec.wideRanks.
std::unique_ptr<Problem> buildWideRanked(const ProblemSpec& spec);

/// problem_factory_wide.cpp: the row of a rank below the total, by spec.suffixCounts. O(d log n).
[[nodiscard]] std::vector<std::uint64_t> rowOfRank(const ProblemSpec& spec, std::uint64_t rank);

/// A copy that is shared by what uses its tables.
[[nodiscard]] std::shared_ptr<const ProblemSpec> keep(const ProblemSpec& spec);

/// The words of the sink, in the order that reductionWords() tells.
[[nodiscard]] WordLayout reductionLayout(const ProblemSpec& spec);
/// Everything but the total of steps.
[[nodiscard]] ProblemTraits problemTraits(const ProblemSpec& spec);
[[nodiscard]] bool wantsReduce(const ProblemSpec& spec);
/// Ranks to be enumerated: the rows' window, else the specification's ranks, else everything. Needs suffix
/// counts or wide ranks.
[[nodiscard]] RankRange rankWindow(const ProblemSpec& spec);

template <int D, class Word>
typename Reduce<D, Word>::View reduceView(const ProblemSpec& spec) {
  const ReductionWords words = reductionWords(spec);
  typename Reduce<D, Word>::View view;
  view.fingerprint = words.fingerprintSum;
  view.lengthRange = words.minimumLength;
  view.coordinateMaxima = words.coordinateMaxima;
  view.predicate = words.satisfied;
  view.lengths = words.lengths;
  if (spec.reductions.predicate) {
    const LinearPredicate& predicate = *spec.reductions.predicate;
    view.relation = predicate.relation == Relation::lessEqual ? -1
                    : predicate.relation == Relation::equal   ? 0
                                                              : 1;
    view.bound = predicate.bound;
    for (std::size_t k = 0; k < predicate.coefficients.size(); ++k)
      view.coefficients[k] = predicate.coefficients[k];
  }
  return view;
}

/// All but the address of the rows.
template <int D, class Word>
typename PlaceRows<D, Word>::View placeRowsView(const ProblemSpec& spec) {
  typename PlaceRows<D, Word>::View view;
  view.begin = spec.rows->window.begin;
  view.end = spec.rows->window.end;
  view.elementBytes = static_cast<std::int32_t>(spec.rows->elementBytes);
  view.fingerprint = reductionWords(spec).fingerprintSum;
  return view;
}

/// A view for each address of the rows.
template <class View>
auto viewAt(View view) {
  return [view](std::byte* base) {
    View there = view;
    there.base = base;
    return there;
  };
}

/// The workload's side of a problem.
template <class W>
struct ProblemParts {
  std::vector<Table> tables;
  std::function<typename W::View(std::span<const void* const>)> makeView;
  std::vector<typename W::Slice> roots;
  ProblemTraits traits;
};

template <class W, class S, class MakeSinkView>
std::unique_ptr<Problem> joinSink(const ProblemSpec& spec, ProblemParts<W>&& parts,
                                  MakeSinkView makeSinkView) {
  return std::make_unique<TypedProblem<W, S>>(std::move(parts.tables), std::move(parts.makeView),
                                              std::move(parts.roots), reductionLayout(spec),
                                              std::move(makeSinkView), std::move(parts.traits));
}

template <class W, int D, class Word, bool kCanCollect>
std::unique_ptr<Problem> joinAnySink(const ProblemSpec& spec, ProblemParts<W>&& parts) {
  if (spec.rows)
    return joinSink<W, PlaceRows<D, Word>>(spec, std::move(parts), viewAt(placeRowsView<D, Word>(spec)));
  if constexpr (kCanCollect) {
    if (spec.collectRows) {
      typename CollectRows<D, Word>::View view;
      view.fingerprint = reductionWords(spec).fingerprintSum;
      return joinSink<W, CollectRows<D, Word>>(spec, std::move(parts), [view](std::byte*) { return view; });
    }
  }
  if (wantsReduce(spec)) {
    const auto view = reduceView<D, Word>(spec);
    return joinSink<W, Reduce<D, Word>>(spec, std::move(parts), [view](std::byte*) { return view; });
  }
  return joinSink<W, Count>(spec, std::move(parts), [](std::byte*) { return Count::View{}; });
}

}  // namespace slicepool::factorizations
