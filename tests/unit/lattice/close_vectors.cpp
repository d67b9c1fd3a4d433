// Close vectors: all of a box tried in integers, cosets of E8 and BW16 whose counts are known, in several
// modes and over a checkpoint; what is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "runtime/lattice/reduction.hpp"
#include "runtime/lattice/target_input.hpp"
#include "slicepool/core/error.hpp"
#include "support/lattice/box_oracle.hpp"
#include "support/lattice/front.hpp"
#include "support/lattice/instances.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"

namespace {
namespace close_test {

using namespace slicepool;
using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;
using lattice::Outcome;
using lattice::Request;

using Row = std::vector<cpp_int>;
using Matrix = std::vector<Row>;
using Target = std::vector<cpp_rational>;
using Vector = std::vector<std::int64_t>;

struct Way {
  const char* name;
  Mode mode;
  lattice::Algorithm algorithm;
};
constexpr Way kWays[] = {{"cpu", Mode::cpu, lattice::Algorithm::automatic},
                         {"emulated", Mode::emulated, lattice::Algorithm::automatic},
                         {"compacted", Mode::emulated, lattice::Algorithm::compacted}};

std::string targetText(const Target& target) { return test::matrixText(std::vector<Target>{target}); }

Matrix randomBasis(std::mt19937_64& random) {
  const std::size_t d = 1 + random() % 4;
  const std::size_t n = d + random() % 2;
  Matrix basis(d, Row(n));
  for (std::size_t i = 0; i < d; ++i) {
    for (auto& entry : basis[i]) entry = static_cast<int>(random() % 5) - 2;
    basis[i][i] += 5;
  }
  return basis;
}

/// Also integers, halves, far away, and vectors of the lattice.
Target randomTarget(const Matrix& basis, std::mt19937_64& random) {
  constexpr int kDenominators[] = {1, 2, 3, 10, 840};
  const int denominator = kDenominators[random() % 5];
  Target target(basis[0].size());
  for (auto& number : target)
    number =
        cpp_rational(static_cast<int>(random() % 4000) - 2000, 100 * denominator / denominator * denominator);
  if (random() % 3 == 0)
    for (std::size_t k = 0; k < target.size(); ++k) target[k] = basis[0][k] * 1000;
  return target;
}

Request requestOf(const Matrix& basis, const Target& target) {
  Request request;
  request.basis = test::matrixText(basis);
  request.target = targetText(target);
  if (!lattice::fplllLinked()) request.reduction = "none";
  return request;
}

TEST_CASE("close vectors are those of a box tried in integers, in every mode, with exact distances") {
  std::uint64_t vectors = 0;
  std::uint64_t endless = 0;  // shells at a distance whose decimals do not end
  for (std::uint64_t seed = 0; seed < test::scaled(100); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const Matrix basis = randomBasis(random);
    const Target target = randomTarget(basis, random);
    CAPTURE(targetText(target));
    // Now and then a radius that is the distance of a vector.
    cpp_rational hi = cpp_rational(static_cast<int>(20 + random() % 60), 2);
    std::map<Vector, cpp_rational> expected;
    if (!test::vectorsOfBox(basis, target, hi, expected)) continue;
    Request request = requestOf(basis, target);
    request.squaredRadius = lattice::SquaredRadius(static_cast<double>(hi));
    request.fixedRadius = true;
    request.solutions = expected.size() + 2;
    if (!lattice::fplllLinked()) {
      try {
        const lattice::Enumeration enumeration(request, test::twoThreads(Mode::cpu));
      } catch (const ConfigError&) {
        continue;
      }
    }
    cpp_rational least = -1;
    for (const auto& [v, distance] : expected)
      if (least < 0 || distance < least) least = distance;
    std::vector<std::uint64_t> nodes;
    for (const Way& way : kWays) {
      CAPTURE(std::string(way.name));
      request.algorithm = way.algorithm;
      const Outcome all = test::runLattice(request, test::twoThreads(way.mode));
      CHECK(all.count == expected.size());
      std::map<Vector, cpp_rational> found;
      for (const auto& solution : all.solutions) found[solution.vector] = cpp_rational(solution.squaredNorm);
      CHECK(found == expected);
      if (!nodes.empty()) CHECK(all.nodesPerLevel == nodes);
      nodes = all.nodesPerLevel;
      CHECK(nodes.size() == basis.size());
      // The closest, from the nearest plane on and from the radius on.
      Request closest = request;
      closest.solutions = 1;
      closest.fixedRadius = false;
      for (const bool radius : {true, false}) {
        if (!radius) closest.squaredRadius = {};
        const Outcome outcome = test::runLattice(closest, test::twoThreads(way.mode));
        if (radius && expected.empty()) {
          CHECK(outcome.solutions.empty());
          continue;
        }
        REQUIRE(outcome.solutions.size() == 1);
        const cpp_rational distance(outcome.solutions[0].squaredNorm);
        if (!expected.empty()) {
          CHECK(distance == least);
          CHECK(expected.at(outcome.solutions[0].vector) == least);
        } else {
          CHECK(distance > hi);
        }
        CHECK(distance <= cpp_rational(outcome.nearestPlaneSquaredDistance));
      }
      // Shells: the closest alone, and the farthest.
      if (expected.empty()) continue;
      cpp_rational most = 0;
      for (const auto& [v, distance] : expected) most = std::max(most, distance);
      for (const cpp_rational& at : {least, most}) {
        if (at == 0) continue;
        CAPTURE(at.str());
        if (way.mode == Mode::cpu && denominator(at) % 3 == 0) ++endless;
        Request shell = request;
        shell.squaredRadius = shell.minimumSquaredNorm = lattice::SquaredRadius(at.str());
        std::uint64_t there = 0;
        for (const auto& [v, distance] : expected) there += distance == at ? 1 : 0;
        const Outcome outcome = test::runLattice(shell, test::twoThreads(way.mode));
        CHECK(outcome.count == there);
        REQUIRE_FALSE(outcome.solutions.empty());
        CHECK(cpp_rational(outcome.solutions[0].squaredNorm) == at);
      }
    }
    vectors += expected.size();
  }
  CHECK(vectors > test::scaled(100));
  if (test::scaled(100) >= 20) CHECK(endless > 0);
}

/// E8 + v / 2 for v of norm 4 has 16 vectors of norm 1 and 128 of norm 2: the 2160 and 17520 - 240 vectors of
/// norms 4 and 8 of E8 are those of 135 classes modulo 2 E8.
TEST_CASE("the theta series of E8 around a deep hole") {
  const auto& instance = test::latticeInstance("e8");
  const std::int64_t unit = instance.shortest / 2;
  Target hole(instance.basis[0].size());
  // The sum of two orthogonal shortest vectors, halved.
  Request shortest = test::latticeRequest("e8.txt", lattice::SquaredRadius(instance.shortest));
  shortest.solutions = 120;
  const Outcome roots = test::runLattice(shortest);
  REQUIRE(roots.solutions.size() == 120);
  const Vector& first = roots.solutions[0].vector;
  for (const auto& solution : roots.solutions) {
    std::int64_t product = 0;
    for (std::size_t k = 0; k < first.size(); ++k) product += first[k] * solution.vector[k];
    if (product != 0) continue;
    for (std::size_t k = 0; k < first.size(); ++k) hole[k] = cpp_rational(first[k] + solution.vector[k], 2);
    break;
  }
  Request request = test::latticeRequest("e8.txt", lattice::SquaredRadius(2 * unit));
  request.target = targetText(hole);
  request.theta = true;
  for (const Way& way : kWays) {
    request.algorithm = way.algorithm;
    const Outcome outcome = test::runLattice(request, test::twoThreads(way.mode));
    CHECK(outcome.thetaSeries ==
          decltype(outcome.thetaSeries){{std::to_string(unit), 16}, {std::to_string(2 * unit), 128}});
  }
}

TEST_CASE("close vectors by a Gram matrix are those by its basis, in coordinates") {
  const auto& instance = test::latticeInstance("bw16");
  const auto& basis = instance.basis;
  const std::size_t d = basis.size();
  std::mt19937_64 random(5);
  Target coordinates(d);
  for (auto& x : coordinates) x = cpp_rational(static_cast<int>(random() % 200) - 100, 7);
  Target target(basis[0].size());
  std::vector<Vector> gram(d, Vector(d));
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t k = 0; k < target.size(); ++k) target[k] += coordinates[i] * basis[i][k];
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t k = 0; k < target.size(); ++k) gram[i][j] += basis[i][k] * basis[j][k];
  }
  Request plain = test::latticeRequest("bw16.txt", 0);
  plain.fixedRadius = false;
  plain.target = targetText(target);
  Request byGram;
  byGram.gram = test::matrixText(gram);
  byGram.target = targetText(coordinates);
  const Outcome closest = test::runLattice(plain);
  CHECK(test::runLattice(byGram).shortestSquaredNorm == closest.shortestSquaredNorm);
  plain.squaredRadius = byGram.squaredRadius =
      lattice::SquaredRadius(static_cast<double>(cpp_rational(closest.shortestSquaredNorm)) * 1.3);
  plain.solutions = byGram.solutions = 5000;
  const Outcome rows = test::runLattice(plain);
  const Outcome numbers = test::runLattice(byGram);
  REQUIRE(rows.count > 1);
  CHECK(numbers.count == rows.count);
  std::map<Vector, std::string> expected;
  for (const auto& solution : rows.solutions) expected[solution.vector] = solution.squaredNorm;
  std::map<Vector, std::string> found;
  for (const auto& solution : numbers.solutions) {
    Vector v(target.size());
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t k = 0; k < v.size(); ++k) v[k] += solution.vector[i] * basis[i][k];
    found[v] = solution.squaredNorm;
  }
  CHECK(found == expected);
}

