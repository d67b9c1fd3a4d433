// Implementation of problem_factory.hpp: checks the specification and picks the capacity.
#include "slicepool/lattice/problem_factory.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "runtime/lattice/bounds_view.hpp"
#include "runtime/lattice/problem_build.hpp"
#include "runtime/lattice/pruning.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

std::string number(double value) { return fmt::format("{}", value); }

void checkNumbers(const ProblemSpec& spec) {
  const auto d = static_cast<std::size_t>(spec.dimension);
  if (spec.mu.size() != d * d)
    throw ConfigError("mu", fmt::format("{} numbers", spec.mu.size()),
                      fmt::format("{} (dimension^2)", d * d));
  if (spec.norms.size() != d)
    throw ConfigError("norms", fmt::format("{} numbers", spec.norms.size()),
                      fmt::format("{} (dimension)", d));
  for (std::size_t i = 0; i < d; ++i) {
    if (!(spec.norms[i] > 0) || !std::isfinite(spec.norms[i]))
      throw ConfigError(fmt::format("norms[{}]", i), number(spec.norms[i]), "a positive number");
    for (std::size_t j = 0; j < i; ++j)
      if (!std::isfinite(spec.mu[i * d + j]))
        throw ConfigError(fmt::format("mu[{}][{}]", i, j), number(spec.mu[i * d + j]), "a finite number");
  }
  if (!(spec.squaredRadius > 0) || !std::isfinite(spec.squaredRadius))
    throw ConfigError("squaredRadius", number(spec.squaredRadius), "a positive number");
  if (!(spec.findFactor >= 1) || !std::isfinite(spec.findFactor))
    throw ConfigError("findFactor", number(spec.findFactor), "a number from 1");
}

void checkPruning(const ProblemSpec& spec) {
  if (spec.pruning.empty()) return;
  if (spec.pruning.size() != spec.norms.size()) {
    throw ConfigError("pruning", fmt::format("{} factors", spec.pruning.size()),
                      fmt::format("{} (dimension), or none", spec.norms.size()));
  }
  checkCoefficients(spec.pruning);
}

void checkBounds(const ProblemSpec& spec) {
  const std::vector<double> bounds = coefficientBounds(boundsView(spec));
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i] <= kMaximumCoefficient) continue;  // false for NaN
    throw LimitError(fmt::format(
        "squared_radius: at {} the coefficient of basis vector {} may be as large as {:.0f}, and {} "
        "is the limit; a stronger reduction (bkz-B) or a smaller radius is needed",
        spec.squaredRadius, i, bounds[i], kMaximumCoefficient));
  }
}

void checkRoots(const ProblemSpec& spec) {
  for (std::size_t i = 0; i < spec.roots.size(); ++i) {
    const RootPrefix& prefix = spec.roots[i];
    const std::string name = fmt::format("roots[{}]", i);
    if (prefix.level < 0 || prefix.level >= spec.dimension)
      throw ConfigError(name + ".level", std::to_string(prefix.level),
                        "0 to " + std::to_string(spec.dimension - 1));
    const auto wanted = static_cast<std::size_t>(spec.dimension - prefix.level);
    if (prefix.coefficients.size() != wanted)
      throw ConfigError(name + ".coefficients", std::to_string(prefix.coefficients.size()) + " numbers",
                        std::to_string(wanted) + " (dimension - level)");
    for (auto at = prefix.coefficients.rbegin(); at != prefix.coefficients.rend() && *at <= 0; ++at) {
      if (*at < 0)
        throw ConfigError(name + ".coefficients", std::to_string(*at),
                          "a last coefficient other than 0 above 0");
    }
    for (const std::int16_t coefficient : prefix.coefficients) {
      if (std::abs(static_cast<int>(coefficient)) > kMaximumCoefficient)
        throw ConfigError(name + ".coefficients", std::to_string(coefficient),
                          fmt::format("-{0} to {0}", kMaximumCoefficient));
    }
  }
}

}  // namespace

namespace {

void checkSpec(const ProblemSpec& spec) {
  if (spec.dimension < 1 || spec.dimension > kMaximumDimension)
    throw ConfigError("dimension", std::to_string(spec.dimension),
                      "1 to " + std::to_string(kMaximumDimension));
  checkNumbers(spec);
  checkPruning(spec);
  checkBounds(spec);
  checkRoots(spec);
  if (spec.shards < 1 || spec.shards > kMaximumShards)
    throw ConfigError("shards", std::to_string(spec.shards), fmt::format("1 to {}", kMaximumShards));
  if (spec.shard >= spec.shards)
    throw ConfigError("shard", std::to_string(spec.shard), fmt::format("0 to {}", spec.shards - 1));
  if (spec.shards > 1 && spec.shrinking)
    throw ConfigError("shards", fmt::format("{} with a shrinking radius", spec.shards), "a fixed radius");
}

/// `build` for the smallest capacity that holds the dimension.
template <class Build>
auto atCapacityOf(const ProblemSpec& spec, const Build& build) {
  checkSpec(spec);
  switch (capacityOf(spec.dimension)) {
    case 16: return build.template operator()<16>();
    case 32: return build.template operator()<32>();
    case 64: return build.template operator()<64>();
    case 96: return build.template operator()<96>();
    default: return build.template operator()<160>();
  }
}

}  // namespace

std::unique_ptr<Problem> makeProblem(const ProblemSpec& spec) {
  return atCapacityOf(
      spec, [&]<int kCapacity>() { return buildProblem<kCapacity>(spec); });
}

Frontier frontierOf(const ProblemSpec& spec) {
  return atCapacityOf(
      spec, [&]<int kCapacity>() { return buildFrontier<kCapacity>(spec); });
}

}  // namespace slicepool::lattice
