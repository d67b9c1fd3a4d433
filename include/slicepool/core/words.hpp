// Reduction state as an array of 64-bit words, each with its own merge operation. This is what every
// sink accumulates into: plain memory of one CPU worker, or global memory of a device (atomics there).
// Merging, copying from a device and saving to a checkpoint need no knowledge of the sink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "slicepool/core/platform.hpp"

namespace slicepool {

/// How two partial values of one word become one. All four are associative and commutative.
enum class Merge : std::uint8_t { add, minimum, maximum, exclusiveOr };

/// A run of `count` words with one merge operation and one neutral start value.
struct WordRange {
  Merge merge;
  std::size_t count;
  std::uint64_t neutral;
};

/// The words of a sink, in order. Host only.
struct WordLayout {
  std::vector<WordRange> ranges;

  [[nodiscard]] std::size_t size() const {
    std::size_t total = 0;
    for (const auto& range : ranges) total += range.count;
    return total;
  }
  /// Fresh words, every one at its neutral value.
  [[nodiscard]] std::vector<std::uint64_t> fresh() const {
    std::vector<std::uint64_t> words;
    words.reserve(size());
    for (const auto& range : ranges) words.insert(words.end(), range.count, range.neutral);
    return words;
  }
};

/// `*word = merge(*word, value)`; atomic on a device, plain on the host (a host part has one owner).
template <Merge kMerge>
SLICEPOOL_INLINE void mergeWord(std::uint64_t* word, std::uint64_t value) {
#if SLICEPOOL_ON_DEVICE
  auto* target = reinterpret_cast<unsigned long long*>(word);
  const auto operand = static_cast<unsigned long long>(value);
  if constexpr (kMerge == Merge::add) atomicAdd(target, operand);
  if constexpr (kMerge == Merge::minimum) atomicMin(target, operand);
  if constexpr (kMerge == Merge::maximum) atomicMax(target, operand);
  if constexpr (kMerge == Merge::exclusiveOr) atomicXor(target, operand);
#else
  if constexpr (kMerge == Merge::add) *word += value;
  if constexpr (kMerge == Merge::minimum) *word = value < *word ? value : *word;
  if constexpr (kMerge == Merge::maximum) *word = value > *word ? value : *word;
  if constexpr (kMerge == Merge::exclusiveOr) *word ^= value;
#endif
}

/// Merges `from` into `into`, both laid out by `layout`. Host only; O(layout.size()).
inline void mergeWords(const WordLayout& layout, std::uint64_t* into, const std::uint64_t* from) {
  for (const auto& range : layout.ranges) {
    for (std::size_t i = 0; i < range.count; ++i, ++into, ++from) {
      switch (range.merge) {
        case Merge::add: *into += *from; break;
        case Merge::minimum:
          if (*from < *into) *into = *from;
          break;
        case Merge::maximum:
          if (*from > *into) *into = *from;
          break;
        case Merge::exclusiveOr: *into ^= *from; break;
      }
    }
  }
}

}  // namespace slicepool
