// See solution_check.hpp.
#include "runtime/three_in_line/solution_check.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "runtime/three_in_line/points.hpp"

namespace slicepool::three_in_line {
namespace {

/// Twice the area of the triangle: zero when the three are on one line.
int crossProduct(Point a, Point b, Point c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

std::string text(Point point) { return fmt::format("({}, {})", point.x, point.y); }

std::string outsideOf(const Configuration& configuration, int size) {
  for (int y = 0; y < kMaximumSize; ++y) {
    const std::uint64_t row = configuration.rows[y];
    if (y >= size ? row != 0 : row >> size != 0) return fmt::format("row {} has a point off the board", y);
  }
  return {};
}

std::string wrongNumber(const Points& points, int size) {
  std::array<int, kMaximumSize> inRow{};
  std::array<int, kMaximumSize> inColumn{};
  for (const Point point : points) {
    ++inRow.at(static_cast<std::size_t>(point.y));
    ++inColumn.at(static_cast<std::size_t>(point.x));
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
    if (inRow.at(i) != 2) return fmt::format("row {} has {} points instead of 2", i, inRow.at(i));
    if (inColumn.at(i) != 2) return fmt::format("column {} has {} points instead of 2", i, inColumn.at(i));
  }
  return {};
}

std::string collinearTriple(const Points& points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      for (std::size_t k = j + 1; k < points.size(); ++k) {
        if (crossProduct(points[i], points[j], points[k]) == 0) {
          return fmt::format("{}, {} and {} are on a line", text(points[i]), text(points[j]),
                             text(points[k]));
        }
      }
    }
  }
  return {};
}

/// The smallest of the sorted lists of all images: the same for two configurations exactly when they are
/// images of one another. Deliberately not the canonical orientation of the search.
Points orbitKey(const Points& points, int size) {
  Points smallest = points;
  for (const Image image : kPointImages) smallest = std::min(smallest, imageOf(points, image, size));
  return smallest;
}

}  // namespace

Configuration canonicalOf(const Configuration& configuration, int size) {
  const Points points = pointsOf(configuration, size);
  Configuration first = configuration;
  for (const Image image : kPointImages) {
    const Configuration candidate = configurationOf(imageOf(points, image, size));
    if (std::ranges::lexicographical_compare(candidate.rows, first.rows)) first = candidate;
  }
  return first;
}

std::string problemOf(const Configuration& configuration, int size) {
  if (std::string problem = outsideOf(configuration, size); !problem.empty()) return problem;
  const Points points = pointsOf(configuration, size);
  if (std::string problem = wrongNumber(points, size); !problem.empty()) return problem;
  return collinearTriple(points);
}

std::string problemOf(std::span<const Configuration> solutions, int size) {
  std::set<Points> orbits;
  for (std::size_t i = 0; i < solutions.size(); ++i) {
    std::string problem = problemOf(solutions[i], size);
    const Points points = pointsOf(solutions[i], size);
    if (problem.empty() && pointsOf(canonicalOf(solutions[i], size), size) != points)
      problem = "it is not in its canonical orientation";
    if (problem.empty() && !orbits.insert(orbitKey(points, size)).second)
      problem = "an image of it is there already";
    if (!problem.empty()) return fmt::format("solution {}: {}", i + 1, problem);
  }
  return {};
}

}  // namespace slicepool::three_in_line
