// Groups of lattices for what reduces many at once, and how their results are checked: membership by the
// definition of the lattice, the determinant in exact integers, and Lovasz' condition by plain Gram-Schmidt.
// Included by tests of the emulated reducer and of GPUs.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "runtime/lattice/integer_basis.hpp"
#include "slicepool/detail/lattice_reducer.hpp"
#include "slicepool/lattice/many_lattices.hpp"

namespace slicepool::test {

/// q-ary lattices of all shapes: rows of q, and below them random columns beside a unit matrix.
struct ReducerGroup {
  struct Lattice {
    int d = 0;
    int half = 0;
    std::int64_t q = 0;
    std::vector<std::int64_t> columns;  ///< (d - half) x half
  };
  std::vector<Lattice> lattices;
  std::vector<std::int32_t> entries;
  std::vector<lattice::ReducerItem> items;

  void add(std::mt19937_64& random, int d, std::int64_t q) {
    Lattice made{d, d / 2, q, {}};
    items.push_back({static_cast<std::uint32_t>(entries.size()), static_cast<std::int16_t>(d),
                     static_cast<std::int16_t>(d)});
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j < d; ++j) {
        std::int64_t entry = 0;
        if (i < made.half) {
          entry = i == j ? q : 0;
        } else if (j < made.half) {
          entry = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(q));
          made.columns.push_back(entry);
        } else {
          entry = i == j ? 1 : 0;
        }
        entries.push_back(static_cast<std::int32_t>(entry));
      }
    }
    lattices.push_back(std::move(made));
  }

  [[nodiscard]] const std::int32_t* row(std::size_t lattice, int i) const {
    return entries.data() + items[lattice].first + static_cast<std::ptrdiff_t>(i) * lattices[lattice].d;
  }

  [[nodiscard]] lattice::GivenLattice given(std::size_t number) const {
    lattice::GivenLattice one;
    one.rows = one.columns = lattices[number].d;
    one.entries.assign(row(number, 0), row(number, one.rows));
    return one;
  }

  [[nodiscard]] bool contains(std::size_t number, const std::int32_t* vector) const {
    const Lattice& of = lattices[number];
    for (int j = 0; j < of.half; ++j) {
      std::int64_t left = vector[j];
      for (int i = of.half; i < of.d; ++i)
        left -= of.columns[static_cast<std::size_t>((i - of.half) * of.half + j)] * vector[i];
      if (left % of.q != 0) return false;
    }
    return true;
  }

  /// |det| by Bareiss' elimination.
  [[nodiscard]] lattice::Integer determinant(std::size_t number) const {
    const int d = lattices[number].d;
    std::vector<std::vector<lattice::Integer>> matrix;
    for (int i = 0; i < d; ++i) matrix.emplace_back(row(number, i), row(number, i) + d);
    lattice::Integer before = 1;
    for (std::size_t k = 0; k + 1 < matrix.size(); ++k) {
      std::size_t pivot = k;
      while (pivot < matrix.size() && matrix[pivot][k] == 0) ++pivot;
      if (pivot == matrix.size()) return 0;
      std::swap(matrix[pivot], matrix[k]);
      for (std::size_t i = k + 1; i < matrix.size(); ++i)
        for (std::size_t j = k + 1; j < matrix.size(); ++j)
          matrix[i][j] = (matrix[i][j] * matrix[k][k] - matrix[i][k] * matrix[k][j]) / before;
      before = matrix[k][k];
    }
    return abs(matrix.back().back());
  }

  /// The least (|b*_i|^2 + mu^2 |b*_(i-1)|^2) / |b*_(i-1)|^2.
  [[nodiscard]] double lovasz(std::size_t number) const {
    const int d = lattices[number].d;
    std::vector<std::vector<long double>> star;
    std::vector<long double> norms;
    double least = 1;
    for (int i = 0; i < d; ++i) {
      std::vector<long double> own(row(number, i), row(number, i) + d);
      long double last = 0;
      for (int k = 0; k < i; ++k) {
        long double product = 0;
        for (int j = 0; j < d; ++j)
          product += row(number, i)[j] * star[static_cast<std::size_t>(k)][static_cast<std::size_t>(j)];
        last = product / norms[static_cast<std::size_t>(k)];
        for (int j = 0; j < d; ++j)
          own[static_cast<std::size_t>(j)] -=
              last * star[static_cast<std::size_t>(k)][static_cast<std::size_t>(j)];
      }
      long double norm = 0;
      for (const long double x : own) norm += x * x;
      if (i > 0) least = std::min(least, static_cast<double>(norm / norms.back() + last * last));
      star.push_back(std::move(own));
      norms.push_back(norm);
    }
    return least;
  }

  /// Of what a reducer made: every item is reduced, and a basis of its lattice.
  void check() const {
    for (std::size_t i = 0; i < items.size(); ++i) {
      CAPTURE(i);
      CAPTURE(lattices[i].d);
      CHECK(items[i].reduced == 1);
      int outside = 0;
      for (int k = 0; k < lattices[i].d; ++k) outside += contains(i, row(i, k)) ? 0 : 1;
      CHECK(outside == 0);
      CHECK(determinant(i) == pow(lattice::Integer(lattices[i].q), static_cast<unsigned>(lattices[i].half)));
      CHECK(lovasz(i) > 0.98);
    }
  }
};

/// Lattices of dimensions 12 to `most`, of small and large primes.
inline ReducerGroup reducerGroup(std::uint64_t seed, std::size_t count, int most) {
  std::mt19937_64 random(seed);
  ReducerGroup group;
  for (std::size_t i = 0; i < count; ++i) {
    const int d = 12 + static_cast<int>(random() % static_cast<std::uint64_t>(most - 11));
    group.add(random, d, i % 3 == 0 ? 1009 : i % 3 == 1 ? 17 : 1000003);
  }
  return group;
}

}  // namespace slicepool::test
