// See points.hpp.
#include "runtime/three_in_line/points.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace slicepool::three_in_line {
namespace {

constexpr unsigned bit(Image image) { return 1U << static_cast<unsigned>(image); }

}  // namespace

Points pointsOf(const Configuration& configuration, int size) {
  Points points;
  for (int x = 0; x < size; ++x) {
    for (int y = 0; y < size; ++y)
      if ((configuration.rows[y] >> x & 1U) != 0) points.push_back({x, y});
  }
  return points;
}

Configuration configurationOf(const Points& points) {
  Configuration configuration{};
  for (const Point point : points) {
    const bool inside = point.x >= 0 && point.x < kMaximumSize && point.y >= 0 && point.y < kMaximumSize;
    if (inside) configuration.rows[point.y] |= 1U << point.x;
  }
  return configuration;
}

Point imageOf(Point point, Image image, int size) {
  const int last = size - 1;
  const auto [x, y] = point;
  switch (image) {
    case Image::identity: break;
    case Image::quarterTurn: return {last - y, x};
    case Image::halfTurn: return {last - x, last - y};
    case Image::backTurn: return {y, last - x};
    case Image::mirrorColumns: return {last - x, y};
    case Image::mirrorRows: return {x, last - y};
    case Image::mirrorDiagonal: return {y, x};
    case Image::mirrorAntidiagonal: return {last - y, last - x};
  }
  return point;
}

Points imageOf(const Points& points, Image image, int size) {
  Points images;
  images.reserve(points.size());
  for (const Point point : points) images.push_back(imageOf(point, image, size));
  std::sort(images.begin(), images.end());
  return images;
}

unsigned stabilizerOf(const Points& points, int size) {
  unsigned stabilizer = 0;
  for (const Image image : kPointImages)
    if (imageOf(points, image, size) == points) stabilizer |= bit(image);
  return stabilizer;
}

SymmetryClass classOf(unsigned stabilizer) {
  using enum SymmetryClass;
  const bool orthogonal = (stabilizer & (bit(Image::mirrorColumns) | bit(Image::mirrorRows))) != 0;
  const bool diagonal = (stabilizer & (bit(Image::mirrorDiagonal) | bit(Image::mirrorAntidiagonal))) != 0;
  switch (std::popcount(stabilizer)) {
    case 8: return full;
    case 4: return orthogonal ? ort2 : diagonal ? dia2 : rot4;
    case 2: return orthogonal ? ort1 : diagonal ? dia1 : rot2;
    default: return iden;
  }
}

void sortSolutions(std::vector<Configuration>& solutions, int size) {
  std::vector<std::pair<Points, std::size_t>> keys;
  keys.reserve(solutions.size());
  for (std::size_t i = 0; i < solutions.size(); ++i) keys.emplace_back(pointsOf(solutions[i], size), i);
  std::sort(keys.begin(), keys.end());
  std::vector<Configuration> sorted;
  sorted.reserve(solutions.size());
  for (const auto& key : keys) sorted.push_back(solutions[key.second]);
  solutions = std::move(sorted);
}

ClassCounts classCountsOf(std::span<const Configuration> solutions, int size) {
  ClassCounts counts{};
  for (const auto& solution : solutions)
    ++counts.at(static_cast<std::size_t>(classOf(stabilizerOf(pointsOf(solution, size), size))));
  return counts;
}

std::uint64_t countOf(const ClassCounts& classes) {
  std::uint64_t count = 0;
  for (const std::uint64_t number : classes) count += number;
  return count;
}

std::uint64_t totalOf(const ClassCounts& classes) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < kClasses.size(); ++i) total += classes.at(i) * kClasses.at(i).orbit;
  return total;
}

}  // namespace slicepool::three_in_line
