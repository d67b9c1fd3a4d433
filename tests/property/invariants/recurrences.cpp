// Invariants by recurrences against their definitions: numbers of factorizations and lengths of elements,
// and the invariants of semigroups.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <random>
#include <set>

#include "slicepool/core/error.hpp"
#include "slicepool/invariants/elements.hpp"
#include "slicepool/invariants/enumeration.hpp"
#include "slicepool/invariants/numerical_semigroup.hpp"
#include "support/invariants/oracle.hpp"
#include "support/scale.hpp"
#include "support/worker_options.hpp"

using namespace slicepool;
using namespace slicepool::invariants;
using namespace slicepool::test;

namespace {

std::map<std::uint64_t, std::uint64_t> lengthsByDefinition(const std::vector<Vector>& rows) {
  std::map<std::uint64_t, std::uint64_t> lengths;
  for (const auto& row : rows) ++lengths[lengthOf(row)];
  return lengths;
}

/// Greatest value of an invariant over all elements up to `last`, by definition.
template <class Value>
std::uint64_t greatestUpTo(const Vector& generators, std::uint64_t last, const Value& value) {
  std::uint64_t greatest = 0;
  for (std::uint64_t n = 0; n <= last; ++n) {
    const auto rows = bruteForce(generators, n);
    if (!rows.empty()) greatest = std::max<std::uint64_t>(greatest, value(rows));
  }
  return greatest;
}

}  // namespace

TEST_CASE("invariants: numbers of factorizations and lengths of all integers in one pass") {
  for (std::uint64_t seed = 0; seed < scaled(60); ++seed) {
    std::mt19937_64 random(seed);
    CAPTURE(seed);
    Vector generators(1 + random() % 5);
    for (auto& generator : generators) generator = 1 + random() % 25;
    const std::uint64_t last = 30 + random() % 60;
    std::vector<std::uint64_t> elements;
    for (std::uint64_t n = 0; n <= last; ++n) elements.push_back(last - n);
    elements.push_back(last / 2);  // one of them twice
    const auto all = elementLengths(generators, elements, {true, true, true, true});
    const auto sets = elementLengths(generators, elements, {.lengthSet = true});
    const auto ranges = elementLengths(generators, elements, {.range = true});
    const auto counts = denumerants(generators, last);
    for (std::size_t at = 0; at < elements.size(); ++at) {
      const auto lengths = lengthsByDefinition(bruteForce(generators, elements[at]));
      std::uint64_t number = 0;
      std::vector<std::pair<std::uint64_t, Integer>> histogram;
      Vector set;
      for (const auto& [length, times] : lengths) {
        number += times;
        histogram.emplace_back(length, times);
        set.push_back(length);
      }
      REQUIRE(all[at].element == elements[at]);
      REQUIRE(all[at].denumerant == number);
      REQUIRE(counts[elements[at]] == number);
      REQUIRE(all[at].histogram == histogram);
      REQUIRE(all[at].lengthSet == set);
      REQUIRE(sets[at].lengthSet == set);
      for (const auto* one : {&all[at], &sets[at], &ranges[at]}) {
        REQUIRE(one->minimumLength == (set.empty() ? 0 : set.front()));
        REQUIRE(one->maximumLength == (set.empty() ? 0 : set.back()));
      }
    }
  }
}

TEST_CASE("invariants: numbers beyond 64 and 128 bits are exact") {
  for (const std::size_t dimension : {14U, 40U}) {
    Vector generators(dimension);
    std::iota(generators.begin(), generators.end(), 1);
    const std::uint64_t n = 4000;
    const auto found = elementLengths(generators, {n}, {.denumerant = true, .histogram = true}).at(0);
    Integer sum = 0;
    for (const auto& [length, number] : found.histogram) sum += number;
    CHECK(msb(sum) > (dimension == 14 ? 64U : 128U));
    CHECK(found.denumerant == sum);
    CHECK(denumerants(generators, n).back() == sum);
    // Partitions into at most `dimension` parts are those into parts up to it; one of length 1 needs n <= d.
    CHECK(found.histogram.front().first == (n + dimension - 1) / dimension);
    CHECK(found.histogram.back() == std::pair<std::uint64_t, Integer>{n, 1});
  }
}

