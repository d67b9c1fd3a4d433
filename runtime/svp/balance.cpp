// See balance.hpp.
#include "runtime/svp/balance.hpp"

#include <algorithm>
#include <cmath>

namespace slicepool::svp {
namespace {

/// Expected vectors within sufficientSquaredRadius(): none is there with a probability of exp(-5).
constexpr double kSufficientVectors = 5;
/// Vectors that trials were expected to find: none of a random lattice's was with a probability of exp(-10).
constexpr double kRefuting = 10;
/// Nodes grow about as R^(d/2), and the search shrinks its radius on the way to a shorter vector.
constexpr double kShrinking = 0.7;
/// Reduced bases that wait for each device in any case.
constexpr std::size_t kQueued = 2;
/// Expected nodes of a tree in those that devices visit meanwhile. Above 1: a tree has fewer than expected
/// once the radius shrinks. By measurements, docs/performance/svp.md.
constexpr double kBalance = 1.4;
/// In either direction.
constexpr double kTolerance = 1.5;
/// By which power of what is missing the price changes, and within what bounds.
constexpr double kPricePower = 1.5;
constexpr double kLeastPrice = 0.1;
constexpr double kMostPrice = 30;

}  // namespace

double expectedVectors(int dimension, double squaredRadius, double gaussianSquaredRadius) {
  return std::pow(squaredRadius / gaussianSquaredRadius, dimension / 2.0) / 2;
}

double vectorsToCountOn(double expected, double failure) {
  return failure == 1 || -expected * std::log(failure) < kRefuting ? expected : 0;
}

double sufficientSquaredRadius(int dimension, double gaussianSquaredRadius) {
  return gaussianSquaredRadius * std::pow(2 * kSufficientVectors, 2.0 / dimension);
}

bool treeMayWait(std::size_t waiting, std::size_t devices, double searchSeconds, double reductionSeconds) {
  if (waiting < kQueued * devices) return true;
  return static_cast<double>(waiting) * searchSeconds < reductionSeconds * static_cast<double>(devices);
}

bool isBalanced(double nodes, double reductionNodes) {
  const double share = nodes / (kBalance * reductionNodes);
  return share < kTolerance && share > 1 / kTolerance;
}

double balancingPrice(double price, double nodes, double reductionNodes) {
  const double missing = kBalance * reductionNodes / nodes;
  return std::clamp(price * std::pow(missing, kPricePower), kLeastPrice, kMostPrice);
}

Next nextStep(const Situation& now) {
  const bool sure = now.failure <= 1 - now.wanted;
  if (!(now.proofSeconds <= now.proofLimit)) return sure ? Next::end : Next::trials;
  if (sure) return Next::proof;
  const double there = expectedVectors(now.dimension, now.squaredRadius, now.gaussianSquaredRadius);
  const double success = -std::expm1(-there * now.failure) * now.trialProbability;
  const double saved =
      now.exact ? 1 - kShrinking * std::pow(now.squaredRadius / now.provenRadius, now.dimension / 4.0) : 1;
  return success * saved * now.proofSeconds > now.trialSeconds ? Next::trials : Next::proof;
}

}  // namespace slicepool::svp
