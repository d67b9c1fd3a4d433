// See slicepool/factorizations/rank_index.hpp.
#include "slicepool/factorizations/rank_index.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "cpu_workers/core/cpu_workers.hpp"
#include "cpu_workers/core/parallel.hpp"
#include "runtime/core/memory.hpp"
#include "runtime/factorizations/rank_limbs.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/steps/tables.hpp"
#include "slicepool/factorizations/steps/wide_ranked.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::size_t kMaximumDigits = 2000;      // 2^4032 has 1214
constexpr std::uint64_t kDrawsAtOnce = 1U << 16;  // ranks drawn before their rows are made in parallel
constexpr std::uint64_t kUnrankedTogether = 256;

std::string rowText(const std::vector<std::uint64_t>& row) {
  std::string text;
  for (const std::uint64_t a : row) text += (text.empty() ? "" : ",") + std::to_string(a);
  return text;
}

void requireMemory(std::size_t bytes, std::size_t limit, std::size_t dimension, std::uint64_t element,
                   const std::string& width) {
  if (bytes <= limit) return;
  throw LimitError(
      "rank index: " + std::to_string(dimension) + " generators up to " + std::to_string(element) +
      ": counts of " + width + " take " +
      (bytes == std::numeric_limits<std::size_t>::max() ? "more than 2^64" : std::to_string(bytes)) +
      " bytes; " + std::to_string(limit) + " allowed (memory limit)");
}

std::unique_ptr<const WideSuffixCounts> makeCounts(const std::vector<std::uint64_t>& generators,
                                                   std::uint64_t element, std::size_t limit, Rank& total) {
  limit = hostMemoryLimit(limit);
  const std::size_t d = generators.size();
  // Refused before anything is counted where not even 64 bits fit.
  requireMemory(WideSuffixCounts::bytesNeeded(d, element, 1), limit, d, element, "at least 64 bits");
  total = parseRank(exactCount(generators, element), "count");
  const unsigned limbs = limbsFor(total);
  requireMemory(WideSuffixCounts::bytesNeeded(d, element, limbs), limit, d, element,
                std::to_string(64 * limbs) + " bits");
  return std::make_unique<const WideSuffixCounts>(makeWideSuffixCounts(generators, element, limbs));
}

/// Little-endian hosts only (x86-64, aarch64): the low bytes come first.
void storeRow(const std::uint64_t* coordinates, unsigned dimension, unsigned elementBytes,
              std::byte* output) {
  for (unsigned i = 0; i < dimension; ++i, output += elementBytes)
    std::memcpy(output, coordinates + i, elementBytes);
}

}  // namespace

Rank parseRank(const std::string& decimal, const std::string& field) {
  if (decimal.empty() || decimal.size() > kMaximumDigits ||
      decimal.find_first_not_of("0123456789") != std::string::npos)
    throw ConfigError(field, inQuotes(decimal), "decimal digits, at most 2000 of them");
  // A leading zero would make the number octal.
  const std::size_t first = std::min(decimal.find_first_not_of('0'), decimal.size() - 1);
  return Rank(decimal.substr(first));
}

RankSampler::RankSampler(const Rank& begin, const Rank& end, std::uint64_t seed)
    : begin_(begin), size_(end - begin), bits_(0), generator_(seed) {
  if (begin < 0 || size_ <= 0)
    throw ConfigError("sample", "no rank to draw from", "at least one factorization to draw from");
  if (size_ > 1) bits_ = static_cast<unsigned>(boost::multiprecision::msb(Rank(size_ - 1))) + 1;
  words_.resize((bits_ + 63) / 64);
}

Rank RankSampler::next() {
  if (bits_ == 0) return begin_;
  const unsigned spare = static_cast<unsigned>(words_.size()) * 64 - bits_;
  for (;;) {
    for (std::uint64_t& word : words_) word = generator_();
    words_.back() &= std::numeric_limits<std::uint64_t>::max() >> spare;
    const Rank offset = fromLimbs(words_.data(), static_cast<unsigned>(words_.size()));
    if (offset < size_) return begin_ + offset;
  }
}

