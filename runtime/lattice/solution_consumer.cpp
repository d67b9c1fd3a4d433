// See solution_consumer.hpp.
#include "runtime/lattice/solution_consumer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "slicepool/core/error.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "slicepool/lattice/types.hpp"

namespace slicepool::lattice {
namespace {

/// What rounding may do to a squared norm on its way through the search, with a wide margin.
constexpr double kNormError = 1e-6;
/// What rounding may do to an exact norm, or R^2, that becomes a double, with a wide margin.
constexpr double kRoundedError = 1e-9;
/// Of a double that was rounded once or twice.
constexpr double kTwoRoundings = 0x1p-51;
/// Of a kept vector, beside its coefficients.
constexpr std::size_t kBytesPerVector = 256;
/// Raw results and rows of a block, about.
constexpr std::size_t kBlockBytes = 512U << 10;
/// Results of a block that a test of the caller has to judge, and blocks for each thread: the test may take
/// milliseconds, and a stop waits for all of them.
constexpr std::size_t kJudgedPerBlock = 64;
constexpr std::size_t kJudgedBlocksPerThread = 2;
/// The queue takes this part of the memory limit at most.
constexpr std::size_t kQueueShare = 4;

struct BlobHead {
  std::uint64_t taken = 0;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::uint64_t kept = 0;
  std::array<char, 16> hash{};  ///< digits, of the file
  Rejected rejected;
};
static_assert(std::is_trivially_copyable_v<BlobHead>);

double normOf(const std::byte* result) {
  double squaredNorm = 0;
  std::memcpy(&squaredNorm, result, sizeof squaredNorm);
  return squaredNorm;
}

/// Of v and -v the search may emit either; reported is the one whose last nonzero coefficient is positive.
void makeCanonical(std::vector<std::int16_t>& coefficients) {
  const auto last = std::find_if(coefficients.rbegin(), coefficients.rend(), [](int c) { return c != 0; });
  if (last == coefficients.rend() || *last > 0) return;
  for (auto& c : coefficients) c = static_cast<std::int16_t>(-c);
}

}  // namespace

SolutionConsumer::Converter::Converter(const IntegerBasis& basis)
    : maker(basis), coefficients(static_cast<std::size_t>(basis.dimension)) {}

SolutionConsumer::SolutionConsumer(const IntegerBasis& basis, ConsumerSettings settings,
                                   std::function<void()> whenEnough)
    : basis_(basis),
      settings_(std::move(settings)),
      whenEnough_(std::move(whenEnough)),
      vectorBytes_(static_cast<std::size_t>(basis.dimension) * sizeof(std::int16_t)),
      taken_(settings_.taken != nullptr ? *settings_.taken : own_),
      surelyShort_(static_cast<double>(settings_.minimumSquaredNorm) * (1 - kTwoRoundings) -
                   settings_.normError),
      surelyLong_((static_cast<double>(settings_.minimumSquaredNorm) - 1) * (1 + kTwoRoundings) +
                  settings_.normError),
      surelyWithin_(static_cast<double>(settings_.maximumSquaredNorm) * (1 - kRoundedError)),
      least_(settings_.squaredRadius),
      best_(settings_.keep),
      queue_(std::make_unique<Queue>()) {
  if (settings_.greatestSquare == 0) settings_.greatestSquare = settings_.maximumSquaredNorm;
  if (settings_.file != nullptr) {
    rowBytes_ = settings_.file->maximumRowBytes(settings_.greatestSquare);
    if (settings_.bothSigns) rowBytes_ *= 2;
  }
  // Nothing is collected where solutions are only counted.
  const std::size_t bytes = std::max<std::size_t>(1, settings_.resultBytes + rowBytes_);
  const std::size_t share = std::min(settings_.queueBytes, settings_.memoryLimit / kQueueShare);
  perBlock_ = std::max<std::size_t>(1, std::min(kBlockBytes, share / 2) / bytes);
  std::size_t blocks = share / (perBlock_ * bytes);
  if (settings_.accept) {
    perBlock_ = std::min(perBlock_, kJudgedPerBlock);
    blocks = std::min(blocks, kJudgedBlocksPerThread * static_cast<std::size_t>(settings_.threads));
  }
  // Two: one is filled while one is converted.
  queue_->blocks.resize(std::max<std::size_t>(2, blocks));
  queueBytes_ = queue_->blocks.size() * perBlock_ * bytes;
  queue_->converters.resize(static_cast<std::size_t>(settings_.threads) + 1);
  if (surelyShort_ > surelyLong_) surelyShort_ = surelyLong_ = (surelyShort_ + surelyLong_) / 2;
  if (std::isfinite(settings_.certain) || settings_.minimumSquaredNorm > 0)
    judge_ = std::make_unique<Converter>(basis_);
  BlockActions actions;
  actions.convert = [this](std::size_t block, int thread) { convert(queue_->blocks[block], thread); };
  actions.place = [this](std::size_t index) {
    Block& block = queue_->blocks[index];
    if (settings_.file != nullptr)
      block.place = settings_.file->place((settings_.bothSigns ? 2 : 1) * block.taken, block.rows);
  };
  actions.write = [this](std::size_t index) {
    Block& block = queue_->blocks[index];
    if (settings_.file != nullptr) settings_.file->write(block.place, block.rows);
    block.count = 0;
  };
  queue_->pipeline =
      std::make_unique<BlockPipeline>(queue_->blocks.size(), settings_.threads, std::move(actions));
}

// ---- the producer: under the lock of the engine ---------------------------------------------------------

void SolutionConsumer::consume(const std::byte* results, std::size_t count) {
  if (!judge_) return takeAll(results, count);
  for (const std::byte* const end = results + count * settings_.resultBytes; results != end;) {
    const std::byte* next = results;
    while (next != end && !isOutside(next)) next += settings_.resultBytes;
    if (next != results) takeAll(results, static_cast<std::size_t>(next - results) / settings_.resultBytes);
    results = next;
    if (next == end) break;
    reject(next, *judge_);
    results += settings_.resultBytes;
  }
}

bool SolutionConsumer::isOutside(const std::byte* result) {
  const double norm = normOf(result);
  if (settings_.minimumSquaredNorm > 0 && norm < surelyShort_) return true;
  const bool longEnough = settings_.minimumSquaredNorm == 0 || norm >= surelyLong_;
  if (longEnough && norm <= settings_.certain) return false;
  std::memcpy(judge_->coefficients.data(), result + sizeof(double), vectorBytes_);
  judge_->maker.make(judge_->coefficients);
  const Integer exact = judge_->maker.squaredNorm();
  return exact > settings_.maximumSquaredNorm || exact < settings_.minimumSquaredNorm;
}

void SolutionConsumer::reject(const std::byte* result, Converter& converter) {
  std::memcpy(converter.coefficients.data(), result + sizeof(double), vectorBytes_);
  const std::uint64_t hash = vectorHash(converter.coefficients.data(), basis_.dimension);
  converter.rejected.add({1, {hash, hash}});
}

Rejected SolutionConsumer::rejected() const {
  Rejected all = restoredRejected_;
  if (judge_) all.add(judge_->rejected);
  for (const auto& converter : queue_->converters)
    if (converter) all.add(converter->rejected);
  return all;
}

void SolutionConsumer::takeAll(const std::byte* results, std::size_t count) {
  if (!settings_.accept) {
    if (settings_.first != 0) count = std::min<std::uint64_t>(count, settings_.first - taken());
    taken_.fetch_add(count, std::memory_order_relaxed);
  }
  double least = least_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < count; ++i)
    least = std::min(least, normOf(results + i * settings_.resultBytes));
  least_.store(least, std::memory_order_relaxed);
  while (count != 0) {
    if (!queue_->hasOpen) {
      queue_->open = queue_->pipeline->acquire();
      queue_->hasOpen = true;
    }
    Block& block = queue_->blocks[queue_->open];
    block.results.resize(perBlock_ * settings_.resultBytes);
    const std::size_t some = std::min(count, perBlock_ - block.count);
    std::memcpy(block.results.data() + block.count * settings_.resultBytes, results,
                some * settings_.resultBytes);
    block.count += some;
    results += some * settings_.resultBytes;
    count -= some;
    if (block.count == perBlock_) submitOpen();
  }
  // The vector that is looked for may be among these: no block waits to be full.
  if (settings_.accept && settings_.first != 0) submitOpen();
  if (enough()) whenEnough_();
}

