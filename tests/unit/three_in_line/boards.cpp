// The parts of the no-three-in-line search that boards are made of: numbering, images, tables of lines.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "runtime/three_in_line/line_table.hpp"
#include "slicepool/three_in_line/steps/canonical.hpp"
#include "slicepool/three_in_line/steps/lines.hpp"
#include "slicepool/three_in_line/steps/search.hpp"
#include "slicepool/three_in_line/steps/shapes.hpp"
#include "slicepool/three_in_line/steps/symmetry.hpp"

using namespace slicepool;
using namespace slicepool::three_in_line;

namespace {

Configuration randomConfiguration(int n, std::mt19937_64& random) {
  Configuration configuration{};
  const std::uint32_t row = n == 32 ? ~0U : (1U << n) - 1;
  for (int y = 0; y < n; ++y) configuration.rows[y] = static_cast<std::uint32_t>(random()) & row;
  return configuration;
}

/// Rows of boards are those of configurations, column by column; bits of cells that do not exist get lost on
/// both ways.
void checkRows(int n, std::mt19937_64& random) {
  const auto bits = static_cast<std::uint32_t>(random());
  std::uint32_t row = 0;
  std::uint32_t columns = 0;
  for (int x = 0; x < n; ++x) {
    row |= (bits >> x & 1U) << (31 - positionOf(x, n));
    columns |= (bits >> (31 - positionOf(x, n)) & 1U) << x;
  }
  REQUIRE(rowOfColumns(bits, n) == row);
  REQUIRE(columnsOfRow(bits, n) == columns);
}

/// The images of the boards of one shape are those of configurations, and so are the cells that stay in
/// place.
template <class Shape>
void checkImages(int n, std::mt19937_64& random) {
  const Geometry geometry = geometryOf<Shape>(n);
  const Configuration configuration = randomConfiguration(n, random);
  const Cells<Shape> cells = cellsOf<Shape>(configuration, n);
  REQUIRE(configurationOf<Shape>(cells, n) == configuration);
  for (int image = 1; image < kImages; ++image) {
    CAPTURE(image);
    Configuration moved{};
    anyImage(geometry, cells, 1U << image, [&](const Cells<Shape>& result, int) {
      moved = configurationOf<Shape>(result, n);
      return true;
    });
    REQUIRE(moved == imageOf(configuration, n, image));
    Configuration fixed{};
    for (int y = 0; y < n; ++y) {
      for (int x = 0; x < n; ++x) {
        Configuration one{};
        one.rows[y] = 1U << x;
        if (imageOf(one, n, image) == one) fixed.rows[y] |= 1U << x;
      }
    }
    const Cells<Shape> expected = cellsOf<Shape>(fixed, n);
    for (int w = 0; w < Shape::kWords; ++w)
      REQUIRE((fixedCells<Shape>(geometry, image, w) & existing<Shape>(geometry, w)) == expected.words[w]);
  }
}

/// Every entry holds the cells that are collinear with its pair, by cross products.
template <class Shape>
void checkLines(int n) {
  const LineTable table = makeLineTable<Shape>(n);
  const auto cellOf = [n](int x, int y) { return positionOf(y, n) * Shape::kPitch + positionOf(x, n); };
  for (int a = 0; a < n * n; ++a) {
    for (int b = 0; b < n * n; ++b) {
      if (a == b) continue;
      Configuration line{};
      for (int c = 0; c < n * n; ++c) {
        const int cross = (b % n - a % n) * (c / n - a / n) - (b / n - a / n) * (c % n - a % n);
        if (cross == 0 && c != a && c != b) line.rows[c / n] |= 1U << (c % n);
      }
      Cells<Shape> cells{};
      addLine<Shape>(table.data(), cellOf(a % n, a / n), cellOf(b % n, b / n), cells);
      REQUIRE(configurationOf<Shape>(cells, n) == line);
    }
  }
}

}  // namespace

TEST_CASE("positions number lines from the centre, and coordinateOf undoes it") {
  for (int n = 1; n <= kMaximumSize; ++n) {
    std::vector<bool> taken(static_cast<std::size_t>(n) + 2);
    for (int x = 0; x < n; ++x) {
      const int position = positionOf(x, n);
      CHECK(coordinateOf(position, n) == x);
      CHECK(distanceOf(position, n) == std::abs(2 * x - (n - 1)));
      REQUIRE_FALSE(taken.at(static_cast<std::size_t>(position)));
      taken.at(static_cast<std::size_t>(position)) = true;
    }
  }
}

TEST_CASE("images of boards are images of configurations, for every size") {
  std::mt19937_64 random(20261122);
  for (int n = 1; n <= kMaximumSize; ++n) {
    CAPTURE(n);
    for (int round = 0; round < 5; ++round) {
      checkRows(n, random);
      withShape(n, [&]<class Shape>() { checkImages<Shape>(n, random); });
      checkImages<Wide<32>>(n, random);
    }
  }
}

TEST_CASE("the table of lines holds what is collinear") {
  for (int n = 2; n <= 12; ++n) {
    CAPTURE(n);
    withShape(n, [&]<class Shape>() { checkLines<Shape>(n); });
  }
  checkLines<Wide<20>>(9);
}
