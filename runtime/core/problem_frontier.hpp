// The top of a search as slices, for the shards of a plan. Called by
// runtime/numerical_semigroups/tree_frontier.cpp and runtime/integer_points/search_frontier.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "slicepool/core/problem.hpp"

namespace slicepool {

/// What is above the slices was done.
struct Frontier {
  /// Slices whose work is still to be done, heaviest first by an estimate that is the same everywhere.
  std::vector<std::vector<std::byte>> slices;
  std::vector<std::uint64_t> words;  ///< of the steps made above them
  std::vector<std::byte> results;    ///< collected by those steps
  std::uint64_t steps = 0;           ///< those steps
};

/// How much work a slice may be: a function of its bytes alone, the same on every machine.
using SliceWeight = std::function<std::uint64_t(const std::vector<std::byte>&)>;

/// Makes the first step of the heaviest slice, and cuts what is left of it, until at least `atLeast` slices
/// are there, or none can be cut. A step emits one result at most. Throws LimitError when the slices take
/// more than half of `memoryLimit` bytes.
[[nodiscard]] Frontier frontierOf(const Problem& problem, const SliceWeight& weight, std::size_t atLeast,
                                  std::size_t memoryLimit);

/// The slices that shard `shard` of `shards` starts from, one after another: every `shards`-th, because
/// neighbours weigh about the same. Sets their number.
[[nodiscard]] std::vector<std::byte> slicesOfShard(const Frontier& frontier, std::uint32_t shards,
                                                   std::uint32_t shard, std::uint64_t& number);

}  // namespace slicepool
