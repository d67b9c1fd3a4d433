// See solution_consumer.hpp.
#include "runtime/lattice/solution_consumer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "slicepool/core/error.hpp"
#include "slicepool/lattice/types.hpp"

namespace slicepool::lattice {
namespace {

/// What rounding may do to a squared norm on its way through the search, with a wide margin.
constexpr double kNormError = 1e-6;
constexpr double kRadiusError = 1e-9;
/// Of a kept vector, beside its coefficients.
constexpr std::size_t kBytesPerVector = 256;

struct BlobHead {
  std::uint64_t taken = 0;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::uint64_t kept = 0;
};

/// Of v and -v the search may emit either; reported is the one whose last nonzero coefficient is positive.
void makeCanonical(std::vector<std::int16_t>& coefficients) {
  const auto last = std::find_if(coefficients.rbegin(), coefficients.rend(), [](int c) { return c != 0; });
  if (last == coefficients.rend() || *last > 0) return;
  for (auto& c : coefficients) c = static_cast<std::int16_t>(-c);
}

}  // namespace

SolutionConsumer::SolutionConsumer(const IntegerBasis& basis, ConsumerSettings settings,
                                   std::function<void()> whenEnough)
    : basis_(basis),
      settings_(settings),
      whenEnough_(std::move(whenEnough)),
      maker_(basis),
      best_(settings.keep),
      coefficients_(static_cast<std::size_t>(basis.dimension)) {}

void SolutionConsumer::consume(const std::byte* results, std::size_t count) {
  for (std::size_t i = 0; i < count && !enough(); ++i, results += settings_.resultBytes) {
    double squaredNorm = 0;
    std::memcpy(&squaredNorm, results, sizeof squaredNorm);
    std::memcpy(coefficients_.data(), results + sizeof squaredNorm,
                coefficients_.size() * sizeof(std::int16_t));
    take(squaredNorm);
  }
  if (enough()) whenEnough_();
}

void SolutionConsumer::take(double squaredNorm) {
  makeCanonical(coefficients_);
  maker_.make(coefficients_);
  const double exact = maker_.roundedNorm();
  if (!(exact > 0 && std::abs(exact - squaredNorm) <= kNormError * exact &&
        exact <= settings_.squaredRadius * (1 + kRadiusError))) {
    throw Error(fmt::format(
        "the search emitted a vector of squared norm {}, but its exact norm is {} (squared radius {})",
        squaredNorm, maker_.squaredNorm().str(), settings_.squaredRadius));
  }
  ++taken_;
  if (settings_.file != nullptr) settings_.file->add(maker_);
  best_.offer(maker_, coefficients_);
  if (best_.size() * (kBytesPerVector + coefficients_.size() * sizeof(std::int16_t)) >
      settings_.memoryLimit) {
    throw LimitError(
        fmt::format("solutions: {} of them are more than {} bytes hold (memory limit); keep fewer, or write "
                    "all to an output",
                    best_.size(), settings_.memoryLimit));
  }
}

std::vector<std::byte> SolutionConsumer::save() const {
  BlobHead head{taken_, 0, 0, best_.size()};
  if (settings_.file != nullptr) {
    const VectorFileState state = settings_.file->save();
    head.rows = state.rows;
    head.bytes = state.bytes;
  }
  const std::size_t vectorBytes = coefficients_.size() * sizeof(std::int16_t);
  std::vector<std::byte> blob(sizeof head + best_.size() * vectorBytes);
  std::memcpy(blob.data(), &head, sizeof head);
  std::byte* to = blob.data() + sizeof head;
  for (const auto& vector : best_.best()) {
    std::memcpy(to, vector.coefficients.data(), vectorBytes);
    to += vectorBytes;
  }
  return blob;
}

void SolutionConsumer::restore(const std::vector<std::byte>& blob) {
  BlobHead head;
  const std::size_t vectorBytes = coefficients_.size() * sizeof(std::int16_t);
  if (blob.size() >= sizeof head) std::memcpy(&head, blob.data(), sizeof head);
  if (blob.size() < sizeof head || blob.size() != sizeof head + head.kept * vectorBytes)
    throw CheckpointError("checkpoint: its kept solutions are not whole vectors");
  taken_ = head.taken;
  if (settings_.file != nullptr) settings_.file->restore({head.rows, head.bytes});
  for (const std::byte* from = blob.data() + sizeof head; from != blob.data() + blob.size();
       from += vectorBytes) {
    std::memcpy(coefficients_.data(), from, vectorBytes);
    maker_.make(coefficients_);
    best_.offer(maker_, coefficients_);
  }
  if (enough()) whenEnough_();
}

}  // namespace slicepool::lattice
