// Implementation of problem_factory.hpp.
#include "slicepool/numerical_semigroups/problem_factory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "cpu_workers/numerical_semigroups/search_turn.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/lane_problem.hpp"
#include "slicepool/numerical_semigroups/selection_sinks.hpp"
#include "slicepool/numerical_semigroups/steps/statistics.hpp"

namespace slicepool::numerical_semigroups {
namespace {

/// n_0, n_1, ..: https://oeis.org/A007323, terms to genus 30.
constexpr std::array<std::uint64_t, 31> kPublished{
    1,      1,      2,      4,      7,      12,      23,      39,      67,     118,   204,
    343,    592,    1001,   1693,   2857,   4806,    8045,    13467,   22464,  37396, 62194,
    103246, 170963, 282828, 467224, 770832, 1270267, 2091030, 3437839, 5646773};

/// n_50, from which larger ones are extrapolated.
constexpr double kAtFifty = 101090300128.0;
constexpr double kGoldenRatio = 1.6180339887498949;
/// n_g / n_(g-1) approaches the golden ratio from above; between 31 and 49 it is about this.
constexpr double kLateRatio = 1.6320;

/// Steps of everything down to the bound; unknown where the tree is cut otherwise.
std::optional<double> expectedSteps(const ProblemSpec& spec) {
  if (spec.multiplicity != 0 || spec.frobenius != 0 || spec.trimmed) return std::nullopt;
  if (spec.slices && spec.share <= 0) return std::nullopt;
  // The first semigroup of a class is visited even where it is of the last genera.
  double steps = spec.genus;
  const int last = spec.genus - (isTallied(spec) ? kCountedLevels : 0);
  for (int genus = 1; genus <= last; ++genus) steps += expectedCount(genus);
  return spec.slices ? spec.share * steps : steps;
}

template <class W>
std::vector<typename W::Slice> rootsOf(const ProblemSpec& spec, const typename W::View& view) {
  std::vector<typename W::Slice> roots;
  if (spec.slices) {
    roots.resize(spec.slices->size() / sizeof(typename W::Slice));
    if (!roots.empty())
      std::memcpy(roots.data(), spec.slices->data(), roots.size() * sizeof(typename W::Slice));
    return roots;
  }
  for (const Class& in : classesOf(spec)) roots.push_back(W::root(view, in));
  return roots;
}

/// `P`: a LaneProblem of W and S.
template <class P, class W, class S>
std::unique_ptr<Problem> problemOver(const ProblemSpec& spec, const typename W::View& view,
                                     const typename S::View& sinkView, WordLayout layout) {
  ProblemTraits traits;
  traits.workload = "numerical_semigroups";
  traits.expectedSteps = expectedSteps(spec);
  return std::make_unique<P>(
      std::vector<Table>{}, [view](std::span<const void* const>) { return view; }, rootsOf<W>(spec, view),
      std::move(layout), [sinkView](std::byte*) { return sinkView; }, std::move(traits));
}

std::uint32_t needsOf(const Conditions& conditions) {
  std::uint32_t needs = 0;
  for (int i = 0; i < conditions.count; ++i)
    for (int k = 0; k < kStatistics; ++k)
      if (conditions.list[i].coefficients[k] != 0) needs |= needsOf(static_cast<Statistic>(k));
  return needs;
}

StatisticsView viewOf(const ProblemSpec& spec) {
  StatisticsView view{};
  view.genus = boundOf(spec);
  view.largest = spec.frobenius;
  view.exactly = spec.exactly;
  view.trimmed = spec.trimmed;
  view.negated = spec.negated;
  view.where = spec.where;
  view.asked = spec.asked;
  view.needs = needsOf(spec.where) | needsOf(spec.asked) | (spec.trimmed ? kNeedsGenerators : 0U);
  if (!spec.collect) view.needs |= needsOf(spec.by) | (spec.also ? needsOf(*spec.also) : 0U);
  return view;
}

bool isOfClass(Statistic statistic) {
  return statistic == Statistic::multiplicity || statistic == Statistic::second;
}

template <int kWords>
std::unique_ptr<Problem> problemWith(const ProblemSpec& spec) {
  const HistogramShape shape = shapeOf(spec);
  if (isTallied(spec)) {
    const SearchView view{spec.genus};
    if (spec.by == Statistic::multiplicity && !spec.also) {
      return problemOver<SearchProblem<kWords, Tally>, Search<kWords>, Tally>(spec, view, {spec.genus},
                                                                              Tally::layout(spec.genus));
    }
    return problemOver<SearchProblem<kWords, ClassTally>, Search<kWords>, ClassTally>(spec, view, shape,
                                                                                      shape.layout());
  }
  using W = Statistics<kWords>;
  if (spec.collect) {
    using S = CollectGaps<kWords>;
    return problemOver<StatisticsProblem<kWords, S>, W, S>(spec, viewOf(spec), {}, S::layout());
  }
  return problemOver<StatisticsProblem<kWords, Histogram>, W, Histogram>(
      spec, viewOf(spec), {shape, spec.fingerprint}, shape.layout());
}

void check(const ProblemSpec& spec) {
  const bool byFrobenius = spec.frobenius != 0;
  const int bound = boundOf(spec);
  if (bound < 1 || bound > kMaximumGenus || (byFrobenius && spec.genus != 0)) {
    throw ConfigError(byFrobenius ? "frobenius" : "genus", std::to_string(bound),
                      byFrobenius ? "an integer from 1 to 127, without a genus" : "an integer from 1 to 127");
  }
  if (spec.multiplicity != 0 && (spec.multiplicity < 2 || spec.multiplicity > bound + 1)) {
    throw ConfigError("multiplicity", std::to_string(spec.multiplicity),
                      "2 to " + std::to_string(bound + 1) + ": those of a " +
                          (byFrobenius ? "Frobenius number" : "genus") + " up to " + std::to_string(bound));
  }
}

}  // namespace

int wordsOf(const ProblemSpec& spec) {
  if (spec.words != 0) return spec.words;
  return boundOf(spec) <= kMaximumNarrowGenus || spec.classes == ClassChoice::narrow ? 1 : 2;
}

ClassChoice narrowChoice(const ProblemSpec& spec) {
  const int bound = boundOf(spec);
  if (bound <= kMaximumNarrowGenus || !isTallied(spec)) return ClassChoice::all;
  const bool narrow = spec.multiplicity == 0 ? bound <= kMaximumMixedGenus
                                             : isNarrow({spec.multiplicity, spec.multiplicity + 1}, bound);
  return narrow ? ClassChoice::narrow : ClassChoice::all;
}

HistogramShape shapeOf(const ProblemSpec& spec) {
  return {boundOf(spec), spec.frobenius != 0 ? Statistic::frobenius : Statistic::genus, spec.by,
          spec.also.value_or(spec.by)};
}

bool isTallied(const ProblemSpec& spec) {
  const bool everything = spec.where.count == 0 && spec.asked.count == 0 && spec.frobenius == 0;
  return everything && !spec.exactly && !spec.trimmed && !spec.fingerprint && !spec.collect &&
         isOfClass(spec.by) && isOfClass(spec.also.value_or(spec.by));
}

std::vector<Class> classesOf(const ProblemSpec& spec) {
  check(spec);
  const int bound = boundOf(spec);
  std::vector<Class> classes;
  for (int m = 2; m <= bound + 1; ++m) {
    if (spec.multiplicity != 0 && spec.multiplicity != m) continue;
    // The second element does not matter.
    if (spec.classes != ClassChoice::all &&
        isNarrow({m, m + 1}, bound) != (spec.classes == ClassChoice::narrow))
      continue;
    for (int u = m + 1; u <= std::min(2 * m, bound + 2); ++u) {
      // The first semigroup of the class has genus u - 2, and the Frobenius number u - 1 unless that is m.
      if (spec.frobenius != 0 && u != m + 1 && u - 1 > bound) continue;
      // It is a child of the one with u - 1, which has one generator below its Frobenius number.
      if (spec.trimmed && u > m + 2 && m <= 3) continue;
      classes.push_back({m, u});
    }
  }
  return classes;
}

std::unique_ptr<Problem> makeProblem(const ProblemSpec& spec) {
  check(spec);
  const int words = wordsOf(spec);
  if (words == 1 && boundOf(spec) > kMaximumNarrowGenus && spec.classes != ClassChoice::narrow)
    throw ConfigError("words", "1 for a bound of " + std::to_string(boundOf(spec)),
                      "2 beyond 63, unless of narrow classes");
  if (spec.classes != ClassChoice::all && !isTallied(spec))
    throw ConfigError("classes", "some", "all, where more than classes are counted");
  if (words == 1) return problemWith<1>(spec);
  return problemWith<2>(spec);
}

double expectedCount(int genus) {
  if (genus < static_cast<int>(kPublished.size()))
    return static_cast<double>(kPublished.at(static_cast<std::size_t>(std::max(genus, 0))));
  if (genus < 50) return kAtFifty / std::pow(kLateRatio, 50 - genus);
  return kAtFifty * std::pow(kGoldenRatio + 0.003, genus - 50);
}

}  // namespace slicepool::numerical_semigroups
