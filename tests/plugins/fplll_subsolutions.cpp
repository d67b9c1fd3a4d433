// Subsolutions: those of fplll's own enumeration, and the shortest vectors of projected lattices that
// enumerations of their own find.
#include "support/fplll_plugin.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using slicepool::test::ExternalBlock;
using slicepool::test::FplllMatrix;
using slicepool::test::kDeclined;
using slicepool::test::latticeInstance;
using slicepool::test::randomReduced;
using slicepool::test::RegisteredPlugin;

constexpr const char* kThreadAlone = "1e300";

using Gso = fplll::MatGSO<fplll::Z_NR<mpz_t>, fplll::FP_NR<double>>;
using Evaluator = fplll::FastEvaluator<fplll::FP_NR<double>>;
using Subsolutions = std::vector<std::pair<double, std::vector<double>>>;  ///< norm 0: none

/// Of rows first .. last - 1 within `share` of the first squared norm, by fplll, or the plug-in where it is
/// registered.
Subsolutions subsolutionsOf(const FplllMatrix& lattice, int first, int last, double share,
                            const std::vector<double>& pruning = {}) {
  FplllMatrix matrix = lattice;
  FplllMatrix none;
  Gso gso(matrix, none, none, fplll::GSO_DEFAULT);
  REQUIRE(gso.update_gso());
  long exponent = 0;
  fplll::FP_NR<double> radius = share * gso.get_r_exp(first, first, exponent).get_d();
  Evaluator evaluator(1, fplll::EVALSTRATEGY_BEST_N_SOLUTIONS, true);
  fplll::Enumeration<fplll::Z_NR<mpz_t>, fplll::FP_NR<double>> enumeration(gso, evaluator);
  enumeration.enumerate(first, last, radius, exponent, {}, {}, pruning);
  Subsolutions found;
  for (const auto& [norm, vector] : evaluator.sub_solutions) {
    found.emplace_back(norm.get_d(), std::vector<double>{});
    for (const auto& x : vector) found.back().second.push_back(x.get_d());
  }
  found.resize(static_cast<std::size_t>(last - first));
  return found;
}

/// Squared norm, in the lattice of rows first + offset .. projected, of what was reported there.
double projectedNorm(const FplllMatrix& lattice, int first, std::size_t offset,
                     const std::vector<double>& x) {
  FplllMatrix matrix = lattice;
  FplllMatrix none;
  Gso gso(matrix, none, none, fplll::GSO_DEFAULT);
  REQUIRE(gso.update_gso());
  double sum = 0;
  for (std::size_t j = offset; j < x.size(); ++j) {
    double coefficient = x[j];
    fplll::FP_NR<double> number;
    for (std::size_t i = j + 1; i < x.size(); ++i)
      coefficient +=
          x[i] * gso.get_mu(number, first + static_cast<int>(i), first + static_cast<int>(j)).get_d();
    sum += coefficient * coefficient *
           gso.get_r(number, first + static_cast<int>(j), first + static_cast<int>(j)).get_d();
  }
  return sum;
}

}  // namespace

TEST_CASE("subsolutions are as short as fplll's, and have the norms that are said") {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    CAPTURE(seed);
    const FplllMatrix lattice = randomReduced(34, 60, seed);
    for (const auto& block : std::vector<std::pair<int, int>>{{0, 1}, {0, 2}, {0, 34}, {7, 31}, {31, 34}}) {
      const int first = block.first;
      const int last = block.second;
      CAPTURE(first);
      const Subsolutions without = subsolutionsOf(lattice, first, last, 0.9999);
      for (const char* engineNodes : {kThreadAlone, "0"}) {
        const RegisteredPlugin plugin("0", "0", engineNodes);
        const Subsolutions with = subsolutionsOf(lattice, first, last, 0.9999);
        CHECK(plugin.counts().declined == 0);
        REQUIRE(with.size() == without.size());
        for (std::size_t k = 0; k < with.size(); ++k) {
          CAPTURE(k);
          CHECK(with[k].first == doctest::Approx(without[k].first).epsilon(1e-9));
          if (with[k].first == 0) continue;
          for (std::size_t j = 0; j < k; ++j) CHECK(with[k].second[j] == 0);
          CHECK(projectedNorm(lattice, first, k, with[k].second) ==
                doctest::Approx(with[k].first).epsilon(1e-9));
        }
      }
    }
  }
}

