// See gram_input.hpp.
#include "runtime/lattice/gram_input.hpp"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "runtime/io/text_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

constexpr std::size_t kShownDigits = 24;

/// Digits of a number, of a long one the first and how many there are.
std::string shortened(const Integer& value) {
  std::string digits = value.str();
  if (digits.size() <= kShownDigits) return digits;
  return fmt::format("{}.. ({} digits)", digits.substr(0, kShownDigits), digits.size() - (value < 0 ? 1 : 0));
}

std::string place(const std::string& name, std::size_t row, std::size_t column) {
  return fmt::format("{}: row {}, column {}", name, row + 1, column + 1);
}

/// What needs no elimination: shape, symmetry, and minors of order 1 and 2.
void checkEntries(const IntegerBasis& matrix, const std::string& name) {
  const auto d = static_cast<std::size_t>(matrix.dimension);
  if (matrix.columns != matrix.dimension) {
    throw ConfigError(name, fmt::format("{} rows of {} numbers", matrix.dimension, matrix.columns),
                      "a square matrix, the inner products of the vectors of a basis");
  }
  const auto at = [&](std::size_t i, std::size_t j) -> const Integer& { return matrix.entries[i * d + j]; };
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (at(i, j) == at(j, i)) continue;
      throw ConfigError(place(name, i, j), shortened(at(i, j)),
                        fmt::format("{}, which stands in row {}, column {}: a symmetric matrix",
                                    shortened(at(j, i)), j + 1, i + 1));
    }
  }
  for (std::size_t i = 0; i < d; ++i)
    if (at(i, i) < 1)
      throw ConfigError(place(name, i, i), shortened(at(i, i)),
                        "a squared norm above 0: a positive definite matrix");
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (at(i, j) * at(i, j) < at(i, i) * at(j, j)) continue;
      throw ConfigError(
          place(name, i, j), shortened(at(i, j)),
          fmt::format("less than the root of {} times {}, the squared norms of rows {} and {}: a positive "
                      "definite matrix",
                      shortened(at(j, j)), shortened(at(i, i)), j + 1, i + 1));
    }
  }
}

}  // namespace

IntegerBasis parseGram(std::string_view text, const std::string& name, int maximumRows) {
  IntegerBasis matrix = parseBasis(text, name, maximumRows);
  checkEntries(matrix, name);
  IntegerBasis units;
  units.dimension = units.columns = matrix.dimension;
  units.gram = std::move(matrix.entries);
  const auto d = static_cast<std::size_t>(units.dimension);
  units.entries.assign(d * d, 0);
  for (std::size_t i = 0; i < d; ++i) units.entries[i * d + i] = 1;
  return units;
}

IntegerBasis readGram(const std::string& path, int maximumRows) {
  constexpr std::uint64_t kMaximumBytes = std::uint64_t{1} << 30;
  return parseGram(readTextFile(path, "gram", "a file that can be read, of at most 1 GiB", kMaximumBytes),
                   path, maximumRows);
}

IntegerGramSchmidt integerGramSchmidt(const std::vector<Integer>& gram, int dimension) {
  const auto d = static_cast<std::size_t>(dimension);
  IntegerGramSchmidt result;
  std::vector<Integer>& lambda = result.lambda;
  lambda.assign(d * d, 0);
  const auto divisor = [&](std::size_t k) { return k == 0 ? Integer(1) : result.minors[k - 1]; };
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      Integer value = gram[i * d + j];
      for (std::size_t k = 0; k < j; ++k)
        value = Integer(result.minors[k] * value - lambda[i * d + k] * lambda[j * d + k]) / divisor(k);
      lambda[i * d + j] = std::move(value);
    }
    result.minors.push_back(lambda[i * d + i]);
    if (result.minors.back() < 1) break;
  }
  return result;
}

void requireDefinite(const std::vector<Integer>& gram, int dimension, const std::string& name) {
  const IntegerGramSchmidt data = integerGramSchmidt(gram, dimension);
  const Integer& last = data.minors.back();
  if (last >= 1) return;
  const std::size_t order = data.minors.size();
  throw ConfigError(
      fmt::format("{}: row {}", name, order),
      fmt::format("{}, the determinant of the first {} rows and columns", shortened(last), order),
      "determinants above 0 of the first rows and columns: a positive definite matrix");
}

}  // namespace slicepool::lattice
