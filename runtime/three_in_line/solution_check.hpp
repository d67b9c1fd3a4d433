// The independent checker of solutions: it knows the problem and nothing of the search. Called before an
// output is written, by `slicepool merge` on what it reads, and by the tests.
#pragma once

#include <span>
#include <string>

#include "slicepool/three_in_line/types.hpp"

namespace slicepool::three_in_line {

/// Empty when the configuration is a solution: 2n points, two in every row and column, no three of them on a
/// line by the cross products of all triples. Else one sentence. O(n^3).
[[nodiscard]] std::string problemOf(const Configuration& configuration, int size);

/// Empty when all are solutions, each one in its canonical orientation, and no two of them are images of one
/// another. Else one sentence that names the first one that is not, counted from 1. O(s (n^3 + log s)).
[[nodiscard]] std::string problemOf(std::span<const Configuration> solutions, int size);

/// The orientation that stands for a solution and its images: the first one when rows are compared from row 0
/// on, each as a number whose bit x is column x.
[[nodiscard]] Configuration canonicalOf(const Configuration& configuration, int size);

}  // namespace slicepool::three_in_line
