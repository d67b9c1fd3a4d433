// What is checked of random schedules, by the short test and by the long one.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>

#include "support/cluster/local_cluster.hpp"

namespace slicepool::test {

/// Words and results of all commits are those of values that are not in `left`, each once.
inline void requireExact(const LocalCluster& cluster, std::vector<std::uint64_t> results,
                         std::uint64_t values) {
  const Checkpoint rest = cluster.ledger().checkpoint();
  std::vector<bool> open(values, false);
  std::uint64_t openCount = 0;
  for (std::size_t at = 0; at < rest.slices.size(); at += sizeof(LocalCluster::Slice)) {
    LocalCluster::Slice slice{};
    std::memcpy(&slice, rest.slices.data() + at, sizeof slice);
    for (std::uint64_t value = slice.begin; value < slice.end; ++value, ++openCount) {
      REQUIRE(!open.at(value));
      open.at(value) = true;
    }
  }
  std::vector<std::uint64_t> expected;
  std::uint64_t sum = 0;
  std::uint64_t exclusiveOr = 0;
  for (const std::uint64_t value : IntervalWorkload::expected(LocalCluster::kSalt, values)) {
    if (open[value]) continue;
    expected.push_back(value);
    sum += mix64(value);
    exclusiveOr ^= mix64(value);
  }
  std::sort(results.begin(), results.end());
  REQUIRE(results == expected);
  REQUIRE(cluster.ledger().words() ==
          std::vector<std::uint64_t>{expected.size(), sum, exclusiveOr, values - openCount});
}

/// `count` schedules, each with a seed of its own; some are halted, and others go on from there.
inline void runSchedules(std::uint64_t firstSeed, std::uint64_t count) {
  constexpr std::uint64_t kMaximumEvents = 200'000;
  std::uint64_t killed = 0;
  std::uint64_t halted = 0;
  for (std::uint64_t seed = firstSeed; seed < firstSeed + count; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    LocalClusterOptions options;
    options.ranks = 1 + static_cast<int>(random() % 6);
    options.values = 1 + random() % 3000;
    options.drop = 0.1 * static_cast<double>(random() % 5);
    options.repeat = 0.1 * static_cast<double>(random() % 4);
    options.kill = 0.01 * static_cast<double>(random() % 10);
    if (random() % 4 == 0) options.haltAt = static_cast<double>(random() % 20);
    LocalCluster first(seed, options, LocalCluster::wholeSearch(options.values));
    REQUIRE(first.run(kMaximumEvents));
    requireExact(first, first.results(), options.values);
    killed += static_cast<std::uint64_t>(first.killed());
    if (first.coordinator().finished()) continue;
    ++halted;
    options.haltAt = -1;
    LocalCluster second(seed + 1, options, first.ledger().checkpoint());
    REQUIRE(second.run(kMaximumEvents));
    REQUIRE(second.coordinator().finished());
    auto results = first.results();
    results.insert(results.end(), second.results().begin(), second.results().end());
    requireExact(second, results, options.values);
  }
  // The schedules are worth something only if it came to that.
  if (count < 1000) return;
  CHECK(killed > count / 10);
  CHECK(halted > count / 50);
}

}  // namespace slicepool::test
