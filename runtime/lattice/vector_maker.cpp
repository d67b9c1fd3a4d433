// See vector_maker.hpp.
#include "runtime/lattice/vector_maker.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "slicepool/lattice/types.hpp"

namespace slicepool::lattice {
namespace {

constexpr int kNarrowBits = 38;
// A sum of kMaximumDimension products with 16-bit coefficients has at most 15 + 38 + 8 = 61 bits, its square
// 122.
static_assert(kMaximumDimension <= 256);
constexpr std::size_t kSquaresPerPart = 32;
/// Integers up to these are exact in float and double.
constexpr double kMaximumFloat = 16777216;           // 2^24
constexpr double kMaximumDouble = 9007199254740992;  // 2^53
constexpr std::size_t kFloats = 8;                   ///< rows of floats are multiples of this

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
  if (!basis.gram.empty()) prepareGram();
  const Integer most = Integer(1) << kNarrowBits;
  narrow_ = std::all_of(basis.entries.begin(), basis.entries.end(),
                        [&](const Integer& entry) { return abs(entry) < most; });
  if (!narrow_) return;
  rows_.reserve(basis.entries.size());
  for (const auto& entry : basis.entries) rows_.push_back(static_cast<std::int64_t>(entry));
  vector_.resize(static_cast<std::size_t>(basis.columns));
  prepareFloats();
}

void VectorMaker::prepareGram() {
  const std::vector<Integer>& gram = basis_.gram;
  const Integer most = Integer(1) << kNarrowBits;
  if (!std::all_of(gram.begin(), gram.end(), [&](const Integer& entry) { return abs(entry) < most; })) return;
  const auto d = static_cast<std::size_t>(basis_.dimension);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      narrowGram_.push_back(static_cast<std::int64_t>(gram[i * d + j]) * (j < i ? 2 : 1));
}

/// Sums of a row have at most 1 + 15 + 38 + 8 = 62 bits, their sum times coefficients 62 + 15 + 8 = 85. A
/// norm is not negative, so numbers without a sign do.
Wide VectorMaker::narrowNorm() const {
  const std::size_t d = made_.size();
  Wide sum = 0;
  for (std::size_t i = 0; i < d; ++i) {
    if (made_[i] == 0) continue;
    const std::int64_t* const gram = narrowGram_.data() + i * d;
    std::int64_t row = 0;
    for (std::size_t j = 0; j <= i; ++j) row += gram[j] * made_[j];
    const bool negative = (row < 0) != (made_[i] < 0);
    const Wide product = static_cast<Wide>(static_cast<std::uint64_t>(row < 0 ? -row : row)) *
                         static_cast<std::uint64_t>(std::abs(static_cast<int>(made_[i])));
    sum = negative ? sum - product : sum + product;
  }
  return sum;
}

Integer VectorMaker::normByGram() const {
  if (!narrowGram_.empty()) return toInteger(narrowNorm());
  const std::size_t d = made_.size();
  Integer sum = 0;
  for (std::size_t i = 0; i < d; ++i) {
    if (made_[i] == 0) continue;
    Integer row = basis_.gram[i * d + i] * static_cast<int>(made_[i]);
    for (std::size_t j = 0; j < i; ++j) row += basis_.gram[i * d + j] * (2 * static_cast<int>(made_[j]));
    sum += row * static_cast<int>(made_[i]);
  }
  return sum;
}

/// All sums on the way to an element are at most the sum of the magnitudes of its column times the largest
/// coefficient.
void VectorMaker::prepareFloats() {
  const std::size_t columns = vector_.size();
  double most = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    double sum = 0;
    for (std::size_t at = j; at < rows_.size(); at += columns)
      sum += std::abs(static_cast<double>(rows_[at]));
    most = std::max(most, sum);
  }
  const double element = std::min(kMaximumFloat, std::sqrt(kMaximumDouble / static_cast<double>(columns)));
  const int fitting = static_cast<int>(std::min(element / most, 32767.0));
  if (fitting == 0) return;
  maximumForFloats_ = fitting;
  stride_ = (columns + kFloats - 1) / kFloats * kFloats;
  floats_.resize(stride_);
  floatRows_.resize(stride_ * static_cast<std::size_t>(basis_.dimension));
  for (std::size_t at = 0; at < rows_.size(); ++at)
    floatRows_[at / columns * stride_ + at % columns] = static_cast<float>(rows_[at]);
}

void VectorMaker::makeInFloats(std::span<const std::int16_t> coefficients) {
  std::fill(floats_.begin(), floats_.end(), 0.0F);
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] == 0) continue;
    const auto factor = static_cast<float>(coefficients[i]);
    const float* row = floatRows_.data() + i * stride_;
    float* sums = floats_.data();
    for (std::size_t j = 0; j < stride_; ++j) sums[j] += factor * row[j];
  }
  for (std::size_t j = 0; j < vector_.size(); ++j) vector_[j] = static_cast<std::int64_t>(floats_[j]);
}

void VectorMaker::make(std::span<const std::int16_t> coefficients) {
  const auto columns = static_cast<std::size_t>(basis_.columns);
  if (!basis_.gram.empty()) made_.assign(coefficients.begin(), coefficients.end());
  int most = 0;
  for (const std::int16_t c : coefficients) most = std::max(most, std::abs(static_cast<int>(c)));
  inFloats_ = most <= maximumForFloats_;
  if (inFloats_) return makeInFloats(coefficients);
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
  if (!basis_.gram.empty()) return normByGram();
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
  if (!narrowGram_.empty()) return static_cast<double>(narrowNorm());
  if (!basis_.gram.empty() || !narrow_) return static_cast<double>(squaredNorm());
  if (inFloats_) {
    // Four sums at a time; all of them are exact, so their order does not matter.
    std::array<double, 4> sums{};
    for (std::size_t j = 0; j < stride_; j += 4) {
      for (std::size_t k = 0; k < 4; ++k) {
        const auto element = static_cast<double>(floats_[j + k]);
        sums[k] += element * element;
      }
    }
    return sums[0] + sums[1] + sums[2] + sums[3];
  }
  double sum = 0;
  for (const std::int64_t element : vector_)
    sum += static_cast<double>(element) * static_cast<double>(element);
  return sum;
}

}  // namespace slicepool::lattice
