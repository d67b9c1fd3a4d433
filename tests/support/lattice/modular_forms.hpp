// Theta series of extremal lattices as modular forms: power series in q with integer coefficients.
// Included by unit tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace slicepool::test {

/// Coefficients of 1, q, q^2, ..; all series of a calculation have the same number of terms.
using PowerSeries = std::vector<std::int64_t>;

inline PowerSeries product(const PowerSeries& f, const PowerSeries& g) {
  PowerSeries result(f.size(), 0);
  for (std::size_t n = 0; n < f.size(); ++n)
    for (std::size_t i = 0; i <= n; ++i) result[n] += f[i] * g[n - i];
  return result;
}

inline PowerSeries power(const PowerSeries& f, int exponent) {
  PowerSeries result(f.size(), 0);
  result[0] = 1;
  for (int i = 0; i < exponent; ++i) result = product(result, f);
  return result;
}

/// sum + factor * term.
inline PowerSeries combination(PowerSeries sum, std::int64_t factor, const PowerSeries& term) {
  for (std::size_t n = 0; n < sum.size(); ++n) sum[n] += factor * term[n];
  return sum;
}

/// The product of 1 - q^(step n), n = 1, 2, .., to a power.
inline PowerSeries euler(std::size_t terms, std::size_t step, int exponent) {
  PowerSeries result(terms, 0);
  result[0] = 1;
  for (int times = 0; times < exponent; ++times)
    for (std::size_t n = step; n < terms; n += step)
      for (std::size_t i = terms; i-- > n;) result[i] -= result[i - n];
  return result;
}

/// q f.
inline PowerSeries shifted(PowerSeries f) {
  f.insert(f.begin(), 0);
  f.pop_back();
  return f;
}

/// 1 + 240 sum sigma_3(n) q^n, the theta series of E8.
inline PowerSeries eisenstein4(std::size_t terms) {
  PowerSeries result(terms, 0);
  for (std::size_t d = 1; d < terms; ++d)
    for (std::size_t n = d; n < terms; n += d) result[n] += 240 * static_cast<std::int64_t>(d * d * d);
  result[0] = 1;
  return result;
}

/// Of an extremal even unimodular lattice: coefficient n counts vectors of norm 2 n. It is the form of weight
/// d / 2 whose coefficients of q .. q^(d / 24) are zero (Conway and Sloane, Sphere Packings, Lattices and
/// Groups, chapter 7).
inline PowerSeries extremalForm(int dimension, std::size_t terms) {
  const PowerSeries e4 = eisenstein4(terms);
  const PowerSeries delta = shifted(euler(terms, 1, 24));
  PowerSeries form = power(e4, dimension / 8);
  for (int k = 1; k <= dimension / 24; ++k) {
    const PowerSeries term = product(power(e4, dimension / 8 - 3 * k), power(delta, k));
    form = combination(form, -form[static_cast<std::size_t>(k)], term);
  }
  return form;
}

/// Of the Barnes-Wall lattice of dimension 16, scaled so that its least norm is 4: coefficient n counts
/// vectors of norm 2 n. It is the fourth power of the series of D4 less 96 times the cusp form (eta(z)
/// eta(2z))^8, since no vector has norm 2 (Quebbemann, Modular lattices in Euclidean spaces, 1995).
inline PowerSeries barnesWall16(std::size_t terms) {
  PowerSeries d4(terms, 0);  // 24 times the sum of the odd divisors
  for (std::size_t d = 1; d < terms; d += 2)
    for (std::size_t n = d; n < terms; n += d) d4[n] += 24 * static_cast<std::int64_t>(d);
  d4[0] = 1;
  const PowerSeries cusp = shifted(product(euler(terms, 1, 8), euler(terms, 2, 8)));
  const PowerSeries whole = power(d4, 4);
  return combination(whole, -whole[1], cusp);
}

}  // namespace slicepool::test
