// Random lattices and targets as many_lattices.hpp takes them, and answers as texts. Included by unit tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "slicepool/lattice/many_lattices.hpp"

namespace slicepool::test {

using Rows = std::vector<std::vector<std::int64_t>>;

inline lattice::GivenLattice given(const Rows& rows, bool gram = false) {
  lattice::GivenLattice lattice;
  lattice.gram = gram;
  lattice.rows = static_cast<int>(rows.size());
  lattice.columns = static_cast<int>(rows[0].size());
  for (const auto& row : rows) lattice.entries.insert(lattice.entries.end(), row.begin(), row.end());
  return lattice;
}

/// A target of the lattice of all.
inline lattice::GivenLattice givenTarget(const std::string& text) {
  lattice::GivenLattice target;
  target.targetText = text;
  return target;
}

inline std::int64_t below(std::mt19937_64& random, std::int64_t most) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
}

/// Rows of many kinds; those of a kind that might be dependent have more columns.
inline Rows randomRows(std::mt19937_64& random, int d, int kind) {
  const auto size = static_cast<std::size_t>(d);
  const int bits = 4 + static_cast<int>(random() % 16);
  const std::int64_t q = (std::int64_t{1} << bits) + 1 + 2 * below(random, 100);
  Rows rows(size, std::vector<std::int64_t>(size + (kind == 1 ? 1 : 0)));
  for (std::size_t i = 0; i < size; ++i) {
    if (kind == 0) {  // q-ary
      const std::size_t half = size / 2;
      if (i < half) rows[i][i] = q;
      for (std::size_t j = 0; i >= half && j < half; ++j) rows[i][j] = below(random, q);
      if (i >= half) rows[i][i] = 1;
    } else if (kind == 1) {  // knapsack
      rows[i][0] = 1 + below(random, q);
      rows[i][i + 1] = 1;
    } else if (kind == 2) {  // dense, with a diagonal that keeps it independent
      for (auto& entry : rows[i]) entry = below(random, 21) - 10;
      rows[i][i] += 200;
    } else {  // axes of very different lengths, in bad coordinates
      rows[i][i] = std::int64_t{1} << (random() % 30);
      for (std::size_t j = 0; j < i; ++j) rows[i][j] = below(random, 2 * rows[j][j] + 1) - rows[j][j];
    }
  }
  return rows;
}

inline Rows gramOf(const Rows& rows) {
  Rows gram(rows.size(), std::vector<std::int64_t>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j)
      for (std::size_t k = 0; k < rows[i].size(); ++k) gram[i][j] += rows[i][k] * rows[j][k];
  return gram;
}

inline std::vector<std::string> textsOf(const lattice::LatticeAnswer& answer) {
  std::vector<std::string> texts;
  for (const auto& found : answer.vectors) {
    std::string text = found.squaredNorm + ":";
    for (const auto element : found.vector) text += " " + std::to_string(element);
    texts.push_back(text + found.text);
  }
  return texts;
}

}  // namespace slicepool::test
