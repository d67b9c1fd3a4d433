// Vectors close to a target, Gram matrices and shells on a GPU, alone and with CPU workers beside it, against
// CPU workers: the tree of a target is not symmetric, and begins below one node.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "runtime/lattice/prepared_search.hpp"
#include "runtime/lattice/reduction.hpp"
#include "support/gpu.hpp"
#include "support/lattice/front.hpp"
#include "support/lattice/instances.hpp"
#include "support/lattice/searched_targets.hpp"

namespace {
namespace close_gpu_test {

using namespace slicepool;
using lattice::Algorithm;
using lattice::Outcome;
using lattice::Request;

EngineOptions with(Mode mode) {
  EngineOptions options;
  options.mode = mode;
  options.threads = 2;
  return options;
}

/// Of `id`, with thirds and integers far away.
std::string targetOf(const std::string& id) {
  std::string text = "[";
  const std::size_t columns = test::latticeInstance(id).basis[0].size();
  for (std::size_t k = 0; k < columns; ++k)
    text += std::to_string(static_cast<int>((k * k * 7919) % 2003) - 1001) + (k % 2 == 0 ? "/3 " : " ");
  return text + "]";
}

void compare(Request request) {
  request.algorithm = Algorithm::automatic;
  const Outcome expected = test::runLattice(request, with(Mode::cpu));
  for (const Mode mode : {Mode::gpu, Mode::hybrid}) {
    for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::compacted}) {
      request.algorithm = algorithm;
      const Outcome outcome = test::runLattice(request, with(mode));
      CHECK(outcome.shortestSquaredNorm == expected.shortestSquaredNorm);
      CHECK(outcome.fixedRadius == expected.fixedRadius);
      if (!expected.fixedRadius) continue;
      CHECK(outcome.count == expected.count);
      CHECK(outcome.nodesPerLevel == expected.nodesPerLevel);
      CHECK(outcome.fingerprint == expected.fingerprint);
      CHECK(outcome.thetaSeries == expected.thetaSeries);
      REQUIRE(outcome.solutions.size() == expected.solutions.size());
      for (std::size_t i = 0; i < outcome.solutions.size(); ++i)
        CHECK(outcome.solutions[i].text == expected.solutions[i].text);
    }
  }
}

TEST_CASE("lattice on a GPU: close vectors are those of the CPU") {
  if (!test::gpuUsable()) return;
  for (const std::string id : {"e8", "bw16", "k40"}) {
    CAPTURE(id);
    Request request = test::latticeRequest(id + ".txt", 0);
    request.fixedRadius = false;
    request.target = targetOf(id);
    const Outcome closest = test::runLattice(request, with(Mode::cpu));
    compare(request);
    REQUIRE(closest.shortestSquaredNorm.find('/') != 0);
    const std::string whole = closest.shortestSquaredNorm.substr(0, closest.shortestSquaredNorm.find('/'));
    const double distance =
        closest.shortestSquaredNorm.size() == whole.size() ? std::stod(whole) : std::stod(whole) / 9;
    request.squaredRadius = lattice::SquaredRadius(1.1 * distance);
    request.fixedRadius = true;
    request.solutions = 20;
    compare(request);
    request.theta = true;
    compare(request);
  }
}

TEST_CASE("lattice on a GPU: vectors beyond the first balls are found") {
  if (!test::gpuUsable()) return;
  Request request;  // two balls have none of the shortest vectors of the Leech lattice
  request.basisPath = test::latticePath("leech.txt");
  REQUIRE(lattice::prepareSearch(request).wider);
  compare(request);
  if (!lattice::fplllLinked()) return;
  std::mt19937_64 random(94);
  request.basisPath.clear();
  request.basis = test::matrixText(test::randomRows(random, 22, 0));
  std::size_t inBalls = 0;
  for (int i = 0; i < 40; ++i) {  // two of them, most likely
    request.target = test::farTarget(random, 22, 7).targetText;
    inBalls += lattice::prepareSearch(request).wider ? 1 : 0;
    compare(request);
  }
  CHECK(inBalls > 10);
}

TEST_CASE("lattice on a GPU: shells by a Gram matrix are those of the CPU") {
  if (!test::gpuUsable()) return;
  const auto& instance = test::latticeInstance("bw16");
  Request request;
  request.gram = "[";
  for (const auto& left : instance.basis) {
    request.gram += "[";
    for (const auto& right : instance.basis) {
      std::int64_t sum = 0;
      for (std::size_t k = 0; k < left.size(); ++k) sum += left[k] * right[k];
      request.gram += std::to_string(sum) + " ";
    }
    request.gram += "]";
  }
  request.gram += "]";
  request.squaredRadius = lattice::SquaredRadius(2 * instance.shortest);
  request.minimumSquaredNorm = lattice::SquaredRadius(instance.shortest + 1);
  request.bothSigns = true;
  request.solutions = 30;
  compare(request);
}

}  // namespace close_gpu_test
}  // namespace
