// See group_plan.hpp.
#include "runtime/lattice/group_plan.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "runtime/core/joining_devices.hpp"
#include "runtime/lattice/core_walk.hpp"
#include "runtime/lattice/device_groups.hpp"
#include "runtime/lattice/one_lattice.hpp"
#include "runtime/lattice/one_target.hpp"
#include "slicepool/lattice/steps/warp_shortest.hpp"

namespace slicepool::lattice {
namespace {

/// Of one of 32 busy cores, for each number of a lattice that is reduced, measured at dimension 29.
constexpr double kSecondsPerNumber = 8e-7;
/// Of a group that a core takes: 20 ms.
constexpr double kNodesOfGroup = 1e6;
/// By one of 16 busy cores in the small trees around targets: 2.2e7 in dimension 30, 2.7e7 in dimension 36.
constexpr double kTargetNodesPerSecond = 2.5e7;
/// Of a warp, on average: a launch lasts as long as its slowest one.
constexpr double kMostNodes = 1e7;
/// For fewer lines the cores may be sooner through than the slowest warp: for 100 targets in dimension 40 an
/// H200 takes 0.57 s and 16 cores 0.34, for 2000 0.91 and 4.6; for 256 lattices in dimension 42 0.69
/// and 1.06.
constexpr std::uint64_t kLinesPerCore = 32;
/// Of a node of the mean, until the slowest of few warps is through.
constexpr double kSecondsPerNode = 1e-7;
/// All workers with an H200 take 5 to 14 ms for a lattice in dimensions 46 to 50: what all cores search in
/// this time, or less, is for them.
constexpr double kSecondsOfPool = 0.01;
/// The same of all cores, where there are fewer lines than cores.
constexpr double kNodesOfFew = 5e7;

}  // namespace

bool suitsDevices(const TargetLattice& lattice) {
  if (!lattice.machine()) return false;
  const MachineLattice& numbers = *lattice.machine();
  return numbers.dimension == numbers.columns && numbers.dimension >= kLeastDeviceRows &&
         numbers.dimension < WarpShortestShape::kMaximumDimension;
}

GroupPlan planGroups(double nodes, bool suits, Mode mode, int threads, std::uint64_t lines) {
  GroupPlan plan;
  const double each = std::floor(kNodesOfGroup / std::max(1.0, nodes));
  plan.lines = static_cast<std::size_t>(std::clamp(each, 1.0, static_cast<double>(plan.lines)));
  const auto cores = static_cast<std::uint64_t>(threads);
  const double seconds = static_cast<double>(lines) * nodes / (kCoreNodesPerSecond * threads);
  const bool many =
      lines == 0 || lines >= kLinesPerCore * cores || seconds > kDriverSeconds + kSecondsPerNode * nodes;
  plan.device = suits && nodes <= kMostNodes && (many || mode == Mode::gpu || mode == Mode::emulated);
  if (lines != 0 && 2 * lines <= cores) plan.mostNodes = kNodesOfFew;
  plan.mostNodesBesideGpu = std::min(plan.mostNodes, kSecondsOfPool * kCoreNodesPerSecond * threads);
  if (plan.device || nodes > plan.mostNodesBesideGpu) plan.seconds = seconds;
  return plan;
}

GroupPlan planTargets(const TargetLattice& lattice, const SquaredRadius& squaredRadius, Mode mode,
                      int threads, std::uint64_t targets) {
  const double nodes = expectedNodesOfTarget(lattice.prepared().data.norms, squaredRadius);
  GroupPlan plan = planGroups(nodes, suitsDevices(lattice) && !squaredRadius.given(), mode, threads, targets);
  if (plan.device && nodes < kNodesOfGroup) plan.seconds *= kCoreNodesPerSecond / kTargetNodesPerSecond;
  return plan;
}

GroupPlan planLattices(const BatchLook& look, const SquaredRadius& squaredRadius, Mode mode, int threads) {
  const double reductions = static_cast<double>(look.numbers) * kSecondsPerNumber / threads;
  GroupPlan plan;
  plan.seconds = reductions;
  if (look.some.empty()) return plan;
  plan = {.device = false};
  const std::atomic<bool> stop{false};
  OneLattice core(stop);
  double nodes = 0;
  int known = 0;
  bool byRadius = squaredRadius.given();
  std::size_t suiting = 0;
  for (const GivenLattice& one : look.some) {
    if (hasTarget(one)) return plan;
    byRadius = byRadius || one.squaredRadius.given();
    suiting += !one.gram && one.text.empty() && one.rows >= kLeastDeviceRows &&
                       one.rows <= WarpShortestShape::kMaximumDimension
                   ? 1
                   : 0;
    const auto expected = core.expectedNodes(one, {squaredRadius});
    if (!expected) continue;  // it may be no lattice
    nodes += *expected;
    ++known;
  }
  const bool suits = 2 * suiting >= look.some.size();
  plan.device = suits;
  if (known != 0) {
    nodes /= known;
    plan = planGroups(nodes, suits, mode, threads, look.lines);
    // Those are reduced by a device and searched by cores, which pays where the search is short.
    if (byRadius && nodes > kNodesOfWarp) plan.device = false;
  }
  if (plan.device) plan.seconds += reductions;
  return plan;
}

}  // namespace slicepool::lattice
