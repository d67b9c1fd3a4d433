// Shortest and closest vectors without a radius, which are looked for in balls that grow: those beyond the
// first ones, in every mode and over stops, and what is told of a search before and while it runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "runtime/core/checkpoint.hpp"
#include "runtime/lattice/exact_search.hpp"
#include "runtime/lattice/prepared_search.hpp"
#include "runtime/lattice/reduction.hpp"
#include "runtime/lattice/search_balls.hpp"
#include "slicepool/core/error.hpp"
#include "support/lattice/front.hpp"
#include "support/lattice/searched_targets.hpp"
#include "support/lattice/told_totals.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"

namespace {
namespace search_balls_test {

using namespace slicepool;
using lattice::Algorithm;
using lattice::Enumeration;
using lattice::Outcome;
using lattice::PreparedSearch;
using lattice::Request;

struct Case {
  const char* name;
  Request request;
  std::string squared;  ///< norm or distance that is the answer
};

PreparedSearch alone(PreparedSearch search) {
  search.wider = nullptr;
  return search;
}

/// On this core.
lattice::LatticeAnswer searched(const PreparedSearch& search) {
  const std::atomic<bool> stop{false};
  lattice::LatticeAnswer answer;
  REQUIRE(searchExactly(search, 1, {stop, lattice::kNodesOfCore}, answer) == lattice::Way::exact);
  return answer;
}

/// The least squared norm of the Leech lattice is 32 here, more than in the balls with 6 and 24 expected
/// vectors, 15.6 and 17.6.
Case leech() {
  Case one{"shortest", {}, "32"};
  one.request.basisPath = test::latticePath("leech.txt");
  return one;
}

/// A random target whose first ball is empty. Its distance by a core that knows no balls.
Case farFromAll() {
  std::mt19937_64 random(90);
  const test::Rows rows = test::randomRows(random, 24, 0);
  const auto shared = test::targetLattice(rows);
  Case one{"closest", {}, ""};
  one.request.basis = test::matrixText(rows);
  for (;;) {
    const lattice::GivenLattice target = test::farTarget(random, 24, 7);
    one.request.target = target.targetText;
    const PreparedSearch first = lattice::prepareSearch(one.request);
    if (!first.wider || !searched(alone(first)).vectors.empty()) continue;
    const std::atomic<bool> stop{false};
    lattice::LatticeAnswer answer;
    REQUIRE(lattice::OneTarget(shared, stop, {.exact = false}).search(target, {}, answer) ==
            lattice::Way::certified);
    one.squared = answer.vectors.at(0).squaredNorm;
    return one;
  }
}

std::vector<Case> cases() {
  std::vector<Case> all{leech()};
  if (lattice::fplllLinked()) all.push_back(farFromAll());
  return all;
}

std::string answerOf(const Outcome& outcome) {
  return outcome.solutions.empty() ? "" : outcome.solutions[0].squaredNorm;
}

/// All searches of a request, the first one first.
std::vector<PreparedSearch> searchesOf(const Request& request) {
  std::vector<PreparedSearch> searches{lattice::prepareSearch(request)};
  while (searches.back().wider) searches.push_back(searches.back().wider());
  return searches;
}

TEST_CASE("balls grow by what is expected in them, and the last search has all vectors") {
  for (const Case& one : cases()) {
    CAPTURE(std::string(one.name));
    const auto searches = searchesOf(one.request);
    REQUIRE(searches.size() >= 2);
    if (one.request.target.empty()) CHECK(searches.size() == 3);
    std::set<std::string> identities;
    for (std::size_t i = 0; i < searches.size(); ++i) {
      CAPTURE(i);
      CHECK(searches[i].spec.shrinking);
      CHECK(identities.insert(searches[i].identity).second);
      // What nobody asked for is not said.
      CHECK(searches[i].askedRadius.text() == searches.back().askedRadius.text());
      if (i == 0) continue;
      CHECK(searches[i].squaredRadius.rounded() > searches[i - 1].squaredRadius.rounded());
      CHECK(lattice::expectedSteps(searches[i].spec) >= lattice::expectedSteps(searches[i - 1].spec));
    }
  }
  CHECK(lattice::expectedBall(100, 24, 3) == doctest::Approx(100 * std::pow(3, 1.0 / 12)).epsilon(1e-3));
  CHECK(lattice::expectedBall(100, 24, 3) >= 100 * std::pow(3, 1.0 / 12));
}

TEST_CASE("whoever says a radius, or asks for more than one vector, gets one search") {
  const auto single = [](const Request& asked) { return searchesOf(asked).size() == 1; };
  for (const Case& one : cases()) {
    CAPTURE(std::string(one.name));
    const Request& request = one.request;
    CHECK_FALSE(single(request));
    Request other = request;
    other.solutions = 2;
    CHECK(single(other));
    other = request;
    other.fixedRadius = true;
    CHECK(single(other));
    other = request;
    other.first = 1;
    CHECK(single(other));
    other = request;
    other.squaredRadius = 40;
    CHECK(single(other));
    other = request;
    other.ghFactor = 1.2;
    CHECK(single(other));
    if (!one.request.target.empty()) continue;
    other = request;
    other.pruning.assign(24, 1);
    CHECK(single(other));
  }
}

TEST_CASE("vectors beyond the first balls are found in every mode, and nodes are those of all balls") {
  for (const Case& one : cases()) {
    CAPTURE(std::string(one.name));
    const auto searches = searchesOf(one.request);
    std::uint64_t before = 0;
    const std::size_t empty = one.request.target.empty() ? 2 : 1;
    for (std::size_t i = 0; i < empty; ++i) {
      const lattice::LatticeAnswer nothing = searched(alone(searches[i]));
      CHECK(nothing.vectors.empty());
      before += nothing.nodes;
    }
    const lattice::LatticeAnswer answer = searched(searches[0]);
    REQUIRE(answer.vectors.size() == 1);
    CHECK(answer.vectors[0].squaredNorm == one.squared);
    CHECK(answer.nodes > before);
    // One thread visits the same nodes each time when its turns end after the same steps, not by the clock.
    EngineOptions single;
    single.mode = Mode::cpu;
    single.threads = 1;
    single.cpuBudget = 4096;
    Enumeration last(one.request, single, searches[empty]);
    last.run();
    CHECK(test::runLattice(one.request, single).nodes == before + last.outcome().nodes);
    for (const Mode mode : {Mode::cpu, Mode::emulated}) {
      for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::compacted}) {
        Request request = one.request;
        request.algorithm = algorithm;
        EngineOptions options = test::twoThreads(mode);
        if (algorithm == Algorithm::compacted) options.emulator.lanes = 500;
        const Outcome outcome = test::runLattice(request, options);
        CHECK(answerOf(outcome) == one.squared);
        CHECK(outcome.count >= 1);
        CHECK(outcome.nodes > before);
        CHECK(outcome.run.steps >= outcome.nodes);
        CHECK_FALSE(outcome.fixedRadius);
        // With a target it is Babai's distance.
        CHECK(outcome.squaredRadius.given() == one.request.target.empty());
      }
    }
  }
}

