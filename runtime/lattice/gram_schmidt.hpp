// Gram-Schmidt data of an integer basis, whether it is reduced, and what the Gaussian heuristic says about a
// search over it. Called by the front of the workload (enumeration.cpp) and tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/lattice/integer_basis.hpp"

namespace slicepool::lattice {

/// Rounded to double from arithmetic with 320 bits on the exact Gram matrix.
struct GramSchmidt {
  int dimension = 0;
  std::vector<double> mu;     ///< d * d, row by row; mu[i * d + j] for j < i, 1 on the diagonal, 0 above
  std::vector<double> norms;  ///< r_i = |b*_i|^2
};

/// What a reduced basis satisfies; an LLL reduction of any common parameters passes.
inline constexpr double kMaximumMu = 0.51;  ///< |mu_ij| is at most this (1/2, with the slack that fplll has)
inline constexpr double kMinimumLovasz =
    0.74;  ///< r_i >= (delta - mu^2) r_{i-1} for this delta (3/4 and rounding)

/// The first place where a basis is not reduced.
struct ReductionFlaw {
  int row = 0;  ///< from 0
  std::string what;
};

/// Gram-Schmidt coefficients of independent rows. Rows are made one after the other and the work stops at the
/// first that is not reduced with those before it: up to there the basis is reduced, which bounds how errors
/// grow (by less than 2^(1.6 d) in all, of 2^-320), so that both the verdict and the numbers can be relied
/// on. O(d^2 n) integer and O(d^3) floating operations.
class Orthogonalization {
 public:
  explicit Orthogonalization(const IntegerBasis& basis);
  [[nodiscard]] const std::optional<ReductionFlaw>& flaw() const { return flaw_; }
  /// Only of a basis without flaw. Throws ConfigError about `name` when an r_i is not within 1e-300 to 1e300.
  [[nodiscard]] const GramSchmidt& result(const std::string& name = "basis") const;

 private:
  GramSchmidt result_;
  std::optional<ReductionFlaw> flaw_;
  std::string outOfRange_;  ///< the first norm that is; empty: none
};

/// Throws the same where norms of a reduced basis, which may have overflowed, are not.
void requireNormRange(const std::vector<double>& norms, const std::string& name);

/// Babai's nearest plane (1986): the coefficients x of a vector sum_i x_i b_i from which a target differs by
/// at most half of b*_i in the direction of each. The basis is reduced, and `products` are <t, b_i> times
/// `denominator`. The difference is exact after each pass, and passes go on until nothing changes. O(d^3).
[[nodiscard]] std::vector<Integer> nearestPlane(const IntegerBasis& basis, std::vector<Integer> products,
                                                const Integer& denominator);

/// d * n numbers, row by row: those of row k times the coordinates of a vector t are <t, b*_k> / |b*_k|^2.
/// `metric`: inner products of the coordinates, n * n; empty: the standard one. The basis is reduced. Rounded
/// to double from arithmetic with 320 bits. O(d^2 n), with a metric O(d n^2) more.
[[nodiscard]] std::vector<double> planeForms(const IntegerBasis& basis, const std::vector<Integer>& metric);

/// log of the volume of the unit ball.
[[nodiscard]] double logBallVolume(int dimension);
/// Squared Gaussian heuristic: the squared radius of the ball whose volume is that of the lattice. Good to a
/// few units of the last place.
[[nodiscard]] double gaussianSquaredRadius(const std::vector<double>& norms);
/// Searches for a shortest vector have about the nodes of one within so many squared Gaussian heuristics: of
/// q-ary lattices 0.67 to 1.07 times as many in dimensions 29 to 46, 12 or 6 lattices each, and at most 1.43
/// times as many for one.
inline constexpr double kUsualRadius = 1.1;
/// The same for a closest vector of a target anywhere, where no point has an opposite one: behind BKZ-20 0.89
/// to 1.09 times as many in dimensions 24 to 40, four q-ary lattices each
/// (tests/unit/lattice/group_plan.cpp).
inline constexpr double kUsualDistance = 1.02;

}  // namespace slicepool::lattice
