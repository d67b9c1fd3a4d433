// Integer points by the definition: every vector of a box is put into the rows. And random systems.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "slicepool/core/fingerprint.hpp"
#include "slicepool/integer_points/enumeration.hpp"
#include "slicepool/integer_points/types.hpp"

namespace slicepool::test {

using integer_points::LinearSystem;
using integer_points::Point;

/// The points within [lower, upper], in lexicographic order. `wanted`: more that they must satisfy.
inline std::vector<Point> pointsInBox(const LinearSystem& system, const Point& lower, const Point& upper,
                                      const std::function<bool(const Point&)>& wanted = {}) {
  std::vector<Point> points;
  Point x = lower;
  const std::size_t columns = lower.size();
  for (std::size_t j = 0; j < columns; ++j)
    if (upper[j] < lower[j]) return points;
  while (true) {
    bool holds = true;
    for (std::size_t r = 0; r < system.matrix.size() && holds; ++r) {
      std::int64_t sum = 0;
      for (std::size_t j = 0; j < columns; ++j) sum += system.matrix[r][j] * x[j];
      holds = sum == system.rightSide[r];
    }
    if (holds && (!wanted || wanted(x))) points.push_back(x);
    std::size_t j = columns;
    while (j > 0 && x[j - 1] == upper[j - 1]) {
      x[j - 1] = lower[j - 1];
      --j;
    }
    if (j == 0) return points;
    ++x[j - 1];
  }
}

/// By the definition of the fingerprint.
inline Fingerprint fingerprintOfPoints(const std::vector<Point>& points) {
  Fingerprint fingerprint;
  for (const Point& point : points) {
    std::uint64_t linear = kRowHashOffset;
    for (std::size_t j = 0; j < point.size(); ++j)
      linear += coordinateMultiplier(static_cast<unsigned>(j)) * static_cast<std::uint64_t>(point[j]);
    fingerprint.sum += mix64(linear);
    fingerprint.exclusiveOr ^= mix64(linear);
  }
  return fingerprint;
}

struct RandomSystem {
  LinearSystem system;
  Point lower;
  Point upper;  ///< of a box with all points
};

/// Small systems of all kinds: dependent rows, zeros, common divisors, negative entries and bounds. Most have
/// a point.
inline RandomSystem randomSystem(std::mt19937_64& random) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  RandomSystem result;
  LinearSystem& system = result.system;
  const auto columns = static_cast<std::size_t>(draw(1, 6));
  const auto rows = static_cast<std::size_t>(draw(1, 4));
  const int kind = draw(0, 3);
  const int scale = draw(0, 4) == 0 ? draw(2, 3) : 1;
  Point inside;
  for (std::size_t j = 0; j < columns; ++j) {
    result.lower.push_back(kind == 0 ? 0 : draw(-3, 2));
    result.upper.push_back(result.lower.back() + draw(0, columns > 4 ? 4 : 7));
    inside.push_back(draw(static_cast<int>(result.lower.back()), static_cast<int>(result.upper.back())));
  }
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<std::int64_t> row;
    for (std::size_t j = 0; j < columns; ++j)
      row.push_back(draw(0, 3) == 0 ? 0 : scale * (kind <= 1 ? draw(1, 6) : draw(-4, 6)));
    if (r > 0 && draw(0, 4) == 0)
      for (std::size_t j = 0; j < columns; ++j)
        row[j] = system.matrix[0][j] * 2 - (r > 1 ? system.matrix[1][j] : 0);
    std::int64_t side = 0;
    for (std::size_t j = 0; j < columns; ++j) side += row[j] * inside[j];
    system.matrix.push_back(row);
    system.rightSide.push_back(side + (draw(0, 9) == 0 ? draw(-3, 3) : 0));
  }
  if (kind == 0) {
    // No upper bounds: every column is in a row of positive entries.
    std::int64_t side = 0;
    system.matrix.emplace_back();
    for (std::size_t j = 0; j < columns; ++j) {
      system.matrix.back().push_back(draw(1, 4));
      side += system.matrix.back()[j] * inside[j];
    }
    system.rightSide.push_back(side);
    for (std::size_t j = 0; j < columns; ++j) result.upper[j] = side / system.matrix.back()[j];
  } else {
    system.lower = result.lower;
    for (const std::int64_t upper : result.upper) system.upper.emplace_back(upper);
  }
  return result;
}

/// A count whose first columns are visited, since the residuals of their row have a wide range, and whose
/// last ones are counted by a table.
inline integer_points::Request tableBelowVisited() {
  integer_points::Request request;
  request.system.matrix = {{1'000'003, 1'000'033, 1'000'037, 1, 0, 0, 0, 0, 0, 0},
                           {0, 0, 0, -1, 1, 1, 1, 1, 1, 2}};
  request.system.rightSide = {40'001'000, 0};
  request.system.upper.resize(10);
  request.system.upper[3] = 1000;
  return request;
}

/// A count with a table below lines of 8001 values, of which more than one step takes each.
inline integer_points::Request longLinesAboveTable() {
  integer_points::Request request;
  request.system.matrix = {{0, 0, 0, -1, 1, 1, 1, 1, 1, 2}};
  request.system.rightSide = {0};
  request.system.where = "1000003*x1 + 1000033*x2 + 1000037*x3 + x4 <= 5020000";
  request.system.upper.resize(10);
  request.system.upper[3] = 8000;
  return request;
}

/// All n x n tables of nonnegative integers whose rows and columns have the sum t; magic: the two diagonals
/// as well.
inline LinearSystem squareTables(std::size_t n, std::int64_t t, bool magic = false) {
  LinearSystem system;
  for (std::size_t line = 0; line < 2 * n + (magic ? 2 : 0); ++line) {
    std::vector<std::int64_t> row;
    for (std::size_t cell = 0; cell < n * n; ++cell) {
      const std::size_t i = cell / n;
      const std::size_t j = cell % n;
      const bool isIn = line < n        ? i == line
                        : line < 2 * n  ? j == line - n
                        : line == 2 * n ? i == j
                                        : i + j == n - 1;
      row.push_back(isIn ? 1 : 0);
    }
    system.matrix.push_back(row);
    system.rightSide.push_back(t);
  }
  return system;
}

}  // namespace slicepool::test