TEST_CASE("a search in balls goes on from a checkpoint in the ball that it was in, in another mode") {
  const test::TemporaryFolder folder;
  for (const Case& one : cases()) {
    CAPTURE(std::string(one.name));
    const Request request = one.request;
    std::map<std::string, std::size_t> balls;
    for (const auto& search : searchesOf(request)) balls.emplace(search.identity, balls.size());
    const std::string checkpoint = folder.path(one.name);
    const std::uint64_t steps = std::max<std::uint64_t>(test::runLattice(request).nodes / 60, 1);
    std::set<std::size_t> stoppedIn;
    Outcome outcome;
    for (int runs = 0;; ++runs) {
      EngineOptions options = test::twoThreads(runs % 2 == 0 ? Mode::cpu : Mode::emulated);
      options.emulator.withCpuWorkers = false;
      options.emulator.lanes = 16;
      options.gpuBudget = 200;
      options.cpuBudget = 64;
      options.checkpointPath = checkpoint;
      options.stepLimit = steps;
      Enumeration enumeration(request, options);
      CHECK(enumeration.resumeIfSaved() == (runs != 0));
      enumeration.run();
      outcome = enumeration.outcome();
      if (enumeration.finished()) break;
      const std::string identity = readCheckpointHeader(checkpoint).identity;
      REQUIRE(balls.count(identity) == 1);
      stoppedIn.insert(balls[identity]);
    }
    CHECK(answerOf(outcome) == one.squared);
    CHECK(stoppedIn.size() > 1);
    // Another request has none of these balls.
    EngineOptions options = test::twoThreads(Mode::cpu);
    options.checkpointPath = checkpoint;
    Enumeration stopped(request, options);
    stopped.cancel();
    stopped.run();
    REQUIRE_FALSE(stopped.finished());
    Request other = request;
    other.basis.clear();
    other.basisPath = test::latticePath("bw16.txt");
    if (!one.request.target.empty()) other.target = "[1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 17]";
    Enumeration enumeration(other, options);
    CHECK_THROWS_WITH_AS((void)enumeration.resumeIfSaved(), doctest::Contains("belongs to another request"),
                         CheckpointError);
  }
}

TEST_CASE("a checkpoint of a search that began at the shortest row or Babai's distance goes on") {
  const test::TemporaryFolder folder;
  for (const Case& one : cases()) {
    CAPTURE(std::string(one.name));
    const Request request = one.request;
    EngineOptions options = test::twoThreads(Mode::cpu);
    options.cpuBudget = 64;
    options.checkpointPath = folder.path(one.name);
    options.stepLimit = 1000;
    PreparedSearch widest = searchesOf(request).back();
    CHECK_FALSE(widest.wider);
    Enumeration begun(request, options, std::move(widest));
    begun.run();
    REQUIRE_FALSE(begun.finished());
    options.stepLimit = 0;
    Enumeration enumeration(request, options);
    REQUIRE(enumeration.resumeIfSaved());
    enumeration.run();
    CHECK(enumeration.finished());
    CHECK(answerOf(enumeration.outcome()) == one.squared);
  }
}

