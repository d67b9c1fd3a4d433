// Many targets of one lattice: against single runs and boxes of coefficients that are tried in fractions; the
// way in doubles against the way by big integers; order, lines that are refused, stops.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/lattice/one_target.hpp"
#include "runtime/lattice/reduction.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/lattice/enumeration.hpp"
#include "slicepool/lattice/many_lattices.hpp"
#include "support/json_lines.hpp"
#include "support/lattice/box_oracle.hpp"
#include "support/lattice/given_lattices.hpp"
#include "support/lattice/many_runs.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

namespace {
namespace targets_test {

using namespace slicepool;
using namespace slicepool::lattice;
using test::below;
using test::given;
using test::givenTarget;
using test::gramOf;
using test::randomRows;
using test::Rows;
using test::textsOf;

ManyRequest requestFor(const Rows& rows, std::vector<GivenLattice> targets, bool gram = false) {
  ManyRequest request;
  (gram ? request.gram : request.basis) = matrixText(given(rows, gram));
  request.lattices = std::move(targets);
  return request;
}

std::vector<LatticeAnswer> answersTo(ManyRequest request, int threads = 2) {
  EngineOptions options;
  options.threads = threads;
  ManyLattices many(std::move(request), options);
  many.run();
  CHECK(many.finished());
  return many.outcome().answers;
}

Outcome single(const std::string& matrix, bool gram, const std::string& target,
               const SquaredRadius& radius = {}, std::uint64_t solutions = 1) {
  Request request;
  (gram ? request.gram : request.basis) = matrix;
  request.target = target;
  request.squaredRadius = radius;
  request.fixedRadius = radius.given();
  request.solutions = solutions;
  EngineOptions options;
  options.threads = 1;
  Enumeration enumeration(request, options);
  enumeration.run();
  return enumeration.outcome();
}

/// Of a lattice with such columns: near its vectors and far away, integers, fractions and doubles.
std::string randomTarget(std::mt19937_64& random, const Rows& rows, int kind) {
  std::string text = "[";
  for (std::size_t j = 0; j < rows[0].size(); ++j) {
    std::int64_t number = below(random, 2000) - 1000;
    if (kind == 3)  // a vector of the lattice
      number = 5 * rows[0][j] - 3 * rows[rows.size() - 1][j];
    if (kind == 4) number *= 1'000'000'000;
    text += std::to_string(number);
    if (kind == 1) text += "/" + std::to_string(2 + below(random, 30));
    if (kind == 2) text += "." + std::to_string(100'000'000'000'000 + below(random, 100'000'000'000'000));
    text += " ";
  }
  return text + "]";
}

struct Searched {
  Way way = Way::stopped;
  LatticeAnswer answer;
};

Searched searched(const std::shared_ptr<const TargetLattice>& lattice, const GivenLattice& target,
                  const ManyWanted& wanted, bool certified, bool exact) {
  const std::atomic<bool> stop{false};
  OneTarget searcher(lattice, stop, {certified, exact});
  Searched result;
  result.way = searcher.search(target, wanted, result.answer);
  return result;
}

std::shared_ptr<const TargetLattice> latticeOf(const Rows& rows, bool gram) {
  Request request;
  (gram ? request.gram : request.basis) = matrixText(given(rows, gram));
  return std::make_shared<const TargetLattice>(request);
}

/// The exact squared distance of a vector from a target: independent of what is tested.
test::cpp_rational distanceOf(const std::vector<std::int64_t>& vector, const std::string& target) {
  const Target parsed = parseTarget(target, "target");
  test::cpp_rational sum = 0;
  for (std::size_t j = 0; j < vector.size(); ++j) {
    const test::cpp_rational difference =
        test::cpp_rational(vector[j]) - test::cpp_rational(parsed.numerators[j], parsed.denominator);
    sum += difference * difference;
  }
  return sum;
}

std::vector<std::int64_t> combined(const std::vector<std::int64_t>& coefficients, const Rows& rows) {
  std::vector<std::int64_t> sum(rows[0].size());
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += coefficients[i] * rows[i][j];
  return sum;
}

TEST_CASE(
    "each target has the distance of a single run, in dimensions 2 to 40, by a basis and by its Gram "
    "matrix") {
  if (!fplllLinked()) return;
  const std::uint64_t seed = 2911;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (std::size_t round = 0; round < test::scaled(24); ++round) {
    const int d = round % 12 == 11 ? 40 : 2 + static_cast<int>(random() % 30);
    const int kind = static_cast<int>(round % 3);
    const bool gram = round / 3 % 3 == 0;
    const Rows basis = randomRows(random, d, kind);
    const Rows rows = gram ? gramOf(basis) : basis;
    std::vector<GivenLattice> targets;
    const int count = d == 40 ? 2 : 6;
    // A single run refuses targets that are far from the span.
    for (int i = 0; i < count; ++i)
      targets.push_back(givenTarget(randomTarget(random, rows, i % (rows.size() == rows[0].size() ? 5 : 4))));
    CAPTURE(d);
    CAPTURE(gram);
    const auto answers = answersTo(requestFor(rows, targets, gram));
    REQUIRE(answers.size() == targets.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const std::string& target = targets[i].targetText;
      CAPTURE(target);
      CHECK(answers[i].error == "");
      CHECK(answers[i].close);
      CHECK(answers[i].dimension == d);
      REQUIRE(answers[i].vectors.size() == 1);
      const LatticeVector& found = answers[i].vectors[0];
      const Outcome one = single(matrixText(given(rows, gram)), gram, target);
      CHECK(found.squaredNorm == one.solutions.at(0).squaredNorm);
      if (gram) continue;
      REQUIRE(found.vector.size() == rows[0].size());
      CHECK(distanceOf(found.vector, target) == test::cpp_rational(found.squaredNorm));
      CHECK(combined(found.coefficients, rows) == found.vector);
      if (i == 3) CHECK(found.squaredNorm == "0");
    }
  }
}

TEST_CASE(
    "vectors within a distance are those of a box tried in fractions, whatever the numbers are made of") {
  if (!fplllLinked()) return;
  const std::uint64_t seed = 2912;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::uint64_t vectors = 0;
  for (std::size_t round = 0; round < test::scaled(80); ++round) {
    const std::size_t d = 1 + random() % 4;
    Rows rows(d, std::vector<std::int64_t>(d + random() % 2));
    for (std::size_t i = 0; i < d; ++i) {
      for (auto& entry : rows[i]) entry = below(random, 5) - 2;
      rows[i][i] += 5;
    }
    std::vector<std::vector<test::cpp_int>> basis;
    for (const auto& row : rows) basis.emplace_back(row.begin(), row.end());
    const std::string text = randomTarget(random, rows, static_cast<int>(round % 4));
    CAPTURE(text);
    const Target parsed = parseTarget(text, "target");
    std::vector<test::cpp_rational> target;
    for (const Integer& numerator : parsed.numerators) target.emplace_back(numerator, parsed.denominator);
    const std::int64_t most = 5 + below(random, 30);
    std::map<std::vector<std::int64_t>, test::cpp_rational> expected;
    if (!test::vectorsOfBox(basis, target, most, expected)) continue;
    vectors += expected.size();
    std::vector<std::pair<test::cpp_rational, std::vector<std::int64_t>>> sorted;
    for (const auto& [vector, distance] : expected) sorted.emplace_back(distance, vector);
    std::sort(sorted.begin(), sorted.end());
    const auto lattice = latticeOf(rows, false);
    const ManyWanted wanted{SquaredRadius(most), expected.size() + 1};
    for (const bool certified : {true, false}) {
      const Searched found = searched(lattice, givenTarget(text), wanted, certified, !certified);
      CHECK(found.way == (certified ? Way::certified : Way::exact));
      CHECK(found.answer.count == expected.size());
      REQUIRE(found.answer.vectors.size() == sorted.size());
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        CHECK(test::cpp_rational(found.answer.vectors[i].squaredNorm) == sorted[i].first);
        CHECK(found.answer.vectors[i].vector == sorted[i].second);
      }
      const Searched closest = searched(lattice, givenTarget(text), {}, certified, !certified);
      if (sorted.empty())
        CHECK(test::cpp_rational(closest.answer.vectors.at(0).squaredNorm) > most);
      else
        CHECK(test::cpp_rational(closest.answer.vectors.at(0).squaredNorm) == sorted[0].first);
    }
  }
  CHECK(vectors > test::scaled(80));
}

TEST_CASE("the way in doubles and the way by big integers keep the same close vectors, to the last one") {
  if (!fplllLinked()) return;
  const std::uint64_t seed = 2913;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (std::size_t round = 0; round < test::scaled(40); ++round) {
    const int d = 2 + static_cast<int>(random() % 16);
    const bool gram = round % 2 == 1;
    const Rows basis = randomRows(random, d, static_cast<int>(round % 3));
    const Rows rows = gram ? gramOf(basis) : basis;
    const auto lattice = latticeOf(rows, gram);
    const GivenLattice target =
        givenTarget(randomTarget(random, rows, static_cast<int>(round % (gram ? 5 : 4))));
    CAPTURE(target.targetText);
    const Searched first = searched(lattice, target, {}, true, false);
    CHECK(first.way == Way::certified);
    CHECK(first.answer.vectors[0].squaredNorm ==
          searched(lattice, target, {}, false, true).answer.vectors[0].squaredNorm);
    // A radius on which vectors lie, the next integer, and a wider one: not much wider where a part of the
    // distance is from the span.
    const test::cpp_rational distance(first.answer.vectors[0].squaredNorm);
    const test::cpp_int whole = test::floorOf(distance);
    const test::cpp_int wider = rows.size() == rows[0].size() ? whole : test::cpp_int(1);
    for (const test::cpp_rational& radius :
         {distance, test::cpp_rational(whole + (whole == distance ? 0 : 1)),
          test::cpp_rational(whole + wider)}) {
      if (radius == 0) continue;
      const ManyWanted wanted{SquaredRadius(radius.str()), 20};
      const Searched fast = searched(lattice, target, wanted, true, false);
      const Searched exact = searched(lattice, target, wanted, false, true);
      CHECK(fast.answer.count == exact.answer.count);
      if (radius >= distance) CHECK(fast.answer.count > 0);
      CHECK(textsOf(fast.answer) == textsOf(exact.answer));
    }
  }
}

TEST_CASE("a target that is far from the span has the closest vector of its projection") {
  // The plane of the first two coordinates.
  const auto answers = answersTo(
      requestFor({{3, 1, 0}, {1, 2, 0}}, {givenTarget("[1 2.25 0]"), givenTarget("[1 2.25 1000000000000]"),
                                          givenTarget("[1 2.25 1e25]"), givenTarget("[4 3 -1e12]")}));
  for (const std::size_t i : {0, 1, 2})
    CHECK(answers[i].vectors[0].vector == std::vector<std::int64_t>{1, 2, 0});
  CHECK(answers[1].vectors[0].squaredNorm == "16000000000000000000000001/16");
  CHECK(answers[3].vectors[0].vector == std::vector<std::int64_t>{4, 3, 0});
  CHECK(answers[3].vectors[0].squaredNorm == "1000000000000000000000000");
}

TEST_CASE("one unit in the last place of a target decides") {
  // Between 0 and (2^30, 0), a part of 10^-40 nearer to one of them.
  const Rows rows = {{std::int64_t{1} << 30, 0}, {0, std::int64_t{1} << 30}};
  const std::string half = "536870912.0000000000000000000000000000000000000000";
  std::string more = half;
  more.back() = '1';
  std::string less = "536870911.9999999999999999999999999999999999999999";
  const auto answers =
      answersTo(requestFor(rows, {givenTarget("[" + more + " 0]"), givenTarget("[" + less + " 0]")}));
  CHECK(answers[0].vectors[0].vector == std::vector<std::int64_t>{std::int64_t{1} << 30, 0});
  CHECK(answers[1].vectors[0].vector == std::vector<std::int64_t>{0, 0});
}

TEST_CASE("what machine numbers do not hold is answered all the same") {
  GivenLattice far = givenTarget("[1e30 7/2]");
  GivenLattice fine = givenTarget("[0." + std::string(100, '3') + " 1]");
  const auto answers = answersTo(requestFor({{2, 0}, {1, 2}}, {far, fine}));
  CHECK(answers[0].vectors[0].squaredNorm == "1/4");
  CHECK(answers[0].vectors[0].text == "[1000000000000000000000000000000 4]");
  CHECK(answers[1].error == "");
  ManyRequest large;
  large.basis = "[[100000000000000000000 0] [0 100000000000000000000]]";
  large.lattices = {givenTarget("[60000000000000000000 40000000000000000001]")};
  const auto wide = answersTo(large);
  CHECK(wide[0].vectors[0].squaredNorm == "3200000000000000000080000000000000000001");
  CHECK(wide[0].vectors[0].text == "[100000000000000000000 0]");
}

TEST_CASE("a target that is none has an error in its place, and others may have lattices of their own") {
  GivenLattice own = given({{3, 0}, {0, 3}});
  own.target = {4, 4};
  GivenLattice bad = given({{1, 2}, {2, 4}});
  bad.target = {1, 1};
  GivenLattice integers;
  integers.target = {1, 5};
  GivenLattice near = integers;
  near.squaredRadius = 4;
  const auto answers = answersTo(requestFor(
      {{2, 0}, {1, 2}}, {integers, givenTarget("[1 2 3]"), givenTarget("[1 x]"), givenTarget("[1 1/0]"), own,
                         bad, given({{1, 3}, {3, -2}}), near, givenTarget("[1/2, 5]")}));
  CHECK(answers[0].vectors[0].squaredNorm == "1");
  CHECK(test::contains(answers[1].error,
                       "target: got 3 numbers; accepted: 2, as many as the basis has columns"));
  CHECK(answers[2].field == "target: number 2");
  CHECK(test::contains(answers[3].error, "1/0"));
  CHECK(answers[4].vectors[0].vector == std::vector<std::int64_t>{3, 3});
  CHECK(test::contains(answers[5].error, "row 2"));
  CHECK(answers[6].vectors[0].squaredNorm == "10");
  CHECK(!answers[6].close);
  CHECK(answers[7].count == 3);
  CHECK(answers[8].vectors[0].squaredNorm == "5/4");
  ManyRequest none;
  none.lattices = {integers};
  CHECK(test::contains(answersTo(none)[0].error, "a target without a lattice"));
}

TEST_CASE("answers to targets do not depend on the number of threads, and one that is too large is pooled") {
  if (!fplllLinked()) return;
  std::mt19937_64 random(2914);
  const Rows rows = randomRows(random, 14, 0);
  std::vector<GivenLattice> targets;
  for (int i = 0; i < 300; ++i) targets.push_back(givenTarget(randomTarget(random, rows, i % 5)));
  const auto one = answersTo(requestFor(rows, targets), 1);
  const auto three = answersTo(requestFor(rows, targets), 3);
  for (std::size_t i = 0; i < targets.size(); ++i) CHECK(textsOf(one[i]) == textsOf(three[i]));
  const auto lattice = latticeOf(rows, false);
  for (const bool stopped : {false, true}) {
    const std::atomic<bool> stop{stopped};
    OneTarget searcher(lattice, stop, {.maximumNodes = stopped ? kNodesOfCore : 1e-3});
    LatticeAnswer answer;
    CHECK(searcher.search(givenTarget(randomTarget(random, rows, 0)), {}, answer) ==
          (stopped ? Way::stopped : Way::tooLarge));
  }
}

TEST_CASE("a search of each target, or lattice, ends with its first vectors, as a single run does") {
  const Rows rows = {{7, 1, 0}, {-1, 8, 2}, {0, 3, -6}};
  const std::string matrix = "[[7 1 0] [-1 8 2] [0 3 -6]]";
  const auto lattice = latticeOf(rows, false);
  for (const char* text : {"[1/2 0 3]", "[100 0 -40]", ""}) {
    CAPTURE(std::string(text));
    const bool close = text[0] != 0;
    const GivenLattice line = close ? givenTarget(text) : given(rows);
    const auto search = [&](const ManyWanted& wanted, bool certified) {
      if (close) return searched(lattice, line, wanted, certified, !certified).answer;
      const std::atomic<bool> stop{false};
      LatticeAnswer answer;
      (void)OneLattice(stop, {certified, !certified}).search(line, wanted, answer);
      return answer;
    };
    const Outcome all = single(matrix, false, text, SquaredRadius(2500), 10000);
    REQUIRE(all.count > 20);
    std::set<std::vector<std::int64_t>> known;
    for (const Solution& solution : all.solutions) known.insert(solution.vector);
    for (const bool certified : {true, false}) {
      const std::uint64_t nodes = search({SquaredRadius(2500), 10000}, certified).nodes;
      for (const std::uint64_t first : {std::uint64_t{1}, std::uint64_t{3}, all.count, all.count + 5}) {
        const LatticeAnswer answer = search({SquaredRadius(2500), 10000, {}, first}, certified);
        CHECK(answer.count == std::min(first, all.count));
        CHECK(answer.vectors.size() == answer.count);
        for (const LatticeVector& found : answer.vectors) {
          auto opposite = found.vector;
          for (std::int64_t& element : opposite) element = -element;
          CHECK(known.count(found.vector) + (close ? 0 : known.count(opposite)) == 1);
        }
        CHECK((first < 10 ? answer.nodes < nodes : answer.nodes <= nodes));
      }
    }
    CHECK_THROWS_AS((void)search({{}, 1, {}, 2}, true), ConfigError);
  }
  ManyRequest request = requestFor(rows, {givenTarget("[1/2 0 3]"), given(rows), givenTarget("[1/2 0 3]")});
  request.lattices[0].squaredRadius = request.lattices[1].squaredRadius = 900;
  request.solutions = 10;
  request.first = 2;
  const auto answers = answersTo(request);
  CHECK(answers[0].vectors.size() == 2);
  CHECK(answers[1].count == 2);
  CHECK(answers[2].error ==
        "first: got 2 of a search for the closest vector; accepted: this only with a radius "
        "(squared_radius)");
  CHECK(answers[2].field == "first");
  // It is about the vectors that a test accepts.
  request.lattices.resize(1);
  request.first = 1;
  std::atomic<int> asked{0};
  request.accept = [&](std::uint64_t, const LatticeVector&) { return ++asked == 4; };
  CHECK(answersTo(request, 1)[0].count == 1);
  CHECK(asked == 4);
}

TEST_CASE("a test decides about lattices and targets alike, and where all workers search them") {
  const Rows rows = {{7, 1, 0}, {-1, 8, 2}, {0, 3, -6}};
  Rows large = rows;  // by big integers
  for (auto& row : large)
    for (std::int64_t& x : row) x *= 1'000'000'000'000;
  ManyRequest request = requestFor(
      rows, {given(rows), givenTarget("[1/2 0 3]"), given(gramOf(rows), true), given(large), given(rows)});
  request.squaredRadius = 900;
  request.lattices[3].squaredRadius = SquaredRadius("900000000000000000000000000");
  request.solutions = 1000;
  const auto all = answersTo(request);
  // Of each the vectors at even places of its own list, which are known by their texts.
  std::vector<std::set<std::string>> wanted;
  const auto textOf = [](const LatticeVector& found) {
    std::string text = found.squaredNorm + ":";
    for (const std::int64_t x : found.vector) text += " " + std::to_string(x);
    return text;
  };
  for (const LatticeAnswer& answer : all) {
    REQUIRE(answer.vectors.size() > 4);
    wanted.emplace_back();
    for (std::size_t i = 0; i < answer.vectors.size(); i += 2)
      wanted.back().insert(textOf(answer.vectors[i]));
  }
  wanted[4].clear();
  std::array<std::atomic<std::uint64_t>, 5> asked{};
  request.accept = [&](std::uint64_t index, const LatticeVector& found) {
    ++asked[index];
    return wanted[index].count(textOf(found)) == 1;
  };
  for (const double nodesOfCore : {0.0, 1e-3}) {
    for (const Mode mode : {Mode::cpu, Mode::emulated}) {
      for (auto& calls : asked) calls = 0;
      request.nodesOfCore = nodesOfCore;
      EngineOptions options;
      options.threads = 2;
      options.mode = mode;
      ManyLattices many(request, options);
      many.run();
      const ManyOutcome outcome = many.outcome();
      CHECK(outcome.pooled == (nodesOfCore == 0 ? 0 : 5));
      for (std::size_t i = 0; i < 5; ++i) {
        CAPTURE(i);
        const LatticeAnswer& answer = outcome.answers[i];
        CHECK(answer.error == "");
        CHECK(answer.count == wanted[i].size());
        std::set<std::string> found;
        for (const LatticeVector& vector : answer.vectors) found.insert(textOf(vector));
        CHECK(found == wanted[i]);
        CHECK(asked[i] == all[i].count);
      }
    }
  }
  request.first = 1;  // pooled
  for (const LatticeAnswer& answer : answersTo(request)) CHECK(answer.count <= 1);
  CHECK(answersTo(request)[0].count == 1);
}

TEST_CASE("a lattice without a radius has no test and no first vector, whoever searches it") {
  const Rows rows = randomRows(*std::make_unique<std::mt19937_64>(3), 14, 0);
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    for (const bool test : {true, false}) {
      ManyRequest request;
      request.lattices.assign(3, given(rows));
      request.first = test ? 0 : 2;
      if (test) request.accept = [](std::uint64_t, const LatticeVector&) { return true; };
      EngineOptions options;
      options.threads = 2;
      options.mode = mode;
      ManyLattices many(std::move(request), options);
      many.run();
      for (const LatticeAnswer& answer : many.outcome().answers) {
        CHECK(answer.field == (test ? "accept" : "first"));
        CHECK(answer.vectors.empty());
      }
    }
  }
}

