// Implementation of problem_factory.hpp.
#include "slicepool/numerical_semigroups/problem_factory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "cpu_workers/numerical_semigroups/search_turn.hpp"
#include "slicepool/core/error.hpp"
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

/// `lowest`: how far above the bound the last visited semigroups are.
ProblemTraits traitsOf(const ProblemSpec& spec, int lowest) {
  ProblemTraits traits;
  traits.workload = "numerical_semigroups";
  if (spec.multiplicity == 0) {
    // The first semigroup of a class is visited even where it is of the last genera.
    double steps = spec.genus;
    for (int genus = 1; genus <= spec.genus - lowest; ++genus) steps += expectedCount(genus);
    traits.expectedSteps = steps;
  }
  return traits;
}

template <class P, class W, class S>
std::unique_ptr<Problem> problemOver(const ProblemSpec& spec, const typename W::View& view, int lowest) {
  std::vector<typename W::Slice> roots;
  for (const Class& in : classesOf(spec)) roots.push_back(W::root(view, in));
  return std::make_unique<P>(
      std::vector<Table>{}, [view](std::span<const void* const>) { return view; }, std::move(roots),
      S::layout(spec.genus), [genus = spec.genus](std::byte*) { return typename S::View{genus}; },
      traitsOf(spec, lowest));
}

template <int kWords>
std::unique_ptr<Problem> problemWith(const ProblemSpec& spec) {
  if (spec.by == Statistic::multiplicity)
    return problemOver<SearchProblem<kWords>, Search<kWords>, Tally>(spec, {spec.genus}, 2);
  return problemOver<TypedProblem<Statistics<kWords>, Histogram>, Statistics<kWords>, Histogram>(
      spec, {{spec.genus}, spec.by}, 0);
}

void check(const ProblemSpec& spec) {
  if (spec.genus < 1 || spec.genus > kMaximumGenus)
    throw ConfigError("genus", std::to_string(spec.genus), "an integer from 1 to 127");
  if (spec.multiplicity != 0 && (spec.multiplicity < 2 || spec.multiplicity > spec.genus + 1)) {
    throw ConfigError(
        "multiplicity", std::to_string(spec.multiplicity),
        "2 to " + std::to_string(spec.genus + 1) + ": those of a genus up to " + std::to_string(spec.genus));
  }
}

}  // namespace

std::vector<Class> classesOf(const ProblemSpec& spec) {
  check(spec);
  std::vector<Class> classes;
  for (int m = 2; m <= spec.genus + 1; ++m) {
    if (spec.multiplicity != 0 && spec.multiplicity != m) continue;
    for (int u = m + 1; u <= std::min(2 * m, spec.genus + 2); ++u) classes.push_back({m, u});
  }
  return classes;
}

std::unique_ptr<Problem> makeProblem(const ProblemSpec& spec) {
  check(spec);
  const int words = spec.words != 0 ? spec.words : spec.genus <= kMaximumNarrowGenus ? 1 : 2;
  if (words == 1 && spec.genus > kMaximumNarrowGenus)
    throw ConfigError("words", "1 for genus " + std::to_string(spec.genus), "2 beyond genus 63");
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