TEST_CASE("with pruning subsolutions are within the bounds, and no longer than fplll's") {
  const int d = 36;
  std::vector<double> pruning(static_cast<std::size_t>(d), 1);
  for (int k = 0; k < d; ++k) pruning[static_cast<std::size_t>(k)] = 1 - 0.7 * k / d;
  std::size_t compared = 0;
  for (const std::uint64_t seed : {5U, 6U}) {
    CAPTURE(seed);
    const FplllMatrix lattice = randomReduced(d, 60, seed);
    const Subsolutions without = subsolutionsOf(lattice, 0, d, 0.9999, pruning);
    const RegisteredPlugin plugin("0", "0", kThreadAlone);
    const Subsolutions with = subsolutionsOf(lattice, 0, d, 0.9999, pruning);
    CHECK(plugin.counts().declined == 0);
    const double radius = projectedNorm(lattice, 0, 0, [] {
      std::vector<double> firstRow(static_cast<std::size_t>(d));
      firstRow[0] = 1;
      return firstRow;
    }());
    for (std::size_t k = 0; k < with.size(); ++k) {
      CAPTURE(k);
      if (without[k].first > 0) {
        ++compared;
        CHECK(with[k].first > 0);
        CHECK(with[k].first <= without[k].first * (1 + 1e-9));
      }
      for (std::size_t level = k; level < with.size() && with[k].first > 0; ++level)
        CHECK(projectedNorm(lattice, 0, level, with[k].second) <= pruning[level] * radius * (1 + 1e-9));
    }
  }
  CHECK(compared > 20);
}

TEST_CASE("a radius below the first norms bounds subsolutions, too") {
  const FplllMatrix lattice = randomReduced(30, 60, 8);
  const Subsolutions without = subsolutionsOf(lattice, 0, 30, 0.4);
  const RegisteredPlugin plugin("0", "0", kThreadAlone);
  const Subsolutions with = subsolutionsOf(lattice, 0, 30, 0.4);
  CHECK(plugin.counts().declined == 0);
  CHECK(with[0].first == 0);  // no solution
  std::size_t some = 0;
  for (std::size_t k = 0; k < with.size(); ++k) {
    CAPTURE(k);
    CHECK(with[k].first == doctest::Approx(without[k].first).epsilon(1e-9));
    some += with[k].first > 0 ? 1 : 0;
  }
  CHECK(some > 5);
  CHECK(some < 25);
}

TEST_CASE(
    "an evaluator that has enough, or throws, gets no subsolutions; what a subsolution throws arrives") {
  for (const char* engineNodes : {kThreadAlone, "0"}) {
    const RegisteredPlugin plugin("0", "0", engineNodes);
    ExternalBlock block;
    block.spec = latticeInstance("k40").spec;
    std::size_t subsolutions = 0;
    block.subsolution = [&](double, double*, int) { ++subsolutions; };
    block.process = [](double, double*) { return 0.0; };
    CHECK(block.enumerate(false, true)[0] != kDeclined);
    CHECK(block.solutions == 1);
    CHECK(subsolutions == 0);
    block.process = [](double, double*) -> double { throw std::domain_error("evaluator"); };
    CHECK_THROWS_AS((void)block.enumerate(false, true), std::domain_error);
    CHECK(subsolutions == 0);
    block.process = [radius = block.spec.squaredRadius](double, double*) { return radius; };
    block.subsolution = [&](double, double*, int) {
      if (++subsolutions == 2) throw std::domain_error("subsolution");
    };
    CHECK_THROWS_AS((void)block.enumerate(false, true), std::domain_error);
    CHECK(subsolutions == 2);
    CHECK(plugin.counts().declined == 0);
  }
}
