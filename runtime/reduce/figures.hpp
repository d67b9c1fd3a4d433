// What is said of a basis by the lengths of its Gram-Schmidt vectors. Called by reduction.cpp, tours.cpp and
// tests.
#pragma once

#include <vector>

namespace slicepool::reduce {

/// All from ln |b*_i|^2, i = 0 .. d-1.

/// (|b_1| / det^(1/d))^(1/d).
[[nodiscard]] double hermiteFactor(const std::vector<double>& logNorms);
/// |b_1| over the Gaussian heuristic.
[[nodiscard]] double ghRatio(const std::vector<double>& logNorms);
/// By least squares; 0 for fewer than two rows.
[[nodiscard]] double slope(const std::vector<double>& logNorms);
/// sum_i (d - i) ln |b*_i|^2.
[[nodiscard]] double logPotential(const std::vector<double>& logNorms);

}  // namespace slicepool::reduce