TEST_CASE("a file of close vectors goes on from a checkpoint, in another mode") {
  const test::TemporaryFolder folder;
  const auto& instance = test::latticeInstance("bw16");
  Target target(instance.basis[0].size());
  for (std::size_t k = 0; k < target.size(); ++k) target[k] = cpp_rational(static_cast<int>(3 * k) - 11, 5);
  Request request = test::latticeRequest("bw16.txt", lattice::SquaredRadius(2 * instance.shortest));
  request.target = targetText(target);
  request.solutions = lattice::kAllSolutions;
  request.outputPath = folder.path("whole.npy");
  const Outcome whole = test::runLattice(request, test::twoThreads(Mode::emulated));
  auto rows = test::npyRows(request.outputPath);
  REQUIRE(rows.size() == whole.count);
  REQUIRE(whole.count > 1000);
  const std::set<Vector> set(rows.begin(), rows.end());
  CHECK(set.size() == whole.count);
  request.outputPath = folder.path("parts.npy");
  Outcome outcome;
  int runs = 0;
  for (bool finished = false; !finished; ++runs) {
    EngineOptions options = test::twoThreads(runs % 2 == 0 ? Mode::cpu : Mode::emulated);
    options.checkpointPath = folder.path("search.ckpt");
    options.cpuBudget = 64;
    options.stepLimit = whole.nodes / 3;
    lattice::Enumeration enumeration(request, options);
    CHECK(enumeration.resumeIfSaved() == (runs != 0));
    enumeration.run();
    finished = enumeration.finished();
    outcome = enumeration.outcome();
  }
  CHECK(runs > 1);
  CHECK(outcome.count == whole.count);
  CHECK(outcome.nodes == whole.nodes);
  CHECK(outcome.fingerprint == whole.fingerprint);
  rows = test::npyRows(request.outputPath);
  CHECK(rows.size() == whole.count);
  CHECK(std::set<Vector>(rows.begin(), rows.end()) == set);
}

