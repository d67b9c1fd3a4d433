// See row_check.hpp.
#include "bench/support/row_check.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <future>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/core/fingerprint_text.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/factorizations/sinks.hpp"

namespace slicepool::bench {
namespace {

using factorizations::Coordinates;

constexpr std::uint64_t kRowsWorthAThread = 250'000;

std::uint64_t longestLength(const Instance& instance) {
  return instance.element / *std::min_element(instance.generators.begin(), instance.generators.end());
}

std::string rowText(const Coordinates<0, std::uint64_t>& row, std::size_t dimension) {
  return fmt::format("({})", fmt::join(row, row + dimension, ","));
}

/// Rows [begin, end) of `count`.
template <class Element>
RowFacts inspect(const Instance& instance, const std::byte* rows, RankRange range, std::uint64_t count) {
  const std::size_t d = instance.generators.size();
  const std::uint64_t longest = longestLength(instance);
  RowFacts facts{range.end - range.begin,
                 {},
                 std::vector<std::uint64_t>(longest + 1),
                 std::vector<std::uint64_t>(d),
                 {}};
  factorizations::FingerprintTotals totals;
  Coordinates<0, std::uint64_t> current{};
  Coordinates<0, std::uint64_t> previous{};
  const auto load = [&](std::uint64_t r, Coordinates<0, std::uint64_t>& row) {
    for (std::size_t k = 0; k < d; ++k) {
      Element value;  // rows of the caller's memory lie at any address
      std::memcpy(&value, rows + (r * d + k) * sizeof(Element), sizeof(Element));
      row[k] = value;
    }
  };
  if (range.begin > 0) load(range.begin - 1, previous);
  for (std::uint64_t r = range.begin; r < range.end; ++r) {
    load(r, current);
    std::uint64_t length = 0;
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < d; ++k) {
      length += current[k];
      sum += current[k] * instance.generators[k];
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

/// Facts of a range of rows after those in `facts`.
void append(RowFacts& facts, const RowFacts& next) {
  facts.rows += next.rows;
  facts.fingerprint.sum += next.fingerprint.sum;
  facts.fingerprint.exclusiveOr ^= next.fingerprint.exclusiveOr;
  for (std::size_t length = 0; length < facts.lengths.size(); ++length)
    facts.lengths[length] += next.lengths[length];
  for (std::size_t k = 0; k < facts.coordinateMaxima.size(); ++k)
    facts.coordinateMaxima[k] = std::max(facts.coordinateMaxima[k], next.coordinateMaxima[k]);
  if (facts.problem.empty()) facts.problem = next.problem;
}

RowFacts inspectRange(const Instance& instance, const std::byte* rows, RankRange range, std::uint64_t count,
                      unsigned elementBytes) {
  switch (elementBytes) {
    case 1: return inspect<std::uint8_t>(instance, rows, range, count);
    case 2: return inspect<std::uint16_t>(instance, rows, range, count);
    case 4: return inspect<std::uint32_t>(instance, rows, range, count);
    default: return inspect<std::uint64_t>(instance, rows, range, count);
  }
}

}  // namespace

RowFacts inspectRows(const Instance& instance, const std::byte* rows, std::uint64_t count,
                     unsigned elementBytes) {
  const std::uint64_t parts = std::clamp<std::uint64_t>(count / kRowsWorthAThread, 1,
                                                        std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::future<RowFacts>> others;
  const auto part = [&](std::uint64_t index) {
    return RankRange{count / parts * index, index + 1 == parts ? count : count / parts * (index + 1)};
  };
  for (std::uint64_t index = 1; index < parts; ++index) {
    others.push_back(std::async(std::launch::async, inspectRange, std::cref(instance), rows, part(index),
                                count, elementBytes));
  }
  RowFacts facts = inspectRange(instance, rows, part(0), count, elementBytes);
  for (auto& other : others) append(facts, other.get());
  return facts;
}

std::string differenceOf(const RowFacts& found, const RowFacts& expected) {
  if (!found.problem.empty()) return found.problem;
  if (found.rows != expected.rows) return fmt::format("{} rows, expected {}", found.rows, expected.rows);
  if (found.fingerprint == expected.fingerprint) return {};
  return fmt::format("fingerprint {}, expected {}", fingerprintText(found.fingerprint),
                     fingerprintText(expected.fingerprint));
}

}  // namespace slicepool::bench
