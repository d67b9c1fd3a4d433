// fplll's own SVP and BKZ with and without the plug-in: the same vectors and bases.
#include "support/fplll_plugin.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "runtime/lattice/fplll_matrix.hpp"
#include "runtime/lattice/prepared_search.hpp"
#include "support/lattice/front.hpp"

namespace {

using slicepool::test::fplllInstance;
using slicepool::test::FplllMatrix;
using slicepool::test::randomReduced;
using slicepool::test::RegisteredPlugin;
using slicepool::test::textOf;

constexpr const char* kNeverSmaller = "1e300";

/// Coefficients of the shortest vector, the first other than zero positive.
std::vector<long> shortest(const FplllMatrix& lattice, fplll::SVPMethod method) {
  FplllMatrix matrix = lattice;
  std::vector<fplll::Z_NR<mpz_t>> found;
  REQUIRE(fplll::shortest_vector(matrix, found, method) == 0);
  std::vector<long> coefficients;
  long sign = 0;
  for (const auto& coefficient : found) {
    const long value = mpz_get_si(coefficient.get_data());
    if (sign == 0 && value != 0) sign = value > 0 ? 1 : -1;
    coefficients.push_back(sign * value);
  }
  return coefficients;
}

/// Every block unpruned: what is found does not depend on the order of the search.
std::string blockReduced(const FplllMatrix& lattice, int blockSize) {
  FplllMatrix matrix = lattice;
  std::vector<fplll::Strategy> none;
  fplll::BKZParam parameters(blockSize, none);
  REQUIRE(fplll::bkz_reduction(&matrix, nullptr, parameters) == fplll::RED_SUCCESS);
  return textOf(matrix);
}

double firstNorm(const FplllMatrix& matrix) {
  double sum = 0;
  for (int j = 0; j < matrix.get_cols(); ++j) sum += matrix(0, j).get_d() * matrix(0, j).get_d();
  return sum;
}

}  // namespace

TEST_CASE("LLL by prefixes of the rows comes to the basis of LLL, and can be stopped between two of them") {
  fplll::RandGen::init_with_seed(7);
  FplllMatrix rows;
  SUBCASE("long numbers") {
    rows.resize(82, 82);
    rows.gen_qary(4, 300);
  }
  SUBCASE("short numbers") {
    rows.resize(100, 100);
    rows.gen_qary(50, 20);
  }
  FplllMatrix whole = rows;
  slicepool::lattice::reduceByLeadingDigits(whole);  // nothing where numbers are short
  REQUIRE(fplll::lll_reduction(whole) == fplll::RED_SUCCESS);
  FplllMatrix prefixes = rows;
  REQUIRE(slicepool::lattice::lllByPrefixes(prefixes, fplll::LLL_DEF_DELTA) == fplll::RED_SUCCESS);
  CHECK(textOf(prefixes) == textOf(whole));
  int asked = 0;
  const slicepool::SetupGuard guard([&]() -> std::string { return ++asked == 2 ? "stopped" : ""; });
  CHECK_THROWS_AS((void)slicepool::lattice::lllByPrefixes(rows, fplll::LLL_DEF_DELTA),
                  slicepool::SetupStopped);
  CHECK(asked == 2);
}

TEST_CASE("fplll's SVP finds the same vector with the plug-in, searched alone and by a pool") {
  const FplllMatrix k40 = fplllInstance("k40.txt");
  const FplllMatrix random = randomReduced(32, 60, 3);
  for (const auto method : {fplll::SVPM_FAST, fplll::SVPM_PROVED}) {
    const auto k40Without = shortest(k40, method);
    const auto randomWithout = shortest(random, method);
    for (const char* engineNodes : {kNeverSmaller, "0"}) {
      const RegisteredPlugin plugin("0", "0", engineNodes);
      CHECK(shortest(k40, method) == k40Without);
      CHECK(shortest(random, method) == randomWithout);
      const auto counts = plugin.counts();
      CHECK((engineNodes[0] == '0' ? counts.pooled : counts.sequential) >= 2);
    }
  }
}

