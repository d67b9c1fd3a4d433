// From a specification of a no-three-in-line search to a Problem for the engine. Called by the front of the
// workload (runtime/three_in_line) and by tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "slicepool/core/problem.hpp"
#include "slicepool/three_in_line/types.hpp"

namespace slicepool::three_in_line {

struct ProblemSpec {
  int n = 0;                  ///< 1 .. kMaximumSize
  Group group = Group::none;  ///< only configurations with at least these symmetries
  bool collect = false;       ///< buffer solutions (Configuration) beside the tally
  Algorithm algorithm = Algorithm::automatic;
  std::vector<RootBoard> roots;           ///< boards not yet visited; empty: the whole search
  std::optional<double> expectedSteps{};  ///< visits from these roots, where they are known
};

/// The problem; its words are those of sinks.hpp. Steps are visited boards. Throws ConfigError for n or a
/// group that is not possible, LimitError when the table of lines has no memory. O(n^5) for the table.
[[nodiscard]] std::unique_ptr<Problem> makeProblem(const ProblemSpec& spec);

/// The top of a search tree, cut off.
struct Frontier {
  std::vector<RootBoard> roots;      ///< boards whose visit is still to be made, in the order of the search
  std::vector<std::uint64_t> words;  ///< of the visits made above them (sinks.hpp)
  std::vector<Configuration> found;  ///< solutions found by those visits
};

/// Visits boards breadth-first, whole levels, until at least `atLeast` boards wait or none is left. A
/// function of the specification alone. `spec.roots` and `spec.collect` are ignored. Throws LimitError when
/// the boards take more than `memoryLimit` bytes.
[[nodiscard]] Frontier frontier(const ProblemSpec& spec, std::size_t atLeast,
                                std::size_t memoryLimit = std::numeric_limits<std::size_t>::max());

}  // namespace slicepool::three_in_line
