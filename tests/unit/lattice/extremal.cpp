// Extremal lattices: theta series that are known as modular forms (Barnes-Wall, Leech), and P48q, an even
// unimodular lattice of dimension 48 whose least norm is 6, from its code to the vectors of its reduced
// basis.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "support/lattice/front.hpp"
#include "support/lattice/modular_forms.hpp"
#include "support/lattice/ternary_code.hpp"

namespace {
namespace extremal_test {

using namespace slicepool;
using boost::multiprecision::cpp_int;
using test::PowerSeries;
using test::TernaryWord;

using Series = std::vector<std::pair<std::string, std::uint64_t>>;
using Row = std::vector<std::int64_t>;
using Matrix = std::vector<Row>;

constexpr int kDimension = test::kCodeLength;
/// Coordinates of these files are those of the lattice times 2 sqrt 3.
constexpr std::int64_t kScale = 12;

/// Terms of norms n * unit, n = 0, 1, ..
Series seriesOf(const PowerSeries& form, std::int64_t unit) {
  Series series;
  for (std::size_t n = 0; n < form.size(); ++n)
    if (form[n] != 0)
      series.emplace_back(std::to_string(unit * static_cast<std::int64_t>(n)),
                          static_cast<std::uint64_t>(form[n]));
  return series;
}

std::int64_t dot(const Row& a, const Row& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Lattices of dimension 48 by the files of their bases, and their codes.
std::map<std::string, test::Generator> lattices48() {
  return {{"p48p.txt", test::symmetryCode()}, {"p48q.txt", test::quadraticResidueCode()}};
}

/// Inner products of the lattice. Fails where one is no integer.
Matrix gramOf(const Matrix& basis) {
  Matrix gram;
  for (const auto& a : basis) {
    gram.emplace_back();
    for (const auto& b : basis) {
      const std::int64_t product = dot(a, b);
      REQUIRE(product % kScale == 0);
      gram.back().push_back(product / kScale);
    }
  }
  return gram;
}

/// By elimination without fractions (Bareiss 1968), of a matrix whose leading minors are not zero.
cpp_int determinant(const Matrix& matrix) {
  std::vector<std::vector<cpp_int>> m;
  for (const auto& row : matrix) m.emplace_back(row.begin(), row.end());
  cpp_int last = 1;
  for (std::size_t k = 0; k + 1 < m.size(); ++k) {
    for (std::size_t i = k + 1; i < m.size(); ++i)
      for (std::size_t j = k + 1; j < m.size(); ++j)
        m[i][j] = cpp_int(m[i][j] * m[k][k] - m[i][k] * m[k][j]) / last;
    last = m[k][k];
  }
  return m.back().back();
}

/// The lattice: (2 x + 3 s) / (2 sqrt 3), s = 0 or 1 in all places, x modulo 3 in the code, the sum of x as
/// odd as s.
bool isInLattice(const Row& row, const test::Generator& code) {
  const std::int64_t odd = std::abs(row[0] % 2);
  TernaryWord word;
  std::int64_t sum = 0;
  for (int i = 0; i < kDimension; ++i) {
    const std::int64_t entry = row[static_cast<std::size_t>(i)];
    if (std::abs(entry % 2) != odd) return false;
    const std::int64_t x = (entry - 3 * odd) / 2;
    sum += x;
    const std::int64_t remainder = (x % 3 + 3) % 3;
    if (remainder == 1) word.plus |= std::uint64_t{1} << i;
    if (remainder == 2) word.minus |= std::uint64_t{1} << i;
  }
  if (std::abs(sum % 2) != odd) return false;
  // The code is its own dual.
  return std::all_of(code.begin(), code.end(), [&word](const auto& w) { return innerProduct(w, word) == 0; });
}

/// Of an extremal self-dual code of length 48: coefficient n counts words of weight 3 n. By Gleason's theorem
/// its enumerator is a combination of (x^4 + 8 x y^3)^(12 - 3 j) (y^3 (x^3 - y^3)^3)^j; words of weights 3 to
/// 12 are missing.
PowerSeries extremalWeights() {
  PowerSeries g(17, 0);
  g[0] = 1;
  g[1] = 8;
  PowerSeries h(17, 0);
  h[1] = 1;
  h[2] = -3;
  h[3] = 3;
  h[4] = -1;
  PowerSeries weights = test::power(g, 12);
  for (int j = 1; j <= 4; ++j)
    weights = test::combination(weights, -weights[static_cast<std::size_t>(j)],
                                test::product(test::power(g, 12 - 3 * j), test::power(h, j)));
  return weights;
}

TEST_CASE("extremal modular forms have the published coefficients") {
  // Conway and Sloane, Sphere Packings, Lattices and Groups, chapters 4 and 7.
  CHECK(test::extremalForm(8, 5) == PowerSeries{1, 240, 2160, 6720, 17520});
  CHECK(test::extremalForm(24, 5) == PowerSeries{1, 0, 196560, 16773120, 398034000});
  CHECK(test::extremalForm(48, 6) == PowerSeries{1, 0, 0, 52416000, 39007332000, 6609020221440});
  CHECK(test::barnesWall16(6) == PowerSeries{1, 0, 4320, 61440, 522720, 2211840});
}

TEST_CASE("the theta series of the Leech and the Barnes-Wall lattice are those forms") {
  const auto found = [](const std::string& id, std::int64_t radius, Mode mode) {
    lattice::Request request =
        test::latticeRequest(id + ".txt", lattice::SquaredRadius(std::to_string(radius)));
    request.theta = true;
    return test::runLattice(request, test::twoThreads(mode)).thetaSeries;
  };
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    CHECK(found("leech", 32, mode) == seriesOf(test::extremalForm(24, 3), 16));
    CHECK(found("bw16", 12, mode) == seriesOf(test::barnesWall16(4), 4));
  }
  CHECK(found("bw16", 16, Mode::cpu) == seriesOf(test::barnesWall16(5), 4));
}

TEST_CASE(
    "the codes of P48p and P48q are self-dual, have no word of a weight below 15, and their words of weight "
    "48 have evenly many ones") {
  const TernaryWord ones{(std::uint64_t{1} << kDimension) - 1, 0};
  const PowerSeries weights = extremalWeights();
  CHECK(weights[5] == 415104);
  CHECK(weights[16] == 96);
  for (const auto& lattice48 : lattices48()) {
    const std::string& file = lattice48.first;
    const test::Generator& code = lattice48.second;
    CAPTURE(file);
    const auto other = test::otherInformationSet(code);
    bool selfDual = true;
    for (const auto& a : code)
      for (const auto& rows : {code, other})
        for (const auto& b : rows) selfDual = selfDual && innerProduct(a, b) == 0;
    REQUIRE(selfDual);
    CHECK(
        std::all_of(code.begin(), code.end(), [&ones](const auto& w) { return innerProduct(w, ones) == 0; }));
    // A word of weight 12 has at most 6 elements other than zero in one of the two information sets, one of
    // weight 15 at most 7 in exactly one. Weights are multiples of 3.
    std::array<std::uint64_t, kDimension + 1> words{};
    for (const auto& rows : {code, other})
      test::forCombinations(
          rows, 7, [&words](const TernaryWord& w) { ++words[static_cast<std::size_t>(w.weight())]; });
    for (std::size_t weight = 0; weight < 15; ++weight) CHECK(words[weight] == 0);
    CHECK(2 * words[15] == 415104);
    std::uint64_t full = 0;
    bool even = true;
    test::forFullCombinations(code, [&full, &even](const TernaryWord& word) {
      if (word.weight() != kDimension) return;
      full += 2;
      even = even && std::popcount(word.plus) % 2 == 0;
    });
    CHECK(full == 96);
    CHECK(even);
  }
  // So these are all vectors of norm 6, by their coordinates times sqrt 3: words of weight 15 with one
  // element doubled and its sign changed, words of weight 18, +-3 in two places; in the coset 45 halves and 3
  // three-halves, whose signs have one parity, or 47 halves and a five-half.
  CHECK(15 * weights[5] + weights[6] + 4 * (48 * 47 / 2) + 4 * weights[15] + 48 * weights[16] == 52'416'000);
}

TEST_CASE("the bases of P48p and P48q are in the lattices of the codes, even and unimodular") {
  for (const auto& lattice48 : lattices48()) {
    const std::string& file = lattice48.first;
    const test::Generator& code = lattice48.second;
    CAPTURE(file);
    const Matrix basis = test::parseBasis(test::latticeFile(file));
    REQUIRE(basis.size() == kDimension);
    for (const auto& row : basis) CHECK(isInLattice(row, code));
    const Matrix gram = gramOf(basis);
    for (std::size_t i = 0; i < gram.size(); ++i) CHECK(gram[i][i] % 2 == 0);
    CHECK(determinant(gram) == 1);
  }
}

TEST_CASE(
    "P48p and P48q by Gram matrices: nothing of norm 2, and vectors of norm 6 with inner products of at most "
    "3") {
  for (const auto& lattice48 : lattices48()) {
    const std::string& file = lattice48.first;
    const test::Generator& code = lattice48.second;
    CAPTURE(file);
    const Matrix basis = test::parseBasis(test::latticeFile(file));
    lattice::Request request;
    request.gram = test::matrixText(gramOf(basis));
    request.reduction = "none";
    request.squaredRadius = "2";
    request.theta = true;
    for (const Mode mode : {Mode::cpu, Mode::emulated})
      CHECK(test::runLattice(request, test::twoThreads(mode)).thetaSeries == Series{{"0", 1}});
    request.theta = false;
    request.squaredRadius = "6";
    request.fixedRadius = true;
    request.first = 100;
    request.solutions = 100;
    const auto outcome = test::runLattice(request, test::twoThreads(Mode::cpu));
    REQUIRE(outcome.solutions.size() == 100);
    std::set<Row> vectors;
    for (const auto& solution : outcome.solutions) {
      CHECK(solution.squaredNorm == "6");
      Row vector(kDimension, 0);
      for (std::size_t i = 0; i < vector.size(); ++i)
        for (std::size_t j = 0; j < vector.size(); ++j) vector[j] += solution.vector[i] * basis[i][j];
      CHECK(isInLattice(vector, code));
      CHECK(dot(vector, vector) == 6 * kScale);
      vectors.insert(vector);
    }
    CHECK(vectors.size() == 100);
    std::map<std::int64_t, int> products;
    for (const auto& a : vectors)
      for (const auto& b : vectors) ++products[dot(a, b) / kScale];
    for (const auto& one : products) {
      CAPTURE(one.first);
      CHECK((std::abs(one.first) <= 3 || (one.first == 6 && one.second == 100)));
    }
  }
}

}  // namespace extremal_test
}  // namespace
