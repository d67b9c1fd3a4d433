// Dual blocks: the vectors and nodes that fplll's own enumeration finds, its self-dual BKZ, and what is left
// to it.
#include "support/fplll_plugin.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace {

using slicepool::test::DualSearch;
using slicepool::test::FplllMatrix;
using slicepool::test::randomReduced;
using slicepool::test::RegisteredPlugin;
using slicepool::test::searchDual;

constexpr const char* kAlone = "1e300";

/// The squared norm of the first row after fplll's BKZ with tours forward over the lattice and backward over
/// its dual, every block unpruned.
double selfDualReduced(const FplllMatrix& lattice, int blockSize) {
  FplllMatrix matrix = lattice;
  std::vector<fplll::Strategy> none;
  fplll::BKZParam parameters(blockSize, none);
  parameters.flags |= fplll::BKZ_SD_VARIANT | fplll::BKZ_MAX_LOOPS;
  parameters.max_loops = 4;
  const int status = fplll::bkz_reduction(&matrix, nullptr, parameters);
  CHECK((status == fplll::RED_SUCCESS || status == fplll::RED_BKZ_LOOPS_LIMIT));
  double sum = 0;
  for (int j = 0; j < matrix.get_cols(); ++j) sum += matrix(0, j).get_d() * matrix(0, j).get_d();
  return sum;
}

}  // namespace

TEST_CASE("dual blocks have the vectors of fplll's enumeration, alone and by a pool") {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    const FplllMatrix lattice = randomReduced(36, 50, seed);
    for (const auto& block : std::vector<std::array<int, 2>>{{0, 1}, {0, 2}, {0, 36}, {5, 30}, {20, 36}}) {
      CAPTURE(seed);
      const int first = block[0];
      const int last = block[1];
      CAPTURE(first);
      const DualSearch without = searchDual(lattice, first, last, 1.0001);
      REQUIRE(!without.products.empty());
      for (const char* engineNodes : {kAlone, "0"}) {
        const RegisteredPlugin plugin("0", "0", engineNodes, "cpu", "1");
        CHECK(searchDual(lattice, first, last, 1.0001).products == without.products);
        CHECK(plugin.counts().declined == 0);
      }
    }
  }
}

TEST_CASE("dual blocks have the nodes of fplll's enumeration where nothing is within, pruned or not") {
  const FplllMatrix lattice = randomReduced(34, 60, 7);
  const int d = 34;
  std::vector<double> pruning(static_cast<std::size_t>(d), 1);
  for (int k = 0; k < d; ++k) pruning[static_cast<std::size_t>(k)] = 1 - 0.6 * k / d;
  // The largest radius with nothing within it, near enough.
  double share = 1;
  while (!searchDual(lattice, 0, d, share).products.empty()) share *= 0.9;
  for (const auto& bounds : {std::vector<double>{}, pruning}) {
    const DualSearch without = searchDual(lattice, 0, d, share, bounds);
    REQUIRE(without.products.empty());
    for (const char* engineNodes : {kAlone, "0"}) {
      const RegisteredPlugin plugin("0", "0", engineNodes, "cpu", "1");
      const DualSearch with = searchDual(lattice, 0, d, share, bounds);
      CHECK(with.products.empty());
      CHECK(plugin.counts().declined == 0);
      CHECK(std::accumulate(with.nodes.begin(), with.nodes.end(), std::uint64_t{0}) > 1000);
      CHECK(with.nodes == without.nodes);
    }
  }
}

TEST_CASE("fplll's self-dual BKZ reduces as far with the plug-in, which searches all of its dual blocks") {
  for (const std::uint64_t seed : {1U, 2U}) {
    CAPTURE(seed);
    const FplllMatrix lattice = randomReduced(40, 62, seed);
    const double without = selfDualReduced(lattice, 20);
    const RegisteredPlugin plugin("0", "0", kAlone, "cpu", "1");
    const double with = selfDualReduced(lattice, 20);
    CHECK(with < 1.1 * without);
    CHECK(without < 1.1 * with);
    CHECK(plugin.counts().sequential > 100);
    CHECK(plugin.counts().declined == 0);
  }
}

TEST_CASE("dual radii that the plug-in cannot trust, and more than one vector, are left to fplll") {
  const FplllMatrix lattice = randomReduced(30, 50, 9);
  const auto without = searchDual(lattice, 0, 30, 3, {}, 5);
  const RegisteredPlugin plugin("0", "0", kAlone, "cpu", "1");
  CHECK(searchDual(lattice, 0, 30, 3, {}, 5).products == without.products);
  CHECK(plugin.counts().declined == 1);
  CHECK(searchDual(lattice, 0, 30, 0.1).products.empty());
  CHECK(plugin.counts().declined == 2);
}