TEST_CASE("distances that doubles do not tell apart are compared exactly") {
  const cpp_int side = cpp_int(1) << 61;
  for (const std::size_t d : {2U, 5U, 9U}) {
    Matrix basis(d, Row(d));
    Target target(d);
    std::vector<std::string> closest(d);
    cpp_rational least = 0;
    for (std::size_t i = 0; i < d; ++i) {
      basis[i][i] = side;
      // A little to one side of the middle.
      const cpp_rational offset(i % 3 == 0 ? 1 : -1, static_cast<int>(3 + i));
      target[i] = cpp_rational(side / 2) + offset;
      closest[i] = i % 3 == 0 ? side.str() : "0";
      const cpp_rational reach = cpp_rational(side / 2) - abs(offset);
      least += reach * reach;
    }
    std::string text = "[";
    for (const auto& element : closest) text += (text.size() == 1 ? "" : " ") + element;
    text += "]";
    for (const Way& way : kWays) {
      CAPTURE(std::string(way.name));
      Request request = requestOf(basis, target);
      request.reduction = "none";
      request.algorithm = way.algorithm;
      const Outcome outcome = test::runLattice(request, test::twoThreads(way.mode));
      REQUIRE(outcome.solutions.size() == 1);
      CHECK(outcome.solutions[0].text == text);
      CHECK(cpp_rational(outcome.shortestSquaredNorm) == least);
      // Just the closest one is within its distance, rounded up to an integer.
      request.squaredRadius = lattice::SquaredRadius(cpp_int(test::floorOf(least) + 1).str());
      request.fixedRadius = true;
      CHECK(test::runLattice(request, test::twoThreads(way.mode)).count == 1);
    }
  }
}

