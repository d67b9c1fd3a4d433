// The extended quadratic residue code of length 48 over the field of three elements, and its words of few
// rows. Included by unit tests.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace slicepool::test {

inline constexpr int kCodeLength = 48;
inline constexpr int kCodeDimension = 24;

/// A word of the code: the places of 1 and those of -1, as bits.
struct TernaryWord {
  std::uint64_t plus = 0;
  std::uint64_t minus = 0;

  int at(int place) const {
    return static_cast<int>(plus >> place & 1) - static_cast<int>(minus >> place & 1);
  }
  int weight() const { return std::popcount(plus | minus); }
  TernaryWord operator-() const { return {minus, plus}; }
  friend TernaryWord operator+(const TernaryWord& a, const TernaryWord& b) {
    const std::uint64_t t = (a.plus | b.minus) ^ (a.minus | b.plus);
    return {(a.minus | b.minus) ^ t, (a.plus | b.plus) ^ t};
  }
  friend bool operator==(const TernaryWord&, const TernaryWord&) = default;
};

/// Modulo 3.
inline int innerProduct(const TernaryWord& a, const TernaryWord& b) {
  const int same = std::popcount(a.plus & b.plus) + std::popcount(a.minus & b.minus);
  const int opposite = std::popcount(a.plus & b.minus) + std::popcount(a.minus & b.plus);
  return (same - opposite + 3 * kCodeLength) % 3;
}

using Generator = std::array<TernaryWord, kCodeDimension>;

/// Rows with a unit matrix in the first 24 places. The code is spanned by Paley's Hadamard matrix: a word of
/// ones, and the shifts of the quadratic residues less the others modulo 47.
inline Generator quadraticResidueCode() {
  constexpr int kPrime = kCodeLength - 1;
  std::array<bool, kPrime> square{};
  for (int x = 1; x < kPrime; ++x) square[static_cast<std::size_t>(x * x % kPrime)] = true;
  std::vector<TernaryWord> rows{{(std::uint64_t{1} << kCodeLength) - 1, 0}};
  for (int i = 0; i < kPrime; ++i) {
    TernaryWord row{0, 1};
    for (int j = 0; j < kPrime; ++j) {
      const auto difference = static_cast<std::size_t>((j - i + kPrime) % kPrime);
      (difference == 0 || square[difference] ? row.plus : row.minus) |= std::uint64_t{2} << j;
    }
    rows.push_back(row);
  }
  std::size_t rank = 0;
  for (; rank < kCodeDimension; ++rank) {
    const int column = static_cast<int>(rank);
    std::size_t pivot = rank;
    while (pivot < rows.size() && rows[pivot].at(column) == 0) ++pivot;
    if (pivot == rows.size()) throw std::runtime_error("no unit matrix in the first places");
    std::swap(rows[rank], rows[pivot]);
    if (rows[rank].at(column) < 0) rows[rank] = -rows[rank];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i == rank || rows[i].at(column) == 0) continue;
      rows[i] = rows[i] + (rows[i].at(column) > 0 ? -rows[rank] : rows[rank]);
    }
  }
  for (; rank < rows.size(); ++rank)
    if (rows[rank].weight() != 0) throw std::runtime_error("more than 24 independent rows");
  Generator generator;
  std::copy_n(rows.begin(), kCodeDimension, generator.begin());
  return generator;
}

/// The symmetry code of Pless 1972: a unit matrix beside Paley's conference matrix of the squares modulo 23.
inline Generator symmetryCode() {
  constexpr int kPrime = kCodeDimension - 1;
  std::array<bool, kPrime> square{};
  for (int x = 1; x < kPrime; ++x) square[static_cast<std::size_t>(x * x % kPrime)] = true;
  Generator generator;
  for (int i = 0; i < kCodeDimension; ++i) {
    auto& row = generator[static_cast<std::size_t>(i)];
    row.plus = std::uint64_t{1} << i;
    for (int j = 0; j < kCodeDimension; ++j) {
      if (i == j) continue;
      const bool positive = i == 0 || (j != 0 && square[static_cast<std::size_t>((j - i + kPrime) % kPrime)]);
      (positive ? row.plus : row.minus) |= std::uint64_t{1} << (kCodeDimension + j);
    }
  }
  return generator;
}

/// Rows with a unit matrix in the last 24 places, of a self-dual code: the inverse of S, beside the unit
/// matrix of `generator`, is -S^T.
inline Generator otherInformationSet(const Generator& generator) {
  Generator other;
  for (int i = 0; i < kCodeDimension; ++i) {
    auto& row = other[static_cast<std::size_t>(i)];
    row.plus = std::uint64_t{1} << (kCodeDimension + i);
    for (int j = 0; j < kCodeDimension; ++j) {
      const int entry = generator[static_cast<std::size_t>(j)].at(kCodeDimension + i);
      if (entry < 0) row.plus |= std::uint64_t{1} << j;
      if (entry > 0) row.minus |= std::uint64_t{1} << j;
    }
  }
  return other;
}

/// Calls `visit` with every combination of 1 to `most` rows, one of each pair of a word and its opposite.
template <class Visit>
void forCombinations(const Generator& rows, int most, Visit&& visit) {
  const std::function<void(TernaryWord, std::size_t, int)> extend = [&](TernaryWord word, std::size_t first,
                                                                        int left) {
    for (std::size_t i = first; i < rows.size(); ++i) {
      for (const TernaryWord& sum : {word + rows[i], word + -rows[i]}) {
        visit(sum);
        if (left > 1) extend(sum, i + 1, left - 1);
      }
    }
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    visit(rows[i]);
    if (most > 1) extend(rows[i], i + 1, most - 1);
  }
}

/// Calls `visit` with every combination of all 24 rows, one of each pair.
template <class Visit>
void forFullCombinations(const Generator& rows, Visit&& visit) {
  TernaryWord word;
  for (const auto& row : rows) word = word + row;
  visit(word);
  std::uint32_t negated = 0;
  for (std::uint32_t step = 1; step < 1U << (kCodeDimension - 1); ++step) {
    const int i = std::countr_zero(step) + 1;  // the first row keeps its sign
    const auto& row = rows[static_cast<std::size_t>(i)];
    // x + x = -x, and -x - x = x.
    word = word + ((negated >> i & 1) == 0 ? row : -row);
    negated ^= 1U << i;
    visit(word);
  }
}

}  // namespace slicepool::test
