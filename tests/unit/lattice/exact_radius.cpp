// An integer R^2 decides exactly, however large: bases with norms of 2^40 to 2^120 against an oracle, in
// every mode without a GPU.
#include <doctest/doctest.h>

#include "runtime/lattice/prepared_search.hpp"
#include "support/exact_lattices.hpp"
#include "support/scale.hpp"

namespace {

using namespace slicepool;
using test::BigInteger;

constexpr std::uint64_t kSeed = 20261122;

EngineOptions cpu(int threads) {
  EngineOptions options;
  options.mode = Mode::cpu;
  options.threads = threads;
  return options;
}

EngineOptions emulated(bool withCpu, std::uint32_t results) {
  EngineOptions options;
  options.mode = Mode::emulated;
  options.threads = 2;
  options.emulator.lanes = 64;
  options.emulator.resultCapacity = results;
  options.emulator.withCpuWorkers = withCpu;
  return options;
}

}  // namespace

TEST_CASE("R^2 of norm - 1, norm and norm + 1 takes the vectors within and no other, whatever is asked for") {
  using lattice::Algorithm;
  test::checkExactRadii(kSeed, test::scaled(45),
                        {{"cpu", cpu(2)},
                         {"emulated", emulated(false, 128)},
                         {"emulated, compacted", emulated(true, 16), Algorithm::compacted}});
}

TEST_CASE("the search's norms err by less than its bound on their errors") {
  MESSAGE("seed " << kSeed);
  for (std::size_t number = 0; number < test::scaled(45); ++number) {
    const auto lattice = test::exactLattice(kSeed, number);
    CAPTURE(lattice.name);
    lattice::Request request;
    request.basis = test::matrixText(lattice.rows);
    request.squaredRadius = lattice.most.str();
    const auto search = lattice::prepareSearch(request);
    const double error = lattice::normError(search.spec);
    CHECK(error < 1e-9);
    const auto d = lattice.rows.size();
    for (const auto& vector : lattice.vectors) {
      double norm = 0;
      for (std::size_t k = d; k-- > 0;) {
        double centre = 0;
        for (std::size_t j = d; j-- > k + 1;) centre -= vector.coefficients[j] * search.spec.mu[j * d + k];
        norm += (vector.coefficients[k] - centre) * (vector.coefficients[k] - centre) * search.spec.norms[k];
      }
      const auto exact = static_cast<double>(vector.squaredNorm);
      CHECK(std::abs(norm - exact) <= error * exact);
      CHECK(norm <= search.radius.bound);
    }
  }
}

TEST_CASE("small norms are told apart in floating point, large ones by their exact norm") {
  lattice::Request request;
  request.basis = "[[1 0] [0 1]]";
  for (const char* small : {"1", "0.5", "48", "48.3", "12648.5", "1000000000"}) {
    CAPTURE(std::string(small));
    request.squaredRadius = small;
    CHECK(lattice::prepareSearch(request).radius.decides);
  }
  // The last is less below an integer than rounding tells.
  for (const char* large : {"1000000000000000", "1267650600228229401496703205376", "999999.999999999999"}) {
    CAPTURE(std::string(large));
    request.basis = "[[1000000 0] [0 1000001]]";
    request.squaredRadius = large;
    CHECK(!lattice::prepareSearch(request).radius.decides);
  }
}

TEST_CASE("a radius just below an integer does not take the integer in") {
  lattice::Request request;
  request.basis = "[[1000 0] [0 1001]]";
  request.fixedRadius = true;
  for (const auto& options : {cpu(1), emulated(false, 64)}) {
    for (const int solutions : {0, 1, 5}) {
      request.solutions = static_cast<std::uint64_t>(solutions);
      const auto countOf = [&](const char* squaredRadius) {
        request.squaredRadius = squaredRadius;
        lattice::Enumeration enumeration(request, options);
        enumeration.run();
        return enumeration.outcome().count;
      };
      CHECK(countOf("999999.999999999999999999999999999") == 0);
      CHECK(countOf("1000000") == 1);
      CHECK(countOf("1000000.000000000000000000000000001") == 1);
      CHECK(countOf("1002000.99999999999999999") == 1);
      CHECK(countOf("1002001") == 2);
    }
  }
}

TEST_CASE("what a gh_factor became, asked for as squared_radius, gives the same search") {
  for (std::size_t number = 0; number < 6; ++number) {
    const auto lattice = test::exactLattice(kSeed, number);
    CAPTURE(lattice.name);
    lattice::Request request;
    request.basis = test::matrixText(lattice.rows);
    request.fixedRadius = true;
    request.ghFactor = 1.2;
    const auto outcomeOf = [&] {
      lattice::Enumeration enumeration(request, cpu(1));
      enumeration.run();
      return enumeration.outcome();
    };
    const auto byFactor = outcomeOf();
    const auto prepared = lattice::prepareSearch(request);
    CHECK(byFactor.squaredRadius.rounded() >= 1.44 * prepared.gaussianSquaredRadius);
    request.ghFactor = 0;
    request.squaredRadius = byFactor.squaredRadius;
    const auto byRadius = outcomeOf();
    CHECK(byRadius.nodesPerLevel == byFactor.nodesPerLevel);
    CHECK(byRadius.fingerprint == byFactor.fingerprint);
    CHECK(byRadius.squaredRadius == byFactor.squaredRadius);
  }
}
