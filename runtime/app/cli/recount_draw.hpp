// Which shards `slicepool recount` computes again.
#pragma once

#include <cstdint>
#include <vector>

namespace slicepool::cli {

/// `number` different ones of `shards`, each choice with the same probability, by a generator that is the
/// same on every machine. O(shards). Precondition: number <= shards.size().
[[nodiscard]] std::vector<std::uint64_t> drawShards(std::vector<std::uint64_t> shards, std::uint64_t number,
                                                    std::uint64_t seed);

/// The least number of `shards` that is `fraction` of them or more, and at least 1.
[[nodiscard]] std::uint64_t numberOfFraction(std::uint64_t shards, double fraction);

}  // namespace slicepool::cli
