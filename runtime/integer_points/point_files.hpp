// Lines of points in order, as points, and in files. Called by enumeration.cpp and request_check.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runtime/integer_points/problem_factory.hpp"
#include "slicepool/core/fingerprint.hpp"
#include "slicepool/integer_points/types.hpp"

namespace slicepool::integer_points {

class Endings;

enum class PointFormat : std::uint8_t { none, npy, text };

/// By the suffix of the path, "-" is text; none for an empty path. Throws ConfigError for field
/// "output.path".
[[nodiscard]] PointFormat pointFormat(const std::string& path);

/// Lines as they were collected (CollectLines), sorted.
struct Lines {
  LineShape shape;
  std::span<const std::byte> records;
  const Endings* endings = nullptr;  ///< of lines that end before the last column

  [[nodiscard]] std::size_t size() const {
    return records.size() / static_cast<std::size_t>(shape.recordBytes);
  }
};

/// Sorts by the first points: `Record` is a LineRecord. Slices give their lines in order, so that there are
/// few stretches to merge after a run on CPUs. O(n log n), by up to `threads` threads.
template <class Record>
void sortLines(const LineShape& shape, std::vector<Record>& records, int threads);

[[nodiscard]] std::uint64_t pointsOf(const Lines& lines);
/// By up to `threads` threads.
[[nodiscard]] Fingerprint fingerprintOf(const Lines& lines, int threads);
/// Calls `take` with all points in the order of the lines, columns in the order of the system.
using TakePoint = std::function<void(const Point&)>;
void forEachPoint(const Lines& lines, const TakePoint& take);
[[nodiscard]] std::vector<Point> pointsIn(const Lines& lines);

/// Writes a row for each point, by up to `threads` threads. .npy: the narrowest integers that hold every
/// value, unsigned where no lower bound is negative. Returns the bytes of the file. Throws LimitError when
/// the disk is full.
std::uint64_t writePoints(const Lines& lines, const std::string& path, int threads);
/// The same of points that are sorted already.
std::uint64_t writePoints(const std::vector<Point>& points, const LineShape& shape, const std::string& path);
/// The same of `points` of them; `forEach(take)` calls `take` with each.
std::uint64_t writePoints(std::uint64_t points, const std::function<void(const TakePoint&)>& forEach,
                          const LineShape& shape, const std::string& path);
/// NumPy's type of the arrays.
[[nodiscard]] std::string npyTypeOf(const LineShape& shape);
/// Throws LimitError where so many points do not fit the memory.
void requireRoomFor(std::uint64_t points, std::size_t columns, std::size_t memoryLimit);

}  // namespace slicepool::integer_points
