// Subsolutions of a block: short vectors of the lattices that are left when its first rows are projected
// away. Called by plugin.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "plugins/fplll/block_search.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::fplll_plugin {

/// Takes squared norm, coefficients and offset of a subsolution: 0 for the rows before the offset.
using ProcessSubsolution = std::function<void(double, double*, int)>;

/// How a tree is searched: searchAlone or searchTogether. Returns accepted nodes of each level.
using SearchTree = std::function<std::vector<std::uint64_t>(const lattice::ProblemSpec&, SolutionGate&)>;

/// fplll's own enumeration notes subsolutions at the nodes that it passes: at offset k the shortest nonzero
/// path of level k that is shorter than b*_k. Searches that are fast have no such note. But a path of level k
/// is a vector of the lattice of rows k .. d - 1, projected to be orthogonal to the rows before them, and
/// that lattice is searched for its shortest vector within |b*_k|^2 and the radius at the end of the block's
/// search. Within that radius it is no longer than what fplll notes. Blocks are unpruned: with bounds the
/// trees of all these lattices are many times that of the block.

/// The shortest vector of those that were found.
struct Shortest {
  explicit Shortest(int dimension) : coefficients(static_cast<std::size_t>(dimension)) {}
  void offer(double squaredNormOfOther, const double* others);

  double squaredNorm = 0;  ///< 0: none
  std::vector<double> coefficients;
};

/// The lattice of rows offset .. d - 1, with a radius below |b*_offset|^2. Nothing is within that of the
/// last row alone.
[[nodiscard]] lattice::ProblemSpec subsolutionSpec(const lattice::ProblemSpec& block, int offset);

/// Searches from the last offset to offset 1: small trees first. Offset 0 is that of `solution`, the shortest
/// one of the block. Adds the nodes to `levels`, those of the block. Ends when `process` throws, which goes
/// to the caller. `block` is unpruned and has the radius at the end of its search.
void findSubsolutions(const lattice::ProblemSpec& block, const Shortest& solution, const SearchTree& search,
                      const ProcessSubsolution& process, std::vector<std::uint64_t>& levels);

}  // namespace slicepool::fplll_plugin