void SolutionConsumer::submitOpen() const {
  if (!queue_->hasOpen) return;
  queue_->hasOpen = false;
  queue_->pipeline->submit(queue_->open);
}

void SolutionConsumer::finish() const {
  if (std::exchange(queue_->hasOpen, false))
    queue_->pipeline->drainWith(queue_->open);
  else
    queue_->pipeline->drain();
}

NormCounts SolutionConsumer::norms() const {
  NormCounts all = restoredNorms_;
  for (const auto& converter : queue_->converters)
    if (converter) all.add(converter->norms);
  return all;
}

std::vector<std::byte> SolutionConsumer::save() const {
  finish();
  BlobHead head{taken(), 0, 0, best_.size(), {}, rejected()};
  if (settings_.file != nullptr) {
    const VectorFileState state = settings_.file->save();
    head.rows = state.rows;
    head.bytes = state.bytes;
    head.hash = state.hash;
  }
  const std::string norms = settings_.countsNorms ? this->norms().text() : std::string();
  std::vector<std::byte> blob(sizeof head + best_.size() * vectorBytes_ + norms.size());
  std::memcpy(blob.data(), &head, sizeof head);
  std::byte* to = blob.data() + sizeof head;
  for (const auto& vector : best_.best()) {
    std::memcpy(to, vector.coefficients.data(), vectorBytes_);
    to += vectorBytes_;
  }
  std::copy(norms.begin(), norms.end(), reinterpret_cast<char*>(to));
  return blob;
}

