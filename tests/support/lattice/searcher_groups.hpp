// Groups of lattices for what searches many at once, and what a core finds in them. Included by tests of the
// emulated searcher and of GPUs.
#pragma once

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/lattice/one_lattice.hpp"
#include "slicepool/lattice/steps/warp_shortest.hpp"
#include "support/lattice/reducer_groups.hpp"

namespace slicepool::test {

struct SearcherCase {
  std::vector<lattice::GivenLattice> lattices;  ///< as they were given
  std::vector<lattice::GivenLattice> prepared;  ///< of each search, by its rows
  std::vector<std::size_t> numbers;             ///< of the lattice of each search
  lattice::SearcherGroup group;
};

/// Of dimensions 12 to `most`.
inline SearcherCase searcherCase(std::uint64_t seed, std::size_t count, int most) {
  const ReducerGroup given = reducerGroup(seed, count, most);
  const std::atomic<bool> stop{false};
  lattice::OneLattice core(stop);
  SearcherCase made;
  for (std::size_t i = 0; i < given.items.size(); ++i) {
    lattice::GivenLattice one = given.given(i);
    made.lattices.push_back(one);
    if (!core.prepare(one, {}, lattice::kNodesOfWarp, made.group)) continue;
    made.prepared.push_back(one);
    made.numbers.push_back(i);
  }
  made.group.coefficients.assign(made.group.items.size() * lattice::WarpShortestShape::kMaximumDimension, 0);
  return made;
}

/// The answers to the searches are those of a core.
inline void checkSearched(const SearcherCase& searched) {
  const std::atomic<bool> stop{false};
  lattice::OneLattice core(stop);
  for (std::size_t k = 0; k < searched.numbers.size(); ++k) {
    CAPTURE(searched.numbers[k]);
    const lattice::SearcherItem& item = searched.group.items[k];
    CAPTURE(item.dimension);
    lattice::LatticeAnswer expected;
    REQUIRE(core.search(searched.lattices[searched.numbers[k]], {}, expected) == lattice::Way::certified);
    lattice::LatticeAnswer answer;
    REQUIRE(core.finish(
        searched.prepared[k], item,
        searched.group.coefficients.data() + k * lattice::WarpShortestShape::kMaximumDimension, answer));
    REQUIRE(answer.vectors.size() == 1);
    CHECK(answer.vectors[0].squaredNorm == expected.vectors[0].squaredNorm);
    CHECK(answer.dimension == expected.dimension);
    CHECK(answer.count == 1);
    CHECK(answer.nodes == item.nodes);
    CHECK(item.nodes >= static_cast<std::uint64_t>(item.dimension));
    // As many as the radius leaves, which falls at other times.
    CHECK(item.nodes < 3 * expected.nodes + 5000);
  }
}

}  // namespace slicepool::test
