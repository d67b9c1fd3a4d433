// Invariants by their definitions, by brute force: what the recurrences and searches of invariants are
// compared with. Independent of the library.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "support/factorizations/oracle.hpp"

namespace slicepool::test {

/// max(|a - gcd|, |b - gcd|).
inline std::uint64_t distanceOf(const Vector& a, const Vector& b) {
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint64_t common = std::min(a[i], b[i]);
    left += a[i] - common;
    right += b[i] - common;
  }
  return std::max(left, right);
}

/// The least N such that chains of rows lead from every row to every row that `wanted` asks for: each step
/// has a distance of at most N and is one that `allowed` takes. All distances are tried in turn.
inline std::uint64_t leastChain(const std::vector<Vector>& rows,
                                const std::function<bool(const Vector&, const Vector&)>& wanted,
                                const std::function<bool(const Vector&, const Vector&)>& allowed) {
  for (std::uint64_t bound = 0;; ++bound) {
    bool all = true;
    for (std::size_t from = 0; from < rows.size() && all; ++from) {
      std::vector<bool> seen(rows.size(), false);
      std::vector<std::size_t> reached{from};
      seen[from] = true;
      for (std::size_t at = 0; at < reached.size(); ++at) {
        for (std::size_t to = 0; to < rows.size(); ++to) {
          const Vector& a = rows[reached[at]];
          if (seen[to] || distanceOf(a, rows[to]) > bound || !allowed(a, rows[to])) continue;
          seen[to] = true;
          reached.push_back(to);
        }
      }
      for (std::size_t to = 0; to < rows.size(); ++to)
        all = all && (seen[to] || !wanted(rows[from], rows[to]));
    }
    if (all) return bound;
  }
}

inline std::uint64_t catenaryByDefinition(const std::vector<Vector>& rows) {
  const auto always = [](const Vector&, const Vector&) { return true; };
  return leastChain(rows, always, always);
}
inline std::uint64_t equalCatenaryByDefinition(const std::vector<Vector>& rows) {
  const auto equal = [](const Vector& a, const Vector& b) { return lengthOf(a) == lengthOf(b); };
  return leastChain(rows, equal, equal);
}
inline std::uint64_t monotoneCatenaryByDefinition(const std::vector<Vector>& rows) {
  const auto up = [](const Vector& a, const Vector& b) { return lengthOf(a) <= lengthOf(b); };
  return leastChain(rows, up, up);
}
/// Over neighbours in the length set, the greatest of the least distances.
inline std::uint64_t adjacentCatenaryByDefinition(const std::vector<Vector>& rows) {
  std::set<std::uint64_t> lengths;
  for (const auto& row : rows) lengths.insert(lengthOf(row));
  std::uint64_t greatest = 0;
  for (auto low = lengths.begin(); std::next(low) != lengths.end(); ++low) {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (const auto& a : rows)
      for (const auto& b : rows)
        if (lengthOf(a) == *low && lengthOf(b) == *std::next(low)) least = std::min(least, distanceOf(a, b));
    greatest = std::max(greatest, least);
  }
  return greatest;
}
/// The least N such that every row is at most N from a row with generator i, if there is any, for every i.
inline std::uint64_t tameByDefinition(const std::vector<Vector>& rows) {
  std::uint64_t tame = 0;
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    for (const auto& a : rows) {
      std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
      for (const auto& b : rows)
        if (b[i] != 0) least = std::min(least, distanceOf(a, b));
      if (least != std::numeric_limits<std::uint64_t>::max()) tame = std::max(tame, least);
    }
  }
  return tame;
}
inline std::size_t rClassesByDefinition(const std::vector<Vector>& rows) {
  std::vector<std::size_t> classes(rows.size());
  std::iota(classes.begin(), classes.end(), std::size_t{0});
  bool changed = true;
  while (changed) {
    changed = false;
    for (std::size_t a = 0; a < rows.size(); ++a) {
      for (std::size_t b = 0; b < rows.size(); ++b) {
        bool common = false;
        for (std::size_t i = 0; i < rows[a].size(); ++i)
          common = common || (rows[a][i] != 0 && rows[b][i] != 0);
        if (!common || classes[b] <= classes[a]) continue;
        classes[b] = classes[a];
        changed = true;
      }
    }
  }
  return std::set<std::size_t>(classes.begin(), classes.end()).size();
}

/// Elements of a semigroup, 0 .. last.
inline std::vector<bool> elementsUpTo(const Vector& generators, std::uint64_t last) {
  std::vector<bool> elements(last + 1, false);
  elements[0] = true;
  for (std::uint64_t n = 1; n <= last; ++n)
    for (const std::uint64_t generator : generators)
      if (generator <= n && elements[n - generator]) elements[n] = true;
  return elements;
}

/// The least N such that whenever n divides a sum of generators, it divides a sum of at most N of them: the
/// greatest length of a vector that n divides, and that becomes one that it does not with any generator less.
inline std::uint64_t omegaByDefinition(const Vector& generators, std::uint64_t n) {
  std::vector<std::uint64_t> most;  // n divides so many times a generator
  const std::uint64_t bound = 60 * (n + generators.back() * generators.front());
  const auto elements = elementsUpTo(generators, bound);
  const auto divides = [&](std::uint64_t value) { return value >= n && elements[value - n]; };
  for (const std::uint64_t generator : generators) {
    std::uint64_t times = 0;
    while (!divides(times * generator)) ++times;
    most.push_back(times);
  }
  std::uint64_t omega = 0;
  Vector row(generators.size(), 0);
  const std::function<void(std::size_t, std::uint64_t)> extend = [&](std::size_t i, std::uint64_t value) {
    if (i == generators.size()) {
      if (!divides(value)) return;
      for (std::size_t j = 0; j < row.size(); ++j)
        if (row[j] != 0 && divides(value - generators[j])) return;
      omega = std::max(omega, lengthOf(row));
      return;
    }
    for (row[i] = 0; row[i] <= most[i]; ++row[i]) extend(i + 1, value + row[i] * generators[i]);
    row[i] = 0;
  };
  extend(0, 0);
  return omega;
}

/// Minimal generators of a numerical semigroup, in any order: `dimension` numbers or fewer.
inline Vector randomSemigroup(std::mt19937_64& random, std::size_t dimension, std::uint64_t most) {
  for (;;) {
    Vector generators;
    for (std::size_t i = 0; i < dimension; ++i) generators.push_back(1 + random() % most);
    std::sort(generators.begin(), generators.end());
    Vector minimal;
    std::uint64_t divisor = 0;
    for (const std::uint64_t generator : generators) {
      if (!minimal.empty() && elementsUpTo(minimal, generator)[generator]) continue;
      minimal.push_back(generator);
      divisor = std::gcd(divisor, generator);
    }
    if (divisor != 1) continue;
    std::shuffle(minimal.begin(), minimal.end(), random);
    return minimal;
  }
}

}  // namespace slicepool::test
