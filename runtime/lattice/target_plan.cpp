// See target_plan.hpp.
#include "runtime/lattice/target_plan.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/lattice/core_walk.hpp"
#include "runtime/lattice/device_groups.hpp"
#include "slicepool/lattice/steps/warp_shortest.hpp"

namespace slicepool::lattice {
namespace {

/// Of a core of an H200's host, 16 of which are busy.
constexpr double kNodesPerSecond = 5e7;
/// Of a group that a core takes: 20 ms.
constexpr double kNodesOfGroup = 1e6;
/// Of a warp, on average: a launch lasts as long as its slowest one.
constexpr double kMostNodes = 1e7;
/// For fewer targets the cores are sooner through than the slowest warp: for 100 in dimension 40 an H200
/// takes 0.57 s and 16 cores 0.34, for 2000 0.91 and 4.6.
constexpr std::uint64_t kTargetsPerCore = 32;

}  // namespace

bool suitsDevices(const TargetLattice& lattice) {
  if (!lattice.machine()) return false;
  const MachineLattice& numbers = *lattice.machine();
  return numbers.dimension == numbers.columns && numbers.dimension >= kLeastDeviceRows &&
         numbers.dimension < WarpShortestShape::kMaximumDimension;
}

TargetPlan planTargets(double nodes, bool suits, Mode mode, int threads, std::uint64_t targets) {
  TargetPlan plan;
  const double lines = std::floor(kNodesOfGroup / std::max(1.0, nodes));
  plan.lines = static_cast<std::size_t>(std::clamp(lines, 1.0, static_cast<double>(plan.lines)));
  plan.seconds = static_cast<double>(targets) * nodes / (kNodesPerSecond * threads);
  const bool many = targets == 0 || targets >= kTargetsPerCore * static_cast<std::uint64_t>(threads);
  plan.device = suits && nodes <= kMostNodes && (many || mode == Mode::gpu || mode == Mode::emulated);
  if (!plan.device) plan.seconds = 0;
  return plan;
}

TargetPlan planTargets(const TargetLattice& lattice, bool byRadius, Mode mode, int threads,
                       std::uint64_t targets) {
  if (byRadius) return {};
  return planTargets(expectedNodesOfTarget(lattice.prepared().data.norms), suitsDevices(lattice), mode,
                     threads, targets);
}

}  // namespace slicepool::lattice
