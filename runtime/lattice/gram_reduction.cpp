// See gram_reduction.hpp.
#include "runtime/lattice/gram_reduction.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "runtime/lattice/gram_input.hpp"
#include "runtime/lattice/reduction.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

/// Bits of the approximation beside those that the lattice needs.
constexpr int kSpareBits = 64;

int bitsOf(const Integer& value) { return value == 0 ? 0 : static_cast<int>(msb(value)) + 1; }

/// Binary logarithms, rounded: of the longest squared norm, up, and of the least squared Gram-Schmidt norm,
/// down and not above 0.
struct NormBits {
  int longest = 0;
  int shortest = 0;
};

NormBits normBits(const std::vector<Integer>& gram, const IntegerGramSchmidt& data, int dimension) {
  NormBits bits;
  const auto d = static_cast<std::size_t>(dimension);
  for (std::size_t i = 0; i < d; ++i) {
    bits.longest = std::max(bits.longest, bitsOf(gram[i * d + i]));
    bits.shortest =
        std::min(bits.shortest, bitsOf(data.minors[i]) - (i == 0 ? 0 : bitsOf(data.minors[i - 1])) - 1);
  }
  return bits;
}

/// Bits behind the point of the Cholesky factor. The reduced vectors are at most as long as the given ones
/// and about 2^d times; their coefficients at most that over the least Gram-Schmidt norm. An error of
/// coefficients times 2^-bits has to be small against that norm.
int fractionBits(const NormBits& norms, int dimension) {
  return kSpareBits + 2 * dimension + norms.longest / 2 - norms.shortest;
}

/// Rows L of G = L L^T, times 2^bits, rounded towards zero: L_ij = lambda_ij / sqrt(minor_{j-1} minor_j).
IntegerBasis choleskyRows(const IntegerGramSchmidt& data, int dimension, int bits) {
  const auto d = static_cast<std::size_t>(dimension);
  IntegerBasis rows;
  rows.dimension = rows.columns = dimension;
  rows.entries.assign(d * d, 0);
  for (std::size_t j = 0; j < d; ++j) {
    const Integer divisor = data.minors[j] * (j == 0 ? Integer(1) : data.minors[j - 1]);
    for (std::size_t i = j; i < d; ++i) {
      const Integer& lambda = data.lambda[i * d + j];
      const Integer square = (Integer(lambda * lambda) << (2 * bits)) / divisor;
      const Integer root = sqrt(square);
      rows.entries[i * d + j] = lambda < 0 ? Integer(-root) : root;
    }
  }
  return rows;
}

/// left * right, of `inner` columns and rows.
std::vector<Integer> product(const std::vector<Integer>& left, const std::vector<Integer>& right,
                             std::size_t inner) {
  const std::size_t rows = left.size() / inner;
  const std::size_t columns = right.size() / inner;
  std::vector<Integer> result(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < inner; ++k) {
      const Integer& factor = left[i * inner + k];
      if (factor == 0) continue;
      for (std::size_t j = 0; j < columns; ++j) result[i * columns + j] += factor * right[k * columns + j];
    }
  }
  return result;
}

std::vector<Integer> transposed(const std::vector<Integer>& matrix, std::size_t columns) {
  const std::size_t rows = matrix.size() / columns;
  std::vector<Integer> result(matrix.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) result[j * rows + i] = matrix[i * columns + j];
  return result;
}

}  // namespace

IntegerBasis transformOf(const IntegerBasis& rows, const IntegerBasis& triangle) {
  IntegerBasis transform = rows;
  const auto d = static_cast<std::size_t>(rows.dimension);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = d; j-- > 0;) {
      Integer& value = transform.entries[i * d + j];
      for (std::size_t k = j + 1; k < d; ++k)
        value -= transform.entries[i * d + k] * triangle.entries[k * d + j];
      const Integer& divisor = triangle.entries[j * d + j];
      if (value % divisor != 0) throw Error("reduction: rows that are not of the lattice");
      value /= divisor;
    }
  }
  return transform;
}

IntegerBasis transformed(const IntegerBasis& transform, const IntegerBasis& basis) {
  const auto d = static_cast<std::size_t>(basis.dimension);
  IntegerBasis result;
  result.dimension = transform.dimension;
  result.columns = basis.columns;
  result.entries = product(transform.entries, basis.entries, d);
  result.gram = product(transform.entries, transposed(product(transform.entries, basis.gram, d), d), d);
  return result;
}

IntegerBasis reducedByGram(const IntegerBasis& basis, int blockSize) {
  const std::vector<Integer>& gram = basis.gram;
  const IntegerGramSchmidt data = integerGramSchmidt(gram, basis.dimension);
  if (data.minors.back() < 1) throw Error("reduction: a Gram matrix that is not positive definite");
  const int bits = fractionBits(normBits(gram, data, basis.dimension), basis.dimension);
  const IntegerBasis rows = choleskyRows(data, basis.dimension, bits);
  return transformed(transformOf(reduced(rows, blockSize), rows), basis);
}

ApproximateRows approximateRows(const IntegerBasis& basis) {
  constexpr int kEntryBits = 38;  // what a block reduction keeps in 64 bits
  constexpr int kNormBits = 24;   // of the least Gram-Schmidt norm: rounding is far below it
  const IntegerGramSchmidt data = integerGramSchmidt(basis.gram, basis.dimension);
  if (data.minors.back() < 1) throw Error("reduction: a Gram matrix that is not positive definite");
  const NormBits norms = normBits(basis.gram, data, basis.dimension);
  const int bits = std::max({0, kEntryBits - norms.longest / 2, kNormBits - norms.shortest / 2});
  return {choleskyRows(data, basis.dimension, bits), bits};
}

}  // namespace slicepool::lattice