RankIndex::RankIndex(std::vector<std::uint64_t> generators, std::uint64_t element, std::size_t memoryLimit)
    : generators_(std::move(generators)), element_(element) {
  Request request;
  request.generators = generators_;
  request.element = element_;
  checkRequest(request, EngineOptions{});
  counts_ = makeCounts(generators_, element_, memoryLimit, count_);
}

RankIndex::~RankIndex() = default;
RankIndex::RankIndex(RankIndex&&) noexcept = default;
RankIndex& RankIndex::operator=(RankIndex&&) noexcept = default;

unsigned RankIndex::countBits() const { return 64 * counts_->limbs; }
std::size_t RankIndex::bytes() const { return counts_->bytes(); }

unsigned RankIndex::elementBytes() const {
  Request request;
  request.generators = generators_;
  request.element = element_;
  return elementBytesFor(request);
}

Rank RankIndex::rankOf(const std::vector<std::uint64_t>& row) const {
  const std::string accepted = "a factorization: " + std::to_string(generators_.size()) +
                               " coordinates a_i with sum a_i g_i = " + std::to_string(element_);
  if (row.size() != generators_.size()) {
    throw ConfigError("rank_of", rowText(row) + ", which has " + std::to_string(row.size()) + " coordinates",
                      accepted);
  }
  Rank sum;
  for (std::size_t i = 0; i < row.size(); ++i) sum += Rank(row[i]) * generators_[i];
  if (sum != element_) throw ConfigError("rank_of", rowText(row) + ", whose sum is " + sum.str(), accepted);

  const WideRankedView view = wideRankedView(generators_, *counts_, nullptr);
  WideRank rank{};
  std::uint64_t residual = element_;
  for (std::size_t k = 0; k < row.size(); ++k) {
    residual -= row[k] * generators_[k];
    if (residual >= generators_[k]) view.addTo(rank, static_cast<int>(k), residual - generators_[k]);
  }
  return fromLimbs(rank.limbs, view.limbs);
}

std::vector<std::uint64_t> RankIndex::unrank(const Rank& rank) const {
  if (rank < 0 || rank >= count_) {
    throw ConfigError("row_at", rank.str(),
                      "a rank below the number of factorizations, " + count_.str() + "; the first is 0");
  }
  const WideRankedView view = wideRankedView(generators_, *counts_, nullptr);
  const RankedCursor cursor(view, view.rankFrom(toLimbs(rank, view.limbs).data()));
  return {cursor.coordinates(), cursor.coordinates() + generators_.size()};
}

void RankIndex::sample(RankSampler& sampler, std::uint64_t rows, unsigned elementBytes, std::byte* output,
                       int threads) const {
  const WideRankedView view = wideRankedView(generators_, *counts_, nullptr);
  const unsigned d = dimension();
  const bool known = elementBytes == 1 || elementBytes == 2 || elementBytes == 4 || elementBytes == 8;
  if (!known || elementBytes < this->elementBytes()) {
    throw ConfigError("elementBytes", std::to_string(elementBytes),
                      "1, 2, 4 or 8, at least " + std::to_string(this->elementBytes()));
  }
  const std::size_t rowBytes = std::size_t{d} * elementBytes;
  std::vector<std::uint64_t> ranks;
  for (std::uint64_t done = 0; done < rows; done += kDrawsAtOnce) {
    const std::uint64_t now = std::min(kDrawsAtOnce, rows - done);
    ranks.clear();
    for (std::uint64_t i = 0; i < now; ++i) {
      const auto limbs = toLimbs(sampler.next(), view.limbs);
      ranks.insert(ranks.end(), limbs.begin(), limbs.end());
    }
    inArena(threads != 0 ? threads : availableCores(), [&] {
      parallelFor(0, now, kUnrankedTogether, [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t i = first; i < last; ++i) {
          const RankedCursor cursor(view, view.rankFrom(ranks.data() + i * view.limbs));
          storeRow(cursor.coordinates(), d, elementBytes, output + (done + i) * rowBytes);
        }
      });
    });
  }
}

RowMatrix RankIndex::sample(std::uint64_t rows, std::uint64_t seed, int threads) const {
  RankSampler sampler(0, count_, seed);
  RowMatrix matrix(rows, dimension(), elementBytes());
  sample(sampler, rows, matrix.elementBytes(), matrix.data(), threads);
  return matrix;
}

}  // namespace slicepool::factorizations
