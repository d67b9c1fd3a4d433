// Subsolutions: those of fplll's own enumeration, and the shortest vectors of projected lattices that
// enumerations of their own find.
#include "support/fplll_plugin.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
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

TEST_CASE("pruned blocks with subsolutions are left to fplll") {
  const FplllMatrix lattice = randomReduced(30, 60, 5);
  std::vector<double> pruning(30, 1);
  pruning.back() = 0.9;
  const Subsolutions without = subsolutionsOf(lattice, 0, 30, 0.9999, pruning);
  const RegisteredPlugin plugin("0", "0", kThreadAlone);
  CHECK(subsolutionsOf(lattice, 0, 30, 0.9999, pruning) == without);
  CHECK(plugin.counts().declined == 1);
}

TEST_CASE("a radius far above the shortest vector does not make the trees of subsolutions large") {
  // One short vector beside a random lattice: fplll's radius is its norm from the first leaf on.
  slicepool::test::IntegerBasis basis(61, std::vector<std::int64_t>(61));
  std::mt19937_64 random(3);
  basis[0][60] = 5;
  for (std::size_t i = 0; i < 30; ++i) basis[i + 1][i] = 10'007;
  for (std::size_t i = 30; i < 60; ++i) {
    basis[i + 1][i] = 1;
    for (std::size_t j = 0; j < 30; ++j) basis[i + 1][j] = static_cast<std::int64_t>(random() % 10'007);
  }
  FplllMatrix lattice = slicepool::test::fplllMatrix(basis);
  fplll::lll_reduction(lattice);
  const RegisteredPlugin plugin("0", "0", kThreadAlone);
  const Subsolutions with = subsolutionsOf(lattice, 0, 61, 2000);
  CHECK(with[0].first == 0);  // no vector is shorter than the first row
  CHECK(plugin.counts().declined == 0);
  CHECK(plugin.counts().nodes < 100'000);
}

TEST_CASE(
    "blocks are left to fplll where the trees of subsolutions are large beside their own, or that is small") {
  const RegisteredPlugin plugin("0", "1", kThreadAlone);
  ExternalBlock block;
  // Nothing is added at the ten rows of large b*: ten parts have as many nodes as the block, some 10^7.
  block.spec.dimension = 46;
  block.spec.mu.assign(46 * 46, 0);
  block.spec.norms.assign(46, 3);
  std::fill_n(block.spec.norms.begin(), 10, 100);
  block.spec.squaredRadius = 18;
  block.process = [](double, double*) { return 18.0; };
  CHECK(block.enumerate(false, true)[0] == kDeclined);
  block.spec = latticeInstance("k40").spec;  // 688,072 nodes
  CHECK(block.enumerate(false, true)[0] == kDeclined);
  CHECK(block.solutions == 0);
  block.spec = latticeInstance("k45").spec;  // 9,575,834 nodes
  block.process = [radius = block.spec.squaredRadius](double, double*) { return radius; };
  CHECK(block.enumerate(false, true)[0] != kDeclined);
  CHECK(plugin.counts().declined == 2);
}

TEST_CASE("a radius below the first norms bounds subsolutions, too") {
  const FplllMatrix lattice = randomReduced(30, 60, 8);
  // By fplll's recursion. Its parallel enumeration reports some beyond the radius.
  const auto own = fplll::get_external_enumerator();
  fplll::set_external_enumerator(nullptr);
  const Subsolutions without = subsolutionsOf(lattice, 0, 30, 0.4);
  fplll::set_external_enumerator(own);
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
