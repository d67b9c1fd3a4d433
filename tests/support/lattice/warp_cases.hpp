// What holds for both searches by warps, run by loops over lanes on the host: nodes of every level, vectors,
// fingerprint and least norm are those of the plain step, however launches are cut, and whatever the sink
// refuses. Each function is a case of tests/unit/lattice/team_search.cpp and of compacted.cpp. `search(spec,
// run)` is the search.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "support/lattice/instances.hpp"
#include "support/lattice/warps.hpp"
#include "support/lattice/words.hpp"
#include "support/scale.hpp"

namespace slicepool::test {

/// Known lattices have their known numbers of nodes and vectors.
template <class Search>
void checkKnownLattices(const Search& search, const std::vector<WarpRun>& runs) {
  for (const char* id : {"e8", "bw16", "k40"}) {
    INFO(id);
    const LatticeInstance instance = latticeInstance(id);
    if (instance.spec.dimension > largest(40, 16)) continue;
    const auto expected = plainLatticeWords(instance.spec);
    for (const WarpRun& run : runs) {
      const WarpOutcome outcome = search(instance.spec, run);
      checkLatticeWords(instance.spec, outcome.words, expected);
      CHECK(outcome.words[lattice::kCountWord] == instance.solutions);
      CHECK(outcome.steps == instance.nodes);
    }
  }
}

/// However launches are cut.
template <class Search>
void checkRandomLattices(const Search& search, const std::vector<int>& dimensions) {
  std::mt19937_64 random(20261122);
  for (const int dimension : dimensions) {
    for (const bool pruned : {false, true}) {
      INFO("seed 20261122, dimension " << dimension << ", pruned " << pruned);
      const lattice::ProblemSpec spec = randomLattice(random, dimension, 5000, pruned);
      const auto expected = plainLatticeWords(spec);
      for (const WarpRun& run :
           {WarpRun{.units = 5, .budget = 1}, WarpRun{.units = 5, .budget = 40, .forget = true},
            WarpRun{.units = 1, .budget = 100000, .places = 128}}) {
        INFO("budget " << run.budget);
        checkLatticeWords(spec, search(spec, run).words, expected);
      }
    }
  }
}

/// Coefficients of hundreds at the last quarter of the levels. narrowOf(d): coefficients of a path that are
/// kept in 8 bits.
template <class Search, class NarrowOf>
void checkWideCoefficients(const Search& search, const std::vector<int>& dimensions, NarrowOf&& narrowOf) {
  std::mt19937_64 random(5);
  for (const int dimension : dimensions) {
    for (const bool pruned : {false, true}) {
      INFO("seed 5, dimension " << dimension << ", pruned " << pruned);
      lattice::ProblemSpec spec = randomLattice(random, dimension, 5000, pruned);
      const auto expected = plainLatticeWords(spec);
      skew(spec, dimension / 4);
      const auto skewed = plainLatticeWords(spec);
      const auto bytes = static_cast<std::ptrdiff_t>(sizeof(std::uint64_t)) * dimension;
      CHECK(std::memcmp(&skewed[lattice::kNodesWord], &expected[lattice::kNodesWord],
                        static_cast<std::size_t>(bytes)) == 0);
      for (const int narrow : narrowOf(dimension)) {
        INFO("narrow " << narrow);
        for (const WarpRun& run : {WarpRun{.narrow = narrow}, WarpRun{.budget = 20, .narrow = narrow},
                                   WarpRun{.units = 2, .budget = 40, .forget = true, .narrow = narrow}})
          checkLatticeWords(spec, search(spec, run).words, skewed);
      }
    }
  }
}

template <class Search>
void checkRootsOfEveryKind(const Search& search) {
  std::mt19937_64 random(7);
  lattice::ProblemSpec spec = randomLattice(random, 20, 50000, false);
  spec.roots = rootsOfEveryKind();
  const auto expected = plainLatticeWords(spec);
  checkLatticeWords(spec, search(spec, WarpRun{}).words, expected);
  checkLatticeWords(spec, search(spec, WarpRun{.budget = 1, .forget = true}).words, expected);
}

/// A sink that is mostly full loses no vector and takes none twice, whatever the room for slices.
template <class Algorithm>
void checkFullSink(const std::vector<std::uint32_t>& capacities) {
  LatticeInstance instance = latticeInstance("bw16");
  instance.spec.collect = true;
  const auto expected = plainLatticeWords(instance.spec);
  const auto problem = lattice::makeProblem(instance.spec);
  const auto collect = [&problem](const WarpRun& run) {
    return WarpHost<Algorithm, 16, lattice::BytePaths, lattice::CollectVectors<16>>(*problem, run).run();
  };
  const WarpOutcome all = collect({.results = 40000});
  CHECK(all.refusals == 0);
  const auto vectors = sortedVectors(all, 16);
  CHECK(vectors.size() == instance.solutions);
  CHECK(std::adjacent_find(vectors.begin(), vectors.end()) == vectors.end());
  for (const std::uint32_t capacity : capacities) {
    for (const std::uint32_t results : {1U, 33U, 1000U}) {
      if (results == 1 && !runsAll()) continue;  // the slowest by far
      INFO("room for " << results << " vectors, " << capacity << " slices");
      const WarpOutcome outcome = collect({.capacity = capacity, .results = results});
      CHECK(outcome.refusals != 0);
      checkLatticeWords(instance.spec, outcome.words, expected);
      CHECK(sortedVectors(outcome, 16) == vectors);
    }
  }
}

/// Little room for slices only costs time.
template <class Search>
void checkLittleRoom(const Search& search, const std::vector<std::uint32_t>& capacities,
                     const std::vector<std::uint64_t>& budgets) {
  const LatticeInstance instance = latticeInstance("bw16");
  const auto expected = plainLatticeWords(instance.spec);
  for (const std::uint32_t capacity : capacities) {
    for (const std::uint64_t budget : budgets) {
      INFO("room for " << capacity << ", budget " << budget);
      const WarpOutcome outcome = search(instance.spec, WarpRun{.capacity = capacity, .budget = budget});
      checkLatticeWords(instance.spec, outcome.words, expected);
    }
  }
}

/// A shrinking radius ends at the shortest vector, and makes searches shorter also within a launch.
template <class Search>
void checkShrinkingRadius(const Search& search) {
  for (const char* id : {"bw16", "k40"}) {
    if (std::string_view(id) == "k40" && !runsAll()) break;
    INFO(id);
    const LatticeInstance instance = shrinkingInstance(id, 1.2);
    checkShortest(instance, search(instance.spec, WarpRun{.budget = 100}).words);
    const WarpOutcome shrinking = search(instance.spec, WarpRun{.units = 1});
    checkShortest(instance, shrinking.words);
    lattice::ProblemSpec fixed = instance.spec;
    fixed.shrinking = false;
    CHECK(shrinking.steps < search(fixed, WarpRun{.units = 1}).steps);
  }
}

}  // namespace slicepool::test