TEST_CASE("a file of targets is answered in its order, and a stop leaves complete lines") {
  const test::TemporaryFolder folder;
  ManyRequest request;
  request.basis = "[[2 0] [1 2]]";
  request.batchPath = folder.path("in.jsonl");
  request.outputPath = folder.path("out.jsonl");
  {
    std::ofstream file(request.batchPath);
    file << "{\"target\":[\"1/2\",5],\"id\":\"a\"}\n\n{\"target\":[1]}\n{\"id\":7}\n";
    for (int i = 0; i < 200; ++i) file << "{\"target\":[" << 2 * i << ".25,0]}\n";
  }
  EngineOptions options;
  options.threads = 3;
  {
    ManyLattices many(request, options);
    many.run();
    const ManyOutcome outcome = many.outcome();
    CHECK(outcome.lattices == 203);
    CHECK(outcome.failed == 2);
    CHECK(outcome.dimension == 2);
    CHECK(test::contains(outcome.firstError, "line 3: target: got 1 numbers"));
    const auto lines = test::jsonLinesOf(test::contentOf(request.outputPath));
    REQUIRE(lines.size() == 203);
    CHECK(
        lines[0] ==
        nlohmann::json::parse(
            R"({"line":1,"id":"a","dimension":2,"squared_distance":"5/4","vector":[0,4],"coefficients":[-1,2]})"));
    CHECK(lines[2]["id"] == 7);
    CHECK(lines[2]["field"] == "line: column 9");
    for (std::size_t i = 0; i < 200; ++i) {
      CHECK(lines[3 + i]["line"] == 5 + i);
      CHECK(lines[3 + i]["squared_distance"] == "1/16");
      CHECK(lines[3 + i]["vector"] == nlohmann::json({2 * i, 0}));
    }
  }
  request.outputPath = folder.path("stopped.jsonl");
  options.stepLimit = 20;
  const std::string part = test::partOfStopped(request, options);
  CHECK(test::contentOf(folder.path("out.jsonl")).starts_with(part));
}

TEST_CASE("a request for targets that is none is refused before anything is searched") {
  ManyRequest request;
  request.basis = "[[2 0] [1 2]]";
  CHECK(test::refusedField(request) == "");
  request.reduction = "bkz-1";
  CHECK(test::refusedField(request) == "reduction");
  request.reduction = "auto";
  request.gram = "[[1]]";
  CHECK(test::refusedField(request) == "gram");
  request.gram.clear();
  request.basis = "[[1 2] [2 4]]";
  CHECK(test::refusedField(request) == "basis");
  request.basis.clear();
  request.reduction = "lll";
  CHECK(test::refusedField(request) == "reduction");
  const test::TemporaryFolder folder;
  ManyRequest overwritten;
  overwritten.basisPath = folder.path("basis.txt");
  { std::ofstream(overwritten.basisPath) << "[[2 0] [1 2]]"; }
  overwritten.lattices = {givenTarget("[1 1]")};
  overwritten.outputPath = overwritten.basisPath;
  CHECK(test::refusedField(overwritten) != "");
}

}  // namespace targets_test
}  // namespace
