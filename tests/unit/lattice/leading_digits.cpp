// LLL from leading digits (runtime/lattice/leading_digits.hpp), by the functions that begin with it: the same
// lattice, LLL-reduced.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>

#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/lattice/integer_basis.hpp"
#include "runtime/lattice/reduction.hpp"
#include "runtime/svp/trial_reduction.hpp"
#include "support/reduce/checks.hpp"
#include "support/scale.hpp"
#include "support/svp/bases.hpp"

namespace {
namespace digits_test {

using namespace slicepool;
using lattice::IntegerBasis;
using test::entryOf;

/// d rows of which the first `longs` columns have so many bits: (N, 0, ..), (x, 1, 0, ..), .. `more` columns
/// beside them are zero but for their last row.
IntegerBasis tall(std::mt19937_64& random, int d, int longs, int bits, int more = 0) {
  IntegerBasis basis = test::zeroBasis(d, d + more);
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < longs && i >= longs; ++j)
      entryOf(basis, i, j) = test::randomBits(bits, random) * (random() % 2 == 0 ? 1 : -1);
    entryOf(basis, i, i) =
        i < longs ? lattice::Integer(test::randomBits(bits, random) | 1) : lattice::Integer(1);
  }
  for (int j = d; j < d + more; ++j) entryOf(basis, d - 1, j) = 7;
  return basis;
}

/// The least (r_i + mu^2 r_{i-1}) / r_{i-1}: delta, where coefficients are small.
double leastLovasz(const IntegerBasis& basis) {
  const lattice::Orthogonalization data(basis);
  if (data.flaw()) FAIL(data.flaw()->what);
  const lattice::GramSchmidt result = data.result();
  const auto d = static_cast<std::size_t>(result.dimension);
  double least = 1;
  for (std::size_t i = 1; i < d; ++i) {
    const double mu = result.mu[i * d + i - 1];
    least = std::min(least, result.norms[i] / result.norms[i - 1] + mu * mu);
  }
  return least;
}

void check(const IntegerBasis& basis) {
  const IntegerBasis whole = lattice::reduced(basis, 0);
  CHECK(test::sameLattice(whole, basis));
  CHECK(leastLovasz(whole) > 0.989);
  const IntegerBasis loose = svp::looselyReduced(basis);
  CHECK(test::sameLattice(loose, basis));
  CHECK(leastLovasz(loose) > 0.749);
}

}  // namespace digits_test
using namespace digits_test;
}  // namespace

TEST_CASE("leading digits lead to a reduced basis of the same lattice") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(2913);
  for (const int d : {2, 4, 9, 16, 30}) {
    if (d > test::largest(30, 9)) break;
    for (const int longs : {1, 2, d / 2})
      for (const int bits : {30, 257, 300 + d}) {
        CAPTURE(d);
        CAPTURE(longs);
        CAPTURE(bits);
        check(tall(random, d, longs, bits));
      }
  }
  check(tall(random, 12, 2, 300, 3));
  check(test::challengeBasis(test::largest(40, 20), random));
  check(test::knapsackBasis(test::largest(30, 16), random));
}

TEST_CASE("a row that has nothing in common with those before stays") {
  if (!test::canReduce()) return;
  const std::string number = "11579208923731619542357098500868790785326998466564056403945758400791312963993";
  const IntegerBasis basis = lattice::parseBasis("[[1 0 0][0 1 0][0 0 " + number + "]]", "basis");
  CHECK(lattice::reduced(basis, 0).entries == basis.entries);
}