void SolutionConsumer::restore(const std::vector<std::byte>& blob) {
  BlobHead head;
  if (blob.size() >= sizeof head) std::memcpy(&head, blob.data(), sizeof head);
  const std::size_t room = blob.size() - std::min(blob.size(), sizeof head);
  if (blob.size() < sizeof head || head.kept > room / vectorBytes_ ||
      (!settings_.countsNorms && room != head.kept * vectorBytes_))
    throw CheckpointError("checkpoint: its kept solutions are not whole vectors");
  const std::byte* const end = blob.data() + sizeof head + head.kept * vectorBytes_;
  restoredNorms_ = NormCounts::parse(
      {reinterpret_cast<const char*>(end), reinterpret_cast<const char*>(blob.data() + blob.size())});
  taken_.store(head.taken, std::memory_order_relaxed);
  restoredRejected_ = head.rejected;
  if (settings_.file != nullptr) settings_.file->restore({head.rows, head.bytes, head.hash});
  Converter converter(basis_);
  for (const std::byte* from = blob.data() + sizeof head; from != end; from += vectorBytes_) {
    std::memcpy(converter.coefficients.data(), from, vectorBytes_);
    converter.maker.make(converter.coefficients);
    best_.offer(converter.maker, converter.coefficients);
  }
  if (best_.size() != 0) least_.store(std::min(least(), best_.best().begin()->rounded));
  if (enough()) whenEnough_();
}

// ---- the converting threads -----------------------------------------------------------------------------