TEST_CASE("invariants: mean, variance and modes of lengths") {
  const std::vector<std::pair<std::uint64_t, Integer>> histogram{{3, 1}, {7, 2}, {9, 2}, {10, 1}};
  CHECK(meanLength(histogram) == Fraction{15, 2});
  CHECK(lengthVariance(histogram) == Fraction{21, 4});
  CHECK(lengthModes(histogram) == std::vector<std::uint64_t>{7, 9});
  CHECK(meanLength({{0, 1}}) == Fraction{0, 1});
}

TEST_CASE("invariants: what follows from the Apéry set") {
  for (std::uint64_t seed = 0; seed < scaled(200); ++seed) {
    std::mt19937_64 random(seed);
    CAPTURE(seed);
    const Vector generators = randomSemigroup(random, 1 + random() % 6, 30);
    CAPTURE(generators);
    const NumericalSemigroup semigroup(generators);
    Vector sorted = generators;
    std::sort(sorted.begin(), sorted.end());
    REQUIRE(semigroup.generators() == sorted);
    constexpr std::uint64_t kLast = 2000;
    const auto elements = elementsUpTo(generators, kLast);
    std::int64_t frobenius = -1;
    std::uint64_t genus = 0;
    for (std::uint64_t n = 0; n <= kLast; ++n) {
      REQUIRE(semigroup.contains(n) == elements[n]);
      if (elements[n]) continue;
      frobenius = static_cast<std::int64_t>(n);
      ++genus;
    }
    REQUIRE(semigroup.frobenius() == frobenius);
    REQUIRE(semigroup.genus() == genus);
    std::vector<std::int64_t> pseudo;
    for (std::int64_t x = -1; x <= frobenius; ++x) {
      bool all = x < 0 ? frobenius == -1 : !elements[static_cast<std::size_t>(x)];
      for (const std::uint64_t generator : generators)
        all = all && elements[static_cast<std::size_t>(x + static_cast<std::int64_t>(generator))];
      if (all) pseudo.push_back(x);
    }
    REQUIRE(semigroup.pseudoFrobenius() == pseudo);
    // Wilf's and Eliahou's numbers by their definitions.
    const std::uint64_t c = semigroup.conductor();
    const std::uint64_t m = semigroup.multiplicity();
    const std::uint64_t q = (c + m - 1) / m;
    std::int64_t left = 0;
    for (std::uint64_t n = 0; n < c; ++n) left += elements[n] ? 1 : 0;
    std::int64_t below = 0;
    std::int64_t sums = 0;
    for (const std::uint64_t generator : generators) below += generator < c ? 1 : 0;
    for (std::uint64_t n = c; n < c + m; ++n)
      sums += std::count(generators.begin(), generators.end(), n) == 0 ? 1 : 0;
    REQUIRE(semigroup.wilf() ==
            static_cast<std::int64_t>(generators.size()) * left - static_cast<std::int64_t>(c));
    REQUIRE(semigroup.eliahou() ==
            below * left - static_cast<std::int64_t>(q) * sums + static_cast<std::int64_t>(q * m - c));
  }
}

TEST_CASE("invariants: an Apéry set within 2^63-1 is found though sums on the way to it are not") {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 62;
  CHECK(NumericalSemigroup({4, kHalf + 1, kHalf + 2, kHalf + 3}).frobenius() ==
        static_cast<std::int64_t>(kHalf - 1));
  // 2 (2^63 - 3) is the least element of its class.
  CHECK_THROWS_AS(NumericalSemigroup({3, 2 * kHalf - 3}), LimitError);
}

