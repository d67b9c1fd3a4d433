// The front of the lattice workload: known counts, exact norms, what is kept, outputs, refusals.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <numbers>
#include <string>

#include "runtime/lattice/prepared_search.hpp"
#include "runtime/lattice/reduction.hpp"
#include "slicepool/core/error.hpp"
#include "support/lattice/front.hpp"
#include "support/temporary_folder.hpp"
#include "support/thread_counts.hpp"

namespace {

using namespace slicepool;
using lattice::Enumeration;
using lattice::kAllSolutions;
using lattice::Outcome;
using lattice::Request;
using test::latticeRequest;
using test::npyRows;
using test::runLattice;
using test::squaredNorm;
using test::VectorSet;

EngineOptions emulated() {
  EngineOptions options;
  options.mode = Mode::emulated;
  options.emulator.lanes = 64;
  options.emulator.resultCapacity = 128;
  return options;
}

std::string refusal(const Request& request, const EngineOptions& options = {}) {
  try {
    const Enumeration enumeration(request, options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("small instances have their known nodes, solutions and shortest norms, on the CPU and emulated") {
  for (const char* id : {"e8", "bw16", "leech32", "k40"}) {
    const auto known = test::latticeInstance(id);
    for (const auto& options : {EngineOptions{}, emulated()}) {
      CAPTURE(std::string(id));
      const Outcome outcome = runLattice(latticeRequest(known.file, known.spec.squaredRadius), options);
      CHECK(outcome.run.complete);
      CHECK(outcome.nodes == known.nodes);
      CHECK(outcome.count == known.solutions);
      CHECK(outcome.shortestSquaredNorm == std::to_string(known.shortest));
      REQUIRE(outcome.solutions.size() == 1);
      CHECK(squaredNorm(outcome.solutions[0].vector) == known.shortest);
      CHECK(outcome.nodesPerLevel.size() == static_cast<std::size_t>(known.spec.dimension));
      CHECK(outcome.reduction == "none");
    }
  }
}

TEST_CASE("vectors of exactly the squared radius are within, whatever rounding does to them") {
  // E8 has 120 pairs of norm 8 in this scale, bw16 2160 of norm 8 and 30720 of norm 12 (Conway and Sloane
  // 1999).
  CHECK(runLattice(latticeRequest("e8.txt", 8)).count == 120);
  CHECK(runLattice(latticeRequest("e8.txt", 7.999)).count == 0);
  CHECK(runLattice(latticeRequest("bw16.txt", 12)).count == 32880);
  CHECK(runLattice(latticeRequest("bw16.txt", 8)).count == 2160);
}

TEST_CASE("nodes do not depend on rounding where projected norms lie on the radius") {
  // Projected norms of these lattices are fractions with small denominators.
  for (const double squaredRadius : {28.0, 28.25, 28.5, 32.0}) {
    const Outcome one = runLattice(latticeRequest("leech.txt", squaredRadius), {.threads = 1});
    CHECK(runLattice(latticeRequest("leech.txt", squaredRadius), {.threads = 3}).nodesPerLevel ==
          one.nodesPerLevel);
    CHECK(runLattice(latticeRequest("leech.txt", squaredRadius), emulated()).nodesPerLevel ==
          one.nodesPerLevel);
  }
}

TEST_CASE("nothing within the radius is an answer, not an error") {
  const Outcome outcome = runLattice(latticeRequest("k40.txt", 500000));
  CHECK(outcome.run.complete);
  CHECK(outcome.count == 0);
  CHECK(outcome.shortestSquaredNorm.empty());
  CHECK(outcome.solutions.empty());
  CHECK(outcome.nodes > 40);
}

TEST_CASE("a shrinking search ends at the shortest norm, in every mode, from any start") {
  for (const char* file : {"e8.txt", "leech.txt", "k40.txt"}) {
    for (const auto& options : {EngineOptions{}, emulated()}) {
      Request request;
      request.basisPath = test::latticePath(file);
      const Outcome shortest = runLattice(request, options);
      CHECK(!shortest.fixedRadius);
      request.ghFactor = 2;  // E8 and the Leech lattice are far denser than random ones
      const Outcome within = runLattice(request, options);
      const std::string known = file[0] == 'e' ? "8" : file[0] == 'l' ? "32" : "517649";
      CHECK(shortest.shortestSquaredNorm == known);
      CHECK(within.shortestSquaredNorm == known);
    }
  }
}

TEST_CASE(
    "all vectors arrive in the file, each once, as many as were counted, with the norms of the theta "
    "series") {
  const test::TemporaryFolder folder;
  for (const auto& options : {EngineOptions{}, emulated()}) {
    Request request = latticeRequest("bw16.txt", 12.3);
    request.solutions = kAllSolutions;
    request.outputPath = folder.path("all.npy");
    const Outcome outcome = runLattice(request, options);
    CHECK(outcome.outputRows == 32880);
    CHECK(outcome.outputBytes == std::filesystem::file_size(request.outputPath));
    CHECK(!std::filesystem::exists(request.outputPath + ".part"));
    const auto rows = npyRows(request.outputPath);
    REQUIRE(rows.size() == 32880);
    const VectorSet set(rows.begin(), rows.end());
    CHECK(set.size() == 32880);
    std::size_t opposite = 0;
    for (auto vector : rows) {
      for (auto& element : vector) element = -element;
      opposite += set.count(vector);
    }
    CHECK(opposite == 0);
    CHECK(std::count_if(
              rows.begin(), rows.end(), [](const auto& v) { return squaredNorm(v) == 8; }) == 2160);
    CHECK(std::count_if(rows.begin(), rows.end(), [](const auto& v) { return squaredNorm(v) == 12; }) ==
          30720);
  }
}

TEST_CASE("text and array have the same vectors, and standard order is kept for the best") {
  const test::TemporaryFolder folder;
  Request request = latticeRequest("e8.txt", 8);
  request.solutions = 120;
  request.outputPath = folder.path("best.npy");
  (void)runLattice(request);
  const auto array = npyRows(request.outputPath);
  request.outputPath = folder.path("best.txt");
  (void)runLattice(request, emulated());
  std::string text;
  for (const auto& row : array) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "[" : " ") + std::to_string(row[i]);
    text += "]\n";
  }
  CHECK(test::contentOf(request.outputPath) == text);
}

TEST_CASE("the K best are the K shortest, sorted, the same in every mode and with any number of threads") {
  Request request = latticeRequest("bw16.txt", 12.3);
  request.solutions = 2200;
  const Outcome one = runLattice(request, {.threads = 1});
  REQUIRE(one.solutions.size() == 2200);
  CHECK(one.solutions[2159].squaredNorm == "8");
  CHECK(one.solutions[2160].squaredNorm == "12");
  for (const auto& options : {EngineOptions{.threads = 3}, emulated()}) {
    const Outcome other = runLattice(request, options);
    REQUIRE(other.solutions.size() == 2200);
    CHECK(std::equal(one.solutions.begin(), one.solutions.end(), other.solutions.begin(),
                     [](const auto& a, const auto& b) { return a.coefficients == b.coefficients; }));
    CHECK(other.fingerprint == one.fingerprint);
    CHECK(other.nodesPerLevel == one.nodesPerLevel);
  }
}

TEST_CASE("counting keeps nothing and finds the same numbers") {
  Request request = latticeRequest("leech.txt", 32.3);
  const Outcome kept = runLattice(request);
  request.solutions = 0;
  const Outcome counted = runLattice(request);
  CHECK(counted.solutions.empty());
  CHECK(counted.count == 98280);
  CHECK(counted.shortestSquaredNorm == "32");
  CHECK(counted.fingerprint == kept.fingerprint);
  CHECK(counted.nodesPerLevel == kept.nodesPerLevel);
}

TEST_CASE("a search for the first K stops with K vectors within the radius") {
  Request request = latticeRequest("leech.txt", 32.3);
  request.first = 5;
  const Outcome outcome = runLattice(request);
  CHECK(outcome.run.decided);
  CHECK(outcome.count == 5);
  REQUIRE(outcome.solutions.size() == 5);
  for (const auto& solution : outcome.solutions) CHECK(squaredNorm(solution.vector) == 32);
}

TEST_CASE("norms beyond 64 bits are exact") {
  // A square lattice scaled by s: vectors (s x, s y), norms s^2 (x^2 + y^2).
  const std::string s = "123456789012345678901234567890";
  Request request;
  request.basis = "[[" + s + " 0][0 " + s + "]]";
  const Outcome outcome = runLattice(request);
  CHECK(outcome.shortestSquaredNorm == "15241578753238836750495351562536198787501905199875019052100");
  REQUIRE(outcome.solutions.size() == 1);
  CHECK(outcome.solutions[0].vector.empty());
  CHECK(outcome.solutions[0].text.find(s) != std::string::npos);
  request.outputPath = "x.npy";
  CHECK(refusal(request).find("accepted: a .txt file") != std::string::npos);
}

TEST_CASE("a lattice of one dimension and one of fewer rows than columns have their shortest vectors") {
  Request request;
  request.basis = "[[3 4 0]]";
  CHECK(runLattice(request).shortestSquaredNorm == "25");
  request.basis = "[[1 1 1 1] [1 -1 1 -1]]";
  request.squaredRadius = 8;
  request.fixedRadius = true;
  CHECK(runLattice(request).count == 4);  // two of norm 4, two of norm 8
}

TEST_CASE("pruned nodes and solutions are those of the reference") {
  // The instance p60 is for the GPU record; its bounds at a smaller radius are compared with no bounds at
  // all.
  Request request = latticeRequest("k40.txt", 517649.5);
  std::vector<double> bounds(40);
  for (std::size_t k = 0; k < 40; ++k)
    bounds[k] = k < 10 ? 1.0 : 1.0 - 0.4 * static_cast<double>(k - 10) / 30;
  request.pruning = bounds;
  const Outcome pruned = runLattice(request);
  const Outcome pieces = runLattice(request, emulated());
  CHECK(pruned.nodes < 688072 / 2);
  CHECK(pruned.nodesPerLevel == pieces.nodesPerLevel);
  CHECK(pruned.fingerprint == pieces.fingerprint);
}

TEST_CASE(
    "an unreduced basis is reduced where fplll is linked, and refused with the flaw where it may not be") {
  Request request;
  request.basis = "[[1 0 0][0 1 0][1000 1000 1]]";
  request.reduction = "none";
  CHECK(refusal(request).find(
            "basis: got a basis that is not reduced (row 3 is not size-reduced: its coefficient of "
            "row 1 is 1000, more than 0.51); accepted: ") == 0);
  request.reduction = "auto";
  if (lattice::fplllLinked()) {
    const Outcome outcome = runLattice(request);
    CHECK(outcome.reduction == "lll");
    CHECK(outcome.shortestSquaredNorm == "1");
  } else {
    CHECK(refusal(request).find("SLICEPOOL_FPLLL=ON") != std::string::npos);
  }
}

TEST_CASE("contradictions of a request are refused by name before anything is read") {
  Request request = latticeRequest("e8.txt", 8);
  CHECK(refusal(request) == "accepted");
  const auto refused = [&](auto change) {
    Request other = request;
    change(other);
    return refusal(other);
  };
  CHECK(refused([](Request& r) { r.basis = "[[1]]"; }).find("basis: got a file and a text") == 0);
  CHECK(refused([](Request& r) { r.basisPath.clear(); }).find("basis: got nothing") == 0);
  CHECK(refused([](Request& r) { r.ghFactor = 1; }).find("gh_factor: got 1 together with squared_radius") ==
        0);
  CHECK(refused([](Request& r) {
          r.solutions = kAllSolutions;
        }).find("solutions: got all without an output") == 0);
  CHECK(refused([](Request& r) { r.outputPath = "x.csv"; }).find("output.path: got \"x.csv\"") == 0);
  CHECK(refused([](Request& r) {
          r.outputPath = "/nowhere/x.npy";
        }).find("output.path: got \"/nowhere/x.npy\"") == 0);
  CHECK(refused([](Request& r) {
          r.outputPath = "x.npy";
          r.solutions = 0;
        }).find("output.path: got \"x.npy\" with solutions 0") == 0);
  CHECK(refused([](Request& r) { r.pruning = {1, 0.5}; }).find("pruning: got 2 coefficients") == 0);
  CHECK(refused([](Request& r) { r.pruningPath = "fplll:2"; }).find("pruning: got \"fplll:2\"") == 0);
  CHECK(refused([](Request& r) { r.reduction = "hkz"; }).find("reduction: got \"hkz\"") == 0);
  request.squaredRadius = 0;
  request.fixedRadius = false;
  CHECK(refusal(request) == "accepted");
  CHECK(refused([](Request& r) {
          r.fixedRadius = true;
        }).find("fixed_radius: got true for a search for the shortest") == 0);
  CHECK(refused([](Request& r) { r.solutions = 3; }).find("solutions: got 3 of a search for the shortest") ==
        0);
  CHECK(refused([](Request& r) { r.first = 3; }).find("first: got 3 of a search for the shortest") == 0);
}

TEST_CASE("kept vectors beyond the memory limit are refused, and no file is left") {
  const test::TemporaryFolder folder;
  Request request = latticeRequest("bw16.txt", 12.3);
  request.solutions = 30000;
  request.outputPath = folder.path("best.npy");
  Enumeration enumeration(request, {.memoryLimit = 1U << 20});
  CHECK_THROWS_AS(enumeration.run(), LimitError);
  CHECK(std::filesystem::is_empty(std::filesystem::path(request.outputPath).parent_path()));
}

TEST_CASE("gh_factor is a factor of lengths: R^2 is its square times the squared Gaussian heuristic") {
  // A disc of area 7, which is that of the lattice: GH^2 = 7 / pi.
  Request request;
  request.basis = "[[1 0] [0 7]]";
  request.ghFactor = 3;
  request.fixedRadius = true;
  const Outcome outcome = runLattice(request);
  CHECK(outcome.squaredRadius.rounded() == doctest::Approx(9 * 7 / std::numbers::pi).epsilon(1e-12));
  CHECK(outcome.ghFactor == doctest::Approx(3).epsilon(1e-12));
  // R^2 = 20.05: (1..4, 0), nothing with 7.
  CHECK(outcome.count == 4);
}
