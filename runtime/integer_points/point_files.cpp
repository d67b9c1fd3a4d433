// Files of points. See point_files.hpp.
#include "runtime/integer_points/point_files.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cpu_workers/core/parallel.hpp"
#include "runtime/integer_points/line_reader.hpp"
#include "runtime/integer_points/line_rows.hpp"
#include "runtime/io/npy_part.hpp"
#include "runtime/io/shown.hpp"
#include "runtime/io/text_output.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::integer_points {
namespace {

constexpr std::size_t kPieceBytes = 1U << 20;  ///< that are written at a time

/// Numbers of a file: all of them within [least, most].
std::string npyTypeOf(std::int64_t least, std::int64_t most) {
  if (least >= 0)
    return most < 256 ? "|u1" : most < 65536 ? "<u2" : most < std::int64_t{1} << 32 ? "<u4" : "<u8";
  const auto holds = [&](int bits) {
    const std::int64_t half = std::int64_t{1} << (bits - 1);
    return least >= -half && most < half;
  };
  return holds(8) ? "|i1" : holds(16) ? "<i2" : holds(32) ? "<i4" : "<i8";
}

/// Calls `run` with a number of the type: unsigned ones of the same width, as sums wrap around.
template <class Run>
void withNumber(const std::string& type, const Run& run) {
  switch (type.back()) {
    case '1': run(std::uint8_t{}); break;
    case '2': run(std::uint16_t{}); break;
    case '4': run(std::uint32_t{}); break;
    default: run(std::uint64_t{}); break;
  }
}

std::uint64_t writeArray(const Lines& lines, const std::string& path, int threads) {
  const std::string type = npyTypeOf(lines.shape);
  const std::vector<Piece> pieces = piecesOf(lines);
  const std::uint64_t points = pieces.empty() ? 0 : pieces.back().before + pieces.back().points;
  NpyPart file(path, type, points, lines.shape.order.size());
  withNumber(type, [&](auto number) {
    forEachIndex(threads, pieces.size(), [&](std::uint64_t i) {
      std::vector<std::byte> rows;
      rowsOf<decltype(number)>(lines, pieces[i], rows);
      file.write(pieces[i].before, rows);
    });
  });
  return file.publish();
}

}  // namespace

PointFormat pointFormat(const std::string& path) {
  if (path.empty()) return PointFormat::none;
  if (path == "-" || path.ends_with(".txt")) return PointFormat::text;
  if (path.ends_with(".npy")) return PointFormat::npy;
  throw ConfigError("output.path", inQuotes(path),
                    "a file name that ends in .npy or .txt, or - for text on standard output");
}

std::uint64_t writePoints(const Lines& lines, const std::string& path, int threads) {
  if (pointFormat(path) == PointFormat::npy) return writeArray(lines, path, threads);
  return writeTextLines(path, [&](const auto& take) {
    forEachPoint(lines, [&](const Point& point) { take(fmt::join(point, " ")); });
  });
}

std::string npyTypeOf(const LineShape& shape) {
  const std::int64_t least = *std::min_element(shape.lower.begin(), shape.lower.end());
  std::int64_t most = least;
  for (std::size_t level = 0; level < shape.lower.size(); ++level) most = std::max(most, shape.upper[level]);
  return npyTypeOf(least, most);
}

std::uint64_t writePoints(const std::vector<Point>& points, const LineShape& shape, const std::string& path) {
  return writePoints(
      points.size(),
      [&](const TakePoint& take) {
        for (const Point& point : points) take(point);
      },
      shape, path);
}

std::uint64_t writePoints(std::uint64_t points, const std::function<void(const TakePoint&)>& forEach,
                          const LineShape& shape, const std::string& path) {
  if (pointFormat(path) != PointFormat::npy) {
    return writeTextLines(
        path, [&](const auto& take) { forEach([&](const Point& point) { take(fmt::join(point, " ")); }); });
  }
  const std::string type = npyTypeOf(shape);
  const std::size_t columns = shape.order.size();
  NpyPart file(path, type, points, columns);
  withNumber(type, [&](auto number) {
    using Number = decltype(number);
    std::vector<Number> rows;
    std::uint64_t written = 0;
    const auto flush = [&] {
      file.write(written, std::as_bytes(std::span(rows)));
      written += rows.size() / columns;
      rows.clear();
    };
    forEach([&](const Point& point) {
      for (const std::int64_t value : point) rows.push_back(static_cast<Number>(value));
      if (rows.size() * sizeof(Number) >= kPieceBytes) flush();
    });
    flush();
  });
  return file.publish();
}

void requireRoomFor(std::uint64_t points, std::size_t columns, std::size_t memoryLimit) {
  const std::uint64_t bytes = sizeof(Point) + 2 * sizeof(void*) + columns * sizeof(std::int64_t);
  if (points > memoryLimit / bytes)
    throw LimitError(
        fmt::format("points: {} of them, which take {} bytes each; {} bytes may be used (memory "
                    "limit). An output takes less",
                    points, bytes, memoryLimit));
}

}  // namespace slicepool::integer_points
