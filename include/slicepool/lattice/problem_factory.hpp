// From a specification of a lattice enumeration to a Problem for the engine. Called by the front of the
// workload (runtime/lattice), by the fplll plug-in and by tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "slicepool/core/problem.hpp"
#include "slicepool/lattice/types.hpp"

namespace slicepool::lattice {

/// Parts that a search can be cut into (ProblemSpec::shards).
inline constexpr std::uint32_t kMaximumShards = 1U << 20;

struct ProblemSpec {
  int dimension = 0;       ///< d, 1 .. kMaximumDimension
  std::vector<double> mu;  ///< d*d, row-major: mu[i*d+j] for j < i is the Gram-Schmidt coefficient of b_i on
                           ///< b*_j; the rest is not read
  std::vector<double> norms;  ///< r_i = |b*_i|^2, d of them, > 0
  /// Empty, or d factors: the projected squared norm of a node at level k is at most pruning[k] * R^2. In
  /// (0, 1], not increasing with k.
  std::vector<double> pruning;
  double squaredRadius = 0;  ///< R^2 at the start, > 0
  bool shrinking = false;    ///< a vector that is found lowers R^2 to its norm for all workers
  /// Of a shrinking search. False: the search does not lower R^2; ResultConsumer::sharedBound or the
  /// owner of SinkMemory::shared lowers it to the bits of a better one.
  bool findsLower = true;
  /// Factor, at least 1, on the norm of a vector that was found, before R^2 is lowered to it. It is above 1
  /// where rounding may put two norms in the wrong order, so that the shorter vector is not lost.
  double findFactor = 1;
  bool collect = false;  ///< buffer the vectors (ShortVector) beside the tally
  Algorithm algorithm = Algorithm::automatic;
  /// Devices may search it: all workers then do so in a basis with small coefficients where there is one
  /// (runtime/lattice/short_dual.hpp), which devices pack more closely. What is found is of the given basis.
  bool devices = false;
  std::vector<RootPrefix> roots;  ///< nodes not yet visited; empty: the whole search
  /// The frontier below the roots is dealt round robin to so many problems, of which this is number `shard`.
  /// The nodes above it belong to none of them: frontierOf() has their number. 1: no frontier is made.
  std::uint32_t shards = 1;
  std::uint32_t shard = 0;
};

/// The frontier that problems with ProblemSpec::shards start from.
struct Frontier {
  std::uint64_t slices = 0;                  ///< that are dealt
  std::uint64_t slicesOfShard = 0;           ///< to ProblemSpec::shard
  std::vector<std::uint64_t> nodesPerLevel;  ///< accepted nodes above it; there is no vector among them
  /// Hash of the slices in their order: two machines that round in another way may cut elsewhere.
  std::uint64_t hash = 0;
};

/// A function of the specification with spec.shards > 1; `shard` only decides `slicesOfShard`. Throws as
/// makeProblem.
[[nodiscard]] Frontier frontierOf(const ProblemSpec& spec);

/// The problem; its words are those of sinks.hpp. Steps are accepted nodes. Throws ConfigError for a field
/// that is not possible (its name is that of the member), LimitError for a radius at which coefficients might
/// exceed kMaximumCoefficient. O(d^3).
[[nodiscard]] std::unique_ptr<Problem> makeProblem(const ProblemSpec& spec);

/// Whether the only root is the last row with the coefficient 1: a target, whose part outside the span of the
/// other rows is that row's norm.
[[nodiscard]] bool isAroundTarget(const ProblemSpec& spec);

/// Nodes expected at each level, d numbers, by the Gaussian heuristic: V_{d-k}(R) / (2 prod_{i>=k} |b*_i|)
/// and the zero path. Within 0.1 % in sum for random lattices and no pruning; with pruning an estimate of the
/// share of the ball that the bounds leave, by sampling. Around a target (isAroundTarget) all points, within
/// R^2 less the last norm; level d - 1 has none. `mu`, other roots and the rest are not read. O(d * cells)
/// with pruning; 128 cells are good for an order of magnitude.
[[nodiscard]] std::vector<double> expectedNodes(const ProblemSpec& spec, std::size_t cells = 2048);
/// All of them, of a whole search or the share of a shard; of a radius that shrinks as many as within
/// about the Gaussian heuristic's. 0: unknown, since there are roots other than a target.
[[nodiscard]] double expectedSteps(const ProblemSpec& spec, std::size_t cells = 2048);

}  // namespace slicepool::lattice
