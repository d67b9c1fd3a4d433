// How many steps a tree search will take, by random probes: for the ETA of searches whose total is unknown.
// It comes with its error and gets better the
// longer it goes on. Called by the enumerations of such workloads, between two reports of progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "slicepool/core/problem.hpp"

namespace slicepool {

/// Stochastic enumeration (Rubinstein 2013; with a population of one, Knuth 1975): a probe goes down the tree
/// level by level with at most `population` slices, drawn from the children of the level before, each of
/// which stands for as many as were left out. The mean of the probes is an unbiased estimate of the number
/// of steps. A slice that has taken one step must fall into its children by splits, as those of a depth-first
/// search do whose slices keep pending nodes.
class TreeEstimate {
 public:
  /// `problem` must outlive it. The same seed gives the same probes.
  explicit TreeEstimate(const Problem& problem, std::size_t population = 200, std::uint64_t seed = 1);

  /// One more probe: O(population * depth) steps.
  void probe();
  [[nodiscard]] std::size_t probes() const { return probes_; }
  /// Steps of the whole problem from its roots: mean of the probes; 0 before the first one.
  [[nodiscard]] double steps() const { return mean_; }
  /// Standard error of the mean over the mean; infinite before the second probe.
  [[nodiscard]] double relativeError() const;

 private:
  using Slices = std::vector<std::byte>;
  /// Advances every slice by one step and leaves their children.
  void descend();
  void appendChildren(std::byte* slice);
  /// Keeps `population` of the slices; returns how many each of them stands for.
  double thin(Slices& slices);

  const Problem& problem_;
  std::size_t population_;
  std::size_t sliceBytes_;
  std::mt19937_64 random_;
  std::vector<std::uint64_t> words_;    ///< what steps find is counted elsewhere
  std::vector<std::uint64_t> results_;  ///< room for the results of a step
  Slices level_;
  Slices children_;
  std::size_t probes_ = 0;
  double mean_ = 0;
  double squares_ = 0;  ///< sum of squared deviations (Welford)
};

}  // namespace slicepool