TEST_CASE("a distance of two thousand decimals is no longer for that of a shell around a target") {
  Request request;
  request.basis = "[[2 0] [0 2]]";
  request.reduction = "none";
  request.target = "[1/3 0]";
  request.fixedRadius = true;
  request.squaredRadius = "0." + std::string(2100, '1');  // the distance is 1/9
  CHECK(test::runLattice(request, test::twoThreads(Mode::cpu)).count == 0);
  request.squaredRadius = "0." + std::string(2100, '1') + "2";
  CHECK(test::runLattice(request, test::twoThreads(Mode::cpu)).count == 1);
}

TEST_CASE("a radius that a target's denominator makes too large is refused as it was given") {
  Request request;
  request.basis = "[[2 0] [0 2]]";
  request.reduction = "none";
  request.target = "[1/1" + std::string(200, '0') + " 0]";
  request.squaredRadius = 2;
  CHECK_THROWS_WITH_AS(
      lattice::Enumeration(request, test::twoThreads(Mode::cpu)),
      doctest::Contains("squared_radius: got 2; accepted: a number that is at most 1e300 when it is "
                        "multiplied by the square of the target's common denominator, which has 201"),
      ConfigError);
}

TEST_CASE("numbers of a target are exact") {
  const auto target = lattice::parseTarget("[[1/2, -0.25 1e2\n+3 -007 2.50e-1 10/4]]", "t");
  CHECK(target.denominator == 4);
  CHECK(target.numerators == std::vector<lattice::Integer>{2, -1, 400, 12, -28, 1, 10});
  CHECK(lattice::fractionText(6, 4) == "3/2");
  CHECK(lattice::fractionText(8, 4) == "2");
  CHECK(lattice::fractionText(0, 4) == "0");
}

TEST_CASE("what is no target is refused with its place") {
  const auto refusal = [](const Request& request) -> std::string {
    try {
      const lattice::Enumeration enumeration(request, test::twoThreads(Mode::cpu));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  };
  Request request;
  request.basis = "[[1 0 0][0 1 0]]";
  for (const auto& bad : std::vector<std::pair<std::string, std::string>>{
           {"[1 2]", "target: got 2 numbers; accepted: 3, as many as the basis has columns"},
           {"[1 2 x]", "target: number 3: got \"x\""},
           {"[1 1/0 2]", "number 2: got \"1/0\""},
           {"[1 1/ 2]", "number 2"},
           {"[1 .5 2]", "number 2"},
           {"[1 1e999 2]", "number 2"},
           {"[1 1e301 2]", "with powers of ten from -300 to 300"},
           {"[1 1e-300 2]",
            "target: got numbers far from the lattice, or with a large common denominator "
            "(301 digits)"},
           {"[1 2 1e155]", "(1 digits)"},
           {"[]", "no numbers"},
           {"[1 2 3", "no ] at the end"},
           {"[[1 2 3][4 5 6]]", "more than one row"}}) {
    request.target = bad.first;
    CAPTURE(bad.first);
    CAPTURE(refusal(request));
    CHECK(refusal(request).find(bad.second) != std::string::npos);
  }
  request.target = "[1 2 3]";
  CHECK(refusal(request) == "accepted");
  request.shards = 2;
  CHECK(refusal(request).find("shards: got 2 with a target") != std::string::npos);
  request.shards = 1;
  request.pruning = {1, 1};
  CHECK(refusal(request).find("with a target") != std::string::npos);
  request.pruning.clear();
  request.squaredRadius = 4;
  request.bothSigns = true;
  CHECK(refusal(request).find("both_signs") != std::string::npos);
}

}  // namespace close_test
}  // namespace
