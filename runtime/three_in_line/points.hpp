// Solutions as lists of points, and the symmetries of the square on points: what outputs print and what the
// checker of solutions reasons about. Nothing here knows how the search works. Called by the output writers,
// solution_check and shards.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "slicepool/three_in_line/enumeration.hpp"
#include "slicepool/three_in_line/types.hpp"

namespace slicepool::three_in_line {

/// Column x and row y, from 0; row 0 is the upper one.
struct Point {
  int x = 0;
  int y = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees the literal 0 that a default <=> compares with
  friend auto operator<=>(const Point&, const Point&) = default;
};
using Points = std::vector<Point>;

/// The symmetries of the square, by what they do to (x, y) on a board of last index m.
enum class Image : std::uint8_t {
  identity,           ///< (x, y)
  quarterTurn,        ///< (m - y, x)
  halfTurn,           ///< (m - x, m - y)
  backTurn,           ///< (y, m - x)
  mirrorColumns,      ///< (m - x, y)
  mirrorRows,         ///< (x, m - y)
  mirrorDiagonal,     ///< (y, x)
  mirrorAntidiagonal  ///< (m - y, m - x)
};
inline constexpr std::array<Image, 8> kPointImages = {
    Image::identity,      Image::quarterTurn, Image::halfTurn,       Image::backTurn,
    Image::mirrorColumns, Image::mirrorRows,  Image::mirrorDiagonal, Image::mirrorAntidiagonal};

/// Sorted by x, then y. O(n^2).
[[nodiscard]] Points pointsOf(const Configuration& configuration, int size);
/// Points outside of the board are ignored.
[[nodiscard]] Configuration configurationOf(const Points& points);
[[nodiscard]] Point imageOf(Point point, Image image, int size);
/// Sorted.
[[nodiscard]] Points imageOf(const Points& points, Image image, int size);
/// Bit i: the points are the same after kPointImages[i]. `points` must be sorted.
[[nodiscard]] unsigned stabilizerOf(const Points& points, int size);

/// What is printed about each SymmetryClass, by its number.
struct SymmetryClassInfo {
  const char* name;
  unsigned orbit;           ///< solutions that turn into each other: 8 / symmetries
  const char* description;  ///< for legends
};
inline constexpr std::array<SymmetryClassInfo, kSymmetryClasses> kClasses = {{
    {"iden", 8, "no symmetry"},
    {"rot2", 4, "half turn"},
    {"dia1", 4, "one diagonal mirror"},
    {"ort1", 4, "one orthogonal mirror"},
    {"rot4", 2, "quarter turn"},
    {"dia2", 2, "both diagonal mirrors"},
    {"ort2", 2, "both orthogonal mirrors"},
    {"full", 1, "all symmetries"},
}};
/// Of a stabilizer as stabilizerOf gives it.
[[nodiscard]] SymmetryClass classOf(unsigned stabilizer);
[[nodiscard]] constexpr const SymmetryClassInfo& infoOf(SymmetryClass symmetry) {
  return kClasses[static_cast<std::size_t>(symmetry)];
}

/// Sorts by the lists of points, which is the order of every output.
void sortSolutions(std::vector<Configuration>& solutions, int size);

[[nodiscard]] ClassCounts classCountsOf(std::span<const Configuration> solutions, int size);
/// Solutions up to symmetry, and all of them: sum of counts, and of counts times orbits.
[[nodiscard]] std::uint64_t countOf(const ClassCounts& classes);
[[nodiscard]] std::uint64_t totalOf(const ClassCounts& classes);

}  // namespace slicepool::three_in_line
