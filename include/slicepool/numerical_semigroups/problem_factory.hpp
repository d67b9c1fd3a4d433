// From a bound to the problem that the engine runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "slicepool/core/problem.hpp"
#include "slicepool/numerical_semigroups/selection_sinks.hpp"
#include "slicepool/numerical_semigroups/types.hpp"

namespace slicepool::numerical_semigroups {

/// The classes that are searched: all, or those that windows of one word can count, or the others.
enum class ClassChoice : std::uint8_t { all, narrow, wide };

struct ProblemSpec {
  int genus = 0;         ///< the bound, 1 .. kMaximumGenus; 0 with a bound of Frobenius numbers
  int multiplicity = 0;  ///< only this one, 2 .. bound + 1; 0: all from 2 on
  Statistic by = Statistic::multiplicity;
  int words = 0;  ///< of the windows: 1 for a bound up to 63 or narrow classes, or 2; 0: the narrowest
  std::optional<Statistic> also = {};  ///< counted by both
  int frobenius = 0;                   ///< instead of a genus: the largest Frobenius number
  Conditions where{};                  ///< only those that satisfy these
  Conditions asked{};                  ///< and of them those that satisfy these
  bool negated = false;                ///< or those that do not
  bool exactly = false;                ///< StatisticsView::exactly
  bool trimmed = false;                ///< StatisticsView::trimmed
  bool fingerprint = false;            ///< HistogramShape has its words
  bool collect = false;                ///< the semigroups themselves: sets of gaps, of gapWords() words
  std::optional<std::vector<std::byte>> slices = {};  ///< what is searched, instead of everything
  double share = 0;  ///< of everything that `slices` are, about, for the pace and the ETA; 0: unknown
  ClassChoice classes = ClassChoice::all;  ///< all, unless isTallied()
};

[[nodiscard]] inline int boundOf(const ProblemSpec& spec) {
  return spec.frobenius != 0 ? spec.frobenius : spec.genus;
}
/// Of the windows.
[[nodiscard]] int wordsOf(const ProblemSpec& spec);
/// How Histogram and ClassTally count.
[[nodiscard]] HistogramShape shapeOf(const ProblemSpec& spec);
/// Whether the last levels are counted and not visited: by class, with no condition.
[[nodiscard]] bool isTallied(const ProblemSpec& spec);

/// `narrow` where the narrow classes are worth a search of their own: beyond genus 63, as long as what the
/// others have is counted in two seconds, or where all of the wanted multiplicity are narrow.
[[nodiscard]] ClassChoice narrowChoice(const ProblemSpec& spec);

/// The classes with a semigroup within the bound, those of `spec.classes`: of genus up to g (g + 1)^2 / 4 or
/// one less, if all multiplicities are wanted.
[[nodiscard]] std::vector<Class> classesOf(const ProblemSpec& spec);

/// The problem; its words are those of Tally::layout(genus) for multiplicities, of Collect for what is
/// collected, else of shapeOf(spec).layout(). Throws ConfigError.
[[nodiscard]] std::unique_ptr<Problem> makeProblem(const ProblemSpec& spec);

/// Semigroups of this genus: those of A007323 to genus 30, else an estimate from n_50 and the ratio of
/// neighbours, which approaches the golden one. For progress alone.
[[nodiscard]] double expectedCount(int genus);

}  // namespace slicepool::numerical_semigroups
