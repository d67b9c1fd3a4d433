// LLL from leading digits (runtime/lattice/leading_digits.hpp), by the functions that begin with it: the same
// lattice, LLL-reduced.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
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

/// Of a basis by tall(): the j-th long element is that of the short ones times the rows, modulo N_j.
bool holds(const IntegerBasis& basis, int longs, const IntegerBasis& rows) {
  const int d = basis.dimension;
  for (int row = 0; row < rows.dimension; ++row)
    for (int j = 0; j < longs; ++j) {
      Integer rest = rows.at(row, j);
      for (int i = longs; i < d; ++i) rest -= rows.at(row, i) * basis.at(i, j);
      if (rest % basis.at(j, j) != 0) return false;
    }
  return true;
}

/// The least (r_i + mu^2 r_{i-1}) / r_{i-1}, which is delta where coefficients are small, and the volume.
struct Shape {
  double lovasz = 1;
  double log2Volume = 0;
};

Shape shapeOf(const IntegerBasis& basis) {
  const auto d = static_cast<std::size_t>(basis.dimension);
  const auto n = static_cast<std::size_t>(basis.columns);
  std::vector<std::vector<long double>> stars;
  Shape shape;
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
    if (i != 0)
      shape.lovasz =
          std::min(shape.lovasz, static_cast<double>((norm + mu * mu * norms[i - 1]) / norms[i - 1]));
    shape.log2Volume += static_cast<double>(std::log2(norm) / 2);
    norms.push_back(norm);
    stars.push_back(std::move(row));
  }
  return shape;
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
        double log2Volume = 0;
        for (int j = 0; j < longs; ++j)
          log2Volume += static_cast<double>(std::log2(basis.at(j, j).convert_to<long double>()));
        // With the volume of the lattice, vectors of it are a basis.
        const auto check = [&](const IntegerBasis& rows, double delta) {
          CHECK(holds(basis, longs, rows));
          CHECK(shapeOf(rows).lovasz > delta);
          CHECK(shapeOf(rows).log2Volume == doctest::Approx(log2Volume).epsilon(1e-9));
        };
        check(reduced(basis, 0), 0.989);
        check(slicepool::svp::looselyReduced(basis), 0.749);
      }
}

TEST_CASE("a row that has nothing in common with those before stays") {
  if (!fplllLinked()) return;
  const std::string number = "11579208923731619542357098500868790785326998466564056403945758400791312963993";
  const IntegerBasis basis = parseBasis("[[1 0 0][0 1 0][0 0 " + number + "]]", "basis");
  CHECK(reduced(basis, 0).entries == basis.entries);
}