void SolutionConsumer::convert(Block& block, int thread) {
  auto& converter = queue_->converters[static_cast<std::size_t>(thread)];
  if (!converter) converter = std::make_unique<Converter>(basis_);
  block.rows.clear();
  if (settings_.file != nullptr) block.rows.reserve(perBlock_ * rowBytes_);
  {
    const std::lock_guard lock(bestMutex_);
    converter->bar = best_.bar();
  }
  block.taken = 0;
  for (std::size_t i = 0; i < block.count; ++i)
    block.taken += take(block.results.data() + i * settings_.resultBytes, *converter, block) ? 1 : 0;
}

bool SolutionConsumer::take(const std::byte* result, Converter& converter, Block& block) {
  const double squaredNorm = normOf(result);
  // Neither kept nor written: the search's norm is good enough to say so.
  if (settings_.file == nullptr && !settings_.countsNorms && !settings_.accept &&
      converter.bar.excludes(squaredNorm * (1 - 2 * kNormError)))
    return true;
  auto& [maker, coefficients, bar, norms, rejected] = converter;
  std::memcpy(coefficients.data(), result + sizeof squaredNorm, vectorBytes_);
  makeCanonical(coefficients);
  maker.make(coefficients);
  const double exact = maker.roundedNorm();
  const bool within =
      exact > 0 && (exact <= surelyWithin_ || maker.squaredNorm() <= settings_.maximumSquaredNorm);
  if (!within || !(std::abs(exact - squaredNorm) <= kNormError * exact)) {
    throw Error(fmt::format(
        "the search emitted a vector of squared norm {}, but its exact norm is {} (squared radius {})",
        squaredNorm, maker.squaredNorm().str(), settings_.maximumSquaredNorm.str()));
  }
  if (settings_.accept && !accepts(result, converter)) return false;
  if (settings_.countsNorms && norms.add(maker, exact))
    requireMemory(normsHeld_.fetch_add(1, std::memory_order_relaxed));
  for (int sign = 0; sign < (settings_.bothSigns ? 2 : 1); ++sign) {
    if (sign != 0) {
      for (auto& coefficient : coefficients) coefficient = static_cast<std::int16_t>(-coefficient);
      maker.make(coefficients);
    }
    if (settings_.file != nullptr) settings_.file->encode(maker, block.rows);
    if (!bar.excludes(exact, coefficients)) offer(converter);
  }
  return true;
}

bool SolutionConsumer::accepts(const std::byte* result, Converter& converter) {
  auto& [maker, coefficients, bar, norms, rejected] = converter;
  if (enough()) return false;  // as if the search had ended before
  if (!settings_.accept(maker, {maker.roundedNorm(), maker.squaredNorm(), coefficients})) {
    reject(result, converter);
    return false;
  }
  const std::uint64_t before = taken_.fetch_add(1, std::memory_order_relaxed);
  if (settings_.first == 0 || before + 1 < settings_.first) return true;
  if (before >= settings_.first) {
    taken_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  whenEnough_();
  return true;
}

void SolutionConsumer::offer(Converter& converter) {
  const std::lock_guard lock(bestMutex_);
  best_.offer(converter.maker, converter.coefficients);
  converter.bar = best_.bar();
  const std::size_t bytes = best_.size() * (kBytesPerVector + vectorBytes_) + queueBytes_;
  if (bytes <= settings_.memoryLimit) return;
  throw LimitError(
      fmt::format("solutions: {} of them are more than {} bytes hold (memory limit); keep fewer, or write "
                  "all to an output",
                  best_.size(), settings_.memoryLimit));
}

void SolutionConsumer::requireMemory(std::size_t norms) const {
  if (norms * NormCounts::kBytesPerNorm + queueBytes_ <= settings_.memoryLimit) return;
  throw LimitError(
      fmt::format("theta: {} norms are more than {} bytes hold (memory limit); a smaller radius has fewer",
                  norms, settings_.memoryLimit));
}

}  // namespace slicepool::lattice
