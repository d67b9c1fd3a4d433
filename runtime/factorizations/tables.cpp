// Suffix counts, step counts and exact totals. Called by the enumeration front and by tests.
#include "slicepool/factorizations/steps/tables.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/factorizations/counting.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::uint64_t kEntriesBetweenChecks = 1U << 16;

std::string exactCountWide(const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  std::vector<boost::multiprecision::cpp_int> ways(static_cast<std::size_t>(element) + 1);
  ways[0] = 1;
  for (const std::uint64_t g : generators) {
    for (std::uint64_t m = g; m <= element; ++m) {
      if (m % kEntriesBetweenChecks == 0) checkSetup();
      ways[m] += ways[m - g];
    }
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
    if (!addGenerator(row, row + stride, stride, generators[k])) result.overflow = true;
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
    checkSetup();
    std::uint64_t* row = result.counts.data() + k * stride;
    const std::uint64_t* next = row + stride;
    const std::uint64_t g = generators[k];
    row[0] = 1;
    for (std::uint64_t p = 1; p <= element; ++p)
      if (__builtin_add_overflow(next[p], p > g ? row[p - g] : 1, &row[p])) result.overflow = true;
  }
  return result;
}

std::string exactCount(const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  requireAddressable(tableBytes(1, element), "exact count");
  std::vector<std::uint64_t> ways(static_cast<std::size_t>(element) + 1);
  ways[0] = 1;
  for (const std::uint64_t g : generators)
    if (!addGenerator(ways.data(), ways.data(), ways.size(), g)) return exactCountWide(generators, element);
  return std::to_string(ways[element]);
}

}  // namespace slicepool::factorizations
