// Blocks that a pool with a GPU searches: the vectors that fplll's own enumeration finds.
#include "support/fplll_plugin.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#ifdef SLICEPOOL_HAVE_CUDA
#include "kernels/core/registration.hpp"
#endif
#include "support/gpu.hpp"

namespace {

#ifdef SLICEPOOL_HAVE_CUDA
// Of this program, which asks for GPUs. The plug-in has kernels of its own.
const bool kRegistered = (slicepool::registerCudaKernels(), true);
#endif

using slicepool::test::ExternalBlock;
using slicepool::test::FplllMatrix;
using slicepool::test::randomReduced;
using slicepool::test::RegisteredPlugin;
using slicepool::test::searchDual;
using slicepool::test::textOf;

}  // namespace

TEST_CASE("dual blocks have the vectors of fplll's enumeration beside a GPU") {
  if (!slicepool::test::gpuUsable()) return;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    const FplllMatrix lattice = randomReduced(40, 60, seed);
    for (const auto& block : std::vector<std::array<int, 2>>{{0, 1}, {0, 40}, {5, 38}, {20, 40}}) {
      const int first = block[0];
      const int last = block[1];
      CAPTURE(first);
      const auto without = searchDual(lattice, first, last, 1.0001);
      REQUIRE(!without.products.empty());
      for (const char* mode : {"gpu", "hybrid"}) {
        CAPTURE(mode);
        const RegisteredPlugin plugin("0", "0", "0", mode, "1");
        CHECK(searchDual(lattice, first, last, 1.0001).products == without.products);
        CHECK(plugin.counts().declined == 0);
        CHECK(plugin.counts().pooled == 1);
      }
    }
  }
}

TEST_CASE("fplll's BKZ comes to the same basis beside a GPU") {
  if (!slicepool::test::gpuUsable()) return;
  for (const std::uint64_t seed : {4U, 5U}) {
    CAPTURE(seed);
    const FplllMatrix lattice = randomReduced(44, 60, seed);
    // Every block unpruned: what is found does not depend on the order of the search.
    const auto reduced = [&] {
      FplllMatrix matrix = lattice;
      std::vector<fplll::Strategy> none;
      fplll::BKZParam parameters(24, none);
      REQUIRE(fplll::bkz_reduction(&matrix, nullptr, parameters) == fplll::RED_SUCCESS);
      return textOf(matrix);
    };
    const std::string without = reduced();
    for (const char* mode : {"gpu", "hybrid"}) {
      CAPTURE(mode);
      const RegisteredPlugin plugin("0", "0", "0", mode);
      CHECK(reduced() == without);
      CHECK(plugin.counts().pooled > 10);
    }
  }
}

TEST_CASE("subsolutions beside a GPU are those of the calling thread") {
  if (!slicepool::test::gpuUsable()) return;
  ExternalBlock block;
  block.spec = slicepool::test::latticeInstance("k40").spec;
  block.process = [radius = block.spec.squaredRadius](double, double*) { return radius; };
  std::vector<double> norms;
  block.subsolution = [&](double norm, double*, int offset) {
    norms.push_back(offset);
    norms.push_back(norm);
  };
  const auto found = [&](const char* engineNodes, const char* mode) {
    const RegisteredPlugin plugin("0", "0", engineNodes, mode);
    norms.clear();
    CHECK(block.enumerate(false, true)[0] != slicepool::test::kDeclined);
    return norms;
  };
  const std::vector<double> alone = found("1e300", "cpu");
  REQUIRE(alone.size() > 20);
  for (const char* mode : {"gpu", "hybrid"}) {
    CAPTURE(mode);
    const std::vector<double> pooled = found("0", mode);
    REQUIRE(pooled.size() == alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i)
      CHECK(pooled[i] == doctest::Approx(alone[i]).epsilon(1e-9));
  }
}
