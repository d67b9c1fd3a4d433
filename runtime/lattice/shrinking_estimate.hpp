// How much is left of a search whose radius shrinks. Called by enumeration.cpp, for progress.
#pragma once

#include <atomic>

#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::lattice {

/// Assumes that the radius stays as it is from now on, that the tree has as many nodes as the Gaussian
/// heuristic says (expectedNodes), and that a search has been through the same share of the trees of all
/// radii: n nodes at a radius whose tree has N are n / N of the work. So it is an upper estimate as long as
/// better vectors are to come.
class ShrinkingEstimate {
 public:
  /// `resumed`: the steps of the first update were taken by another process, and count as taken at the radius
  /// of that update; most of a search that lasts is at about its last radius. `stepsBefore`: of searches
  /// before this one, which count in the samples and in the total.
  ShrinkingEstimate(const ProblemSpec& spec, bool resumed, double stepsBefore = 0);

  /// A sample: all steps so far, and R^2 now. One thread. O(d) where the radius is another one, O(d * cells)
  /// with pruning.
  void update(double steps, double squaredRadius);
  /// Steps of the whole search; 0 before the first update, and when there were more than expected: then
  /// nothing is known. Any thread.
  [[nodiscard]] double totalSteps() const { return total_.load(std::memory_order_relaxed); }

 private:
  void setRadius(double squaredRadius);

  ProblemSpec spec_;     ///< what expectedNodes reads, at the radius of the last sample
  double expected_ = 0;  ///< nodes of the tree of that radius
  bool resumed_;
  double steps_;      ///< of the last sample
  double share_ = 0;  ///< of the work, done
  std::atomic<double> total_{0};
};

}  // namespace slicepool::lattice
