// Reduced bases for the trials of a search for a shortest vector: a starting basis, rerandomised by a seed
// and reduced by BKZ, of fplll or of block_tours.hpp. Called by enumeration.cpp, proof.cpp, the trials and
// tests.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/lattice/integer_basis.hpp"
#include "runtime/svp/best_vector.hpp"

namespace slicepool::svp {

/// A basis, and its Gram-Schmidt data in the precision of the reduction (double): good enough to search a
/// pruned tree, whose vectors are checked exactly, and not for a proof.
struct ReducedBasis {
  lattice::IntegerBasis basis;
  std::vector<double> mu;     ///< d * d, row by row, below the diagonal
  std::vector<double> norms;  ///< r_i = |b*_i|^2
};

/// The tours of a reduction, one for each block size.
using Tours = std::vector<int>;
/// 20, 30, 40, .., and `blockSize`; never more than `dimension`.
[[nodiscard]] Tours toursTo(int blockSize, int dimension);
/// The block size that suits trials of this dimension, by measurements, with and without a GPU. A function of
/// the dimension alone, so that the bases of a run are those of every other one.
[[nodiscard]] int standardBlockSize(int dimension);

/// Asked between two blocks; true: stop.
using StopRequest = std::function<bool()>;
/// Called with the first row after each tour.
using RowSeen = std::function<void(KnownVector)>;

/// Makes bases from one starting basis. Immutable, so that any number of threads may use it at a time.
class TrialReduction {
 public:
  /// `start`: independent rows that are LLL-reduced, if loosely; with a Gram matrix that is what is reduced,
  /// and results have theirs. Throws ConfigError in a build without fplll.
  explicit TrialReduction(const lattice::IntegerBasis& start);
  ~TrialReduction();
  TrialReduction(const TrialReduction&) = delete;
  TrialReduction& operator=(const TrialReduction&) = delete;

  /// The start itself by these tours. Null when it was stopped.
  [[nodiscard]] std::unique_ptr<ReducedBasis> reduced(const Tours& tours, const StopRequest& stop) const;
  /// Trial `number`: all rows but the first are permuted, and to each some of the later ones are added with
  /// coefficients 1 or -1 (a sparse unimodular transformation); then LLL and the tours. A function of the
  /// starting basis, `seed`, `number` and `tours`. Null when it was stopped. Throws Error when fplll fails.
  [[nodiscard]] std::unique_ptr<ReducedBasis> trial(std::uint64_t seed, std::uint64_t number,
                                                    const Tours& tours, const StopRequest& stop,
                                                    const RowSeen& seen = {}) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// By LLL with a delta of 0.75, in half the time of 0.99: what comes next reduces it further; a basis with a
/// Gram matrix by LLL with 0.99. `stop` is asked between prefixes of the rows; a run that it stops has
/// nothing to show, and ends with SetupStopped. Throws Error when fplll fails.
[[nodiscard]] lattice::IntegerBasis looselyReduced(const lattice::IntegerBasis& basis,
                                                   const StopRequest& stop = {});

/// A basis of the same lattice that is LLL-reduced and that `vector`, which must be one of the lattice, was
/// put in front of.
[[nodiscard]] lattice::IntegerBasis withVector(const lattice::IntegerBasis& basis,
                                               const std::vector<lattice::Integer>& vector);

/// How a tree is pruned.
struct Profile {
  std::vector<double> coefficients;  ///< as ProblemSpec::pruning
  double probability = 0;  ///< that a vector as long as the radius, in a random direction, is in the tree
  double nodes = 0;        ///< expected
};

struct ProfileRequest {
  const std::vector<double>* norms = nullptr;
  double squaredRadius = 0;
  double reductionNodes = 0;   ///< nodes that could be visited in the time that one more trial costs before
                               ///< its search
  double wanted = 0.99;        ///< the probability that all trials together aim at
  double fixed = 0;            ///< of each trial; 0: what makes the whole cheapest
  double expectedVectors = 0;  ///< within the radius, where any of them is good enough; 0: one is wanted
};

/// Reads fplll's strategies for blocks of up to so many rows, which reductions need, unless that was done.
/// Throws ConfigError without them, or in a build without fplll.
void requireStrategies(int blockSize);

/// By fplll's pruner. Throws ConfigError in a build without fplll.
[[nodiscard]] Profile pruningProfile(const ProfileRequest& request);

/// That a vector of the length of the radius is in a tree with these coefficients, by fplll.
[[nodiscard]] double successProbability(const std::vector<double>& coefficients);

}  // namespace slicepool::svp
