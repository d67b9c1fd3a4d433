// See collected_rows.hpp.
#include "runtime/factorizations/collected_rows.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{4} << 20;

}  // namespace

CollectedRows::CollectedRows(unsigned dimension, unsigned elementBytes, std::size_t resultBytes,
                             std::size_t memoryLimit)
    : dimension_(dimension),
      elementBytes_(elementBytes),
      rowBytes_(std::size_t{dimension} * elementBytes),
      resultBytes_(resultBytes),
      memoryLimit_(memoryLimit),
      chunkRows_(std::max<std::size_t>(1, kChunkBytes / rowBytes_)) {}

void CollectedRows::consume(const std::byte* results, std::size_t count) {
  std::vector<std::uint64_t> coordinates(dimension_);
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(coordinates.data(), results + i * resultBytes_, dimension_ * sizeof(std::uint64_t));
    append(coordinates.data());
  }
}

void CollectedRows::append(const std::uint64_t* coordinates) {
  if (count_ % chunkRows_ == 0 && count_ / chunkRows_ == chunks_.size()) {
    const std::size_t perRow = 2 * rowBytes_ + sizeof(std::uint64_t);
    // The first chunk is always granted: it is small, and a limit below it is about larger tables.
    if (count_ != 0 && (count_ + chunkRows_) * perRow > memoryLimit_) {
      throw LimitError("rows: more than " + std::to_string(count_) + " rows of " + std::to_string(rowBytes_) +
                       " bytes, which take " + std::to_string(perRow) +
                       " bytes each until they are sorted; " + std::to_string(memoryLimit_) +
                       " bytes may be used (memory limit)");
    }
    chunks_.emplace_back(chunkRows_ * rowBytes_);
  }
  unsigned char* out = chunks_.back().data() + (count_ % chunkRows_) * rowBytes_;
  for (unsigned i = 0; i < dimension_; ++i)
    for (unsigned byte = elementBytes_; byte-- > 0;)
      *out++ = static_cast<unsigned char>(coordinates[i] >> (8 * byte));
  ++count_;
}

std::vector<std::byte> CollectedRows::save() const {
  std::vector<std::byte> blob(count_ * rowBytes_);
  std::byte* out = blob.data();
  for (std::uint64_t first = 0; first < count_; first += chunkRows_) {
    const std::size_t bytes = std::min(chunkRows_, count_ - first) * rowBytes_;
    std::memcpy(out, row(first), bytes);
    out += bytes;
  }
  return blob;
}

void CollectedRows::restore(const std::vector<std::byte>& blob) {
  if (blob.size() % rowBytes_ != 0) {
    throw CheckpointError("checkpoint: its collected rows are not rows of " + std::to_string(rowBytes_) +
                          " bytes");
  }
  count_ = blob.size() / rowBytes_;
  chunks_.clear();
  const std::byte* in = blob.data();
  for (std::uint64_t first = 0; first < count_; first += chunkRows_) {
    const std::size_t bytes = std::min(chunkRows_, count_ - first) * rowBytes_;
    chunks_.emplace_back(chunkRows_ * rowBytes_);
    std::memcpy(chunks_.back().data(), in, bytes);
    in += bytes;
  }
}

void CollectedRows::writeSorted(std::byte* output) const {
  std::vector<std::uint64_t> order(count_);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::sort(order.begin(), order.end(),
            [this](std::uint64_t a, std::uint64_t b) { return std::memcmp(row(a), row(b), rowBytes_) > 0; });
  for (const std::uint64_t index : order) {
    const unsigned char* in = row(index);
    for (unsigned i = 0; i < dimension_; ++i, in += elementBytes_)
      for (unsigned byte = elementBytes_; byte-- > 0;) *output++ = static_cast<std::byte>(in[byte]);
  }
}

}  // namespace slicepool::factorizations
