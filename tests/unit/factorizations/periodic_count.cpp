// Numbers of factorizations by the period of the generators, against the counting table and, far beyond it,
// against the polynomial through values of the table.
#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "runtime/factorizations/periodic_count.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/enumeration.hpp"
#include "support/scale.hpp"
#include "support/worker_options.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using Integer = boost::multiprecision::cpp_int;

namespace {

constexpr std::size_t kBytes = std::size_t{1} << 28;
constexpr std::uint64_t kMaximum = (std::uint64_t{1} << 63) - 1;

Integer byTable(const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  std::vector<Integer> counts(element + 1);
  counts[0] = 1;
  for (const std::uint64_t g : generators)
    for (std::uint64_t n = g; n <= element; ++n) counts[n] += counts[n - g];
  return counts[element];
}

/// Newton's polynomial through the values at element mod period, and so on, a period apart.
Integer byDifferences(const std::vector<std::uint64_t>& generators, std::uint64_t period,
                      std::uint64_t element) {
  std::vector<Integer> values;
  for (std::size_t i = 0; i < generators.size(); ++i)
    values.push_back(byTable(generators, element % period + i * period));
  Integer sum = 0;
  Integer choose = 1;
  for (std::size_t order = 0; order < generators.size(); ++order) {
    sum += choose * values[0];
    choose = choose * (Integer(element / period) - order) / (order + 1);
    for (std::size_t i = 0; i + 1 < values.size(); ++i) values[i] = values[i + 1] - values[i];
    values.pop_back();
  }
  return sum;
}

std::uint64_t multipleOf(const std::vector<std::uint64_t>& generators) {
  std::uint64_t multiple = 1;
  for (const std::uint64_t g : generators) multiple = std::lcm(multiple, g);
  return multiple;
}

}  // namespace

TEST_CASE("a count by periods is that of the table, and of the polynomial beyond it") {
  std::mt19937_64 random(20261125);
  for (std::size_t i = 0; i < test::scaled(200); ++i) {
    std::vector<std::uint64_t> generators(1 + random() % 5);
    for (auto& g : generators) g = 1 + random() % 14;
    const std::uint64_t factor = 1 + random() % 3;
    for (auto& g : generators) g *= factor;
    const std::uint64_t small = random() % 400;
    CAPTURE(i);
    CHECK(periodicCount(generators, small, kBytes) == byTable(generators, small).str());
    const std::uint64_t large = kMaximum - random() % 1000;
    if (generators.size() < 5)
      CHECK(periodicCount(generators, large, kBytes) ==
            byDifferences(generators, multipleOf(generators), large).str());
  }
  CHECK(periodicCount({1, 2}, kMaximum, kBytes) == std::to_string(kMaximum / 2 + 1));
  CHECK(periodicCount({4, 6}, kMaximum, kBytes) == "0");
  CHECK(periodicCount({kMaximum}, kMaximum, kBytes) == "1");
}

TEST_CASE("a count by periods is left to others where it takes too much") {
  CHECK_FALSE(periodicCount({999983, 1000003}, kMaximum, kBytes));
  CHECK_FALSE(periodicCount({6, 9, 20}, kMaximum, 1000));
  CHECK_FALSE(periodicCount(std::vector<std::uint64_t>(64, 1), kMaximum, 1000));
  // The sum of the coefficients is 2520^16 / .., beyond 128 bits.
  std::vector<std::uint64_t> many;
  for (std::uint64_t g = 1; g <= 10; ++g) many.insert(many.end(), 2, g);
  CHECK_FALSE(periodicCount(many, kMaximum, kBytes));
}

TEST_CASE("the count of an element beyond every table is read and not enumerated") {
  Request request;
  request.generators = {6, 9, 20};
  request.element = kMaximum;
  Enumeration enumeration(request, test::onCpu(1));
  enumeration.run();
  const Outcome outcome = enumeration.outcome();
  CHECK(outcome.count == byDifferences({6, 9, 20}, 180, kMaximum).str());
  CHECK(outcome.countedByTable);
  CHECK(outcome.run.steps == 0);
  // Where no table or period tells the number, a search that cannot end is refused, unless it is insisted on.
  request.generators = {999983, 1000003, 1000033, 1000037, 1000039, 1000081};
  CHECK_THROWS_WITH_AS((Enumeration{request, test::onCpu(1)}),
                       doctest::Contains("too many to visit one by one"), LimitError);
  request.algorithm = Algorithm::candidate;
  CHECK_NOTHROW((Enumeration{request, test::onCpu(1)}));
}
