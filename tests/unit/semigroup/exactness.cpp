// Keys that do not distinguish the elements must be noticed, never counted: bases that are too small, forced
// or grown, the certificate against the check of all rules, and the source points.
#include <doctest/doctest.h>

#include "runtime/semigroup/generators.hpp"
#include "runtime/semigroup/sources.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/semigroup/steps/keys.hpp"
#include "slicepool/semigroup/steps/rows.hpp"
#include "support/semigroup/front.hpp"

using namespace slicepool;
using namespace slicepool::test;

namespace {

/// What a run with this base that may not grow says; empty when it finds the right answer.
std::string failureOf(const std::string& name, std::vector<semigroup::Image> base, semigroup::Check check,
                      std::uint64_t size) {
  auto request = named(name);
  request.base = std::move(base);
  request.fixedBase = true;
  request.check = check;
  semigroup::Enumeration enumeration(request, cpu(1));
  try {
    enumeration.run();
  } catch (const ConfigError& error) {
    CHECK_FALSE(enumeration.finished());
    return error.what();
  }
  CHECK(enumeration.outcome().size == size);
  return {};
}

}  // namespace

TEST_CASE("a forced base that does not separate the elements is an error, never a wrong size") {
  for (const auto check : {semigroup::Check::certificate, semigroup::Check::rules}) {
    const std::string failure = failureOf("bihecke:5", {0, 119, 37, 82}, check, 31103);
    CAPTURE(failure);
    CHECK(failure.find("base: got 0,119,37,82; accepted: points that separate the elements") == 0);
    CHECK(failure.find("checks failed") != std::string::npos);
  }
}

TEST_CASE("every base of one or two points of bihecke:4 and every one of full:4 is right or refused") {
  std::size_t refused = 0;
  for (semigroup::Image a = 0; a < 24; ++a) {
    for (semigroup::Image b = a; b < 24; ++b)
      for (const auto check : {semigroup::Check::certificate, semigroup::Check::rules})
        refused += failureOf("bihecke:4", {a, b}, check, 477).empty() ? 0 : 1;
  }
  CHECK(refused > 0);
  for (semigroup::Image a = 0; a < 4; ++a)
    for (const auto check : {semigroup::Check::certificate, semigroup::Check::rules})
      CHECK_FALSE(failureOf("full:4", {a}, check, 256).empty());
}

TEST_CASE("the certificate and the check of all rules agree on which bases are enough") {
  for (semigroup::Image a = 0; a < 24; ++a) {
    for (semigroup::Image b = a; b < 24; ++b) {
      for (semigroup::Image c = b; c < 24; c += 5) {
        const std::vector<semigroup::Image> base = {a, b, c};
        CHECK(failureOf("bihecke:4", base, semigroup::Check::certificate, 477).empty() ==
              failureOf("bihecke:4", base, semigroup::Check::rules, 477).empty());
      }
    }
  }
}

TEST_CASE("a base that fails grows until the answer is right, from any start") {
  for (const auto check : {semigroup::Check::certificate, semigroup::Check::rules}) {
    auto request = named("bihecke:5");
    request.base = {0, 119, 37, 82};
    request.check = check;
    semigroup::Enumeration enumeration(request, cpu(1));
    enumeration.run();
    CHECK(enumeration.outcome().size == 31103);
    CHECK(enumeration.outcome().restarts > 0);
    CHECK(enumeration.outcome().base.size() > 4);
  }
}

TEST_CASE("the base grows in the same way with every number of threads") {
  std::vector<semigroup::Image> base;
  for (const int threads : {1, 2, 7}) {
    auto request = named("bihecke:5");
    request.smallStage = threads == 1 ? 8192 : 500;
    semigroup::Enumeration enumeration(request, cpu(threads));
    enumeration.run();
    if (base.empty()) base = enumeration.outcome().base;
    CHECK(enumeration.outcome().base == base);
  }
}

TEST_CASE("source points: every point can be reached from them, and none from another one") {
  using semigroup::Generators;
  CHECK(semigroup::sourcePoints(semigroup::namedGenerators("bihecke:5")) == std::vector<semigroup::Image>{0});
  CHECK(semigroup::sourcePoints(semigroup::namedGenerators("full:9")).size() == 1);
  CHECK(semigroup::sourcePoints(Generators{3, {{0, 1, 2}}}) == std::vector<semigroup::Image>{0, 1, 2});
  // 1 <-> 2 lead to 0 and 3; 4 leads to 1.
  CHECK(semigroup::sourcePoints(Generators{5, {{0, 2, 1, 3, 1}, {0, 0, 3, 3, 4}}}) ==
        std::vector<semigroup::Image>{4});
}

TEST_CASE("limited explorations with a small base count the right number of elements") {
  semigroup::Enumeration whole(named("bihecke:5"), cpu(1));
  whole.run();
  std::uint64_t elements = 0;
  for (std::uint32_t stage = 0; stage < 12; ++stage) {
    elements += whole.outcome().stages[stage];
    auto request = named("bihecke:5");
    request.maxStage = stage;
    semigroup::Enumeration limited(request, cpu(1));
    limited.run();
    CAPTURE(stage);
    CHECK(limited.finished());
    CHECK(limited.outcome().limited);
    CHECK_FALSE(limited.outcome().complete);
    CHECK(limited.outcome().size == elements);
    for (semigroup::Element x = 0; x < elements; x += 101) CHECK(limited.word(x) == whole.word(x));
  }
}

TEST_CASE("an edge that is false at a source point is noticed, also when it was derived before") {
  // Two points, the swap, and elements 0 (identity), 1 (the swap) of stage 1. Its edge must lead to 0.
  const std::uint8_t swap[] = {1, 0};
  std::uint8_t rows[] = {0, 1};
  std::uint32_t right[] = {semigroup::kTree | 1U, 0};
  std::uint32_t left[] = {1, 0};
  semigroup::Element parent[] = {0, 0};
  semigroup::Element suffix[] = {0, 0};
  semigroup::Letter letters[] = {0, 0};
  const semigroup::View<semigroup::ImageKeys<std::uint8_t>> view{{swap, rows, 2, 1, 1, ~std::uint64_t{0}},
                                                                 {nullptr, 0},
                                                                 right,
                                                                 left,
                                                                 parent,
                                                                 suffix,
                                                                 letters,
                                                                 letters,
                                                                 nullptr,
                                                                 1,
                                                                 1,
                                                                 2};
  for (const std::uint32_t wrong : {0U, 1U}) {
    right[1] = wrong;
    std::size_t failures = 0;
    semigroup::derive(view, 1, 2, [&](semigroup::Element x, std::uint32_t g) {
      CHECK(x == 1);
      CHECK(g == 0);
      ++failures;
    });
    CHECK(failures == wrong);
  }
}
