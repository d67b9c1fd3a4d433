// Suffix counts, step counts and exact totals. Called by the enumeration front and by tests.
#include "slicepool/factorizations/tables.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

/// Rows * (element + 1) entries of 64 bits, or SIZE_MAX bytes when that does not fit.
std::size_t tableBytes(std::size_t rows, std::uint64_t element) {
  std::size_t bytes = 0;
  if (element == std::numeric_limits<std::uint64_t>::max() ||
      __builtin_mul_overflow(rows, static_cast<std::size_t>(element + 1), &bytes) ||
      __builtin_mul_overflow(bytes, sizeof(std::uint64_t), &bytes)) {
    return std::numeric_limits<std::size_t>::max();
  }
  return bytes;
}

void requireAddressable(std::size_t bytes, const char* what) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max())) {
    throw LimitError(std::string(what) + ": the table is larger than the address space");
  }
}

/// ways[m] += ways[m - g] for ascending m: from the counts over some generators to those with g added.
/// False when a sum overflowed (it wrapped).
bool addGenerator(std::uint64_t* ways, std::uint64_t element, std::uint64_t g) {
  bool overflow = false;
  for (std::uint64_t m = g; m <= element; ++m) {
    overflow |= __builtin_add_overflow(ways[m], ways[m - g], &ways[m]);
  }
  return !overflow;
}

std::string exactCountWide(const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  std::vector<boost::multiprecision::cpp_int> ways(static_cast<std::size_t>(element) + 1);
  ways[0] = 1;
  for (const std::uint64_t g : generators) {
    for (std::uint64_t m = g; m <= element; ++m) ways[m] += ways[m - g];
  }
  return ways[element].str();
}

}  // namespace

std::size_t SuffixCounts::bytesNeeded(std::size_t dimension, std::uint64_t element) {
  return tableBytes(dimension + 1, element);
}

SuffixCounts makeSuffixCounts(const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  const std::size_t d = generators.size();
  requireAddressable(SuffixCounts::bytesNeeded(d, element), "suffix counts");
  const std::size_t stride = static_cast<std::size_t>(element) + 1;
  SuffixCounts result;
  result.element = element;
  result.counts.resize((d + 1) * stride);
  result.counts[d * stride] = 1;
  for (std::size_t k = d; k-- > 0;) {
    std::uint64_t* row = result.counts.data() + k * stride;
    std::copy_n(row + stride, stride, row);
    if (!addGenerator(row, element, generators[k])) result.overflow = true;
  }
  result.exactTotal = result.overflow ? exactCountWide(generators, element) : std::to_string(result.total());
  return result;
}

StepCounts makeStepCounts(const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  const std::size_t d = generators.size();
  requireAddressable(tableBytes(d, element), "step counts");
  const std::size_t stride = static_cast<std::size_t>(element) + 1;
  StepCounts result;
  result.counts.resize(d * stride);
  std::uint64_t* const last = result.counts.data() + (d - 1) * stride;
  std::fill_n(last, stride, 1);
  for (std::size_t k = d - 1; k-- > 0;) {
    std::uint64_t* row = result.counts.data() + k * stride;
    const std::uint64_t* next = row + stride;
    const std::uint64_t g = generators[k];
    row[0] = 1;
    for (std::uint64_t p = 1; p <= element; ++p) {
      if (__builtin_add_overflow(next[p], p > g ? row[p - g] : 1, &row[p])) result.overflow = true;
    }
  }
  return result;
}

std::string exactCount(const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  requireAddressable(tableBytes(1, element), "exact count");
  std::vector<std::uint64_t> ways(static_cast<std::size_t>(element) + 1);
  ways[0] = 1;
  for (const std::uint64_t g : generators) {
    if (!addGenerator(ways.data(), element, g)) return exactCountWide(generators, element);
  }
  return std::to_string(ways[element]);
}

}  // namespace slicepool::factorizations
