// Gram-Schmidt data of integer bases: against the exact coefficients, verdicts on reduction, Gaussian
// heuristic.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>

#include <boost/multiprecision/cpp_int.hpp>

#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/lattice/reduction.hpp"
#include "slicepool/core/error.hpp"
#include "support/lattice/instances.hpp"
#include "support/text.hpp"

namespace {

namespace lattice = slicepool::lattice;
using lattice::GramSchmidt;
using lattice::IntegerBasis;
using lattice::Orthogonalization;
using slicepool::test::contains;
using slicepool::test::latticeFile;

constexpr const char* kInstances[] = {"e8.txt",  "bw16.txt", "leech.txt", "k40.txt", "k45.txt",
                                      "f48.txt", "gm50.txt", "k50.txt",   "k55.txt", "k60.txt"};

/// The textbook's recursion in exact fractions. Slow: for small dimensions.
GramSchmidt exactly(const IntegerBasis& basis) {
  using Rational = boost::multiprecision::cpp_rational;
  const auto d = static_cast<std::size_t>(basis.dimension);
  const auto n = static_cast<std::size_t>(basis.columns);
  std::vector<std::vector<Rational>> star(d, std::vector<Rational>(n));
  GramSchmidt result{basis.dimension, std::vector<double>(d * d, 0.0), {}};
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t c = 0; c < n; ++c) star[i][c] = basis.entries[i * n + c];
    for (std::size_t j = 0; j < i; ++j) {
      Rational dot = 0;
      Rational norm = 0;
      for (std::size_t c = 0; c < n; ++c) {
        dot += Rational(basis.entries[i * n + c]) * star[j][c];
        norm += star[j][c] * star[j][c];
      }
      const Rational mu = dot / norm;
      result.mu[i * d + j] = static_cast<double>(mu);
      for (std::size_t c = 0; c < n; ++c) star[i][c] -= mu * star[j][c];
    }
    Rational norm = 0;
    for (const auto& element : star[i]) norm += element * element;
    result.mu[i * d + i] = 1;
    result.norms.push_back(static_cast<double>(norm));
  }
  return result;
}

std::string flawOf(const std::string& text) {
  const Orthogonalization made(lattice::parseBasis(text, "B"));
  return made.flaw() ? made.flaw()->what : "reduced";
}

}  // namespace

TEST_CASE("coefficients and norms are the exact ones to the last bits") {
  for (const char* name : {"e8.txt", "bw16.txt", "leech.txt"}) {
    CAPTURE(name);
    const IntegerBasis basis = lattice::parseBasis(latticeFile(name), name);
    const Orthogonalization made(basis);
    REQUIRE(!made.flaw());
    const GramSchmidt exact = exactly(basis);
    const auto near = [](double a, double b) { return std::abs(a - b) <= 4e-16 * std::abs(b) + 1e-60; };
    for (std::size_t i = 0; i < exact.mu.size(); ++i) CHECK(near(made.result().mu[i], exact.mu[i]));
    for (std::size_t i = 0; i < exact.norms.size(); ++i) CHECK(near(made.result().norms[i], exact.norms[i]));
  }
}

TEST_CASE("entries beyond double precision are not rounded before they are needed") {
  // b_2 = b_1 * 2^199 / 2^200 + small: mu is 1/2 exactly and r_2 is what is left of a difference of 400 bits.
  const std::string big = lattice::Integer(lattice::Integer(1) << 200).str();
  const std::string half = lattice::Integer(lattice::Integer(1) << 199).str();
  const std::string third = lattice::Integer(lattice::Integer(1) << 200).str();
  const IntegerBasis basis = lattice::parseBasis("[[" + big + " 0][" + half + " " + third + "]]", "B");
  const Orthogonalization made(basis);
  REQUIRE(!made.flaw());
  CHECK(made.result().mu[2] == 0.5);
  CHECK(made.result().norms[1] == std::ldexp(1.0, 400));
}

TEST_CASE("the bases of the instances are reduced") {
  for (const char* name : kInstances) {
    CAPTURE(name);
    const Orthogonalization made(lattice::parseBasis(latticeFile(name), name));
    CHECK(!made.flaw());
  }
}

TEST_CASE("a basis that is not reduced is told with the row and the number") {
  CHECK(flawOf("[[1 0][0 1]]") == "reduced");
  CHECK(flawOf("[[2 0][1 2]]") == "reduced");  // |mu| = 1/2 is allowed
  CHECK(flawOf("[[10 0][6 10]]") ==
        "row 2 is not size-reduced: its coefficient of row 1 is 0.6, more than 0.51");
  CHECK(flawOf("[[10 0][0 8]]") == "rows 1 and 2 fail the Lovasz condition: delta is 0.64, less than 0.74");
  CHECK(contains(flawOf("[[4 0 0][0 4 0][-3 0 4]]"),
                 "row 3 is not size-reduced: its coefficient of row 1 is -0.75"));
}