TEST_CASE("invariants: Betti elements, presentations, catenary and tame degree, omega primality") {
  for (std::uint64_t seed = 0; seed < scaled(60); ++seed) {
    std::mt19937_64 random(seed);
    CAPTURE(seed);
    const Vector generators = randomSemigroup(random, 2 + random() % 3, 14);
    CAPTURE(generators);
    const NumericalSemigroup semigroup(generators);
    const Vector& sorted = semigroup.generators();
    const std::uint64_t last = static_cast<std::uint64_t>(semigroup.frobenius()) + 3 * sorted.back();
    std::vector<std::uint64_t> betti;
    std::size_t relations = 0;
    for (std::uint64_t n = 0; n <= last; ++n) {
      const auto rows = bruteForce(sorted, n);
      const std::size_t classes = rows.empty() ? 0 : rClassesByDefinition(rows);
      if (classes < 2) continue;
      betti.push_back(n);
      relations += classes - 1;
    }
    REQUIRE(semigroup.bettiElements() == betti);
    const auto presentation = semigroup.minimalPresentation();
    REQUIRE(presentation.size() == relations);
    for (const auto& [leftRow, rightRow] : presentation) {
      const std::uint64_t value =
          std::inner_product(sorted.begin(), sorted.end(), leftRow.begin(), std::uint64_t{0});
      REQUIRE(std::inner_product(sorted.begin(), sorted.end(), rightRow.begin(), std::uint64_t{0}) == value);
      REQUIRE(std::count(betti.begin(), betti.end(), value) == 1);
      for (std::size_t i = 0; i < sorted.size(); ++i) REQUIRE((leftRow[i] == 0 || rightRow[i] == 0));
    }
    const AtElement catenary = semigroup.catenaryDegree();
    REQUIRE(catenary.value == greatestUpTo(sorted, last, catenaryByDefinition));
    if (sorted.size() > 1)
      REQUIRE(catenaryByDefinition(bruteForce(sorted, catenary.element)) == catenary.value);
    const AtElement tame = semigroup.tameDegree();
    REQUIRE(tame.value == greatestUpTo(sorted, last, tameByDefinition));
    if (tame.value != 0) REQUIRE(tameByDefinition(bruteForce(sorted, tame.element)) == tame.value);
    std::uint64_t omega = 0;
    for (const std::uint64_t generator : sorted)
      omega = std::max(omega, omegaByDefinition(sorted, generator));
    REQUIRE(semigroup.omegaPrimality().value == omega);
    const std::uint64_t n = random() % 30;
    const auto found = semigroup.omegaPrimality({n, 1, n + 7}).at(0);
    REQUIRE(found.has_value() == semigroup.contains(n));
    if (!found) continue;
    REQUIRE(found->value == omegaByDefinition(sorted, n));
    REQUIRE(lengthOf(found->bullet) == found->value);
  }
}

TEST_CASE("invariants: delta sets of semigroups hold all gaps of length sets, far beyond the bound") {
  for (std::uint64_t seed = 0; seed < scaled(60); ++seed) {
    std::mt19937_64 random(seed);
    CAPTURE(seed);
    const Vector generators = randomSemigroup(random, 2 + random() % 3, 25);
    const NumericalSemigroup semigroup(generators);
    CAPTURE(generators);
    std::set<std::uint64_t> gaps;
    std::vector<std::set<std::uint64_t>> lengths{{0}};
    for (std::uint64_t n = 1; n <= 4 * semigroup.deltaSetBound() + 500; ++n) {
      lengths.emplace_back();
      for (const std::uint64_t generator : generators)
        if (generator <= n)
          for (const std::uint64_t length : lengths[n - generator]) lengths[n].insert(length + 1);
      std::uint64_t before = 0;
      for (const std::uint64_t length : lengths[n]) {
        if (before != 0) gaps.insert(length - before);
        before = length;
      }
    }
    REQUIRE(semigroup.deltaSet() == std::vector<std::uint64_t>(gaps.begin(), gaps.end()));
  }
}

TEST_CASE("invariants: R-classes of elements, with one factorization of each") {
  for (std::uint64_t seed = 0; seed < scaled(100); ++seed) {
    std::mt19937_64 random(seed);
    CAPTURE(seed);
    Vector generators(1 + random() % 4);
    for (auto& generator : generators) generator = 2 + random() % 20;
    std::uint64_t n = random() % 120;
    while (bruteForce(generators, n).empty()) --n;
    Request request;
    request.generators = generators;
    request.asGiven = true;
    request.elements = {{n, n}};
    request.ofElements = {ElementInvariant::rClasses};
    request.witnesses = true;
    Enumeration enumeration(request, onCpu(1));
    enumeration.run();
    const auto found = enumeration.outcome().elements.at(0);
    const auto rows = bruteForce(generators, n);
    REQUIRE(found.rClasses == rClassesByDefinition(rows));
    REQUIRE(found.representatives.size() == found.rClasses);
    for (const auto& row : found.representatives) REQUIRE(std::count(rows.begin(), rows.end(), row) == 1);
    if (found.representatives.size() > 1)
      REQUIRE(rClassesByDefinition(found.representatives) == found.rClasses);
  }
}
