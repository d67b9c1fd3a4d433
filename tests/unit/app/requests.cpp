// Configurations of lattices and semigroups become requests: every member, every way to write it, and what
// is refused.
#include <doctest/doctest.h>

#include <string>

#include "runtime/lattice/front_request.hpp"
#include "runtime/semigroup/front_request.hpp"
#include "slicepool/core/error.hpp"

using namespace slicepool;
using config::Json;

namespace {

config::RunConfig checked(const char* text) {
  return config::parseRunConfig(config::parseJson(text, "test"), config::Strictness::single);
}
lattice::Request latticeOf(const char* text) { return config::parseLatticeRequest(checked(text)); }
semigroup::Request semigroupOf(const char* text) { return config::parseSemigroupRequest(checked(text)); }

template <class Parse>
std::string refused(Parse&& parse, const char* text) {
  try {
    (void)parse(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing was refused";
}

bool startsWith(const std::string& text, const std::string& start) { return text.rfind(start, 0) == 0; }

}  // namespace

TEST_CASE("lattice: a basis is a file or, when it begins with a bracket, the matrix itself") {
  const auto file = latticeOf(R"({"workload": "lattice", "basis": "b.txt"})");
  CHECK(file.basisPath == "b.txt");
  CHECK(file.basis.empty());
  CHECK(file.reduction == "auto");
  CHECK(file.solutions == 1);
  CHECK_FALSE(file.fixedRadius);
  const auto matrix = latticeOf(R"({"workload": "lattice", "basis": "  [[1 0] [0 1]]"})");
  CHECK(matrix.basisPath.empty());
  CHECK(matrix.basis == "  [[1 0] [0 1]]");
}

TEST_CASE("lattice: every member arrives") {
  const auto all = latticeOf(R"({"workload": "lattice", "basis": "b.txt", "reduction": "bkz-20",
    "gh_factor": 1.25, "fixed_radius": true, "pruning": "p.txt", "solutions": 12, "first": 3,
    "algorithm": "compacted", "output": {"path": "o.npy"}})");
  CHECK(all.reduction == "bkz-20");
  CHECK(all.ghFactor == 1.25);
  CHECK(all.fixedRadius);
  CHECK(all.pruningPath == "p.txt");
  CHECK(all.solutions == 12);
  CHECK(all.first == 3);
  CHECK(all.outputPath == "o.npy");
  CHECK(all.algorithm == lattice::Algorithm::compacted);
  CHECK(latticeOf(R"({"workload": "lattice", "basis": "b", "solutions": "all"})").solutions ==
        lattice::kAllSolutions);
}

TEST_CASE("lattice: contradictions and bad values name their field") {
  CHECK(startsWith(refused(latticeOf, R"({"workload": "lattice", "basis": "b", "shortest": true,
    "gh_factor": 2})"),
                   "shortest: got true together with gh_factor"));
  CHECK(startsWith(refused(latticeOf, R"({"workload": "lattice", "basis": "b", "shortest": true,
    "squared_radius": 2})"),
                   "shortest: got true together with squared_radius"));
  CHECK(startsWith(refused(latticeOf, R"({"workload": "lattice", "basis": "b", "gh_factor": 0})"),
                   "gh_factor: got 0"));
  CHECK(startsWith(refused(latticeOf, R"({"workload": "lattice", "basis": "b", "solutions": -1})"),
                   "solutions: got -1"));
  CHECK(
      startsWith(refused(latticeOf, R"({"workload": "lattice", "basis": "b", "first": 0})"), "first: got 0"));
}

TEST_CASE("semigroup: generators are a family, a file or lists of images") {
  CHECK(semigroupOf(R"({"workload": "semigroup", "named": "full:3"})").named == "full:3");
  CHECK(semigroupOf(R"({"workload": "semigroup", "generators": "g.txt"})").generatorsPath == "g.txt");
  const auto listed = semigroupOf(R"({"workload": "semigroup", "generators": [[1, 0, 2], [0, 0, 2]]})");
  CHECK(listed.generators == std::vector<semigroup::Transformation>{{1, 0, 2}, {0, 0, 2}});
}

TEST_CASE("semigroup: every member arrives") {
  const auto all = semigroupOf(R"({"workload": "semigroup", "named": "full:3", "algorithm": "words",
    "base": [0, 2], "fixed_base": true, "max_elements": 100, "max_stage": 4, "idempotents": true,
    "contains": [0, 1, 1],
    "output": {"elements": "e.npy", "words": "w.txt", "right_cayley_graph": "r.csv",
               "left_cayley_graph": "l.csv", "rules": "rules.txt"}})");
  CHECK(all.algorithm == semigroup::Algorithm::words);
  CHECK(all.base == semigroup::Transformation{0, 2});
  CHECK(all.fixedBase);
  CHECK(all.maxElements == 100);
  CHECK(all.maxStage == 4);
  CHECK(all.idempotents);
  CHECK(all.contains == semigroup::Transformation{0, 1, 1});
  CHECK(all.elementsPath == "e.npy");
  CHECK(all.wordsPath == "w.txt");
  CHECK(all.rightGraphPath == "r.csv");
  CHECK(all.leftGraphPath == "l.csv");
  CHECK(all.rulesPath == "rules.txt");
}

TEST_CASE("semigroup: the element of a word is a number, a list of one number, or images") {
  CHECK(semigroupOf(R"({"workload": "semigroup", "named": "full:3", "word_of": 7})").wordOfNumber == 7);
  CHECK(semigroupOf(R"({"workload": "semigroup", "named": "full:3", "word_of": [7]})").wordOfNumber == 7);
  const auto images = semigroupOf(R"({"workload": "semigroup", "named": "full:3", "word_of": [0, 1, 2]})");
  CHECK(images.wordOf == semigroup::Transformation{0, 1, 2});
}

TEST_CASE("semigroup: bad values name their field") {
  CHECK(startsWith(refused(semigroupOf, R"({"workload": "semigroup", "generators": []})"), "generators"));
  CHECK(startsWith(refused(semigroupOf, R"({"workload": "semigroup", "generators": [[0, -1]]})"),
                   "generators[0]"));
  CHECK(startsWith(refused(semigroupOf, R"({"workload": "semigroup", "named": "full:3", "max_elements": 0})"),
                   "max_elements: got 0"));
  CHECK(startsWith(refused(semigroupOf, R"({"workload": "semigroup", "named": "full:3", "algorithm": "x"})"),
                   "algorithm: got \"x\""));
}
