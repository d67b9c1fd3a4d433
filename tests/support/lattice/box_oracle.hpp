// All lattice vectors within a distance of a target, by trying every coefficient vector of a box in exact
// fractions. Included by unit tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

namespace slicepool::test {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

template <class Number>
Number determinant(std::vector<std::vector<Number>> matrix) {  // by the first row
  if (matrix.empty()) return 1;
  Number sum = 0;
  for (std::size_t j = 0; j < matrix.size(); ++j) {
    std::vector<std::vector<Number>> minor(matrix.begin() + 1, matrix.end());
    for (auto& row : minor) row.erase(row.begin() + static_cast<std::ptrdiff_t>(j));
    const Number term = matrix[0][j] * determinant(minor);
    sum += j % 2 == 0 ? term : Number(-term);
  }
  return sum;
}

inline cpp_int floorOf(const cpp_rational& value) {
  const cpp_int quotient = numerator(value) / denominator(value);
  return quotient * denominator(value) > numerator(value) ? cpp_int(quotient - 1) : quotient;
}

/// All lattice vectors within `hi` of the target with their squared distances: every x of the box
/// |x_i - xi_i|^2 <= hi (G^-1)_ii. False: too many.
inline bool vectorsOfBox(const std::vector<std::vector<cpp_int>>& basis,
                         const std::vector<cpp_rational>& target, const cpp_rational& hi,
                         std::map<std::vector<std::int64_t>, cpp_rational>& found) {
  using Vector = std::vector<std::int64_t>;
  const std::size_t d = basis.size();
  std::vector<std::vector<cpp_rational>> gram(d, std::vector<cpp_rational>(d));
  std::vector<cpp_rational> products(d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t k = 0; k < target.size(); ++k) gram[i][j] += cpp_rational(basis[i][k] * basis[j][k]);
    for (std::size_t k = 0; k < target.size(); ++k) products[i] += basis[i][k] * target[k];
  }
  const cpp_rational whole = determinant(gram);
  Vector from(d);
  Vector to(d);
  double boxes = 1;
  for (std::size_t i = 0; i < d; ++i) {
    auto replaced = gram;
    for (std::size_t j = 0; j < d; ++j) replaced[j][i] = products[j];
    const cpp_rational centre = determinant(replaced) / whole;
    auto minor = gram;
    minor.erase(minor.begin() + static_cast<std::ptrdiff_t>(i));
    for (auto& row : minor) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
    const cpp_int reach = sqrt(floorOf(hi * determinant(minor) / whole)) + 1;
    from[i] = static_cast<std::int64_t>(floorOf(centre) - reach);
    to[i] = static_cast<std::int64_t>(floorOf(centre) + reach + 1);
    boxes *= static_cast<double>(to[i] - from[i] + 1);
  }
  if (boxes > 20'000) return false;
  for (Vector x = from;;) {
    Vector v(target.size());
    cpp_rational distance = 0;
    for (std::size_t k = 0; k < v.size(); ++k) {
      cpp_int sum = 0;
      for (std::size_t i = 0; i < d; ++i) sum += x[i] * basis[i][k];
      v[k] = static_cast<std::int64_t>(sum);
      distance += (sum - target[k]) * (sum - target[k]);
    }
    if (distance <= hi) found[v] = distance;
    std::size_t i = 0;
    for (; i < d && x[i] == to[i]; ++i) x[i] = from[i];
    if (i == d) return true;
    ++x[i];
  }
}

}  // namespace slicepool::test
