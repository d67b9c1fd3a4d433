// How the lines of a batch are dealt out, and what all workers search of it.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "runtime/lattice/core_walk.hpp"
#include "runtime/lattice/device_groups.hpp"
#include "runtime/lattice/exact_search.hpp"
#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/lattice/group_plan.hpp"
#include "runtime/lattice/prepared_search.hpp"
#include "runtime/lattice/reduction.hpp"
#include "slicepool/lattice/many_lattices.hpp"
#include "support/lattice/searched_targets.hpp"
#include "support/scale.hpp"
#include "support/svp/bases.hpp"
#include "support/temporary_folder.hpp"

namespace {
namespace group_plan_test {

using namespace slicepool;
using namespace slicepool::lattice;
using test::given;
using test::randomRows;
using test::Rows;

ManyOutcome outcomeOf(const ManyRequest& request) {
  EngineOptions options;
  options.threads = 2;
  ManyLattices many(request, options);
  many.run();
  CHECK(many.finished());
  return many.outcome();
}

TEST_CASE("a core takes few large trees at a time, and a device what keeps it busy") {
  const auto lines = [](double nodes) { return planGroups(nodes, true, Mode::cpu, 16, 1000).lines; };
  CHECK(lines(0) == 64);
  CHECK(lines(1e4) == 64);
  CHECK(lines(1e5) == 10);
  CHECK(lines(9e5) == 1);
  CHECK(lines(1e9) == 1);
  const auto device = [](double nodes, Mode mode, std::uint64_t targets, bool suits = true) {
    return planGroups(nodes, suits, mode, 16, targets).device;
  };
  for (const Mode mode : {Mode::hybrid, Mode::automatic}) {
    CHECK(device(1e6, mode, 512));
    CHECK(device(1e6, mode, 0));          // from a pipe
    CHECK_FALSE(device(3e5, mode, 511));  // cores are through before a GPU has started
    CHECK(device(3e5, mode, 512));
    // Fewer, where the slowest of them is sooner through than all of them on cores.
    CHECK(device(3e6, mode, 256));
    CHECK_FALSE(device(2e6, mode, 100));
    CHECK_FALSE(device(9e6, mode, 64));
  }
  CHECK(device(1e6, Mode::gpu, 1));
  CHECK_FALSE(device(2e7, Mode::gpu, 4000));
  CHECK_FALSE(device(1e6, Mode::gpu, 4000, false));
  CHECK(planGroups(1e6, true, Mode::automatic, 16, 1600).seconds == doctest::Approx(2));
  CHECK(planGroups(1e6, false, Mode::automatic, 16, 1600).seconds == 0);
}

TEST_CASE(
    "what a plan expects of targets is near what cores visit, and targets within a radius have no device") {
  if (!fplllLinked()) return;
  std::mt19937_64 random(65);
  const Rows rows = test::randomRows(random, 26, 0);
  const auto lattice = test::targetLattice(rows);
  CHECK(suitsDevices(*lattice));
  CHECK_FALSE(suitsDevices(*test::targetLattice(test::randomRows(random, 26, 1))));
  CHECK_FALSE(suitsDevices(*test::targetLattice(test::randomRows(random, 11, 0))));
  CHECK(planTargets(*lattice, {}, Mode::gpu, 1, 100).device);
  CHECK_FALSE(planTargets(*lattice, 40, Mode::gpu, 1, 100).device);
  ManyRequest request;
  request.basis = matrixText(given(rows));
  for (int i = 0; i < 40; ++i) request.lattices.push_back(test::farTarget(random, 26, 1));
  const ManyOutcome outcome = outcomeOf(request);
  const double mean = static_cast<double>(outcome.run.steps) / 40;
  const double expected = expectedNodesOfTarget(lattice->prepared().data.norms);
  // Small trees, in which a core passes half as many nodes a second as in large ones.
  CHECK(planTargets(*lattice, {}, Mode::automatic, 2, 80).seconds ==
        doctest::Approx(80 * expected / (2 * 2.5e7)));
  CAPTURE(mean);
  CAPTURE(expected);
  CHECK(mean < 1.5 * expected);
  CHECK(mean > expected / 1.5);
  const auto& norms = lattice->prepared().data.norms;
  request.squaredRadius = SquaredRadius(std::floor(1.2 * gaussianSquaredRadius(norms)));
  const double meanWithin = static_cast<double>(outcomeOf(request).run.steps) / 40;
  const double expectedWithin = expectedNodesOfTarget(norms, request.squaredRadius);
  CAPTURE(meanWithin);
  CAPTURE(expectedWithin);
  CHECK(meanWithin < 1.25 * expectedWithin);
  CHECK(meanWithin > 0.8 * expectedWithin);
}

TEST_CASE("nodes of closest vectors are as many as expected, in all dimensions alike") {
  if (!test::canReduce()) return;
  for (int d = 24; d <= test::largest(40, 28); d += 4) {
    std::mt19937_64 random(static_cast<std::uint64_t>(d));
    double expected = 0;
    double visited = 0;
    for (int i = 0; i < 4; ++i) {
      ManyRequest request;
      request.basis = basisText(test::qaryBasis(d, random));
      request.reduction = "bkz-20";
      for (int t = 0; t < 10; ++t)
        request.lattices.push_back(test::farTarget(random, static_cast<std::size_t>(d), 1));
      Request lattice;
      lattice.basis = request.basis;
      lattice.reduction = request.reduction;
      expected += 10 * expectedNodesOfTarget(TargetLattice(lattice).prepared().data.norms);
      visited += static_cast<double>(outcomeOf(request).run.steps);
    }
    MESSAGE("dimension " << d << ": " << visited / 40 << " nodes, " << visited / expected
                         << " of what is expected");
    CHECK(visited < 1.3 * expected);
    CHECK(visited > expected / 1.3);
  }
}

TEST_CASE(
    "all workers search what would keep a core busy for long, and sooner where there is a GPU or few lines") {
  const auto most = [](std::uint64_t lines) {
    return planGroups(1e6, true, Mode::hybrid, 16, lines).mostNodes;
  };
  CHECK(most(0) == kNodesOfCore);
  CHECK(most(9) == kNodesOfCore);
  CHECK(most(8) < kNodesOfCore);
  const auto beside = [](int threads) {
    return planGroups(1e6, true, Mode::hybrid, threads, 1000).mostNodesBesideGpu;
  };
  CHECK(beside(16) < kNodesOfCore);
  CHECK(beside(32) == 2 * beside(16));  // more cores search larger trees in the time of one on a GPU
  CHECK(beside(1000) == kNodesOfCore);
  // What GPUs search one by one is worth their start, too.
  const GroupPlan large = planGroups(2 * beside(16), true, Mode::automatic, 16, 1000);
  CHECK_FALSE(large.device);
  CHECK(large.lines == 1);
  CHECK(large.seconds > 1);
  CHECK(planGroups(beside(16) / 2, false, Mode::automatic, 16, 1000).seconds == 0);
}

TEST_CASE("lattices are planned by some of them") {
  std::mt19937_64 random(81);
  const auto planOf = [](std::span<const GivenLattice> some, const SquaredRadius& radius = {},
                         Mode mode = Mode::gpu) {
    return planLattices({.numbers = 1'000'000, .lines = 1000, .some = some}, radius, mode, 2);
  };
  const auto plan = [&](const GivenLattice* one, const SquaredRadius& radius = {}, Mode mode = Mode::gpu) {
    return planOf({one, 1}, radius, mode);
  };
  const GroupPlan unknown = planOf({});
  CHECK(unknown.device);
  CHECK(unknown.lines == 64);
  CHECK(unknown.seconds == doctest::Approx(0.4));
  const GivenLattice small = given(randomRows(random, 14, 0));
  CHECK(plan(&small).device);
  CHECK(plan(&small).lines == 64);
  CHECK(plan(&small).seconds > 0.4);
  CHECK(plan(&small, {}, Mode::hybrid).device);
  CHECK(plan(&small, SquaredRadius(1)).device);
  GivenLattice large = given(randomRows(random, 44, 0));
  const GroupPlan ofLarge = plan(&large);
  CHECK(ofLarge.lines < 10);
  // A device does not search those with a radius, and its reduction is the smaller part of the work.
  large.squaredRadius = SquaredRadius(4 * large.entries[0]);  // of q-ary rows, some 1.2 Gaussian heuristics
  CHECK_FALSE(plan(&large).device);
  CHECK(plan(&large).lines == 1);
  const GivenLattice gram = given(test::gramOf(randomRows(random, 14, 0)), true);
  CHECK_FALSE(plan(&gram).device);
  const GivenLattice few = given(randomRows(random, 11, 0));
  CHECK_FALSE(plan(&few).device);
  GivenLattice target = small;
  target.target.assign(14, 1);
  CHECK_FALSE(plan(&target).device);
  // One that is no lattice says nothing of the others.
  CHECK(planOf(std::vector{small, gram}).device);
  CHECK_FALSE(planOf(std::vector{small, gram, few}).device);
  const GivenLattice dependent{.rows = 13, .columns = 13, .entries = std::vector<std::int64_t>(169, 1)};
  CHECK(plan(&dependent).device);
  CHECK(planOf(std::vector{dependent, small}).seconds == plan(&small).seconds);
  large.squaredRadius = {};
  const auto linesOf = [&](const std::vector<GivenLattice>& some) { return planOf(some).lines; };
  CHECK(linesOf({small, large}) < linesOf({small}));
}

TEST_CASE("what is expected of a lattice is near what a core visits") {
  std::mt19937_64 random(82);
  const std::atomic<bool> stop{false};
  OneLattice core(stop);
  double expected = 0;
  double visited = 0;
  for (int i = 0; i < 20; ++i) {
    const GivenLattice lattice = given(randomRows(random, 30, 0));
    const auto nodes = core.expectedNodes(lattice, {});
    REQUIRE(nodes);
    expected += *nodes;
    LatticeAnswer answer;
    REQUIRE(core.search(lattice, {}, answer) == Way::certified);
    visited += static_cast<double>(answer.nodes);
  }
  CAPTURE(expected);
  CHECK(visited < 3 * expected);
  CHECK(visited > expected / 3);
}

TEST_CASE("a lattice that is too large for a core leaves what all workers search") {
  if (!fplllLinked()) return;
  std::mt19937_64 random(83);
  const std::atomic<bool> stop{false};
  const Rows rows = randomRows(random, 16, 0);
  for (const bool gram : {false, true}) {
    const GivenLattice lattice = given(gram ? test::gramOf(rows) : rows, gram);
    for (const bool certified : {true, false}) {
      CAPTURE(gram);
      CAPTURE(certified);
      OneLattice core(stop, {.certified = certified});
      LatticeAnswer answer;
      REQUIRE(core.search(lattice, {.mostNodes = 1}, answer) == Way::tooLarge);
      const PreparedSearch prepared = core.takePrepared();
      CHECK(prepared.spec.shrinking);
      // In doubles it has been reduced already, more than LLL does.
      CHECK(prepared.reduction == (certified && !gram ? "none" : "lll"));
      LatticeAnswer found;
      REQUIRE(searchExactly(prepared, 1, {stop, kNodesOfCore}, found) == Way::exact);
      REQUIRE(core.search(lattice, {}, answer) != Way::tooLarge);
      CHECK(found.vectors.at(0).squaredNorm == answer.vectors.at(0).squaredNorm);
      ManyWanted within{.squaredRadius = SquaredRadius(answer.vectors[0].squaredNorm)};
      within.mostNodes = 1e-3;
      REQUIRE(core.search(lattice, within, answer) == Way::tooLarge);
      CHECK_FALSE(core.takePrepared().spec.shrinking);
    }
  }
}

TEST_CASE("a core gives up a large lattice, or target, when it is to leave it to all workers") {
  if (!fplllLinked()) return;
  std::mt19937_64 random(85);
  const std::atomic<bool> stop{false};
  const Rows rows = randomRows(random, 40, 0);
  const auto shared = test::targetLattice(rows);
  const GivenLattice target = test::farTarget(random, 40, 1);
  OneLattice lattices(stop);
  OneTarget targets(shared, stop);
  for (const bool close : {false, true}) {
    CAPTURE(close);
    const auto search = [&](const ManyWanted& wanted, LatticeAnswer& answer) {
      return close ? targets.search(target, wanted, answer) : lattices.search(given(rows), wanted, answer);
    };
    LatticeAnswer whole;
    REQUIRE(search({}, whole) == Way::certified);
    int asked = 0;
    ManyWanted wanted;
    wanted.leave = [&] { return ++asked == 2; };
    LatticeAnswer answer;
    CHECK(search(wanted, answer) == Way::certified);
    CHECK(asked == 0);  // it is not so large
    wanted.leaveNodes = 1;
    answer = {};
    REQUIRE(whole.nodes > 600'000);
    CHECK(search(wanted, answer) == Way::tooLarge);
    CHECK(asked == 2);
    CHECK(answer.nodes > 0);
    CHECK(answer.nodes < whole.nodes);
    CHECK(answer.vectors.empty());
    const PreparedSearch prepared = close ? targets.takePrepared() : lattices.takePrepared();
    LatticeAnswer found;
    REQUIRE(searchExactly(prepared, 1, {stop, kNodesOfCore}, found) == Way::exact);
    CHECK(found.vectors.at(0).squaredNorm == whole.vectors.at(0).squaredNorm);
    // Vectors within a radius may have been told to a test already.
    wanted.squaredRadius = SquaredRadius(whole.vectors[0].squaredNorm);
    asked = 0;
    CHECK(search(wanted, answer) == Way::certified);
    CHECK(asked == 0);
  }
}

TEST_CASE("all workers find the vectors of a core, with the lattice of all targets and with reduced bases") {
  if (!fplllLinked()) return;
  std::mt19937_64 random(84);
  const test::TemporaryFolder folder;
  for (const bool gram : {false, true}) {
    CAPTURE(gram);
    const Rows rows = randomRows(random, 13, 0);
    ManyRequest request;
    (gram ? request.gramPath : request.basisPath) = folder.path("lattice");
    request.reduction = "bkz-10";
    std::ofstream(folder.path("lattice")) << matrixText(given(gram ? test::gramOf(rows) : rows, gram));
    for (int i = 0; i < 4; ++i) request.lattices.push_back(test::farTarget(random, 13, 2 + i));
    request.lattices.push_back(given(gram ? test::gramOf(rows) : rows, gram));
    request.lattices.push_back(request.lattices.back());
    request.lattices.back().targetText = request.lattices[0].targetText;
    const ManyOutcome byCores = outcomeOf(request);
    request.nodesOfCore = 1e-3;
    EngineOptions options;
    options.threads = 2;
    ManyLattices many(request, options);
    // It was read once.
    std::filesystem::remove(folder.path("lattice"));
    many.run();
    const ManyOutcome pooled = many.outcome();
    CHECK(pooled.pooled == request.lattices.size());
    CHECK(pooled.failed == 0);
    CHECK(pooled.firstError == "");
    CHECK(pooled.exact == 0);
    for (std::size_t i = 0; i < request.lattices.size(); ++i) {
      CAPTURE(i);
      REQUIRE(pooled.answers[i].vectors.size() == 1);
      CHECK(pooled.answers[i].vectors[0].squaredNorm == byCores.answers[i].vectors[0].squaredNorm);
      CHECK(pooled.answers[i].vectors[0].coefficients.size() ==
            byCores.answers[i].vectors[0].coefficients.size());
    }
  }
}

TEST_CASE("all workers find a closest vector in a ball, and one that is farther away") {
  if (!fplllLinked()) return;
  ManyRequest request;
  Rows rows(13, std::vector<std::int64_t>(13));
  std::string hole = "[";
  for (std::size_t i = 0; i < 13; ++i) {
    rows[i][i] = 10;
    hole += "5 ";  // 8.6 squared Gaussian heuristics away from any vector
  }
  request.basis = matrixText(given(rows));
  request.nodesOfCore = 1e-6;
  request.lattices = {test::givenTarget(hole + "]"), test::givenTarget("[1 2 3 4 4 4 4 4 4 4 4 4 4]")};
  GivenLattice own = given(rows);
  own.targetText = hole + "]";
  request.lattices.push_back(own);
  const ManyOutcome outcome = outcomeOf(request);
  CHECK(outcome.pooled == 3);
  REQUIRE(outcome.answers.size() == 3);
  const std::vector<std::string> expected = {"325", "174", "325"};
  for (std::size_t i = 0; i < 3; ++i) {
    CAPTURE(i);
    REQUIRE(outcome.answers[i].vectors.size() == 1);
    CHECK(outcome.answers[i].vectors[0].squaredNorm == expected[i]);
    CHECK(outcome.answers[i].vectors[0].coefficients.size() == 13);
  }
}

}  // namespace group_plan_test
}  // namespace
