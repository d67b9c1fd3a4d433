// LLL from leading digits (runtime/lattice/leading_digits.hpp), by the functions that begin with it: the same
// lattice, LLL-reduced.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "runtime/lattice/integer_basis.hpp"
#include "runtime/lattice/reduction.hpp"
#include "runtime/svp/trial_reduction.hpp"

namespace {
namespace digits_test {

using namespace slicepool::lattice;

Integer randomBits(std::mt19937_64& random, int bits) {
  Integer value = 1;
  for (int i = 1; i < bits; ++i) value = value * 2 + static_cast<int>(random() % 2);
  return value;
}

/// Rows of which the first `longs` columns have so many bits: (N, 0, ..), (x, 1, 0, ..), ..
IntegerBasis tall(std::mt19937_64& random, int d, int longs, int bits) {
  IntegerBasis basis;
  basis.dimension = d;
  basis.columns = d;
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) {
      const bool filled = j < longs && (i >= longs || i == j);
      Integer entry = filled ? randomBits(random, bits - (i < longs ? 0 : 1)) : Integer(i == j ? 1 : 0);
      if (filled && i >= longs && random() % 2 == 0) entry = -entry;
      basis.entries.push_back(entry);
    }
  return basis;
}

/// Hermite normal forms are equal where lattices are.
bool generateTheSame(const IntegerBasis& a, const IntegerBasis& b) {
  const auto form = [](IntegerBasis basis) {
    const int d = basis.dimension;
    const auto at = [&](int i, int j) -> Integer& {
      return basis.entries[static_cast<std::size_t>(i * basis.columns + j)];
    };
    const auto takeOff = [&](int i, const Integer& x, int k) {
      for (int j = 0; j < basis.columns; ++j) at(i, j) -= x * at(k, j);
    };
    const auto floorOf = [](const Integer& x, const Integer& y) {
      Integer quotient = x / y;
      if (quotient * y > x) quotient -= 1;
      return quotient;
    };
    int pivot = 0;
    for (int j = basis.columns - 1; j >= 0 && pivot < d; --j) {
      for (int i = pivot + 1; i < d; ++i)
        while (at(i, j) != 0) {
          takeOff(pivot, at(pivot, j) / at(i, j), i);
          for (int k = 0; k < basis.columns; ++k) std::swap(at(pivot, k), at(i, k));
        }
      if (at(pivot, j) == 0) continue;
      if (at(pivot, j) < 0)
        for (int k = 0; k < basis.columns; ++k) at(pivot, k) = -at(pivot, k);
      for (int i = 0; i < pivot; ++i) takeOff(i, floorOf(at(i, j), at(pivot, j)), pivot);
      ++pivot;
    }
    return basis.entries;
  };
  return form(a) == form(b);
}

/// The least (r_i + mu^2 r_{i-1}) / r_{i-1}: delta, where coefficients are small.
double leastLovasz(const IntegerBasis& basis) {
  const auto d = static_cast<std::size_t>(basis.dimension);
  const auto n = static_cast<std::size_t>(basis.columns);
  std::vector<std::vector<long double>> stars;
  double least = 1;
  std::vector<long double> norms;
  for (std::size_t i = 0; i < d; ++i) {
    std::vector<long double> row;
    for (std::size_t j = 0; j < n; ++j) row.push_back(basis.entries[i * n + j].convert_to<long double>());
    long double mu = 0;
    for (std::size_t k = 0; k < i; ++k) {
      long double product = 0;
      for (std::size_t j = 0; j < n; ++j) product += row[j] * stars[k][j];
      mu = product / norms[k];
      for (std::size_t j = 0; j < n; ++j) row[j] -= mu * stars[k][j];
    }
    long double norm = 0;
    for (const long double x : row) norm += x * x;
    if (i != 0) least = std::min(least, static_cast<double>((norm + mu * mu * norms[i - 1]) / norms[i - 1]));
    norms.push_back(norm);
    stars.push_back(std::move(row));
  }
  return least;
}

}  // namespace digits_test
using namespace digits_test;
}  // namespace

TEST_CASE("leading digits lead to a reduced basis of the same lattice") {
  if (!fplllLinked()) return;
  std::mt19937_64 random(2913);
  for (const int d : {2, 4, 9, 16, 24, 40})
    for (const int longs : {1, 2, d / 2})
      for (const int bits : {30, 257, 300 + d}) {
        CAPTURE(d);
        CAPTURE(longs);
        CAPTURE(bits);
        const IntegerBasis basis = tall(random, d, longs, bits);
        const IntegerBasis exact = reduced(basis, 0);
        CHECK(leastLovasz(exact) > 0.989);
        if (d > 24) continue;  // normal forms take long
        CHECK(generateTheSame(exact, basis));
        const IntegerBasis loose = slicepool::svp::looselyReduced(basis);
        CHECK(leastLovasz(loose) > 0.749);
        CHECK(generateTheSame(loose, basis));
      }
}

TEST_CASE(
    "rows that have nothing in common with those before, and more columns than rows, stay in their lattice") {
  if (!fplllLinked()) return;
  std::mt19937_64 random(2914);
  IntegerBasis wide;
  wide.dimension = 4;
  wide.columns = 6;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 6; ++j)
      wide.entries.push_back(j < 2 ? Integer(randomBits(random, 400)) : Integer(i == j ? 1 : 0));
  const IntegerBasis apart = parseBasis(
      "[[1 0 0][0 1 0][0 0 11579208923731619542357098500868790785326998466564056403945758400791]]", "basis");
  for (const IntegerBasis& basis : {wide, apart}) {
    CHECK(generateTheSame(reduced(basis, 0), basis));
    CHECK(leastLovasz(reduced(basis, 0)) > 0.989);
  }
}
