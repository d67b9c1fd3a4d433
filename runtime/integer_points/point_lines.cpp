// Lines of points in memory: order, number, fingerprint, points. See point_files.hpp.
#include <algorithm>
#include <cstring>
#include <utility>

#include "cpu_workers/core/parallel.hpp"
#include "cpu_workers/factorizations/rows.hpp"
#include "runtime/core/fingerprint_sum.hpp"
#include "runtime/integer_points/endings.hpp"
#include "runtime/integer_points/line_reader.hpp"
#include "runtime/integer_points/point_files.hpp"

namespace slicepool::integer_points {

namespace {

constexpr std::uint64_t kHashedLines = 1U << 12;  ///< lines that a thread takes at a time
constexpr std::size_t kShortStretch = 64;         ///< on average
constexpr std::size_t kSortedBlock = 1U << 14;

/// Beginnings of stretches that are in order, and the end. A GPU gives short ones: blocks are sorted then.
template <class Record, class Before>
std::vector<std::size_t> sortedStretches(std::vector<Record>& records, const Before& isBefore, int threads) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (i == 0 || isBefore(records[i], records[i - 1])) begins.push_back(i);
  if (begins.size() * kShortStretch > records.size() && records.size() > kShortStretch) {
    begins.clear();
    for (std::size_t i = 0; i < records.size(); i += kSortedBlock) begins.push_back(i);
    forEachIndex(threads, begins.size(), [&](std::uint64_t i) {
      const auto begin = records.begin() + static_cast<std::ptrdiff_t>(begins[i]);
      const auto length = std::min(kSortedBlock, records.size() - begins[i]);
      std::sort(begin, begin + static_cast<std::ptrdiff_t>(length), isBefore);
    });
  }
  begins.push_back(records.size());
  return begins;
}

/// Merges neighbours until one stretch is left.
template <class Record, class Before>
void sortBy(std::vector<Record>& records, const Before& isBefore, int threads) {
  std::vector<std::size_t> begins = sortedStretches(records, isBefore, threads);
  if (begins.size() <= 2) return;
  std::vector<Record> other(records.size());
  while (begins.size() > 2) {
    const std::size_t stretches = begins.size() - 1;
    forEachIndex(threads, (stretches + 1) / 2, [&](std::uint64_t pair) {
      const auto at = [&](std::size_t i) {
        return records.begin() + static_cast<std::ptrdiff_t>(begins[std::min(i, stretches)]);
      };
      std::merge(at(2 * pair), at(2 * pair + 1), at(2 * pair + 1), at(2 * pair + 2),
                 other.begin() + static_cast<std::ptrdiff_t>(begins[2 * pair]), isBefore);
    });
    records.swap(other);
    std::vector<std::size_t> merged;
    for (std::size_t i = 0; i < stretches; i += 2) merged.push_back(begins[i]);
    merged.push_back(begins.back());
    begins = std::move(merged);
  }
}

/// Of the points of lines [begin, end).
Fingerprint fingerprintOf(const Lines& lines, const std::vector<std::uint64_t>& multipliers,
                          std::uint64_t change, std::uint64_t begin, std::uint64_t end) {
  Fingerprint fingerprint;
  const RowKernels& kernels = rowKernels();
  const std::size_t coordinates = lines.shape.coordinates;
  std::uint64_t lowest = kRowHashOffset;
  for (std::size_t level = 0; level < coordinates; ++level)
    lowest += multipliers[level] * static_cast<std::uint64_t>(lines.shape.lower[level]);
  withCoordinate(lines.shape.width, [&](auto number) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint64_t linear = lowest;
      for (std::size_t level = 0; level < coordinates; ++level)
        linear += multipliers[level] * coordinateAt<decltype(number)>(recordAt(lines, i), level);
      if (lines.endings != nullptr)
        kernels.mixValues(linear, lines.endings->linear() + lines.endings->beginOf(i), countOf(lines, i),
                          fingerprint.sum, fingerprint.exclusiveOr);
      else
        kernels.mixProgression(linear, change, countOf(lines, i), fingerprint.sum, fingerprint.exclusiveOr);
    }
  });
  return fingerprint;
}

}  // namespace

template <class Record>
void sortLines(const LineShape& shape, std::vector<Record>& records, int threads) {
  const std::size_t columns = shape.coordinates;
  withCoordinate(shape.width, [&](auto number) {
    using Number = decltype(number);
    sortBy(
        records,
        [columns](const Record& a, const Record& b) {
          if constexpr (sizeof(Number) == 1)
            return std::memcmp(a.bytes + kCountBytes, b.bytes + kCountBytes, columns) < 0;
          for (std::size_t level = 0; level < columns; ++level) {
            const auto x = coordinateAt<Number>(reinterpret_cast<const std::byte*>(a.bytes), level);
            const auto y = coordinateAt<Number>(reinterpret_cast<const std::byte*>(b.bytes), level);
            if (x != y) return x < y;
          }
          return false;
        },
        threads);
  });
}

template void sortLines(const LineShape&, std::vector<LineRecord<32>>&, int);
template void sortLines(const LineShape&, std::vector<LineRecord<72>>&, int);
template void sortLines(const LineShape&, std::vector<LineRecord<264>>&, int);
template void sortLines(const LineShape&, std::vector<LineRecord<520>>&, int);

std::uint64_t pointsOf(const Lines& lines) {
  std::uint64_t points = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) points += countOf(lines, i);
  return points;
}

Fingerprint fingerprintOf(const Lines& lines, int threads) {
  std::vector<std::uint64_t> multipliers;
  std::uint64_t change = 0;
  for (std::size_t level = 0; level < lines.shape.order.size(); ++level) {
    multipliers.push_back(coordinateMultiplier(static_cast<unsigned>(lines.shape.order[level])));
    change += multipliers.back() * static_cast<std::uint64_t>(lines.shape.increments[level]);
  }
  const std::uint64_t pieces = (lines.size() + kHashedLines - 1) / kHashedLines;
  std::vector<Fingerprint> parts(pieces);
  forEachIndex(threads, pieces, [&](std::uint64_t i) {
    parts[i] = fingerprintOf(lines, multipliers, change, i * kHashedLines,
                             std::min<std::uint64_t>(lines.size(), (i + 1) * kHashedLines));
  });
  Fingerprint fingerprint;
  for (const Fingerprint& part : parts) addTo(fingerprint, part);
  return fingerprint;
}

void forEachPoint(const Lines& lines, const TakePoint& take) {
  const LineShape& shape = lines.shape;
  std::vector<std::int64_t> first(shape.order.size());
  Point point(first.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    readFirst(lines, i, first);
    const std::uint64_t count = countOf(lines, i);
    for (std::uint64_t k = 0; k < count; ++k) {
      if (lines.endings != nullptr) {
        const auto values = lines.endings->values(lines.endings->beginOf(i) + static_cast<std::uint32_t>(k));
        std::copy(values.begin(), values.end(),
                  first.begin() + static_cast<std::ptrdiff_t>(shape.coordinates));
      }
      for (std::size_t level = 0; level < first.size(); ++level) point[shape.order[level]] = first[level];
      take(point);
      if (lines.endings == nullptr)
        for (std::size_t level = 0; level < first.size(); ++level) first[level] += shape.increments[level];
    }
  }
}

std::vector<Point> pointsIn(const Lines& lines) {
  std::vector<Point> points;
  forEachPoint(lines, [&](const Point& point) { points.push_back(point); });
  return points;
}

}  // namespace slicepool::integer_points
