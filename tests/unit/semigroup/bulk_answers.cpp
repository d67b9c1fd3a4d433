// Answers about all elements at once are those about each element.
#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "support/semigroup/front.hpp"

using namespace slicepool;
using namespace slicepool::test;
using semigroup::Element;
using semigroup::Image;

namespace {

void checkBulkAnswers(semigroup::Enumeration& monoid) {
  const std::uint64_t size = monoid.size();
  const std::uint64_t rows = monoid.rightRows();
  const std::uint32_t generators = monoid.generatorCount();
  const std::uint32_t points = monoid.points();

  std::vector<Image> images(size * points);
  monoid.copyElements(0, size, images.data());
  for (Element x = 0; x < size; ++x) {
    const auto expected = monoid.element(x);
    CHECK(std::vector<Image>(images.begin() + x * points, images.begin() + (x + 1) * points) == expected);
  }
  std::vector<Image> part(points);
  monoid.copyElements(size - 1, size, part.data());
  CHECK(part == monoid.element(static_cast<Element>(size - 1)));
  CHECK_THROWS_AS(monoid.copyElements(0, size + 1, images.data()), std::out_of_range);
  CHECK_THROWS_AS(monoid.copyElements(1, 0, images.data()), std::out_of_range);

  std::vector<Element> right(rows * generators);
  monoid.copyRightGraph(right.data());
  const auto left = monoid.leftGraph();
  std::vector<Element> idempotents;
  for (Element x = 0; x < rows; ++x)
    for (std::uint32_t g = 0; g < generators; ++g) CHECK(right[x * generators + g] == monoid.right(x, g));
  for (Element x = 0; x < size; ++x) {
    const auto map = monoid.element(x);
    bool idempotent = true;
    for (const Image image : map) idempotent = idempotent && map[image] == image;
    if (idempotent) idempotents.push_back(x);
  }
  REQUIRE(left.size() % generators == 0);
  for (Element x = 0; x < left.size() / generators; ++x)
    for (std::uint32_t g = 0; g < generators; ++g) CHECK(left[x * generators + g] == monoid.left(x, g));
  CHECK(monoid.idempotents() == idempotents);
}

}  // namespace

TEST_CASE("elements, graphs and idempotents in bulk are those one by one") {
  for (const char* name : {"bihecke:4", "full:4", "symmetric:3"}) {
    CAPTURE(name);
    semigroup::Request request;
    request.named = name;
    request.idempotents = true;
    semigroup::Enumeration monoid(request, cpu(2));
    monoid.run();
    checkBulkAnswers(monoid);
    CHECK(monoid.idempotents().size() == monoid.outcome().idempotents);
    CHECK(monoid.rightRows() == monoid.size());
  }
}

TEST_CASE("of a limited exploration the rows that are there") {
  semigroup::Request request;
  request.named = "bihecke:5";
  request.maxStage = 3;
  request.idempotents = true;
  semigroup::Enumeration monoid(request, cpu(1));
  monoid.run();
  CHECK(monoid.rightRows() < monoid.size());
  checkBulkAnswers(monoid);
  CHECK(monoid.idempotents().size() == monoid.outcome().idempotents);
}
