// See gram_schmidt.hpp.
#include "runtime/lattice/gram_schmidt.hpp"

#include <cmath>
#include <ios>
#include <numbers>

#include <fmt/format.h>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "runtime/core/log_gamma.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

namespace mp = boost::multiprecision;
using Real = mp::number<mp::cpp_bin_float<320, mp::digit_base_2, void, std::int32_t>, mp::et_off>;

std::size_t squareIndex(int d, int row, int column) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(d) + static_cast<std::size_t>(column);
}

/// By way of digits: GCC 12 gives a false alarm (-Wmaybe-uninitialized) inside the library's own conversion.
Real toReal(const Integer& value) { return Real(value.str()); }

double toDouble(const Real& value) { return static_cast<double>(value); }

constexpr double kLeastNorm = 1e-300;
constexpr double kGreatestNorm = 1e300;
constexpr const char* kAcceptedNorms =
    "norms whose squares are from 1e-300 to 1e300 (entries of up to 150 digits); divide out common factors";

/// What leaves room in a double for products with coefficients.
template <class Number>
bool inRange(const Number& norm) {
  return norm >= kLeastNorm && norm <= kGreatestNorm;
}

/// Rows of the Cholesky factorization: r_ij = <b_i, b*_j>, mu_ij = r_ij / r_jj.
class Rows {
 public:
  explicit Rows(const IntegerBasis& basis)
      : d_(basis.dimension), gram_(gramMatrix(basis)), mu_(gram_.size()), r_(gram_.size()) {}

  void make(int i) {
    for (int j = 0; j <= i; ++j) {
      Real sum = toReal(gram_[squareIndex(d_, i, j)]);
      for (int k = 0; k < j; ++k) sum -= mu(j, k) * r_[squareIndex(d_, i, k)];
      r_[squareIndex(d_, i, j)] = sum;
      if (j < i) mu_[squareIndex(d_, i, j)] = sum / norm(j);
    }
  }

  [[nodiscard]] const Real& mu(int i, int j) const { return mu_[squareIndex(d_, i, j)]; }
  /// <b_i, b*_j>.
  [[nodiscard]] const Real& projection(int i, int j) const { return r_[squareIndex(d_, i, j)]; }
  [[nodiscard]] const Real& norm(int i) const { return r_[squareIndex(d_, i, i)]; }

  [[nodiscard]] std::optional<ReductionFlaw> flaw(int i) const {
    for (int j = 0; j < i; ++j) {
      if (abs(mu(i, j)) <= kMaximumMu + 1e-9) continue;
      return ReductionFlaw{
          i, fmt::format("row {} is not size-reduced: its coefficient of row {} is {:.6g}, more than {}",
                         i + 1, j + 1, toDouble(mu(i, j)), kMaximumMu)};
    }
    if (i == 0) return std::nullopt;
    const Real lovasz = norm(i) / norm(i - 1) + mu(i, i - 1) * mu(i, i - 1);
    if (lovasz >= kMinimumLovasz) return std::nullopt;
    return ReductionFlaw{
        i, fmt::format("rows {} and {} fail the Lovasz condition: delta is {:.6g}, less than {}", i, i + 1,
                       toDouble(lovasz), kMinimumLovasz)};
  }

 private:
  int d_;
  std::vector<Integer> gram_;
  std::vector<Real> mu_;
  std::vector<Real> r_;
};

}  // namespace

Orthogonalization::Orthogonalization(const IntegerBasis& basis) {
  const int d = basis.dimension;
  Rows rows(basis);
  result_.dimension = d;
  result_.mu.assign(squareIndex(d, d, 0), 0.0);
  for (int i = 0; i < d; ++i) {
    rows.make(i);
    flaw_ = rows.flaw(i);
    if (flaw_) return;
    for (int j = 0; j < i; ++j) result_.mu[squareIndex(d, i, j)] = toDouble(rows.mu(i, j));
    result_.mu[squareIndex(d, i, i)] = 1;
    result_.norms.push_back(toDouble(rows.norm(i)));
    // Not said yet: a later row may show that the basis is not reduced, and reduction makes norms smaller.
    if (!inRange(rows.norm(i)) && outOfRange_.empty())
      outOfRange_ = fmt::format("a reduced basis whose row {} has the squared Gram-Schmidt norm {}", i + 1,
                                rows.norm(i).str(3, std::ios::scientific));
  }
}