TEST_CASE("Gram-Schmidt norms out of the range of double are refused, not made infinite") {
  std::string big = "1" + std::string(200, '0');
  const Orthogonalization alone(lattice::parseBasis("[[" + big + "]]", "B"));
  CHECK(!alone.flaw());
  CHECK_THROWS_WITH_AS(
      (void)alone.result(),
      doctest::Contains("basis: got a reduced basis whose row 1 has the squared Gram-Schmidt norm "
                        "1.000e+400; accepted: norms whose squares are from 1e-300 to 1e300"),
      slicepool::ConfigError);
}

TEST_CASE("a basis with long rows is not reduced before it is out of range") {
  const std::string big = "1" + std::string(200, '0');
  CHECK(contains(flawOf("[[" + big + " 0][1 1]]"), "rows 1 and 2 fail the Lovasz condition"));
}

TEST_CASE("the Gaussian heuristic is the radius of a ball with the volume of the lattice") {
  // Dimension 2: pi R^2 = vol; dimension 8 with volume 2^4: pi^4 / 24 R^8 = 16 (E8 here has determinant 2^8).
  CHECK(lattice::gaussianSquaredRadius({4.0, 9.0}) == doctest::Approx(6 / std::acos(-1.0)));
  const Orthogonalization e8(lattice::parseBasis(latticeFile("e8.txt"), "e8"));
  double volume = 1;
  for (const double norm : e8.result().norms) volume *= std::sqrt(norm);
  const double expected = std::pow(volume * 24 / std::pow(std::acos(-1.0), 4), 0.25);
  CHECK(lattice::gaussianSquaredRadius(e8.result().norms) == doctest::Approx(expected));
}

TEST_CASE("a reduced basis spans the same lattice and is reduced, whatever came in") {
  if (!lattice::fplllLinked()) {
    CHECK_THROWS_WITH_AS(lattice::reduced(lattice::parseBasis("[[10 0][6 10]]", "B")),
                         doctest::Contains("in a build without fplll"), slicepool::ConfigError);
    return;
  }
  const unsigned seed = 5;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 10; ++round) {
    // A knapsack-like basis of a known determinant.
    const int d = 4 + round;
    IntegerBasis basis{d, d, std::vector<lattice::Integer>(static_cast<std::size_t>(d * d), 0)};
    for (int i = 0; i < d; ++i) {
      basis.entries[static_cast<std::size_t>(i * d)] = lattice::Integer(random()) * random() + 1;
      if (i > 0) basis.entries[static_cast<std::size_t>(i * d + i)] = 1;
    }
    const IntegerBasis made = lattice::reduced(basis, round % 2 == 0 ? 0 : 4);
    const Orthogonalization data(made);
    REQUIRE(!data.flaw());
    // In this lattice v is a vector exactly if v_0 = sum v_i a_i modulo a_0; the volume is a_0.
    for (int i = 0; i < d; ++i) {
      lattice::Integer sum = made.at(i, 0);
      for (int j = 1; j < d; ++j) sum -= made.at(i, j) * basis.at(j, 0);
      CHECK(sum % basis.at(0, 0) == 0);
    }
    double logVolume = 0;
    for (const double norm : data.result().norms) logVolume += std::log(norm) / 2;
    CHECK(logVolume == doctest::Approx(std::log(static_cast<double>(basis.at(0, 0)))).epsilon(1e-9));
  }
}

TEST_CASE("a reduction is named by auto, none, lll and bkz-B and nothing else") {
  using Kind = lattice::ReductionChoice::Kind;
  CHECK(lattice::parseReduction("auto").kind == Kind::automatic);
  CHECK(lattice::parseReduction("none").kind == Kind::none);
  CHECK(lattice::parseReduction("lll").kind == Kind::lll);
  CHECK(lattice::parseReduction("bkz-20").blockSize == 20);
  for (const char* bad : {"", "LLL", "bkz", "bkz-", "bkz-1", "bkz-161", "bkz-2x", "bkz-99999999999"})
    CHECK_THROWS_WITH_AS((void)lattice::parseReduction(bad),
                         doctest::Contains("bkz-B with a block size B from 2 to 160"),
                         slicepool::ConfigError);
}
