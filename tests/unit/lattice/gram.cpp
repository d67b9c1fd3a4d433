// Lattices by their Gram matrices, shells and both signs: every coefficient vector of a box, tried in
// integers; famous lattices in bad coordinates; entries beyond machine integers; what is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "runtime/lattice/reduction.hpp"
#include "slicepool/core/error.hpp"
#include "support/lattice/front.hpp"
#include "support/lattice/instances.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

namespace {
namespace gram_test {

using namespace slicepool;
using boost::multiprecision::cpp_int;
using lattice::Outcome;
using lattice::Request;

using Matrix = std::vector<std::vector<cpp_int>>;
using Vector = std::vector<std::int64_t>;

Matrix gramOf(const Matrix& basis) {
  Matrix gram(basis.size(), std::vector<cpp_int>(basis.size()));
  for (std::size_t i = 0; i < basis.size(); ++i)
    for (std::size_t j = 0; j < basis.size(); ++j)
      for (std::size_t k = 0; k < basis[i].size(); ++k) gram[i][j] += basis[i][k] * basis[j][k];
  return gram;
}

void scramble(Matrix& basis, std::mt19937_64& random, int steps) {
  for (int step = 0; step < steps && basis.size() > 1; ++step) {
    const std::size_t i = random() % basis.size();
    const std::size_t j = random() % basis.size();
    if (i == j) continue;
    const int times = static_cast<int>(random() % 5) - 2;
    for (std::size_t k = 0; k < basis[i].size(); ++k) basis[i][k] += times * basis[j][k];
  }
}

Matrix named(const std::string& id) {
  Matrix basis;
  for (const auto& row : test::latticeInstance(id).basis) basis.emplace_back(row.begin(), row.end());
  return basis;
}

cpp_int determinant(const Matrix& matrix) {  // by the first row
  if (matrix.empty()) return 1;
  cpp_int sum = 0;
  for (std::size_t j = 0; j < matrix.size(); ++j) {
    Matrix minor;
    for (std::size_t i = 1; i < matrix.size(); ++i) {
      minor.push_back(matrix[i]);
      minor.back().erase(minor.back().begin() + static_cast<std::ptrdiff_t>(j));
    }
    const cpp_int term = matrix[0][j] * determinant(minor);
    sum += j % 2 == 0 ? term : cpp_int(-term);
  }
  return sum;
}

/// Vectors x with lo <= x G x <= hi, by trying all of the box |x_i|^2 <= hi (G^-1)_ii. False: too many.
bool bruteForce(const Matrix& gram, const cpp_int& lo, const cpp_int& hi, std::map<Vector, cpp_int>& found) {
  const std::size_t d = gram.size();
  const cpp_int whole = determinant(gram);
  Vector most(d);
  double boxes = 1;
  for (std::size_t i = 0; i < d; ++i) {
    Matrix minor = gram;
    minor.erase(minor.begin() + static_cast<std::ptrdiff_t>(i));
    for (auto& row : minor) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
    most[i] = static_cast<std::int64_t>(sqrt(cpp_int(hi * determinant(minor) / whole)));
    boxes *= 2.0 * static_cast<double>(most[i]) + 1;
  }
  if (boxes > 60'000) return false;
  Vector x(d);
  for (std::size_t i = 0; i < d; ++i) x[i] = -most[i];
  for (;;) {
    cpp_int norm = 0;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) norm += gram[i][j] * x[i] * x[j];
    if (norm >= lo && norm <= hi && norm > 0) found[x] = norm;
    std::size_t i = 0;
    for (; i < d && x[i] == most[i]; ++i) x[i] = -most[i];
    if (i == d) return true;
    ++x[i];
  }
}

std::string refusal(const Request& request) {
  try {
    const lattice::Enumeration enumeration(request, test::twoThreads(Mode::cpu));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

Request byGram(const std::string& gram) {
  Request request;
  request.gram = gram;
  request.reduction = lattice::fplllLinked() ? "auto" : "none";
  return request;
}

TEST_CASE("vectors of random Gram matrices, shells and both signs are those of a box tried in integers") {
  std::uint64_t vectors = 0;
  for (std::uint64_t seed = 0; seed < test::scaled(120); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const std::size_t d = 1 + random() % 4;
    Matrix basis(d, std::vector<cpp_int>(d));
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) basis[i][j] = static_cast<int>(random() % 5) - 2;
      basis[i][i] += 5;
    }
    if (lattice::fplllLinked()) scramble(basis, random, 3);
    Matrix gram = gramOf(basis);
    // A form that no integer matrix of this dimension is the basis of.
    if (seed % 2 == 0) gram[0][0] += 1;
    // Norms of more than 53 and of more than 64 bits too.
    const cpp_int scale = seed % 3 == 0 ? cpp_int(1) : seed % 3 == 1 ? cpp_int(1) << 45 : cpp_int(1) << 70;
    for (auto& row : gram)
      for (auto& element : row) element *= scale;
    if (scale > 1) gram[0][0] += 1;
    cpp_int lo = 0;
    const cpp_int hi = gram[d - 1][d - 1] + 1;
    if (seed % 4 >= 2) lo = gram[d - 1][d - 1] - static_cast<int>(seed % 2);
    std::map<Vector, cpp_int> expected;
    if (!bruteForce(gram, lo, hi, expected)) continue;
    Request request = byGram(test::matrixText(gram));
    if (!lattice::fplllLinked() && refusal(request) != "accepted") continue;
    request.squaredRadius = lattice::SquaredRadius(hi.str());
    if (lo > 0) request.minimumSquaredNorm = lattice::SquaredRadius(lo.str());
    request.solutions = expected.size() + 2;
    for (const Mode mode : {Mode::cpu, Mode::emulated}) {
      for (const bool both : {false, true}) {
        request.bothSigns = both;
        request.fixedRadius = true;
        const Outcome outcome = test::runLattice(request, test::twoThreads(mode));
        CHECK(outcome.count == (both ? expected.size() : expected.size() / 2));
        std::map<Vector, cpp_int> found;
        for (const auto& solution : outcome.solutions) {
          found[solution.vector] = cpp_int(solution.squaredNorm);
          if (both) continue;
          Vector opposite = solution.vector;
          for (auto& x : opposite) x = -x;
          found[opposite] = cpp_int(solution.squaredNorm);
        }
        CHECK(found == expected);
        CHECK(std::is_sorted(
            outcome.solutions.begin(), outcome.solutions.end(),
            [](const auto& a, const auto& b) { return cpp_int(a.squaredNorm) < cpp_int(b.squaredNorm); }));
      }
    }
    vectors += expected.size();
  }
  CHECK(vectors > test::scaled(120));
}

TEST_CASE("famous lattices have the theta series of their bases in bad coordinates") {
  if (!lattice::fplllLinked()) return;
  for (const auto& entry : std::vector<std::pair<std::string, int>>{{"e8", 3}, {"bw16", 2}}) {
    if (entry.first == "bw16" && !test::runsAll()) continue;
    const auto& id = entry.first;
    const auto& times = entry.second;
    CAPTURE(id);
    std::mt19937_64 random(7);
    Matrix basis = named(id);
    Request plain;
    plain.basis = test::matrixText(basis);
    plain.squaredRadius = lattice::SquaredRadius(times * test::latticeInstance(id).shortest);
    plain.theta = true;
    scramble(basis, random, 400);
    Request request = byGram(test::matrixText(gramOf(basis)));
    request.squaredRadius = plain.squaredRadius;
    request.theta = true;
    const auto series = test::runLattice(plain).thetaSeries;
    CHECK(test::runLattice(request, test::twoThreads(Mode::cpu)).thetaSeries == series);
    CHECK(test::runLattice(request, test::twoThreads(Mode::emulated)).thetaSeries == series);
    request.reduction = "bkz-4";
    CHECK(test::runLattice(request).thetaSeries == series);
    // The last term alone: a shell.
    request.minimumSquaredNorm = request.squaredRadius;
    const Outcome shell = test::runLattice(request);
    CHECK(shell.thetaSeries == decltype(series){series.back()});
    CHECK(2 * shell.count == series.back().second);
  }
}

TEST_CASE("coordinates of large entries are exact") {
  if (!lattice::fplllLinked()) return;
  std::mt19937_64 random(3);
  Matrix basis = named("e8");
  scramble(basis, random, 1200);  // some hundred digits
  const Matrix gram = gramOf(basis);
  Request request = byGram(test::matrixText(gram));
  request.squaredRadius = lattice::SquaredRadius(test::latticeInstance("e8").shortest);
  request.solutions = 200;
  const Outcome outcome = test::runLattice(request);
  REQUIRE(outcome.solutions.size() == 120);
  for (const auto& solution : outcome.solutions) {
    std::istringstream words(solution.text.substr(1, solution.text.size() - 2));
    std::vector<cpp_int> x;
    for (std::string word; words >> word;) x.emplace_back(word);
    REQUIRE(x.size() == 8);
    cpp_int norm = 0;
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t j = 0; j < 8; ++j) norm += gram[i][j] * x[i] * x[j];
    CHECK(norm.str() == solution.squaredNorm);
  }
}

TEST_CASE("the bounds of a shell are exact, also where doubles do not tell norms apart") {
  for (const unsigned bits : {4U, 40U, 60U, 90U}) {
    const cpp_int least = cpp_int(1) << bits;
    Matrix gram(6, std::vector<cpp_int>(6));
    for (std::size_t i = 0; i < 6; ++i) gram[i][i] = least + i;  // and sums of two of them, which are longer
    Request request = byGram(test::matrixText(gram));
    for (int lo = 0; lo < 6; ++lo) {
      for (int hi = lo; hi < 6; ++hi) {
        CAPTURE(bits);
        CAPTURE(lo);
        CAPTURE(hi);
        request.squaredRadius = lattice::SquaredRadius(cpp_int(least + hi).str());
        request.minimumSquaredNorm = lattice::SquaredRadius(cpp_int(least + lo).str());
        request.solutions = 10;
        const Outcome outcome =
            test::runLattice(request, test::twoThreads(lo % 2 == 0 ? Mode::cpu : Mode::emulated));
        CHECK(outcome.count == static_cast<std::uint64_t>(hi - lo + 1));
        REQUIRE(outcome.solutions.size() == outcome.count);
        CHECK(outcome.solutions[0].squaredNorm == cpp_int(least + lo).str());
        // Rounded up to the next integer.
        request.minimumSquaredNorm = lattice::SquaredRadius(cpp_int(least + lo).str() + ".25");
        request.squaredRadius = lattice::SquaredRadius(cpp_int(least + hi).str() + ".5");
        CHECK(test::runLattice(request).count == static_cast<std::uint64_t>(hi - lo));
      }
    }
  }
}

TEST_CASE("arrays have room for coordinates that are far longer than the radius") {
  if (!lattice::fplllLinked()) return;
  const test::TemporaryFolder folder;
  for (const int steps : {0, 25, 60, 120}) {
    CAPTURE(steps);
    std::mt19937_64 random(11);
    Matrix basis = named("e8");
    scramble(basis, random, steps);
    Request request = byGram(test::matrixText(gramOf(basis)));
    request.squaredRadius = lattice::SquaredRadius(test::latticeInstance("e8").shortest);
    request.solutions = 200;
    request.outputPath = folder.path("vectors.npy");
    const Outcome outcome = test::runLattice(request);
    std::vector<Vector> expected;
    for (const auto& solution : outcome.solutions) expected.push_back(solution.vector);
    REQUIRE(expected.size() == 120);
    CHECK(test::npyRows(request.outputPath) == expected);
  }
}

TEST_CASE("a file of a shell with both signs goes on from a checkpoint") {
  const test::TemporaryFolder folder;
  const bool all = test::runsAll();
  const std::string id = all ? "bw16" : "e8";
  Request request = byGram(test::matrixText(gramOf(named(id))));
  const std::int64_t least = test::latticeInstance(id).shortest;
  request.squaredRadius = lattice::SquaredRadius((all ? 2 : 4) * least);
  request.minimumSquaredNorm = lattice::SquaredRadius(least + 1);
  request.bothSigns = true;
  request.solutions = lattice::kAllSolutions;
  request.outputPath = folder.path("whole.npy");
  const Outcome whole = test::runLattice(request, test::twoThreads(Mode::emulated));
  auto rows = test::npyRows(request.outputPath);
  CHECK(rows.size() == whole.count);
  std::set<Vector> set(rows.begin(), rows.end());
  CHECK(set.size() == whole.count);
  for (Vector row : rows) {
    for (auto& x : row) x = -x;
    CHECK(set.count(row) == 1);
  }
  request.outputPath = folder.path("parts.npy");
  EngineOptions options = test::twoThreads(Mode::cpu);
  options.checkpointPath = folder.path("search.ckpt");
  options.cpuBudget = 64;
  options.stepLimit = all ? 20'000 : 1000;
  Outcome outcome;
  int runs = 0;
  for (bool finished = false; !finished; ++runs) {
    lattice::Enumeration enumeration(request, options);
    CHECK(enumeration.resumeIfSaved() == (runs != 0));
    enumeration.run();
    finished = enumeration.finished();
    outcome = enumeration.outcome();
  }
  CHECK(runs > 1);
  // One of other vectors is refused.
  options.checkpointPath = folder.path("other.ckpt");
  lattice::Enumeration stopped(request, options);
  stopped.run();
  REQUIRE(!stopped.finished());
  for (const bool signs : {true, false}) {
    Request other = request;
    other.bothSigns = signs;
    if (signs) other.minimumSquaredNorm = lattice::SquaredRadius(least + 2);
    other.outputPath = folder.path("parts.npy");
    lattice::Enumeration enumeration(other, options);
    CHECK_THROWS_AS((void)enumeration.resumeIfSaved(), CheckpointError);
  }
  CHECK(outcome.count == whole.count);
  CHECK(outcome.fingerprint == whole.fingerprint);
  rows = test::npyRows(request.outputPath);
  CHECK(rows.size() == whole.count);
  CHECK(std::set<Vector>(rows.begin(), rows.end()) == set);
}

TEST_CASE("shards of a shell add up, and a search stops at the first of it") {
  Request request = byGram(test::matrixText(gramOf(named("bw16"))));
  const std::int64_t least = test::latticeInstance("bw16").shortest;
  request.squaredRadius = lattice::SquaredRadius(2 * least);
  request.minimumSquaredNorm = lattice::SquaredRadius(std::to_string(least) + ".5");
  request.bothSigns = true;
  const Outcome whole = test::runLattice(request);
  std::uint64_t count = 0;
  Fingerprint fingerprint;
  request.shards = 3;
  for (request.shard = 0; request.shard < 3; ++request.shard) {
    const Outcome part = test::runLattice(request);
    count += part.count;
    fingerprint.sum += part.fingerprint.sum;
    fingerprint.exclusiveOr ^= part.fingerprint.exclusiveOr;
  }
  CHECK(count == whole.count);
  CHECK(fingerprint == whole.fingerprint);
  request.shards = 1;
  request.shard = 0;
  request.first = 10;
  const Outcome some = test::runLattice(request);
  CHECK(some.count == 10);
  CHECK(some.solutions.size() == 10);
  CHECK(cpp_int(some.shortestSquaredNorm) > least);
}

TEST_CASE("what is no Gram matrix is refused with its place") {
  const auto says = [](const std::string& gram, const std::string& what) {
    CAPTURE(gram);
    const std::string message = refusal(byGram(gram));
    CAPTURE(message);
    CHECK(message.find(what) != std::string::npos);
  };
  says("[[2 1][0 2]]", "gram: row 2, column 1: got 0; accepted: 1, which stands in row 1, column 2");
  says("[[2 1 0][1 2 0]]", "2 rows of 3 numbers");
  says("[[2 1][1 -7]]", "row 2, column 2: got -7");
  says("[[2 3][3 4]]", "row 2, column 1: got 3; accepted: less than the root of 2 times 4");
  says("[[2 1 -1][1 2 1][-1 1 2]]", "row 3: got 0, the determinant of the first 3 rows");
  says("[[3 2 -2][2 3 2][-2 2 3]]", "row 3: got -25, the determinant of the first 3 rows");
  says("[[2 1][1", "line 1, column");
  Request request = byGram("[[2]]");
  request.basis = "[[1]]";
  CHECK(refusal(request).find("together with a basis") != std::string::npos);
  request = byGram("[[2]]");
  request.minimumSquaredNorm = 2;
  CHECK(refusal(request).find("minimum_squared_norm") != std::string::npos);
  request.squaredRadius = "1.9";
  CHECK(refusal(request).find("at most the squared radius, 1.9") != std::string::npos);
  request.squaredRadius = "2.5";
  request.bothSigns = true;
  request.first = 3;
  CHECK(refusal(request).find("an even number") != std::string::npos);
}

}  // namespace gram_test
}  // namespace
