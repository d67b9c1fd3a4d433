// See search_radius.hpp.
#include "runtime/lattice/search_radius.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/lattice/bounds_view.hpp"
#include "runtime/lattice/short_dual.hpp"
#include "runtime/lattice/tables.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;  // 2^-53
/// A bound on errors from here on is of no use.
constexpr double kMaximumError = 0.25;
/// Roundings on the way beside those of sums: of mu, r, a distance, its square, a product, a bound.
constexpr int kRoundings = 8;

/// In the basis of `mu` with these bounds on coefficients.
///
/// A centre is a sum of products x_j mu_jk: its error is at most delta_k = (terms + 2) u sum_j B_j |mu_jk|
/// with the bounds B_j on coefficients. The norm sum_k (x_k - c_k)^2 r_k then errs, by Cauchy and Schwarz, by
/// at most 2 R s + s^2, s^2 = sum_k delta_k^2 r_k, and by the roundings of its own sum.
double errorIn(const ProblemSpec& spec, const std::vector<double>& mu, std::vector<double> bounds) {
  const int d = spec.dimension;
  for (double& bound : bounds)
    if (bound < 1 - 1e-6) bound = 0;  // coefficients are integers
  double squared = 0;
  for (int k = 0; k < d; ++k) {
    double sum = 0;
    for (int j = k + 1; j < d; ++j) {
      const auto row = static_cast<std::size_t>(j);
      sum += bounds[row] * std::abs(mu[row * static_cast<std::size_t>(d) + static_cast<std::size_t>(k)]);
    }
    const double delta = (d - k + 2) * kUnit * sum;
    squared += delta * delta * (spec.norms[static_cast<std::size_t>(k)] / spec.squaredRadius);
  }
  return (d + kRoundings) * kUnit + 2 * std::sqrt(squared) + squared;
}

double errorInGiven(const ProblemSpec& spec) {
  return errorIn(spec, spec.mu, coefficientBounds(boundsView(spec)));
}

double usable(double error, const ProblemSpec& spec) {
  if (error < kMaximumError) return error;
  // Coefficients beyond 16 bits are refused by makeProblem, which says why.
  if (!(greatestCoefficient(boundsView(spec)) <= kMaximumCoefficient)) return kMaximumError;
  throw LimitError(
      "squared_radius: Gram-Schmidt norms of the basis are so much larger than R^2 that double precision "
      "cannot "
      "tell norms apart; a stronger reduction (bkz-B) or a larger radius is needed");
}

}  // namespace

double normError(const ProblemSpec& spec) {
  const double given = errorInGiven(spec);
  ProblemSpec wider = spec;
  wider.squaredRadius *= 1 + 0x1p-20;  // searches have this radius and a little more
  const SearchTables tables(wider);
  const ShortDual dual(tables.view());
  if (!dual.found()) return given;  // else it may help once a search is pruned
  SearchView changed = boundsView(spec);
  changed.rows = dual.mu().data();
  // What mu was rounded by stays in mu' = U mu, whose entries are rounded once more.
  return given + errorIn(spec, dual.mu(), coefficientBounds(changed));
}

SearchRadius searchRadius(const SquaredRadius& squaredRadius, const ProblemSpec& spec) {
  ProblemSpec atRadius = spec;
  atRadius.squaredRadius = squaredRadius.rounded();
  // Four units more for the roundings of these lines.
  const double error = usable(normError(atRadius), atRadius) + 4 * kUnit;
  const double givenError = usable(errorInGiven(atRadius), atRadius) + 4 * kUnit;
  Integer norm(squaredRadius.integerPart());
  const auto within = static_cast<double>(norm);
  ++norm;  // in place: GCC 12 takes the copy of a temporary for one that is too long
  const auto beyond = static_cast<double>(norm);
  const double margin = std::ldexp(1.0, squaredRadius.isInteger() ? -36 : -44);
  SearchRadius radius;
  radius.givenBound = std::max(atRadius.squaredRadius * (1 + margin), within * (1 + givenError));
  radius.bound = std::max(radius.givenBound, within * (1 + error));
  radius.decides = beyond * (1 - error) > radius.bound;
  radius.certain = within * (1 - error);
  radius.error = error * atRadius.squaredRadius;
  radius.findFactor = radius.decides ? 1 : 1 + 3 * error;
  return radius;
}

}  // namespace slicepool::lattice
