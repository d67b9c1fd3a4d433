// Theta series: coefficients of modular forms, and those of random bases of lattices whose vectors can be
// counted by hand, in several modes and over a checkpoint.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "slicepool/core/error.hpp"
#include "support/lattice/front.hpp"
#include "support/lattice/instances.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace slicepool;
using boost::multiprecision::cpp_int;
using lattice::Enumeration;
using lattice::Request;

using Series = std::vector<std::pair<std::string, std::uint64_t>>;
using Matrix = std::vector<std::vector<cpp_int>>;

/// A radius of so many times the least norm.
Request instance(const std::string& id, std::int64_t times) {
  return test::latticeRequest(
      id + ".txt", lattice::SquaredRadius(std::to_string(times * test::latticeInstance(id).shortest)));
}

Series seriesOf(const Request& request, const EngineOptions& options) {
  Enumeration enumeration(request, options);
  enumeration.run();
  return enumeration.outcome().thetaSeries;
}

std::string text(const Matrix& basis) {
  std::string rows;
  for (const auto& row : basis) {
    rows += "[";
    for (const auto& element : row) rows += element.str() + " ";
    rows += "]";
  }
  return "[" + rows + "]";
}

/// Rows sides[i] e_i, in another basis.
Matrix hiddenBox(const std::vector<cpp_int>& sides, std::mt19937_64& random) {
  const std::size_t d = sides.size();
  Matrix basis(d, std::vector<cpp_int>(d, 0));
  for (std::size_t i = 0; i < d; ++i) basis[i][i] = sides[i];
  for (int step = 0; step < 12; ++step) {
    const std::size_t i = random() % d;
    const std::size_t j = random() % d;
    if (i == j) continue;
    const int times = static_cast<int>(random() % 5) - 2;
    for (std::size_t k = 0; k < d; ++k) basis[i][k] += times * basis[j][k];
  }
  return basis;
}

/// The vectors of the box lattice of at most this squared norm, one side after the other.
Series boxSeries(const std::vector<cpp_int>& sides, const cpp_int& radius) {
  std::map<cpp_int, std::uint64_t> counts{{0, 1}};
  for (const cpp_int& side : sides) {
    std::map<cpp_int, std::uint64_t> next;
    for (const auto& [norm, vectors] : counts)
      for (cpp_int x = 0; norm + x * x * side * side <= radius; ++x)
        next[norm + x * x * side * side] += (x == 0 ? 1 : 2) * vectors;
    counts = std::move(next);
  }
  Series series;
  for (const auto& [norm, vectors] : counts) series.emplace_back(norm.str(), vectors);
  return series;
}

}  // namespace

TEST_CASE("the theta series of E8 is the Eisenstein series E4") {
  Request request = instance("e8", 5);
  request.theta = true;
  const std::int64_t least = test::latticeInstance("e8").shortest;
  Series expected{{"0", 1}};
  for (std::int64_t n = 1; n <= 5; ++n) {
    std::uint64_t cubes = 0;
    for (std::int64_t d = 1; d <= n; ++d) cubes += n % d == 0 ? static_cast<std::uint64_t>(d * d * d) : 0;
    expected.emplace_back(std::to_string(n * least), 240 * cubes);
  }
  CHECK(seriesOf(request, test::twoThreads(Mode::cpu)) == expected);
  CHECK(seriesOf(request, test::twoThreads(Mode::emulated)) == expected);
}

TEST_CASE("random bases of boxes have the series of the box, also with norms beyond 2^53") {
  std::uint64_t terms = 0;
  for (std::uint64_t seed = 0; seed < test::scaled(60); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const cpp_int unit = seed % 3 == 0 ? cpp_int(1) : seed % 3 == 1 ? cpp_int(94906265) : cpp_int(1) << 40;
    std::vector<cpp_int> sides(2 + random() % 5);
    for (auto& side : sides) side = unit * (1 + random() % 4);
    const cpp_int radius = unit * unit * (1 + random() % 12) + random() % 2;
    Request request;
    request.basis = text(hiddenBox(sides, random));
    request.squaredRadius = lattice::SquaredRadius(radius.str());
    request.theta = true;
    request.solutions = seed % 2;
    const Series expected = boxSeries(sides, radius);
    CHECK(seriesOf(request, test::twoThreads(Mode::cpu)) == expected);
    CHECK(seriesOf(request, test::twoThreads(Mode::emulated)) == expected);
    terms += expected.size();
  }
  CHECK(terms > test::scaled(60));
}

TEST_CASE("a theta series goes on from a checkpoint") {
  const test::TemporaryFolder folder;
  Request request = instance("bw16", 2);
  request.theta = true;
  const Series whole = seriesOf(request, test::twoThreads(Mode::cpu));
  REQUIRE(whole.size() > 2);
  EngineOptions options = test::twoThreads(Mode::cpu);
  options.checkpointPath = folder.path("search.ckpt");
  options.cpuBudget = 64;
  options.stepLimit = 20'000;
  Series series;
  int runs = 0;
  for (bool finished = false; !finished; ++runs) {
    Enumeration enumeration(request, options);
    CHECK(enumeration.resumeIfSaved() == (runs != 0));
    enumeration.run();
    finished = enumeration.finished();
    series = enumeration.outcome().thetaSeries;
  }
  CHECK(runs > 1);
  CHECK(series == whole);
}

TEST_CASE("what leaves vectors out does not go with a theta series") {
  const auto refusal = [](Request request) -> std::string {
    request.theta = true;
    try {
      const Enumeration enumeration(request, {});
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  };
  Request request = instance("e8", 1);
  request.squaredRadius = {};
  request.fixedRadius = false;
  CHECK(refusal(request).find("theta") != std::string::npos);
  request = instance("e8", 1);
  request.first = 3;
  CHECK(refusal(request).find("first 3") != std::string::npos);
  request = instance("e8", 1);
  request.pruning.assign(8, 1.0);
  CHECK(refusal(request).find("pruning") != std::string::npos);
  request = instance("e8", 1);
  request.shards = 2;
  CHECK(refusal(request).find("2 shards") != std::string::npos);
}