TEST_CASE("random targets, some beyond the first ball, have the vectors of a core that has no balls") {
  if (!lattice::fplllLinked()) return;
  std::mt19937_64 random(91);
  const std::atomic<bool> stop{false};
  std::size_t beyond = 0;
  const std::size_t targets = test::scaled(120);
  for (const bool tall : {false, true}) {
    // With more columns than rows a target is far from the span.
    test::Rows rows = test::randomRows(random, 20, 0);
    for (auto& row : rows)
      if (tall) row.push_back(test::below(random, 100));
    const auto shared = test::targetLattice(rows);
    lattice::OneTarget core(shared, stop, {.exact = false});
    std::size_t inBalls = 0;
    std::size_t empty = 0;
    for (std::size_t i = 0; i < targets / 2 + 1; ++i) {
      const lattice::GivenLattice target = test::farTarget(random, rows[0].size(), 7);
      lattice::LatticeAnswer known;
      REQUIRE(core.search(target, {}, known) == lattice::Way::certified);
      Request request;
      request.target = target.targetText;
      request.basis = test::matrixText(rows);
      const Outcome outcome =
          test::runLattice(request, test::twoThreads(i % 2 == 0 ? Mode::cpu : Mode::emulated));
      CHECK(answerOf(outcome) == known.vectors.at(0).squaredNorm);
      const PreparedSearch first = lattice::prepareSearch(request);
      if (!first.wider) continue;
      ++inBalls;
      if (searched(alone(first)).vectors.empty()) ++empty;
    }
    MESSAGE(empty << " of " << inBalls << " first balls are empty");
    // One out of 20 is expected, also far from the span.
    if (test::runsAll()) CHECK(3 * empty < inBalls);
    beyond += empty;
  }
  if (test::runsAll()) CHECK(beyond > 0);
}

TEST_CASE("nodes around targets are as many as expected, on average") {
  if (!lattice::fplllLinked()) return;
  std::mt19937_64 random(92);
  const test::Rows rows = test::randomRows(random, 24, 0);
  double expected = 0;
  double visited = 0;
  const int targets = static_cast<int>(test::scaled(60));
  for (int i = 0; i < targets; ++i) {
    Request request;
    request.basis = test::matrixText(rows);
    request.target = test::farTarget(random, 24, 3).targetText;
    request.ghFactor = 1.1;
    request.fixedRadius = true;
    const PreparedSearch search = lattice::prepareSearch(request);
    CHECK(lattice::isAroundTarget(search.spec));
    expected += lattice::expectedSteps(search.spec);
    visited += static_cast<double>(test::runLattice(request, test::twoThreads(Mode::cpu)).nodes);
  }
  MESSAGE((visited / targets) << " nodes, expected " << (expected / targets));
  CHECK(visited > 0.8 * expected);
  CHECK(visited < 1.25 * expected);
  lattice::ProblemSpec other = lattice::prepareSearch([&] {
                                 Request request;
                                 request.basis = test::matrixText(rows);
                                 return request;
                               }())
                                   .spec;
  CHECK_FALSE(lattice::isAroundTarget(other));
  other.roots = {{other.dimension - 1, {2}}};
  CHECK_FALSE(lattice::isAroundTarget(other));
  other.roots = {{other.dimension - 1, {1}}, {other.dimension - 1, {2}}};
  CHECK_FALSE(lattice::isAroundTarget(other));
  other.roots = {{other.dimension - 2, {0, 1}}};
  CHECK_FALSE(lattice::isAroundTarget(other));
}

TEST_CASE("a search for a closest vector tells, wherever it is stopped, a total near the nodes it takes") {
  if (!lattice::fplllLinked()) return;
  std::mt19937_64 random(93);
  Request request;
  request.basis = test::matrixText(test::randomRows(random, 36, 0));
  request.target = test::farTarget(random, 36, 7).targetText;
  test::checkToldTotals(request, 0.4, 2.5);
  request.ghFactor = 1.1;
  request.fixedRadius = true;
  test::checkToldTotals(request, 0.9, 1.1);
}

TEST_CASE("a batch that all workers search has the vectors beyond the first balls") {
  for (const Case& one : cases()) {
    CAPTURE(std::string(one.name));
    lattice::ManyRequest request;
    request.nodesOfCore = 1e-3;
    if (one.request.target.empty()) {
      request.lattices.emplace_back();
      request.lattices[0].text = test::latticeFile("leech.txt");
    } else {
      request.basis = one.request.basis;
      request.lattices = {test::givenTarget(one.request.target)};
    }
    for (const Mode mode : {Mode::cpu, Mode::emulated}) {
      lattice::ManyLattices many(request, test::twoThreads(mode));
      many.run();
      const lattice::ManyOutcome outcome = many.outcome();
      CHECK(outcome.pooled == 1);
      REQUIRE(outcome.answers.size() == 1);
      CHECK(outcome.answers[0].error == "");
      REQUIRE(outcome.answers[0].vectors.size() == 1);
      CHECK(outcome.answers[0].vectors[0].squaredNorm == one.squared);
    }
  }
}

}  // namespace search_balls_test
}  // namespace
