// See vector_maker.hpp.
#include "runtime/lattice/vector_maker.hpp"

#include <algorithm>

#include "slicepool/lattice/types.hpp"

namespace slicepool::lattice {
namespace {

constexpr int kNarrowBits = 38;
// A sum of kMostDimension products with 16-bit coefficients has at most 15 + 38 + 8 = 61 bits, its square
// 122.
static_assert(kMostDimension <= 256);
constexpr std::size_t kSquaresPerPart = 32;

using Wide = unsigned __int128;

Integer toInteger(Wide value) {
  Integer result = static_cast<std::uint64_t>(value >> 64U);
  result <<= 64U;
  return result + static_cast<std::uint64_t>(value);
}

Wide square(std::int64_t value) {
  const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
  return static_cast<Wide>(magnitude) * magnitude;
}

}  // namespace

VectorMaker::VectorMaker(const IntegerBasis& basis) : basis_(basis) {
  const Integer most = Integer(1) << kNarrowBits;
  narrow_ = std::all_of(basis.entries.begin(), basis.entries.end(),
                        [&](const Integer& entry) { return abs(entry) < most; });
  if (!narrow_) return;
  rows_.reserve(basis.entries.size());
  for (const auto& entry : basis.entries) rows_.push_back(static_cast<std::int64_t>(entry));
  vector_.resize(static_cast<std::size_t>(basis.columns));
}

void VectorMaker::make(std::span<const std::int16_t> coefficients) {
  const auto columns = static_cast<std::size_t>(basis_.columns);
  if (narrow_) {
    std::fill(vector_.begin(), vector_.end(), 0);
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      if (coefficients[i] == 0) continue;
      const std::int64_t factor = coefficients[i];
      const std::int64_t* row = rows_.data() + i * columns;
      for (std::size_t j = 0; j < columns; ++j) vector_[j] += factor * row[j];
    }
    return;
  }
  wide_.assign(columns, 0);
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] == 0) continue;
    for (std::size_t j = 0; j < columns; ++j)
      wide_[j] += basis_.entries[i * columns + j] * static_cast<int>(coefficients[i]);
  }
}

std::vector<Integer> VectorMaker::wide() const {
  if (!narrow_) return wide_;
  return {vector_.begin(), vector_.end()};
}

Integer VectorMaker::squaredNorm() const {
  Integer sum = 0;
  if (narrow_) {
    Wide part = 0;
    for (std::size_t j = 0; j < vector_.size(); ++j) {
      part += square(vector_[j]);
      if (j % kSquaresPerPart == kSquaresPerPart - 1) {
        sum += toInteger(part);
        part = 0;
      }
    }
    return sum + toInteger(part);
  }
  for (const auto& element : wide_) sum += element * element;
  return sum;
}

double VectorMaker::roundedNorm() const {
  if (!narrow_) return static_cast<double>(squaredNorm());
  double sum = 0;
  for (const std::int64_t element : vector_)
    sum += static_cast<double>(element) * static_cast<double>(element);
  return sum;
}

}  // namespace slicepool::lattice
