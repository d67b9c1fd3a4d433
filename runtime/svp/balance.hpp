// What a search for a shortest vector does next: more trials, the unpruned search, or nothing; and which
// trees wait for devices. Pure functions of what is known and measured. Called by trials.cpp and tests.
#pragma once

#include <cstddef>
#include <cstdint>

namespace slicepool::svp {

struct Situation {
  bool exact = false;  ///< a shortest vector is wanted; else any within the radius
  int dimension = 0;
  double squaredRadius = 0;  ///< of the trials
  double provenRadius = 0;   ///< squared, of the unpruned search; larger where the trials' is capped
  double gaussianSquaredRadius = 0;
  double failure = 1;             ///< prod(1 - p_i) over the trials with this radius
  double wanted = 0.99;           ///< probability at which trials end
  double trialProbability = 0.5;  ///< of the next one
  double trialSeconds = 0;        ///< by which a trial more lengthens the search
  double proofSeconds = 0;
  double proofLimit = 0;  ///< seconds; 0: no proof
};

enum class Next : std::uint8_t { trials, proof, end };

/// Trials go on while they are expected to save more than they take. Of an exact search they save a part of
/// the unpruned search, which is shorter the shorter the vector known is; of a search for any vector within a
/// radius they save all of it.
[[nodiscard]] Next nextStep(const Situation& situation);

/// Whether one more tree may wait for `devices`: two for each in any case, and besides as many as they search
/// until threads that began together end their next reductions together. `searchSeconds`: of a tree.
[[nodiscard]] bool treeMayWait(std::size_t waiting, std::size_t devices, double searchSeconds,
                               double reductionSeconds);

/// Devices search while cores reduce, and best is that both are busy. The pruner minimises the sum of both
/// times, and is therefore told another price of a reduction. `nodes`: expected of a tree. `reductionNodes`:
/// what the devices visit while the cores make one more basis.
[[nodiscard]] bool isBalanced(double nodes, double reductionNodes);
/// The price, as a factor of `reductionNodes`, for the next pruning after one with `price` gave so many
/// nodes.
[[nodiscard]] double balancingPrice(double price, double nodes, double reductionNodes);

/// Vectors, up to sign, within this squared radius of a random lattice.
[[nodiscard]] double expectedVectors(int dimension, double squaredRadius, double gaussianSquaredRadius);

/// Of those, the number that a pruning may count on after trials without any: all of them, until so many had
/// to be found that the lattice is no random one. Then 0: a vector is looked for as if there were one.
/// `failure`: prod(1 - p_i) over the trials, p_i the probability that one finds a given vector.
[[nodiscard]] double vectorsToCountOn(double expected, double failure);

/// A random lattice has vectors within this squared radius with near certainty; searching further would cost
/// more and find what is not wanted.
[[nodiscard]] double sufficientSquaredRadius(int dimension, double gaussianSquaredRadius);

}  // namespace slicepool::svp
