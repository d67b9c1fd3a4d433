// See basis_rows.hpp.
#include "runtime/reduce/basis_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "slicepool/core/error.hpp"

namespace slicepool::reduce {
namespace {

using lattice::Integer;

/// Entries below this are kept in 64 bits. Sums of products with a transformation are checked.
constexpr std::int64_t kNarrowEntry = std::int64_t{1} << 40;
/// Doubles have entries of up to so many bits; larger numbers are scaled down.
constexpr int kUnscaledBits = 400;
/// A coefficient of at most this much, of the direction of an earlier row, is left alone. Above 1/2, so that
/// rounding turns nothing back and forth.
constexpr double kSizeReduced = 0.505;
constexpr int kPasses = 60;  ///< of one row; each takes off some 50 bits

int bitsOf(const Integer& value) {
  return value == 0 ? 0 : static_cast<int>(msb(value < 0 ? Integer(-value) : value)) + 1;
}

double scaled(const Integer& value, int exponent) {
  const int bits = bitsOf(value);
  if (bits <= 63) return std::ldexp(value.convert_to<double>(), -exponent);
  const int drop = bits - 63;
  const bool negative = value < 0;
  const Integer top = (negative ? Integer(-value) : value) >> static_cast<unsigned>(drop);
  const double magnitude = std::ldexp(top.convert_to<double>(), drop - exponent);
  return negative ? -magnitude : magnitude;
}

bool fitsNarrow(const std::vector<Integer>& entries) {
  return std::all_of(
      entries.begin(), entries.end(),
      [](const Integer& entry) { return entry < kNarrowEntry && entry > -kNarrowEntry; });
}

[[noreturn]] void failPrecision(int row) {
  throw Error(
      fmt::format("block reduction: double precision is not enough for row {} of the basis", row + 1));
}

}  // namespace

BasisRows::BasisRows(const lattice::IntegerBasis& basis)
    : dimension_(basis.dimension), columns_(basis.columns), wideRows_(basis.entries) {
  narrow_ = fitsNarrow(wideRows_);
  if (narrow_) {
    narrowRows_.reserve(wideRows_.size());
    for (const Integer& entry : wideRows_) narrowRows_.push_back(entry.convert_to<std::int64_t>());
    wideRows_.clear();
  }
  const auto d = static_cast<std::size_t>(dimension_);
  const auto n = static_cast<std::size_t>(columns_);
  row_.resize(n);
  directions_.resize(d * n);
  byColumn_.resize(d * n);
  triangle_.resize(d * d);
  refresh(0);
}

lattice::IntegerBasis BasisRows::basis() const {
  lattice::IntegerBasis basis;
  basis.dimension = dimension_;
  basis.columns = columns_;
  if (narrow_)
    basis.entries.assign(narrowRows_.begin(), narrowRows_.end());
  else
    basis.entries = wideRows_;
  return basis;
}

void BasisRows::widen() {
  wideRows_.assign(narrowRows_.begin(), narrowRows_.end());
  narrowRows_.clear();
  narrow_ = false;
}

std::vector<double> BasisRows::logNorms() const {
  constexpr double kLogTwo = 0.69314718055994530942;
  std::vector<double> logs;
  logs.reserve(static_cast<std::size_t>(dimension_));
  for (int i = 0; i < dimension_; ++i)
    logs.push_back(2 * (std::log(triangle_[at(i, i, dimension_)]) + exponent_ * kLogTwo));
  return logs;
}

ProjectedBlock BasisRows::block(int first, int size) const {
  ProjectedBlock block;
  block.size = size;
  block.triangle.resize(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i)
    for (int j = 0; j <= i; ++j)
      block.triangle[at(i, j, size)] = triangle_[at(first + i, first + j, dimension_)];
  return block;
}

template <class Entry>
void BasisRows::combine(std::vector<Entry>& rows, int first, const Transformation& transformation) const {
  const int size = transformation.size;
  const auto n = static_cast<std::size_t>(columns_);
  std::vector<Entry> made(static_cast<std::size_t>(size) * n);
  for (int i = 0; i < size; ++i) {
    Entry* to = made.data() + at(i, 0, columns_);
    for (int j = 0; j < size; ++j) {
      const std::int64_t factor = transformation.at(i, j);
      if (factor == 0) continue;
      const Entry* from = rows.data() + at(first + j, 0, columns_);
      for (std::size_t t = 0; t < n; ++t) to[t] += factor * from[t];
    }
  }
  std::move(made.begin(), made.end(), rows.begin() + static_cast<std::ptrdiff_t>(at(first, 0, columns_)));
}

void BasisRows::apply(int first, const Transformation& transformation) {
  if (narrow_) {
    double largest = 0;
    for (int i = 0; i < transformation.size; ++i) {
      double sum = 0;
      for (int j = 0; j < transformation.size; ++j)
        sum += std::abs(static_cast<double>(transformation.at(i, j)));
      largest = std::max(largest, sum);
    }
    std::int64_t entry = 0;
    for (int i = 0; i < transformation.size; ++i)
      for (int t = 0; t < columns_; ++t)
        entry = std::max(entry, std::abs(narrowRows_[at(first + i, t, columns_)]));
    if (largest * static_cast<double>(entry) > 0x1p61) widen();
  }
  if (narrow_)
    combine(narrowRows_, first, transformation);
  else
    combine(wideRows_, first, transformation);
}

void BasisRows::toDoubles(int row) {
  for (int t = 0; t < columns_; ++t) {
    const std::size_t place = at(row, t, columns_);
    row_[static_cast<std::size_t>(t)] =
        narrow_ ? static_cast<double>(narrowRows_[place]) : scaled(wideRows_[place], exponent_);
  }
}

/// The coordinates of row_ in the directions of the rows before `row`.
void BasisRows::project(int row, std::vector<double>& coordinates) const {
  const auto count = static_cast<std::size_t>(row);
  std::fill(coordinates.begin(), coordinates.begin() + row, 0.0);
  for (int t = 0; t < columns_; ++t) {
    const double entry = row_[static_cast<std::size_t>(t)];
    if (entry == 0) continue;
    const double* directions = byColumn_.data() + at(t, 0, dimension_);
    for (std::size_t j = 0; j < count; ++j) coordinates[j] += directions[j] * entry;
  }
}

/// Whether rounding of the row is no longer small beside the shortest b*_j before it.
bool BasisRows::needsExactProducts(int row) const {
  double square = 0;
  for (const double entry : row_) square += entry * entry;
  double least = std::numeric_limits<double>::infinity();
  for (int j = 0; j < row; ++j) least = std::min(least, triangle_[at(j, j, dimension_)]);
  return std::sqrt(square) * 0x1p-44 > least;
}

/// The same as project() from exact inner products: for rows with which those before cancel. O(d n) big
/// integers.
void BasisRows::projectExactly(int row, std::vector<double>& coordinates) const {
  const auto entry = [this](int i, int t) {
    const std::size_t place = at(i, t, columns_);
    return narrow_ ? Integer(narrowRows_[place]) : wideRows_[place];
  };
  std::vector<Integer> entries;
  entries.reserve(static_cast<std::size_t>(columns_));
  for (int t = 0; t < columns_; ++t) entries.push_back(entry(row, t));
  for (int j = 0; j < row; ++j) {
    Integer product = 0;
    for (int t = 0; t < columns_; ++t) product += entries[static_cast<std::size_t>(t)] * entry(j, t);
    double rest = scaled(product, 2 * exponent_);
    const double* line = triangle_.data() + at(j, 0, dimension_);
    for (int k = 0; k < j; ++k) rest -= coordinates[static_cast<std::size_t>(k)] * line[k];
    coordinates[static_cast<std::size_t>(j)] = rest / line[j];
  }
}

void BasisRows::subtract(int row, int from, double factor) {
  if (std::abs(factor) < 0x1p20 && narrow_) {
    const auto multiple = static_cast<std::int64_t>(factor);
    std::int64_t* to = narrowRows_.data() + at(row, 0, columns_);
    const std::int64_t* other = narrowRows_.data() + at(from, 0, columns_);
    std::int64_t largest = 0;
    for (int t = 0; t < columns_; ++t) {
      to[t] -= multiple * other[t];
      largest = std::max(largest, std::abs(to[t]));
    }
    // The next ones are within 64 bits as well: rows before are reduced, and products have 60 bits.
    if (largest > std::int64_t{1} << 61) widen();
    return;
  }
  if (narrow_) widen();
  const Integer multiple(factor);
  for (int t = 0; t < columns_; ++t)
    wideRows_[at(row, t, columns_)] -= multiple * wideRows_[at(from, t, columns_)];
}

/// Nearest plane, from the last row before it to the first. Whether the row has changed.
bool BasisRows::sizeReduce(int row, std::vector<double>& coordinates) {
  bool changed = false;
  for (int j = row; j-- > 0;) {
    const double length = triangle_[at(j, j, dimension_)];
    const double ratio = coordinates[static_cast<std::size_t>(j)] / length;
    if (!(std::abs(ratio) > kSizeReduced)) continue;
    if (!std::isfinite(ratio)) failPrecision(row);
    const double factor = std::nearbyint(ratio);
    const double* other = triangle_.data() + at(j, 0, dimension_);
    for (int k = 0; k <= j; ++k) coordinates[static_cast<std::size_t>(k)] -= factor * other[k];
    subtract(row, j, factor);
    changed = true;
  }
  return changed;
}

/// From a size-reduced row: its line of the triangle, and its direction.
void BasisRows::orthogonalize(int row, std::vector<double>& coordinates, bool exact) {
  double* line = triangle_.data() + at(row, 0, dimension_);
  std::fill(line, line + dimension_, 0.0);
  for (int pass = 0; pass < 2; ++pass) {  // the second takes off what rounding left
    if (pass != 0) project(row, coordinates);
    for (int j = 0; j < row; ++j) {
      const double coordinate = coordinates[static_cast<std::size_t>(j)];
      if (pass == 0 || !exact) line[j] += coordinate;
      const double* direction = directions_.data() + at(j, 0, columns_);
      for (int t = 0; t < columns_; ++t) row_[static_cast<std::size_t>(t)] -= coordinate * direction[t];
    }
  }
  double square = 0;
  for (const double entry : row_) square += entry * entry;
  const double length = std::sqrt(square);
  double whole = square;
  for (int j = 0; j < row; ++j) whole += line[j] * line[j];
  // What is left of a row must be far above what rounding makes of it.
  if (!(square > 0x1p-80 * whole) || !std::isfinite(whole)) failPrecision(row);
  line[row] = length;
  for (int t = 0; t < columns_; ++t) {
    const double entry = row_[static_cast<std::size_t>(t)] / length;
    directions_[at(row, t, columns_)] = entry;
    byColumn_[at(t, row, dimension_)] = entry;
  }
}

int BasisRows::exponentOfRows() const {
  int bits = 0;  // narrow rows have few
  for (const Integer& entry : wideRows_) bits = std::max(bits, bitsOf(entry));
  return std::max(0, bits - kUnscaledBits);
}

void BasisRows::refresh(int first) {
  do {
    const int exponent = exponentOfRows();
    refreshFrom(exponent == exponent_ ? first : 0, exponent);
  } while (exponentOfRows() != exponent_);  // size reduction has made them shorter
}

void BasisRows::refreshFrom(int first, int exponent) {
  exponent_ = exponent;
  std::vector<double> coordinates(static_cast<std::size_t>(dimension_));
  for (int row = first; row < dimension_; ++row) {
    int pass = 0;
    bool exact = false;
    do {
      if (++pass > kPasses) failPrecision(row);
      toDoubles(row);
      exact = needsExactProducts(row);
      if (exact)
        projectExactly(row, coordinates);
      else
        project(row, coordinates);
    } while (sizeReduce(row, coordinates));
    orthogonalize(row, coordinates, exact);
  }
  if (!narrow_ && fitsNarrow(wideRows_)) {
    narrow_ = true;
    narrowRows_.clear();
    for (const Integer& entry : wideRows_) narrowRows_.push_back(entry.convert_to<std::int64_t>());
    wideRows_.clear();
  }
}

}  // namespace slicepool::reduce
