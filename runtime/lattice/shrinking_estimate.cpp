// See shrinking_estimate.hpp.
#include "runtime/lattice/shrinking_estimate.hpp"

#include <numeric>
#include <utility>

namespace slicepool::lattice {

ShrinkingEstimate::ShrinkingEstimate(const ProblemSpec& spec, bool resumed, double stepsBefore)
    : resumed_(resumed), steps_(stepsBefore) {
  spec_.dimension = spec.dimension;
  spec_.roots = spec.roots;
  spec_.norms = spec.norms;
  spec_.pruning = spec.pruning;
  setRadius(spec.squaredRadius);
}

void ShrinkingEstimate::setRadius(double squaredRadius) {
  if (squaredRadius == spec_.squaredRadius) return;
  spec_.squaredRadius = squaredRadius;
  const auto levels = expectedNodes(spec_);
  expected_ = std::accumulate(levels.begin(), levels.end(), 0.0);
}

void ShrinkingEstimate::update(double steps, double squaredRadius) {
  // Since the last sample the radius was between the two; the larger one claims less progress.
  if (std::exchange(resumed_, false)) setRadius(squaredRadius);
  share_ += (steps - steps_) / expected_;
  steps_ = steps;
  setRadius(squaredRadius);
  total_.store(share_ < 1 ? steps + (1 - share_) * expected_ : 0, std::memory_order_relaxed);
}

}  // namespace slicepool::lattice