const GramSchmidt& Orthogonalization::result(const std::string& name) const {
  if (!outOfRange_.empty()) throw ConfigError(name, outOfRange_, kAcceptedNorms);
  return result_;
}

void requireNormRange(const std::vector<double>& norms, const std::string& name) {
  for (std::size_t i = 0; i < norms.size(); ++i) {
    if (inRange(norms[i])) continue;
    throw ConfigError(name,
                      fmt::format("a reduced basis whose row {} has a squared Gram-Schmidt norm {}", i + 1,
                                  norms[i] < kLeastNorm ? "below 1e-300" : "above 1e300"),
                      kAcceptedNorms);
  }
}

std::vector<Integer> nearestPlane(const IntegerBasis& basis, std::vector<Integer> products,
                                  const Integer& denominator) {
  const int d = basis.dimension;
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  Rows rows(basis);
  for (int i = 0; i < d; ++i) rows.make(i);
  const std::vector<Integer> gram = gramMatrix(basis);
  // A half and a little: what is half of b*_i away stays.
  const Real half = Real(1) / 2 + ldexp(Real(1), -64);
  const Real divisor = toReal(denominator);
  std::vector<Integer> coefficients(at(d));
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<Real> along(at(d));  // <t, b*_i>
    for (int i = 0; i < d; ++i) {
      along[at(i)] = toReal(products[at(i)]) / divisor;
      for (int j = 0; j < i; ++j) along[at(i)] -= rows.mu(i, j) * along[at(j)];
    }
    for (int k = d - 1; k >= 0; --k) {
      const Real centre = along[at(k)] / rows.norm(k);
      if (abs(centre) <= half) continue;
      changed = true;
      const Real nearest = round(centre);
      for (int j = 0; j < k; ++j) along[at(j)] -= nearest * rows.projection(k, j);
      const auto step = nearest.convert_to<Integer>();
      coefficients[at(k)] += step;
      for (int i = 0; i < d; ++i) products[at(i)] -= step * denominator * gram[squareIndex(d, k, i)];
    }
  }
  return coefficients;
}

std::vector<double> planeForms(const IntegerBasis& basis, const std::vector<Integer>& metric) {
  const auto d = static_cast<std::size_t>(basis.dimension);
  const auto n = static_cast<std::size_t>(basis.columns);
  Rows rows(basis);
  std::vector<Real> star(d * n);  // b*_k
  std::vector<double> forms;
  for (std::size_t k = 0; k < d; ++k) {
    const auto row = static_cast<int>(k);
    rows.make(row);
    Real* const own = star.data() + k * n;
    for (std::size_t c = 0; c < n; ++c) own[c] = toReal(basis.entries[k * n + c]);
    for (std::size_t j = 0; j < k; ++j)
      for (std::size_t c = 0; c < n; ++c) own[c] -= rows.mu(row, static_cast<int>(j)) * star[j * n + c];
    for (std::size_t c = 0; c < n; ++c) {
      Real form = metric.empty() ? own[c] : Real(0);
      for (std::size_t j = 0; j < n && !metric.empty(); ++j) form += own[j] * toReal(metric[j * n + c]);
      forms.push_back(toDouble(form / rows.norm(row)));
    }
  }
  return forms;
}

double logBallVolume(int dimension) {
  return 0.5 * dimension * std::log(std::numbers::pi) - logGamma(0.5 * dimension + 1);
}

double gaussianSquaredRadius(const std::vector<double>& norms) {
  // Not by sums of logarithms in double, whose error grows with their size: the volume of the lattice over
  // that of the unit ball, squared. The latter is pi^d / (d/2)!^2, or pi^(d-1) 2^(d+1) / d!!^2 for odd d.
  const auto d = static_cast<int>(norms.size());
  const Real pi = acos(Real(-1));
  Real power = 1;
  for (const double norm : norms) power *= Real(norm);
  for (int i = 0; i < d / 2; ++i) power /= pi * pi;
  for (int i = 1; i <= d / 2 && d % 2 == 0; ++i) power *= Real(i) * i;
  for (int i = 1; i <= d && d % 2 != 0; i += 2) power *= Real(i) * i / 4;
  return toDouble(pow(power, Real(1) / d));
}

}  // namespace slicepool::lattice