TEST_CASE("fplll's BKZ gives the same basis with the plug-in") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    const FplllMatrix lattice = randomReduced(40, 62, seed);
    const std::string without = blockReduced(lattice, 20);
    CHECK(without != textOf(lattice));
    const RegisteredPlugin plugin("0", "0", kNeverSmaller);
    CHECK(blockReduced(lattice, 20) == without);
    CHECK(plugin.counts().sequential > 20);
  }
}

TEST_CASE("fplll's BKZ gives the same basis where a pool searches every block") {
  const FplllMatrix lattice = randomReduced(24, 62, 4);
  const std::string without = blockReduced(lattice, 12);
  const RegisteredPlugin plugin("0", "0", "0");
  CHECK(blockReduced(lattice, 12) == without);
  CHECK(plugin.counts().pooled > 10);
}

TEST_CASE("lattices that several threads reduce at once come to the bases of fplll alone") {
  constexpr std::size_t kThreads = 4;
  for (const char* engineNodes : {kNeverSmaller, "0", "5000"}) {
    CAPTURE(std::string(engineNodes));
    const int blockSize = engineNodes[0] == '0' ? 10 : 20;
    std::vector<FplllMatrix> lattices;
    std::vector<std::string> without;
    for (std::size_t t = 0; t < kThreads; ++t) {
      lattices.push_back(randomReduced(blockSize + 16, 62, 20 + t));
      without.push_back(blockReduced(lattices[t], blockSize));
    }
    const RegisteredPlugin plugin("0", "0", engineNodes);
    std::vector<std::string> with(kThreads);
    for (std::size_t t = 0; t < kThreads; ++t) with[t] = blockReduced(lattices[t], blockSize);
    CHECK(with == without);
    const auto alone = plugin.counts();
    with.assign(kThreads, "");
    std::latch together(kThreads);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        together.arrive_and_wait();
        with[t] = blockReduced(lattices[t], blockSize);
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(with == without);
    const auto both = plugin.counts();
    CHECK(both.sequential + both.pooled == 2 * (alone.sequential + alone.pooled));
    CHECK(both.declined == 2 * alone.declined);
    if (alone.pooled == 0) CHECK(both.nodes == 2 * alone.nodes);  // a pool's radius follows later
  }
}

TEST_CASE("pruned BKZ with fplll's strategies reduces as far with the plug-in") {
  // With bounds that shrink with the radius the vector of a block depends on the order of the search, and
  // bases differ; how short they are does not.
  const FplllMatrix lattice = randomReduced(60, 62, 5);
  const auto reduce = [&] {
    FplllMatrix matrix = lattice;
    auto strategies = fplll::load_strategies_json(fplll::strategy_full_path(fplll::default_strategy()));
    fplll::BKZParam parameters(36, strategies);
    parameters.flags |= fplll::BKZ_MAX_LOOPS;
    parameters.max_loops = 3;
    const int status = fplll::bkz_reduction(&matrix, nullptr, parameters);
    CHECK((status == fplll::RED_SUCCESS || status == fplll::RED_BKZ_LOOPS_LIMIT));
    return firstNorm(matrix);
  };
  const double without = reduce();
  const RegisteredPlugin plugin("30", "0", kNeverSmaller);
  const double with = reduce();
  CHECK(plugin.counts().sequential > 10);
  CHECK(with < 1.2 * without);
  CHECK(without < 1.2 * with);
}

TEST_CASE("fplll's gh_factor is the square of slicepool's: a factor of squared norms") {
  slicepool::lattice::Request request;
  request.basisPath = slicepool::test::latticePath("k40.txt");
  request.reduction = "none";
  for (const double factor : {0.9, 1.0, 1.05, 1.1}) {
    request.ghFactor = factor;
    const auto search = slicepool::lattice::prepareSearch(request);
    double logDeterminant = 0;
    for (const double norm : search.spec.norms) logDeterminant += std::log(norm);
    const fplll::FP_NR<double> root = std::exp(logDeterminant / search.spec.dimension);
    fplll::FP_NR<double> bound = 1e300;
    fplll::adjust_radius_to_gh_bound(bound, 0, search.spec.dimension, root, factor * factor);
    CHECK(search.squaredRadius.rounded() == doctest::Approx(bound.get_d()).epsilon(1e-9));
  }
}
