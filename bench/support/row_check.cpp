// See row_check.hpp.
#include "bench/support/row_check.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "slicepool/factorizations/sinks.hpp"

namespace slicepool::bench {
namespace {

using factorizations::Coordinates;
using factorizations::kGenericCapacity;
using factorizations::Row;

std::string rowText(const Coordinates<0, std::uint64_t>& row, std::size_t dimension) {
  return fmt::format("({})", fmt::join(row, row + dimension, ","));
}

template <class Element>
RowFacts inspect(const Instance& instance, const std::byte* rows, std::uint64_t count) {
  const std::size_t d = instance.generators.size();
  const std::uint64_t longest =
      instance.element / *std::min_element(instance.generators.begin(), instance.generators.end());
  RowFacts facts{count, {}, std::vector<std::uint64_t>(longest + 1), std::vector<std::uint64_t>(d), {}};
  factorizations::FingerprintTotals totals;
  Coordinates<0, std::uint64_t> current{};
  Coordinates<0, std::uint64_t> previous{};
  for (std::uint64_t r = 0; r < count; ++r) {
    const std::byte* row = rows + r * d * sizeof(Element);
    std::uint64_t length = 0;
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < d; ++k) {
      Element value;  // rows of 1-byte elements lie at any address
      std::memcpy(&value, row + k * sizeof(Element), sizeof(Element));
      current[k] = value;
      length += value;
      sum += value * instance.generators[k];
      facts.coordinateMaxima[k] = std::max(facts.coordinateMaxima[k], current[k]);
    }
    const bool ordered = r == 0 || std::lexicographical_compare(current, current + d, previous, previous + d);
    if (sum != instance.element || length > longest || !ordered) {
      facts.problem = fmt::format("row {} of {} is {}: {}", r, count, rowText(current, d),
                                  ordered ? fmt::format("its sum is {}", sum)
                                          : "not smaller than " + rowText(previous, d) + " before it");
      break;
    }
    ++facts.lengths[length];
    totals.add(factorizations::rowHash<0, std::uint64_t>({current, static_cast<std::int32_t>(d), r}));
    std::copy_n(current, d, previous);
  }
  facts.fingerprint = {totals.sum, totals.exclusiveOr};
  return facts;
}

}  // namespace

RowFacts inspectRows(const Instance& instance, const std::byte* rows, std::uint64_t count,
                     unsigned elementBytes) {
  switch (elementBytes) {
    case 1: return inspect<std::uint8_t>(instance, rows, count);
    case 2: return inspect<std::uint16_t>(instance, rows, count);
    case 4: return inspect<std::uint32_t>(instance, rows, count);
    default: return inspect<std::uint64_t>(instance, rows, count);
  }
}

std::string differenceOf(const RowFacts& found, const RowFacts& expected) {
  if (!found.problem.empty()) return found.problem;
  if (found.rows != expected.rows) return fmt::format("{} rows, expected {}", found.rows, expected.rows);
  if (found.fingerprint == expected.fingerprint) return {};
  return fmt::format("fingerprint {}, expected {}", fingerprintText(found.fingerprint),
                     fingerprintText(expected.fingerprint));
}

std::string fingerprintText(const Fingerprint& fingerprint) {
  return fmt::format("{:016x}{:016x}", fingerprint.sum, fingerprint.exclusiveOr);
}

}  // namespace slicepool::bench
