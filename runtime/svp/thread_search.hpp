// A problem of the lattice search on the calling thread, without an engine, one vector at a time. Included by
// trees.cpp, block_enumerator.cpp and plugins/fplll/block_search.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "slicepool/core/problem.hpp"
#include "slicepool/core/sink.hpp"
#include "slicepool/lattice/sinks.hpp"

namespace slicepool::svp {

/// What became of it.
struct ThreadSearch {
  std::vector<std::uint64_t> levels;  ///< accepted nodes
  bool complete = false;
  [[nodiscard]] std::uint64_t nodes() const {
    return std::accumulate(levels.begin(), levels.end(), std::uint64_t{0});
  }
};

/// Nodes between two questions: less than a millisecond.
inline constexpr std::uint64_t kThreadTurn = 40'000;

/// `problem` collects, shrinks, and does not lower its radius itself (ProblemSpec::findsLower). `bound()` is
/// the squared radius of the moment; `take(result)` gets a buffered ShortVector; `stop()` ends the search.
template <class Bound, class Take, class Stop>
ThreadSearch searchOnThisThread(const Problem& problem, int dimension, const Bound& bound, const Take& take,
                                const Stop& stop) {
  std::vector<std::uint64_t> words = problem.words().fresh();
  std::vector<std::byte> slice = problem.roots();
  std::vector<std::byte> found(problem.resultBytes());
  std::uint64_t shared = problem.sharedStart();
  std::uint32_t count = 0;
  SinkMemory memory{words.data(), found.data(), &count, 0, &shared};
  Turn turn = Turn::budgetSpent;
  while (turn != Turn::exhausted && !stop()) {
    shared = std::min(shared, lattice::bitsOf(bound()));
    // A buffer without room stops the turn at a vector; the step after it takes that one, or none: the two
    // add up norms in different orders, and one on the radius is within for one of them only.
    Budget budget{kThreadTurn};
    turn = problem.advanceFast(slice.data(), budget, memory);
    if (turn != Turn::sinkFull) continue;
    memory.resultCapacity = 1;
    budget.left = 1;
    turn = problem.advance(slice.data(), budget, memory);
    if (count != 0) take(found.data());
    memory.resultCapacity = 0;
    count = 0;
  }
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(lattice::kNodesWord);
  return {{begin, begin + dimension}, turn == Turn::exhausted};
}

}  // namespace slicepool::svp
