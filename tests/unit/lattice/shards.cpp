// Shards of a lattice enumeration: their frontier is dealt once, and together they are the whole search.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "support/lattice/instances.hpp"
#include "support/lattice/warps.hpp"
#include "support/lattice/words.hpp"

using namespace slicepool;
using namespace slicepool::lattice;
using namespace slicepool::test;

namespace {

/// The words of all shards, searched by plain steps, and of what is above their frontier.
std::vector<std::uint64_t> wordsOfShards(ProblemSpec spec, std::uint32_t shards) {
  std::vector<std::uint64_t> sum;
  std::uint64_t dealt = 0;
  spec.shards = shards;
  for (spec.shard = 0; spec.shard < shards; ++spec.shard) {
    const Frontier frontier = frontierOf(spec);
    const auto problem = makeProblem(spec);
    CHECK(problem->roots().size() == frontier.slicesOfShard * problem->sliceBytes());
    dealt += frontier.slicesOfShard;
    if (sum.empty()) {
      sum = problem->words().fresh();
      for (std::size_t k = 0; k < frontier.nodesPerLevel.size(); ++k)
        sum[kNodesWord + k] += frontier.nodesPerLevel[k];
    }
    std::vector<std::uint64_t> words = problem->words().fresh();
    std::vector<std::byte> slices = problem->roots();
    for (std::size_t at = 0; at < slices.size(); at += problem->sliceBytes()) {
      Budget budget{~std::uint64_t{0}};
      CHECK(problem->advance(&slices[at], budget, {words.data(), nullptr, nullptr, 0, nullptr}) ==
            Turn::exhausted);
    }
    mergeWords(problem->words(), sum.data(), words.data());
    if (spec.shard + 1 == shards) CHECK(dealt == frontier.slices);
  }
  return sum;
}

}  // namespace

TEST_CASE("the shards of a search and what is above them are the whole search") {
  std::mt19937_64 random(20261123);
  for (const int dimension : {1, 2, 3, 9, 20, 40}) {
    const ProblemSpec spec = randomLattice(random, dimension, 20000, dimension == 20);
    const auto expected = plainLatticeWords(spec);
    for (const std::uint32_t shards : {2U, 3U, 16U, 100U}) {
      INFO("seed 20261123, dimension " << dimension << ", shards " << shards);
      checkLatticeWords(spec, wordsOfShards(spec, shards), expected);
    }
  }
}

TEST_CASE("a frontier is a function of the search, and each shard has slices where there are enough") {
  std::mt19937_64 random(7);
  ProblemSpec spec = randomLattice(random, 40, 200'000, false);
  spec.shards = 8;
  const Frontier first = frontierOf(spec);
  CHECK(first.slices >= 8 * 32);
  for (spec.shard = 1; spec.shard < 8; ++spec.shard) {
    const Frontier other = frontierOf(spec);
    CHECK(other.hash == first.hash);
    CHECK(other.slices == first.slices);
    CHECK(other.slicesOfShard >= first.slicesOfShard - 1);
  }
  spec.shard = 0;
  spec.squaredRadius *= 1.1;
  CHECK(frontierOf(spec).hash != first.hash);
}

TEST_CASE("shards that cannot be are refused by name") {
  std::mt19937_64 random(8);
  ProblemSpec spec = randomLattice(random, 9, 1000, false);
  const auto refusal = [](const ProblemSpec& wrong) -> std::string {
    try {
      (void)makeProblem(wrong);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return {};
  };
  spec.shards = 3;
  spec.shard = 3;
  CHECK(refusal(spec) == "shard: got 3; accepted: 0 to 2");
  spec.shard = 0;
  spec.shrinking = true;
  CHECK(refusal(spec) == "shards: got 3 with a shrinking radius; accepted: a fixed radius");
  spec.shrinking = false;
  spec.shards = 0;
  CHECK(refusal(spec) == "shards: got 0; accepted: 1 to 1048576");
}
