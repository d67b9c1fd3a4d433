// Sizes of no-three-in-line that take minutes: label `long`, which continuous integration leaves out.
#include <doctest/doctest.h>

#include "cli/command_runner.hpp"
#include "support/three_in_line/files.hpp"
#include "support/three_in_line/known.hpp"
#include "support/three_in_line/oracle.hpp"

using namespace slicepool::test;

TEST_CASE("all solutions of sizes 11 to 13 are the published numbers, each a solution, no two images") {
  const TemporaryFolder folder;
  for (const auto& known : kThreeInLine) {
    if (known.size < 11) continue;
    CAPTURE(known.size);
    const std::string path = folder.path("solutions.json");
    const auto record = onlyObject(
        runCommand({"three-in-line", "-n", std::to_string(known.size), "--json", "--output", path}).out);
    CHECK(record["count"] == known.count);
    CHECK(record["total"] == known.total);
    CHECK(record["classes"] == classesJson(known));
    std::set<GridPoints> orbits;
    for (const auto& points : solutionsOfJson(contentOf(path))) {
      CHECK(points.size() == 2 * static_cast<std::size_t>(known.size));
      CHECK_FALSE(ThreeInLineOracle::threeInLine(points));
      orbits.insert(ThreeInLineOracle::representative(points, known.size));
    }
    CHECK(orbits.size() == known.count);
  }
}

TEST_CASE("solutions with fourfold rotation are the published numbers up to size 22") {
  for (const auto& known : kFourfoldRotation) {
    const auto& size = known.first;
    const auto& number = known.second;
    CAPTURE(size);
    const auto record = onlyObject(
        runCommand({"three-in-line", "-n", std::to_string(size), "--symmetry", "c4", "--json"}).out);
    CHECK(record["classes"]["rot4"] == number);
  }
}

TEST_CASE("size 10 is the oracle's set") {
  const TemporaryFolder folder;
  const std::string path = folder.path("solutions.json");
  CHECK(runCommand({"three-in-line", "-n", "10", "--output", path}).code == 0);
  std::set<GridPoints> all;
  for (const auto& points : solutionsOfJson(contentOf(path)))
    for (const auto& image : ThreeInLineOracle::imagesOf(points, 10)) all.insert(image);
  CHECK((all == ThreeInLineOracle(10).all()));
}
