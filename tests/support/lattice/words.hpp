// Comparing the words of two lattice searches. Included by unit and GPU tests.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "support/lattice/instances.hpp"

namespace slicepool::test {

/// The least norm is compared for itself: its last bits depend on the order of additions.
inline void checkLatticeWords(const lattice::ProblemSpec& spec, std::vector<std::uint64_t> words,
                              std::vector<std::uint64_t> expected) {
  const std::size_t least = lattice::minimumWord(spec.dimension);
  if (expected[lattice::kCountWord] != 0) {
    CHECK(lattice::valueOf(words[least]) ==
          doctest::Approx(lattice::valueOf(expected[least])).epsilon(1e-12));
  }
  words[least] = expected[least] = 0;
  CHECK(words == expected);
}

/// The least norm is that of a shortest vector.
inline void checkShortest(const LatticeInstance& instance, const std::vector<std::uint64_t>& words) {
  CHECK(lattice::valueOf(words[lattice::minimumWord(instance.spec.dimension)]) ==
        doctest::Approx(static_cast<double>(instance.shortest)).epsilon(1e-9));
}

/// For a search whose radius shrinks to the shortest vector, from a radius that is `factor` as long, squared.
inline LatticeInstance shrinkingInstance(const char* id, double factor) {
  LatticeInstance instance = latticeInstance(id);
  instance.spec.squaredRadius *= factor;
  instance.spec.shrinking = true;
  return instance;
}

/// Of dimension 20: the children of the zero node at the top, and the top itself without them.
inline std::vector<lattice::RootPrefix> rootsOfEveryKind() {
  return {{18, {0, 0}},  {18, {1, 0}},     {18, {0, 1}},
          {18, {-1, 1}}, {17, {2, -1, 1}}, {0, std::vector<std::int16_t>(20, 0)}};
}

}  // namespace slicepool::test
