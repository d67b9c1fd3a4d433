// Targets of one lattice for what searches many at once, and what a core finds for them by big integers.
// Included by tests of the emulated searcher and of GPUs.
#pragma once

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/lattice/one_target.hpp"
#include "slicepool/lattice/steps/warp_shortest.hpp"
#include "support/lattice/given_lattices.hpp"

namespace slicepool::test {

inline std::shared_ptr<const lattice::TargetLattice> targetLattice(const Rows& rows, bool gram = false) {
  lattice::Request request;
  (gram ? request.gram : request.basis) = lattice::matrixText(given(rows, gram));
  return std::make_shared<const lattice::TargetLattice>(request);
}

/// Numbers over `denominator` each, anywhere.
inline lattice::GivenLattice farTarget(std::mt19937_64& random, std::size_t columns,
                                       std::int64_t denominator) {
  std::string text = "[";
  for (std::size_t j = 0; j < columns; ++j)
    text += std::to_string(below(random, 200'000) - 100'000) + "/" + std::to_string(denominator) + " ";
  return givenTarget(text + "]");
}

/// A vector of the lattice, but for a small error in each number.
inline lattice::GivenLattice nearTarget(std::mt19937_64& random, const Rows& rows) {
  std::vector<std::int64_t> sum(rows[0].size());
  for (const auto& row : rows) {
    const std::int64_t x = below(random, 7) - 3;
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += x * row[j];
  }
  std::string text = "[";
  for (const std::int64_t number : sum) text += std::to_string(number + below(random, 3) - 1) + " ";
  return givenTarget(text + "]");
}

struct SearchedTargets {
  std::shared_ptr<const lattice::TargetLattice> lattice;
  std::vector<lattice::GivenLattice> targets;
  std::vector<std::size_t> numbers;  ///< of the target of each search
  lattice::SearcherGroup group;

  void prepare(const lattice::ManyWanted& wanted = {}, double mostNodes = lattice::kNodesOfWarp) {
    const std::atomic<bool> stop{false};
    lattice::OneTarget core(lattice, stop);
    for (std::size_t i = 0; i < targets.size(); ++i)
      if (core.prepare(targets[i], wanted, mostNodes, group)) numbers.push_back(i);
    group.coefficients.assign(group.items.size() * lattice::WarpShortestShape::kMaximumDimension, 0);
  }

  [[nodiscard]] std::int16_t* coefficients(std::size_t k) {
    return group.coefficients.data() + k * lattice::WarpShortestShape::kMaximumDimension;
  }

  /// The answers to the searches are those of a core, by big integers.
  void check() {
    const std::atomic<bool> stop{false};
    lattice::OneTarget device(lattice, stop);
    lattice::OneTarget core(lattice, stop, {.certified = false});
    std::uint64_t nodes = 0;
    std::uint64_t nodesOfCore = 0;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const lattice::GivenLattice& target = targets[numbers[k]];
      CAPTURE(target.targetText);
      lattice::LatticeAnswer expected;
      REQUIRE(core.search(target, {}, expected) == lattice::Way::exact);
      lattice::LatticeAnswer answer;
      REQUIRE(device.finish(target, group.items[k], coefficients(k), answer));
      REQUIRE(answer.vectors.size() == 1);
      CHECK(answer.vectors[0].squaredNorm == expected.vectors[0].squaredNorm);
      CHECK(answer.vectors[0].coefficients.size() == expected.vectors[0].coefficients.size());
      CHECK(answer.dimension == expected.dimension);
      CHECK(answer.count == 1);
      CHECK(answer.close);
      CHECK_FALSE(answer.byRadius);
      CHECK(answer.nodes == group.items[k].nodes);
      nodes += answer.nodes;
      nodesOfCore += expected.nodes;
    }
    // As many as the radius leaves, which falls at other times.
    CHECK(nodes < 2 * nodesOfCore + 2000 * numbers.size());
  }
};

/// A basis of `d` rows and as many columns, or its Gram matrix, with targets of all kinds.
inline SearchedTargets searchedTargets(std::uint64_t seed, int d, std::size_t count, bool gram = false) {
  std::mt19937_64 random(seed);
  const Rows basis = randomRows(random, d, seed % 2 == 0 ? 0 : 2);
  const Rows rows = gram ? gramOf(basis) : basis;
  SearchedTargets made;
  made.lattice = targetLattice(rows, gram);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 3 == 2 && !gram)
      made.targets.push_back(nearTarget(random, rows));
    else
      made.targets.push_back(farTarget(random, rows[0].size(),
                                       gram         ? 7
                                       : i % 3 == 0 ? 1
                                                    : 1 + below(random, 9)));
  }
  made.prepare();
  return made;
}

/// One with a tree so large that a searcher asks on its way whether to stop.
inline SearchedTargets largeTarget() {
  std::mt19937_64 random(67);
  const Rows rows = randomRows(random, 36, 0);
  SearchedTargets made;
  made.lattice = targetLattice(rows);
  made.targets.push_back(farTarget(random, 36, 1));
  made.prepare({}, 1e9);
  return made;
}

}  // namespace slicepool::test
