// From a bound to the problem that the engine runs.
#pragma once

#include <memory>
#include <vector>

#include "slicepool/core/problem.hpp"
#include "slicepool/numerical_semigroups/types.hpp"

namespace slicepool::numerical_semigroups {

struct ProblemSpec {
  int genus = 0;         ///< the bound, 1 .. kMaximumGenus
  int multiplicity = 0;  ///< only this one, 2 .. genus + 1; 0: all from 2 on
  Statistic by = Statistic::multiplicity;
  int words = 0;  ///< of the windows: 1 for a genus up to 63, or 2; 0: the narrowest
};

/// The classes with a semigroup of at most this genus: (g + 1)^2 / 4 or one less, if all multiplicities are
/// wanted.
[[nodiscard]] std::vector<Class> classesOf(const ProblemSpec& spec);

/// The problem; its words are those of Tally::layout(genus), or of Histogram::layout(genus) for a statistic
/// other than the multiplicity. Throws ConfigError.
[[nodiscard]] std::unique_ptr<Problem> makeProblem(const ProblemSpec& spec);

/// Semigroups of this genus: those of A007323 to genus 30, else an estimate from n_50 and the ratio of
/// neighbours, which approaches the golden one. For progress alone.
[[nodiscard]] double expectedCount(int genus);

}  // namespace slicepool::numerical_semigroups
