// The plug-in's contract with fplll: what it declines, radii that solutions change, node counts, exceptions,
// threads.
#include "support/fplll_plugin.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using slicepool::test::ExternalBlock;
using slicepool::test::kDeclined;
using slicepool::test::latticeInstance;
using slicepool::test::RegisteredPlugin;

constexpr const char* kNever = "1e300";

ExternalBlock blockOf(const char* id) {
  ExternalBlock block;
  block.spec = latticeInstance(id).spec;
  block.process = [radius = block.spec.squaredRadius](double, double*) { return radius; };
  return block;
}

std::uint64_t sum(const std::array<std::uint64_t, FPLLL_EXTENUM_MAX_EXTENUM_DIM>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace

TEST_CASE("what it does not do is declined before anything is reported") {
  const RegisteredPlugin plugin("0", "0", kNever);
  ExternalBlock block = blockOf("e8");
  CHECK(block.enumerate(true, false)[0] == kDeclined);  // unless `dual` is set
  CHECK(block.enumerate(true, true)[0] == kDeclined);
  CHECK(block.solutions == 0);
  block.spec.pruning = {0.5, 1, 1, 1, 1, 1, 1, 1};  // bounds that grow towards the root
  CHECK(block.enumerate()[0] == kDeclined);
  block = blockOf("e8");
  block.spec.squaredRadius = 1e30;  // coefficients beyond 16 bits
  CHECK(block.enumerate()[0] == kDeclined);
  CHECK(block.solutions == 0);
  CHECK(plugin.counts().declined == 4);
  CHECK(plugin.counts().sequential == 0);
}

TEST_CASE("blocks below the thresholds are declined, the dimension without a look at them") {
  {
    const RegisteredPlugin plugin("9", "0", kNever);
    ExternalBlock block = blockOf("e8");
    CHECK(block.enumerate()[0] == kDeclined);
    CHECK(block.configured == 0);
  }
  {
    const RegisteredPlugin plugin("0", "1e6", kNever);
    ExternalBlock small = blockOf("k40");  // 688,072 nodes
    CHECK(small.enumerate()[0] == kDeclined);
    CHECK(small.solutions == 0);
    ExternalBlock large = blockOf("k45");  // 9,575,834
    CHECK(large.enumerate()[0] != kDeclined);
  }
}

TEST_CASE(
    "a fixed radius gives the known solutions, and the nodes as fplll counts them, alone and by a pool") {
  for (const char* engineNodes : {kNever, "0"}) {
    for (const char* id : {"e8", "bw16", "leech32", "k40"}) {
      CAPTURE(std::string(id));
      const RegisteredPlugin plugin("0", "0", engineNodes);
      const auto known = latticeInstance(id);
      ExternalBlock block = blockOf(id);
      std::set<std::vector<double>> set;
      const auto d = static_cast<std::size_t>(block.spec.dimension);
      block.process = [&](double norm, double* x) {
        CHECK(norm <= block.spec.squaredRadius);
        set.emplace(x, x + d);
        return block.spec.squaredRadius;
      };
      // fplll counts the zero path once, the table of instances once a level.
      CHECK(sum(block.enumerate()) == known.nodes - (d - 1));
      CHECK(block.solutions == known.solutions);
      CHECK(set.size() == known.solutions);
      CHECK((engineNodes[0] == '0' ? plugin.counts().pooled : plugin.counts().sequential) == 1);
    }
  }
}

TEST_CASE(
    "the radius follows what the evaluator returns, and every solution is within the radius of its moment") {
  for (const char* engineNodes : {kNever, "0"}) {
    const RegisteredPlugin plugin("0", "0", engineNodes);
    ExternalBlock block = blockOf("leech48");
    const auto known = latticeInstance("leech48");
    double radius = block.spec.squaredRadius;
    bool within = true;
    block.process = [&](double norm, double*) {
      within = within && norm <= radius;
      radius = norm;
      return radius;
    };
    const std::uint64_t nodes = sum(block.enumerate());
    CHECK(within);
    CHECK(radius == doctest::Approx(32));
    CHECK(nodes < known.nodes / 4);
  }
}

TEST_CASE("an evaluator that keeps its radius for a while loses nothing") {
  // As fplll's best of n: the bound is the n-th norm, once there are n.
  for (const char* engineNodes : {kNever, "0"}) {
    const RegisteredPlugin plugin("0", "0", engineNodes);
    ExternalBlock block = blockOf("bw16");
    std::multiset<double> best;
    std::set<std::vector<double>> set;
    block.process = [&](double norm, double* x) {
      CHECK(set.emplace(x, x + 16).second);
      best.insert(norm);
      if (best.size() < 2161) return block.spec.squaredRadius;
      if (best.size() > 2161) best.erase(std::prev(best.end()));
      return *best.rbegin();
    };
    (void)block.enumerate();
    REQUIRE(best.size() == 2161);  // 2160 of norm 8, and one of 12
    CHECK(*std::next(best.begin(), 2159) == doctest::Approx(8));
    CHECK(*best.rbegin() == doctest::Approx(12));
  }
}

TEST_CASE("a returned radius of 0 stops the search") {
  for (const char* engineNodes : {kNever, "0"}) {
    const RegisteredPlugin plugin("0", "0", engineNodes);
    ExternalBlock block = blockOf("leech48");
    block.process = [&](double, double*) { return block.solutions < 3 ? block.spec.squaredRadius : 0.0; };
    const auto counts = block.enumerate();
    CHECK(counts[0] != kDeclined);
    CHECK(block.solutions == 3);
    CHECK(sum(counts) < 70'000'000);
  }
}

TEST_CASE("what an evaluator throws reaches its caller, and the next block is searched") {
  for (const char* engineNodes : {kNever, "0"}) {
    const RegisteredPlugin plugin("0", "0", engineNodes);
    ExternalBlock block = blockOf("bw16");
    block.process = [](double, double*) -> double { throw std::domain_error("evaluator"); };
    CHECK_THROWS_AS((void)block.enumerate(), std::domain_error);
    block = blockOf("bw16");
    (void)block.enumerate();
    CHECK(block.solutions == 32880);
  }
}

TEST_CASE("many calls from several threads find what one does, also from within a callback") {
  for (const char* engineNodes : {kNever, "0"}) {
    const RegisteredPlugin plugin("0", "0", engineNodes);
    const int rounds = engineNodes[0] == '0' ? 3 : 20;
    std::atomic<int> right{0};
    const auto calls = [&] {
      for (int i = 0; i < rounds; ++i) {
        ExternalBlock block = blockOf(i % 2 == 0 ? "e8" : "bw16");
        const std::size_t wanted = i % 2 == 0 ? 120 : 32880;
        bool nested = false;
        block.process = [&](double, double*) {
          if (!nested) {
            nested = true;
            ExternalBlock inner = blockOf("e8");
            (void)inner.enumerate();
            if (inner.solutions == 120) ++right;
          }
          return block.spec.squaredRadius;
        };
        (void)block.enumerate();
        if (block.solutions == wanted) ++right;
      }
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back(calls);
    for (auto& thread : threads) thread.join();
    CHECK(right == 4 * 2 * rounds);
  }
}

TEST_CASE("calls at the same time divide the cores, and have all of them afterwards") {
  const RegisteredPlugin plugin("0", "0", "0");  // two threads
  const auto innerFound = [] {
    ExternalBlock inner = blockOf("e8");
    (void)inner.enumerate();
    return inner.solutions;
  };
  const auto searchBoth = [&] {
    ExternalBlock outer = blockOf("bw16");
    std::size_t found = 0;
    outer.process = [&](double, double*) {
      if (found == 0) found = innerFound();
      return outer.spec.squaredRadius;
    };
    (void)outer.enumerate();
    CHECK(outer.solutions == 32880);
    CHECK(found == 120);
  };
  for (std::uint64_t round = 1; round <= 3; ++round) {
    searchBoth();  // one of two cores is left to the inner one, which is its thread
    CHECK(plugin.counts().pooled == round);
    CHECK(plugin.counts().sequential == round);
  }
  CHECK(slicepool_fplll_set("threads", "4") == 0);  // two for the inner one
  searchBoth();
  CHECK(plugin.counts().pooled == 5);
  CHECK(plugin.counts().sequential == 3);
}

TEST_CASE("at its end fplll has the enumerator from before, its own or another one") {
  static int calls = 0;
  const auto own = fplll::get_external_enumerator();
  {
    const RegisteredPlugin plugin("0", "0", kNever);
    slicepool_fplll_register();  // once more changes nothing
  }
  CHECK(bool(fplll::get_external_enumerator()) == bool(own));
  fplll::set_external_enumerator([](auto&&...) {
    ++calls;
    return std::array<std::uint64_t, FPLLL_EXTENUM_MAX_EXTENUM_DIM>{kDeclined};
  });
  { const RegisteredPlugin plugin("0", "0", kNever); }
  slicepool_fplll_unregister();  // nothing is registered
  (void)fplll::get_external_enumerator()(1, 1, {}, {}, {}, false, false);
  CHECK(calls == 1);
  fplll::set_external_enumerator(own);
}

TEST_CASE("settings are taken by name, and what is not accepted changes nothing") {
  CHECK(slicepool_fplll_set("min_nodes", "1e7") == 0);
  CHECK(slicepool_fplll_set("mode", "emulated") == 0);
  CHECK(slicepool_fplll_set("mode", "fast") == -1);
  CHECK(slicepool_fplll_set("min_nodes", "-1") == -1);
  CHECK(slicepool_fplll_set("min_nodes", "many") == -1);
  CHECK(slicepool_fplll_set("dual", "2") == -1);
  CHECK(slicepool_fplll_set("max_nodes", "1") == -1);
  CHECK(slicepool_fplll_set(nullptr, "1") == -1);
}
