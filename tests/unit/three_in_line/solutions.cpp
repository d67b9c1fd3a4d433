// Solutions of no-three-in-line beside the search: points and symmetries, the checker, the output files. The
// solutions come from the oracle of the tests.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include <nlohmann/json.hpp>

#include "runtime/three_in_line/points.hpp"
#include "runtime/three_in_line/solution_check.hpp"
#include "runtime/three_in_line/solution_files.hpp"
#include "slicepool/core/error.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"
#include "support/three_in_line/files.hpp"
#include "support/three_in_line/oracle.hpp"

using namespace slicepool;
using namespace slicepool::three_in_line;
using slicepool::test::contains;
using slicepool::test::GridPoints;
using slicepool::test::ThreeInLineOracle;

namespace {

Points toPoints(const GridPoints& from) {
  Points points;
  for (const auto& [x, y] : from) points.push_back({x, y});
  return points;
}

/// One canonical solution of each orbit, sorted.
SolutionList listOf(int size) {
  SolutionList list{size, {}, {}};
  for (const auto& points : ThreeInLineOracle(size).representatives())
    list.solutions.push_back(canonicalOf(configurationOf(toPoints(points)), size));
  sortSolutions(list.solutions, size);
  return list;
}

std::set<GridPoints> setOf(const std::vector<Configuration>& solutions, int size) {
  std::set<GridPoints> all;
  for (const auto& solution : solutions) {
    GridPoints points;
    for (const Point point : pointsOf(solution, size)) points.emplace_back(point.x, point.y);
    all.insert(std::move(points));
  }
  return all;
}

}  // namespace

TEST_CASE("the oracle has the numbers of A000769 and A000755 and the symmetry classes of Flammenkamp") {
  struct Known {
    int size;
    std::size_t count, total;
    std::map<std::string, std::uint64_t> classes;
  };
  const std::vector<Known> kKnown = {
      {2, 1, 1, {{"full", 1}}},
      {3, 1, 2, {{"dia2", 1}}},
      {4, 4, 11, {{"rot2", 1}, {"ort1", 1}, {"dia2", 1}, {"full", 1}}},
      {5, 5, 32, {{"iden", 3}, {"dia1", 2}}},
      {6, 11, 50, {{"iden", 4}, {"rot2", 2}, {"rot4", 3}, {"dia2", 2}}},
      {7, 22, 132, {{"iden", 11}, {"rot2", 10}, {"dia1", 1}}},
      {8, 57, 380, {{"iden", 40}, {"rot2", 7}, {"dia1", 5}, {"ort1", 1}, {"rot4", 4}}}};
  for (const auto& known : kKnown) {
    CAPTURE(known.size);
    const ThreeInLineOracle oracle(known.size);
    CHECK(oracle.representatives().size() == known.count);
    CHECK(oracle.all().size() == known.total);
    CHECK(oracle.classes() == known.classes);
    for (const auto& points : oracle.all()) CHECK_FALSE(ThreeInLineOracle::threeInLine(points));
  }
}

TEST_CASE("classes, orbits and totals of solutions are those of the oracle") {
  for (int size = 2; size <= 8; ++size) {
    CAPTURE(size);
    const SolutionList list = listOf(size);
    const ClassCounts counts = classCountsOf(list.solutions, size);
    const ThreeInLineOracle oracle(size);
    for (std::size_t i = 0; i < kClasses.size(); ++i) {
      const auto classes = oracle.classes();
      const auto found = classes.find(kClasses.at(i).name);
      CHECK(counts.at(i) == (found == classes.end() ? 0 : found->second));
    }
    CHECK(countOf(counts) == oracle.representatives().size());
    CHECK(totalOf(counts) == oracle.all().size());
    std::set<GridPoints> turned;
    for (const auto& points : setOf(list.solutions, size))
      for (const auto& image : ThreeInLineOracle::imagesOf(points, size)) turned.insert(image);
    CHECK(turned == oracle.all());
  }
}

TEST_CASE("the canonical orientation is the same for all images and smallest by rows") {
  const int size = 7;
  for (const auto& points : ThreeInLineOracle(size).representatives()) {
    const Configuration canonical = canonicalOf(configurationOf(toPoints(points)), size);
    for (const auto& image : ThreeInLineOracle::imagesOf(points, size)) {
      const Configuration other = configurationOf(toPoints(image));
      CHECK(canonicalOf(other, size) == canonical);
      CHECK_FALSE(std::ranges::lexicographical_compare(other.rows, canonical.rows));
    }
  }
}

TEST_CASE("the checker accepts all solutions and names what is wrong with anything else") {
  const SolutionList list = listOf(8);
  CHECK(problemOf(list.solutions, 8).empty());
  Configuration none{};
  CHECK(contains(problemOf(none, 8), "row 0 has 0 points"));
  Configuration outside = list.solutions[0];
  outside.rows[8] = 1;
  CHECK(contains(problemOf(outside, 8), "row 8 has a point off the board"));
  outside = list.solutions[0];
  outside.rows[3] |= 1U << 8;
  CHECK(contains(problemOf(outside, 8), "row 3 has a point off the board"));

  auto twice = list.solutions;
  twice.push_back(canonicalOf(twice[4], 8));
  CHECK(problemOf(twice, 8) == "solution 58: an image of it is there already");
  auto turned = list.solutions;
  for (const Image image : kPointImages) {
    const auto other = configurationOf(imageOf(pointsOf(list.solutions[0], 8), image, 8));
    if (other == list.solutions[0]) continue;
    turned[0] = other;
    CHECK(problemOf(turned, 8) == "solution 1: it is not in its canonical orientation");
  }
}

