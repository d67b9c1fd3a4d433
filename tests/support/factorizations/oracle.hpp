// An independent source of truth for factorization sets: plain recursion, the counting recurrence over one
// array, and a driver that takes a Problem through random budgets and split trees without an engine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/factorizations/problem_factory.hpp"
#include "support/slice_driver.hpp"

namespace slicepool::test {

using Vector = std::vector<std::uint64_t>;
using Vectors = std::vector<Vector>;

/// Z(n) in decreasing lexicographic order, by recursion over coordinates.
inline void enumerateInto(const Vector& generators, std::uint64_t residual, Vector& prefix, Vectors& rows) {
  const std::size_t k = prefix.size();
  if (k == generators.size()) {
    if (residual == 0) rows.push_back(prefix);
    return;
  }
  for (std::uint64_t value = residual / generators[k] + 1; value-- > 0;) {
    prefix.push_back(value);
    enumerateInto(generators, residual - value * generators[k], prefix, rows);
    prefix.pop_back();
  }
}
inline Vectors bruteForce(const Vector& generators, std::uint64_t element) {
  Vectors rows;
  Vector prefix;
  enumerateInto(generators, element, prefix, rows);
  return rows;
}

/// |Z(n)| by the coin-counting recurrence; exact while it fits 64 bits.
inline std::uint64_t countByRecurrence(const Vector& generators, std::uint64_t element) {
  std::vector<std::uint64_t> ways(element + 1);
  ways[0] = 1;
  for (const std::uint64_t g : generators)
    for (std::uint64_t m = g; m <= element; ++m) ways[m] += ways[m - g];
  return ways[element];
}

inline std::uint64_t lengthOf(const Vector& row) {
  return std::accumulate(row.begin(), row.end(), std::uint64_t{0});
}

inline Fingerprint fingerprintOf(const Vectors& rows) {
  Fingerprint fingerprint;
  for (const Vector& row : rows) {
    std::uint64_t linear = kRowHashOffset;
    for (std::size_t k = 0; k < row.size(); ++k)
      linear += coordinateMultiplier(static_cast<unsigned>(k)) * row[k];
    fingerprint.sum += mix64(linear);
    fingerprint.exclusiveOr ^= mix64(linear);
  }
  return fingerprint;
}

/// Takes one slice at a time through a Problem, as an engine with one worker would.
class Driver final : public SliceDriver {
 public:
  explicit Driver(const Problem& problem, std::uint32_t resultCapacity = 16)
      : SliceDriver(problem, resultCapacity) {}

  /// Runs all roots to their end, in turns of a million steps.
  void finishAll() {
    for (Slice slice : roots())
      while (turn(slice, 1'000'000) != Turn::exhausted) {}
  }
  /// Budgets come from `random`: mostly tiny, sometimes large.
  void finish(Slice slice, std::mt19937_64& random) {
    while (turn(slice, randomBudget(random)) != Turn::exhausted) {}
  }
  static std::uint64_t randomBudget(std::mt19937_64& random) {
    return random() % 8 == 0 ? 1 + random() % 2000 : 1 + random() % 20;
  }

  /// Runs the slice by a random tree of splits, in lexicographic order: kept part first, then the given part.
  void finishSplitting(Slice slice, std::mt19937_64& random, int depth) {
    for (int attempts = 0; attempts < depth; ++attempts) {
      if (random() % 3 == 0 && turn(slice, randomBudget(random)) == Turn::exhausted) return;
      Slice given;
      if (!split(slice, given)) break;
      finishSplitting(slice, random, depth - 1);
      slice = given;
    }
    finish(std::move(slice), random);
  }

  /// Collected, in order of emission.
  [[nodiscard]] const Vectors& rows() const { return rows_; }

 private:
  void keep(const std::byte* result) override {
    Vector row(problem().resultBytes() / sizeof(std::uint64_t));
    std::memcpy(row.data(), result, problem().resultBytes());
    rows_.push_back(std::move(row));
  }

  Vectors rows_;
};

}  // namespace slicepool::test
