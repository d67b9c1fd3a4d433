// Nodes per level by the Gaussian heuristic: the number of points of a projected lattice in a body is the
// body's volume over that of the lattice. Declared in problem_factory.hpp; called by the factory, for
// progress.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <vector>

#include "runtime/lattice/gram_schmidt.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::lattice {
namespace {

/// Half of the points other than zero are expected, and zero.
constexpr double kZeroPath = 0.5;

/// Volumes of the bodies { x in R^n : x_1^2 + .. + x_m^2 <= bounds[m] for all m <= n }, n = 1 .. d; bounds[m]
/// in (0, 1], increasing. Two more dimensions add pi times the area of a disc's share, so the volume within a
/// squared length s is F_{n+2}(s) = pi * integral of F_n up to s, and F stays what it is beyond its bound.
/// The bound between the two is left out: an upper estimate, close where neighbouring bounds are.
std::vector<double> bodyVolumes(const std::vector<double>& bounds, std::size_t cells) {
  const double cell = 1.0 / static_cast<double>(cells);
  const std::size_t d = bounds.size() - 1;
  std::vector<double> volumes(d + 1, 0);
  for (std::size_t parity = 1; parity <= 2; ++parity) {
    std::vector<double> within(cells + 1);
    for (std::size_t n = parity; n <= d; n += 2) {
      const double bound = bounds[n];
      double sum = 0;
      double before = n > 2 ? within[0] : 0;
      for (std::size_t i = 0; i <= cells; ++i) {
        const double s = std::min(static_cast<double>(i) * cell, bound);
        if (n == 1) {
          within[i] = 2 * std::sqrt(s);
        } else if (n == 2) {
          within[i] = std::numbers::pi * s;
        } else {
          // The part of this cell that lies below the bound, by the trapezoid's rule.
          const double width = i == 0 ? 0 : std::clamp(bound - static_cast<double>(i - 1) * cell, 0.0, cell);
          sum += std::numbers::pi * width * (before + within[i]) / 2;
          before = within[i];
          within[i] = sum;
        }
      }
      volumes[n] = within[cells];
    }
  }
  return volumes;
}

std::vector<double> expectedAroundTarget(ProblemSpec spec, std::size_t cells) {
  spec.roots.clear();
  spec.squaredRadius -= spec.norms.back();
  spec.norms.pop_back();
  --spec.dimension;
  if (!(spec.squaredRadius > 0)) return std::vector<double>(spec.norms.size() + 1, 0);
  std::vector<double> expected = expectedNodes(spec, cells);
  for (double& nodes : expected) nodes = 2 * (nodes - kZeroPath);  // all points, none of them for sure
  expected.push_back(0);
  return expected;
}

}  // namespace

bool isAroundTarget(const ProblemSpec& spec) {
  return spec.roots.size() == 1 && spec.roots[0].level == spec.dimension - 1 &&
         spec.roots[0].coefficients == std::vector<std::int16_t>{1};
}

std::vector<double> expectedNodes(const ProblemSpec& spec, std::size_t cells) {
  if (isAroundTarget(spec)) return expectedAroundTarget(spec, cells);
  const auto d = static_cast<std::size_t>(spec.dimension);
  std::vector<double> volumes;
  if (!spec.pruning.empty()) {
    std::vector<double> bounds(d + 1, 0);
    for (std::size_t n = 1; n <= d; ++n) bounds[n] = spec.pruning[d - n];
    volumes = bodyVolumes(bounds, cells);
  }
  std::vector<double> expected(d);
  double logLattice = 0;  // of the volume of the projected lattice
  for (std::size_t n = 1; n <= d; ++n) {
    logLattice += std::log(spec.norms[d - n]) / 2;
    const double logBody = volumes.empty() ? logBallVolume(static_cast<int>(n)) : std::log(volumes[n]);
    const double scaled = logBody + static_cast<double>(n) / 2 * std::log(spec.squaredRadius) - logLattice;
    expected[d - n] = std::exp(scaled) / 2 + kZeroPath;
  }
  return expected;
}

double expectedSteps(const ProblemSpec& spec, std::size_t cells) {
  const bool close = isAroundTarget(spec);
  if (!spec.roots.empty() && !close) return 0;
  ProblemSpec usual = spec;
  if (spec.shrinking) {
    const double apart = close ? spec.norms.back() : 0;
    const std::vector<double> norms(spec.norms.begin(), spec.norms.end() - (close ? 1 : 0));
    const double factor = close ? kUsualDistance : kUsualRadius;
    usual.squaredRadius = std::min(spec.squaredRadius, apart + factor * gaussianSquaredRadius(norms));
  }
  const std::vector<double> levels = expectedNodes(usual, cells);
  return std::accumulate(levels.begin(), levels.end(), 0.0) / spec.shards;
}

}  // namespace slicepool::lattice