TEST_CASE("the checker refuses every board with two points in each row and column but three in a line") {
  std::mt19937_64 random(20260101);
  int refused = 0;
  int accepted = 0;
  constexpr int kSize = 5;
  const auto all = ThreeInLineOracle(kSize).all();
  for (int attempt = 0; attempt < 100'000; ++attempt) {
    std::array<int, kSize> first{};
    std::array<int, kSize> second{};
    for (int i = 0; i < kSize; ++i) first[i] = second[i] = i;
    std::shuffle(first.begin(), first.end(), random);
    std::shuffle(second.begin(), second.end(), random);
    GridPoints points;
    for (int y = 0; y < kSize; ++y) {
      points.emplace_back(first[y], y);
      if (second[y] != first[y]) points.emplace_back(second[y], y);
    }
    if (points.size() != 2 * kSize) continue;
    std::sort(points.begin(), points.end());
    const bool solution = all.count(points) != 0;
    const std::string problem = problemOf(configurationOf(toPoints(points)), kSize);
    CHECK(problem.empty() == solution);
    if (!solution) CHECK(contains(problem, "are on a line"));
    ++(solution ? accepted : refused);
  }
  CHECK(refused > 1000);
  CHECK(accepted > 10);
}

TEST_CASE("every output format holds exactly the solutions, in one order") {
  for (int size = 2; size <= 8; ++size) {
    CAPTURE(size);
    SolutionList list = listOf(size);
    const auto expected = setOf(list.solutions, size);
    CHECK(test::solutionsOfJson(jsonText(list)) == test::solutionsOfPictures(pictureText(list)));
    CHECK(test::solutionsOfRle(rleText(list), size) == test::solutionsOfPictures(pictureText(list)));
    const auto inOrder = test::solutionsOfJson(jsonText(list));
    CHECK(std::is_sorted(inOrder.begin(), inOrder.end()));
    CHECK(std::set<GridPoints>(inOrder.begin(), inOrder.end()) == expected);
    auto onSheet = test::solutionsOfSvg(svgText(list), size);
    CHECK(onSheet.size() == inOrder.size());
    CHECK(std::set<GridPoints>(onSheet.begin(), onSheet.end()) == expected);

    std::mt19937_64 random(7);
    std::shuffle(list.solutions.begin(), list.solutions.end(), random);
    const std::string shuffled = jsonText(list);
    sortSolutions(list.solutions, size);
    CHECK(test::solutionsOfJson(jsonText(list)) == inOrder);
    CHECK((shuffled != jsonText(list) || inOrder.size() < 8));
  }
}

TEST_CASE("outputs of no solutions are whole as well") {
  const SolutionList none{1, {}, {}};
  CHECK(test::solutionsOfJson(jsonText(none)).empty());
  CHECK(test::solutionsOfPictures(pictureText(none)).empty());
  CHECK(test::solutionsOfRle(rleText(none), 1).empty());
  CHECK(contains(rleText(none), "x = 0, y = 0, rule = B3/S23\n!"));
  CHECK(test::solutionsOfSvg(svgText(none), 1).empty());
}

TEST_CASE("RLE lines stay within the 70 characters of the format and start with what Golly expects") {
  const std::string text = rleText(listOf(8));
  std::istringstream lines(text);
  bool pattern = false;
  for (std::string line; std::getline(lines, line);) {
    if (pattern) CHECK(line.size() <= 70);
    if (line.rfind("x = ", 0) == 0) {
      // 57 boards: 8 x 8 of them, 8 cells each, 4 cells apart
      CHECK(line == "x = 92, y = 92, rule = B3/S23");
      pattern = true;
    } else if (!pattern) {
      CHECK(line[0] == '#');
    }
  }
  CHECK(pattern);
  CHECK(text.substr(text.size() - 2) == "!\n");
}

TEST_CASE("a sheet shows at most one page of boards, the most symmetric first, and says so") {
  SolutionList list = listOf(8);
  const std::string whole = svgText(list);
  CHECK(contains(whole, "n = 8: 57 solutions up to symmetry, 380 in all</text>"));
  CHECK(whole.find("rot4</text></g>") < whole.find("iden</text></g>"));
  while (list.solutions.size() <= kMaximumBoards) {
    const auto copy = list.solutions;
    list.solutions.insert(list.solutions.end(), copy.begin(), copy.end());
  }
  const std::string page = svgText(list);
  CHECK(test::solutionsOfSvg(page, 8).size() == kMaximumBoards);
  CHECK(contains(page, "; the first 600, most symmetric first"));
}

TEST_CASE("the suffix chooses the format; another one is refused by name; a file is whole or absent") {
  CHECK(solutionFormat("") == SolutionFormat::none);
  CHECK(solutionFormat("-") == SolutionFormat::text);
  CHECK(solutionFormat("a.rle") == SolutionFormat::rle);
  CHECK(solutionFormat("a.b.svg") == SolutionFormat::svg);
  CHECK_THROWS_AS((void)solutionFormat("a.png"), ConfigError);
  CHECK_THROWS_AS((void)solutionFormat("json"), ConfigError);

  const test::TemporaryFolder folder;
  const SolutionList list = listOf(5);
  const std::string path = folder.path("a.json");
  CHECK(writeSolutions(list, path) == jsonText(list).size());
  CHECK(std::filesystem::file_size(path) == jsonText(list).size());
  CHECK_FALSE(std::filesystem::exists(path + ".tmp"));
  // A folder under the name of the output: the text cannot get its name, and nothing of it is left.
  std::filesystem::create_directory(folder.path("b.json"));
  std::ofstream(folder.path("b.json") + "/inside") << "x";
  CHECK_THROWS_AS((void)writeSolutions(list, folder.path("b.json")), Error);
  CHECK_FALSE(std::filesystem::exists(folder.path("b.json.tmp")));
}
