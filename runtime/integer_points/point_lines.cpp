// Lines of points in memory: order, number, fingerprint, points. See point_files.hpp.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "runtime/integer_points/line_reader.hpp"
#include "runtime/integer_points/point_files.hpp"

namespace slicepool::integer_points {

template <class Record>
void sortLines(const LineShape& shape, std::vector<Record>& records) {
  const std::size_t key = shape.order.size() * static_cast<std::size_t>(shape.width);
  const auto isBefore = [key](const Record& a, const Record& b) {
    return std::memcmp(a.bytes + kCountBytes, b.bytes + kCountBytes, key) < 0;
  };
  // Stretches that are in order: [begins[i], begins[i + 1]).
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (i == 0 || isBefore(records[i], records[i - 1])) begins.push_back(i);
  if (begins.size() < 2) return;
  begins.push_back(records.size());
  std::vector<std::size_t> order(begins.size() - 1);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return isBefore(records[begins[a]], records[begins[b]]); });
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    if (isBefore(records[begins[order[i] + 1] - 1], records[begins[order[i + 1]]])) continue;
    std::sort(records.begin(), records.end(), isBefore);
    return;
  }
  std::vector<Record> sorted;
  sorted.reserve(records.size());
  for (const std::size_t stretch : order)
    sorted.insert(sorted.end(), records.begin() + static_cast<std::ptrdiff_t>(begins[stretch]),
                  records.begin() + static_cast<std::ptrdiff_t>(begins[stretch + 1]));
  records = std::move(sorted);
}

template void sortLines(const LineShape&, std::vector<LineRecord<32>>&);
template void sortLines(const LineShape&, std::vector<LineRecord<72>>&);
template void sortLines(const LineShape&, std::vector<LineRecord<264>>&);
template void sortLines(const LineShape&, std::vector<LineRecord<520>>&);

std::uint64_t pointsOf(const Lines& lines) {
  std::uint64_t points = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) points += countOf(lines, i);
  return points;
}

Fingerprint fingerprintOf(const Lines& lines) {
  Fingerprint fingerprint;
  std::vector<std::int64_t> first(lines.shape.order.size());
  std::uint64_t change = 0;
  for (std::size_t level = 0; level < first.size(); ++level)
    change += coordinateMultiplier(static_cast<unsigned>(lines.shape.order[level])) *
              static_cast<std::uint64_t>(lines.shape.increments[level]);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    readFirst(lines, i, first);
    std::uint64_t linear = kRowHashOffset;
    for (std::size_t level = 0; level < first.size(); ++level)
      linear += coordinateMultiplier(static_cast<unsigned>(lines.shape.order[level])) *
                static_cast<std::uint64_t>(first[level]);
    for (std::uint64_t left = countOf(lines, i); left != 0; --left, linear += change) {
      const std::uint64_t hash = mix64(linear);
      fingerprint.sum += hash;
      fingerprint.exclusiveOr ^= hash;
    }
  }
  return fingerprint;
}

std::vector<Point> pointsIn(const Lines& lines) {
  std::vector<Point> points;
  std::vector<std::int64_t> first(lines.shape.order.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    readFirst(lines, i, first);
    for (std::uint64_t left = countOf(lines, i); left != 0; --left) {
      Point& point = points.emplace_back(first.size());
      for (std::size_t level = 0; level < first.size(); ++level) {
        point[lines.shape.order[level]] = first[level];
        first[level] += lines.shape.increments[level];
      }
    }
  }
  return points;
}

}  // namespace slicepool::integer_points
