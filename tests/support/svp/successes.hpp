// How often pruned trees of reduced bases have the shortest vector, and how often the pruner says that they
// do. Included by unit tests.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

#include "runtime/lattice/reduction.hpp"
#include "runtime/svp/search_state.hpp"
#include "runtime/svp/trees.hpp"
#include "runtime/svp/trial_reduction.hpp"
#include "runtime/svp/trials.hpp"
#include "support/svp/bases.hpp"

namespace slicepool::test {

/// A reduced basis of a lattice of the kind of the SVP challenge.
inline lattice::IntegerBasis start(int d, std::uint64_t seed, int blockSize = 20) {
  std::mt19937_64 random(seed);
  return lattice::reduced(challengeBasis(d, random), blockSize);
}

struct Successes {
  std::size_t done = 0;
  std::size_t found = 0;
  double expected = 0;  ///< of those that are done, by the pruner
  double variance = 0;  ///< of that number

  /// How far the two numbers are apart, in standard deviations.
  [[nodiscard]] double deviations() const {
    return std::abs(static_cast<double>(found) - expected) / std::sqrt(variance);
  }
};

/// Trials of `seeds` lattices of dimension 46, `each` of one. LLL does not find a shortest vector there,
/// which every pruned tree would have.
inline Successes countSuccesses(std::uint64_t seeds, std::uint64_t each) {
  constexpr int d = 46;
  Successes counted;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto basis = start(d, 50 + seed, 0);
    const lattice::Integer shortest(shortestSquaredNorm(basis));
    const svp::TrialReduction reduction(basis);
    for (std::uint64_t number = 0; number < each; ++number) {
      svp::Tree tree;
      tree.basis = reduction.trial(seed, number, {}, {});  // LLL alone
      svp::ProfileRequest request;
      request.norms = &tree.basis->norms;
      request.squaredRadius = shortest.convert_to<double>();
      request.fixed = 0.5;
      request.reductionNodes = 1e4;
      tree.profile = svp::pruningProfile(request);
      // A goal of the minimum: the search stops at nothing else, and nothing shrinks its radius.
      svp::BestVector best(shortest);
      best.offer({4 * shortest, {}});
      const svp::TreeResult result = svp::searchTree(tree, best, [] { return false; });
      CHECK(result.complete);
      counted.found += best.reached() ? 1 : 0;
      ++counted.done;
      counted.expected += tree.profile.probability;
      counted.variance += tree.profile.probability * (1 - tree.profile.probability);
    }
  }
  return counted;
}

}  // namespace slicepool::test
