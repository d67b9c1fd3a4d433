// See local_block.hpp.
#include "runtime/reduce/local_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "runtime/lattice/gram_schmidt.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::reduce {
namespace {

using lattice::Integer;

/// Bits of the largest entry, and of the smallest |b*_i| where they fit together.
constexpr int kMaximumBits = 22;
constexpr int kMinimumBits = 12;
/// Of the smallest |b*_i| where they do not.
constexpr int kWideBits = 24;

std::size_t place(int row, int column, int size) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(size) + static_cast<std::size_t>(column);
}

Integer rounded(double value) { return Integer(std::nearbyint(value)); }

/// Products with coefficients of 64 bits, and sums of them, have less than 128.
constexpr std::int64_t kNarrow = std::int64_t{1} << 50;

bool isNarrow(const lattice::IntegerBasis& basis) {
  return std::all_of(
      basis.entries.begin(), basis.entries.end(),
      [](const Integer& entry) { return entry < kNarrow && entry > -kNarrow; });
}

template <class Number>
Number numberOf(const Integer& value) {
  if constexpr (std::is_same_v<Number, Integer>)
    return value;
  else
    return value.convert_to<std::int64_t>();
}

/// Substitution in the triangle, column by column from the last.
template <class Number>
Transformation substitute(const lattice::IntegerBasis& scaled, const lattice::IntegerBasis& other) {
  const int size = scaled.dimension;
  std::vector<Number> triangle;
  for (const Integer& entry : scaled.entries) triangle.push_back(numberOf<Number>(entry));
  Transformation result;
  result.size = size;
  result.entries.resize(scaled.entries.size());
  std::vector<Number> rest(static_cast<std::size_t>(size));
  const Number most = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) rest[static_cast<std::size_t>(j)] = numberOf<Number>(other.at(i, j));
    for (int j = size; j-- > 0;) {
      const Number last = rest[static_cast<std::size_t>(j)];
      if (last == 0) continue;
      const Number factor = last / triangle[place(j, j, size)];
      if (factor * triangle[place(j, j, size)] != last || factor > most || factor < -most)
        throw Error("block reduction: the transformation of a block is not exact");
      for (int k = 0; k <= j; ++k) rest[static_cast<std::size_t>(k)] -= factor * triangle[place(j, k, size)];
      result.entries[place(i, j, size)] = static_cast<std::int64_t>(factor);
    }
  }
  return result;
}

}  // namespace

bool Transformation::isIdentity() const {
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      if (at(i, j) != (i == j ? 1 : 0)) return false;
  return true;
}

lattice::IntegerBasis scaledBlock(const ProjectedBlock& block) {
  double most = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < block.size; ++i) {
    least = std::min(least, block.at(i, i));
    for (int j = 0; j <= i; ++j) most = std::max(most, std::abs(block.at(i, j)));
  }
  double scale = std::ldexp(1.0, kMaximumBits) / most;
  if (least * scale < std::ldexp(1.0, kMinimumBits)) scale = std::ldexp(1.0, kWideBits) / least;
  lattice::IntegerBasis scaled;
  scaled.dimension = block.size;
  scaled.columns = block.size;
  scaled.entries.resize(block.triangle.size());
  for (int i = 0; i < block.size; ++i)
    for (int j = 0; j <= i; ++j) scaled.entries[place(i, j, block.size)] = rounded(block.at(i, j) * scale);
  return scaled;
}

Transformation transformationTo(const lattice::IntegerBasis& scaled, const lattice::IntegerBasis& other) {
  return isNarrow(scaled) && isNarrow(other) ? substitute<__int128>(scaled, other)
                                             : substitute<Integer>(scaled, other);
}

BlockData dataOf(const ProjectedBlock& block, const Transformation& transformation) {
  const int size = block.size;
  const auto n = static_cast<std::size_t>(size);
  BlockData data;
  data.mu.assign(n * n, 0);
  data.norms.assign(n, 0);
  std::vector<double> directions(n * n);
  std::vector<double> row(n);
  for (int i = 0; i < size; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    for (int j = 0; j < size; ++j) {
      const auto factor = static_cast<double>(transformation.at(i, j));
      if (factor == 0) continue;
      for (int k = 0; k <= j; ++k) row[static_cast<std::size_t>(k)] += factor * block.at(j, k);
    }
    for (int pass = 0; pass < 2; ++pass) {  // the second takes off what rounding left
      for (int j = 0; j < i; ++j) {
        const double* direction = directions.data() + place(j, 0, size);
        double coordinate = 0;
        for (std::size_t k = 0; k < n; ++k) coordinate += row[k] * direction[k];
        for (std::size_t k = 0; k < n; ++k) row[k] -= coordinate * direction[k];
        data.mu[place(i, j, size)] += coordinate / std::sqrt(data.norms[static_cast<std::size_t>(j)]);
      }
    }
    double square = 0;
    for (const double entry : row) square += entry * entry;
    data.norms[static_cast<std::size_t>(i)] = square;
    const double length = std::sqrt(square);
    for (std::size_t k = 0; k < n; ++k) directions[place(i, 0, size) + k] = row[k] / length;
  }
  return data;
}

double squaredNormOf(const ProjectedBlock& block, const std::vector<std::int64_t>& x) {
  double square = 0;
  for (int j = 0; j < block.size; ++j) {
    double coordinate = 0;
    for (int i = j; i < block.size; ++i)
      coordinate += static_cast<double>(x[static_cast<std::size_t>(i)]) * block.at(i, j);
    square += coordinate * coordinate;
  }
  return square;
}

std::vector<std::int64_t> combined(const Transformation& transformation, const std::vector<std::int64_t>& x) {
  std::vector<std::int64_t> sum(x.size());
  for (int i = 0; i < transformation.size; ++i) {
    const std::int64_t factor = x[static_cast<std::size_t>(i)];
    if (factor == 0) continue;
    for (int j = 0; j < transformation.size; ++j) {
      std::int64_t product = 0;
      std::int64_t& entry = sum[static_cast<std::size_t>(j)];
      if (__builtin_mul_overflow(factor, transformation.at(i, j), &product) ||
          __builtin_add_overflow(entry, product, &entry))
        throw Error("block reduction: a vector of a block has coefficients beyond 64 bits");
    }
  }
  return sum;
}

std::vector<Integer> combined(const lattice::IntegerBasis& basis, const std::vector<std::int64_t>& x) {
  std::vector<Integer> sum(static_cast<std::size_t>(basis.columns));
  for (int i = 0; i < basis.dimension; ++i) {
    const std::int64_t factor = x[static_cast<std::size_t>(i)];
    if (factor == 0) continue;
    for (int j = 0; j < basis.columns; ++j) sum[static_cast<std::size_t>(j)] += factor * basis.at(i, j);
  }
  return sum;
}

}  // namespace slicepool::reduce
