// Random lattices of several kinds by a seed, as requests take them, and a shortest vector by the lattice
// workload's unpruned search. Included by unit, property and cli tests of svp.
#pragma once

#include <fmt/format.h>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "runtime/lattice/integer_basis.hpp"
#include "runtime/lattice/reduction.hpp"
#include "slicepool/lattice/enumeration.hpp"
#include "support/skip.hpp"

namespace slicepool::test {

/// False, and visibly so, in a build without fplll.
inline bool canReduce() {
  if (!lattice::fplllLinked()) skip("this build has no fplll");
  return lattice::fplllLinked();
}

inline lattice::IntegerBasis zeroBasis(int rows, int columns) {
  lattice::IntegerBasis basis;
  basis.dimension = rows;
  basis.columns = columns;
  basis.entries.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  return basis;
}

inline lattice::Integer& entryOf(lattice::IntegerBasis& basis, int row, int column) {
  return basis.entries[static_cast<std::size_t>(row) * static_cast<std::size_t>(basis.columns) +
                       static_cast<std::size_t>(column)];
}

inline lattice::Integer randomBits(int bits, std::mt19937_64& random) {
  lattice::Integer value = 0;
  for (int have = 0; have < bits; have += 32) value = (value << 32) + (random() >> 32);
  return value >> ((bits + 31) / 32 * 32 - bits);
}

/// A knapsack of d weights of 10 d / 2 bits: d rows of d + 1 columns.
inline lattice::IntegerBasis knapsackBasis(int d, std::mt19937_64& random) {
  lattice::IntegerBasis basis = zeroBasis(d, d + 1);
  for (int i = 0; i < d; ++i) {
    entryOf(basis, i, 0) = randomBits(5 * d + 8, random);
    entryOf(basis, i, i + 1) = 1;
  }
  return basis;
}

/// q-ary, of half the dimension.
inline lattice::IntegerBasis qaryBasis(int d, std::mt19937_64& random) {
  lattice::IntegerBasis basis = zeroBasis(d, d);
  const int half = (d + 1) / 2;
  for (int i = 0; i < d; ++i) {
    entryOf(basis, i, i) = i < half ? 1 : 4093;
    for (int j = half; j < d && i < half; ++j) entryOf(basis, i, j) = random() % 4093;
  }
  return basis;
}

/// Of the kind of Goldstein and Mayer, as the SVP challenge's: one dense column modulo a number of 10 d bits.
inline lattice::IntegerBasis challengeBasis(int d, std::mt19937_64& random) {
  lattice::IntegerBasis basis = zeroBasis(d, d);
  const lattice::Integer modulus = randomBits(10 * d, random) | 1;
  entryOf(basis, 0, 0) = modulus;
  for (int i = 1; i < d; ++i) {
    entryOf(basis, i, 0) = randomBits(10 * d + 8, random) % modulus;
    entryOf(basis, i, i) = 1;
  }
  return basis;
}

/// Entries of 12 bits and either sign, with a large diagonal so that rows are independent.
inline lattice::IntegerBasis uniformBasis(int d, std::mt19937_64& random) {
  lattice::IntegerBasis basis = zeroBasis(d, d);
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < d; ++j) entryOf(basis, i, j) = static_cast<std::int64_t>(random() % 4096) - 2048;
    entryOf(basis, i, i) += 2048 * 16;
  }
  return basis;
}

/// The same lattice by other rows.
inline lattice::IntegerBasis transformed(lattice::IntegerBasis basis, std::mt19937_64& random) {
  const int d = basis.dimension;
  for (int round = 0; round < 3 * d && d > 1; ++round) {
    const int i = static_cast<int>(random() % static_cast<std::uint64_t>(d));
    const int j = static_cast<int>(random() % static_cast<std::uint64_t>(d));
    if (i == j) continue;
    const auto factor = static_cast<std::int64_t>(random() % 7) - 3;
    for (int c = 0; c < basis.columns; ++c) entryOf(basis, i, c) += factor * entryOf(basis, j, c);
  }
  return basis;
}

struct NamedBasis {
  std::string kind;
  lattice::IntegerBasis basis;
};

/// One of every kind, plain and transformed.
inline std::vector<NamedBasis> basesOfEveryKind(int d, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<NamedBasis> all = {{"knapsack", knapsackBasis(d, random)},
                                 {"q-ary", qaryBasis(d, random)},
                                 {"challenge", challengeBasis(d, random)},
                                 {"uniform", uniformBasis(d, random)}};
  for (std::size_t i = 0; i < 4; ++i)
    all.push_back({all[i].kind + ", transformed", transformed(all[i].basis, random)});
  return all;
}

/// The squared norm of a shortest vector.
inline std::string shortestSquaredNorm(const lattice::IntegerBasis& basis) {
  lattice::Request request;
  request.basis = lattice::basisText(basis);
  request.reduction = "bkz-20";
  lattice::Enumeration enumeration(request, {});
  enumeration.run();
  return enumeration.outcome().shortestSquaredNorm;
}

/// That the text is a vector of this squared norm in the lattice: appended to the rows it makes no larger
/// lattice.
inline bool isVectorOf(const lattice::IntegerBasis& basis, const std::string& text,
                       const std::string& squaredNorm) {
  const lattice::IntegerBasis row = lattice::parseBasis("[" + text + "]", "vector");
  lattice::Integer sum = 0;
  for (const auto& entry : row.entries) sum += entry * entry;
  if (sum.str() != squaredNorm) return false;
  // Solve x B = v over the rationals by fraction-free elimination on the columns of [B; v] transposed.
  using Rational = boost::multiprecision::cpp_rational;
  const auto d = static_cast<std::size_t>(basis.dimension);
  const auto n = static_cast<std::size_t>(basis.columns);
  std::vector<std::vector<Rational>> system(n, std::vector<Rational>(d + 1));
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t r = 0; r < d; ++r) system[c][r] = Rational(basis.entries[r * n + c]);
    system[c][d] = Rational(row.entries[c]);
  }
  std::size_t rank = 0;
  for (std::size_t r = 0; r < d; ++r) {
    std::size_t pivot = rank;
    while (pivot < n && system[pivot][r] == 0) ++pivot;
    if (pivot == n) return false;
    std::swap(system[pivot], system[rank]);
    for (std::size_t c = 0; c < n; ++c) {
      if (c == rank || system[c][r] == 0) continue;
      const Rational factor = system[c][r] / system[rank][r];
      for (std::size_t k = r; k <= d; ++k) system[c][k] -= factor * system[rank][k];
    }
    ++rank;
  }
  for (std::size_t c = 0; c < n; ++c) {
    if (c >= rank) {
      if (system[c][d] != 0) return false;
    } else if (denominator(Rational(system[c][d] / system[c][c])) != 1) {
      return false;
    }
  }
  return true;
}

}  // namespace slicepool::test
