// See collected_solutions.hpp.
#include "runtime/three_in_line/collected_solutions.hpp"

#include <cstring>

#include <fmt/format.h>

#include "slicepool/core/error.hpp"

namespace slicepool::three_in_line {
namespace {

/// The configuration itself, its points while it is sorted, and about as much for the text of an output.
constexpr std::size_t kBytesPerSolution = 16 * sizeof(Configuration);

}  // namespace

void CollectedSolutions::consume(const std::byte* results, std::size_t count) {
  const std::size_t before = solutions_.size();
  if (before + count > memoryLimit_ / kBytesPerSolution) {
    throw LimitError(
        fmt::format("solutions: more than {} of them, which take {} bytes each until they are written; {} "
                    "bytes may be used "
                    "(memory limit)",
                    before, kBytesPerSolution, memoryLimit_));
  }
  solutions_.resize(before + count);
  std::memcpy(solutions_.data() + before, results, count * sizeof(Configuration));
  if (enough()) whenEnough_();
}

std::vector<std::byte> CollectedSolutions::save() const {
  std::vector<std::byte> blob(solutions_.size() * sizeof(Configuration));
  if (!blob.empty()) std::memcpy(blob.data(), solutions_.data(), blob.size());
  return blob;
}

void CollectedSolutions::restore(const std::vector<std::byte>& blob) {
  if (blob.size() % sizeof(Configuration) != 0)
    throw CheckpointError("checkpoint: its collected solutions are not whole configurations");
  solutions_.resize(blob.size() / sizeof(Configuration));
  if (!blob.empty()) std::memcpy(solutions_.data(), blob.data(), blob.size());
  if (enough()) whenEnough_();
}

}  // namespace slicepool::three_in_line
