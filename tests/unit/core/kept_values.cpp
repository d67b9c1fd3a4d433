// Values that several runs of a process make alike are made once while a scope keeps them.
#include "runtime/core/kept_values.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "slicepool/detail/batch_device.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/three_in_line/enumeration.hpp"
#include "support/lattice/instances.hpp"

using namespace slicepool;
using namespace slicepool::test;

namespace {

struct Made {
  int number;
};

struct Counter {
  int made = 0;
  std::shared_ptr<const Made> get(const std::string& key) {
    return keptOrMade(
        key, [this] { return Made{++made}; });
  }
};

}  // namespace

TEST_CASE("a value is made again for another key, and where no scope keeps it") {
  Counter counter;
  CHECK(counter.get("a")->number == 1);
  CHECK(counter.get("a")->number == 2);
  {
    const KeepValues outer;
    CHECK(counter.get("a")->number == 3);
    {
      const KeepValues inner;
      CHECK(counter.get("a")->number == 3);
    }
    const auto first = counter.get("a");
    CHECK(first->number == 3);
    CHECK(counter.get("b")->number == 4);
    CHECK(counter.get("a")->number == 5);
    CHECK(first->number == 3);  // who has it keeps it
    // Another type with the same key.
    CHECK(*keptOrMade(std::string("a"), [] { return std::string("text"); }) == "text");
    CHECK(counter.get("a")->number == 5);
  }
  CHECK(counter.get("a")->number == 6);
}

TEST_CASE("what is kept is let go of at the end") {
  std::weak_ptr<const Made> kept;
  Counter counter;
  {
    const KeepValues scope;
    kept = counter.get("a");
    CHECK_FALSE(kept.expired());
  }
  CHECK(kept.expired());
}

TEST_CASE("shards that share their frontier find what shards with their own find") {
  const auto run = [](std::uint32_t shard) {
    three_in_line::Request request;
    request.size = 9;
    request.shards = 7;
    request.shard = shard;
    EngineOptions options;
    options.threads = 1;
    three_in_line::Enumeration enumeration(request, options);
    enumeration.run();
    return enumeration.outcome();
  };
  std::vector<three_in_line::Outcome> alone;
  for (std::uint32_t shard = 0; shard < 7; ++shard) alone.push_back(run(shard));
  const KeepValues scope;
  std::uint64_t count = 0;
  for (std::uint32_t shard = 7; shard-- != 0;) {
    const auto shared = run(shard);
    CHECK(shared.findings.count == alone[shard].findings.count);
    CHECK(shared.findings.nodes == alone[shard].findings.nodes);
    CHECK(shared.findings.fingerprint.sum == alone[shard].findings.fingerprint.sum);
    CHECK(shared.boards == alone[shard].boards);
    count += shared.findings.count;
  }
  CHECK(count == 51);  // OEIS A000769
}

TEST_CASE("another lattice, radius or number of shards has a frontier of its own") {
  const KeepValues scope;
  std::mt19937_64 random(20261124);
  lattice::ProblemSpec spec = randomLattice(random, 30, 100'000, true);
  spec.shards = 4;
  const auto first = lattice::frontierOf(spec);
  CHECK(lattice::frontierOf(spec).hash == first.hash);
  const auto differs = [&](const auto& change) {
    lattice::ProblemSpec other = spec;
    change(other);
    const auto frontier = lattice::frontierOf(other);
    return frontier.hash != first.hash || frontier.nodesPerLevel != first.nodesPerLevel;
  };
  CHECK(differs([](auto& other) { other.squaredRadius *= 1.2; }));
  CHECK(differs([](auto& other) { other.shards = 9; }));
  CHECK(differs([](auto& other) { other.mu[29 * 30 + 28] += 0.25; }));
  CHECK(differs([](auto& other) {
    for (auto& factor : other.pruning) factor *= 0.5;
  }));
  CHECK(lattice::frontierOf(spec).hash == first.hash);
}
