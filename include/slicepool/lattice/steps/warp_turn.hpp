// A launch of the lattice search over a batch of slices: what all algorithms share of it (WarpBatch), and the
// part of those whose warps each work for themselves (WarpTurnBase, for compacted_turn.hpp). Teams of warps
// have team_turn.hpp. Run by the kernel of kernels/lattice/device.cuh, and by
// runtime/lattice/host_launch.hpp, one unit after the other.
//
// A launch takes slices from one buffer and leaves slices in another, so that work is dealt out anew by every
// launch: the subtrees of a search differ by orders of magnitude.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/lattice/steps/search.hpp"
#include "slicepool/lattice/steps/warp_paths.hpp"

namespace slicepool::lattice {

/// Words that the units of a launch share, which are warps or teams; zero before it.
struct WarpCounters {
  std::uint32_t* next;     ///< chunks of slices, or slices, that were taken
  std::uint32_t* idle;     ///< units with nothing left
  std::uint32_t* kept;     ///< slices left behind
  std::uint32_t* refused;  ///< vectors refused by the sink
  std::uint64_t* steps;    ///< accepted nodes
  std::uint64_t* splits;   ///< slices that a unit left beyond those that it took
  std::uint32_t* rest;     ///< slices at the end of the buffer, which no team goes on with: see putTogether
};

/// Slices that a team left in a launch, and goes on with in the next one.
struct TeamSlices {
  std::uint32_t first;
  std::uint32_t count;
};

/// A launch, the same for all of its units.
template <class Slice>
struct WarpBatch {
  const Slice* from;
  const PathState* fromStates;  ///< of the first `known` slices
  std::uint32_t live;           ///< slices in `from`
  std::uint32_t known;
  std::uint32_t ofTeams;  ///< the first slices, which teams may go on with; 0: all are dealt out anew
  Slice* to;
  PathState* toStates;
  std::uint32_t capacity;  ///< slices that `to` has room for
  std::uint32_t units;
  std::uint64_t budget;  ///< steps of a lane
  TeamSlices* own;       ///< of each team: read where `ofTeams` is not 0, and written at the end
  WarpCounters counters;

  /// Slices that a unit may leave beyond those that it took.
  [[nodiscard]] SLICEPOOL_INLINE std::uint32_t spare() const { return (capacity - live) / units; }
  /// What the budget gives each lane, `most` at most. Not more where slices are many: a launch of the same
  /// budget then takes as long as the one before, though that left ten times the slices that it took.
  [[nodiscard]] SLICEPOOL_INLINE std::uint32_t turns(std::uint32_t most) const {
    return static_cast<std::uint32_t>(budget < most ? budget : most);
  }
};

/// After a launch of teams: the `rest` slices at the end of a buffer of `capacity` go behind the `kept` at
/// its beginning, as far as there is a gap. Called for each of `workers` once.
template <class Slice>
SLICEPOOL_INLINE void putTogether(Slice* slices, PathState* states, std::uint32_t kept, std::uint32_t rest,
                                  std::uint32_t capacity, std::uint32_t worker, std::uint32_t workers) {
  if (kept > capacity || rest > capacity - kept) return;  // the batch is lost
  const std::uint32_t gap = capacity - kept - rest;
  const std::uint32_t moved = rest < gap ? rest : gap;
  constexpr std::uint32_t kParts = sizeof(Slice) / sizeof(std::uint32_t);
  static_assert(sizeof(Slice) % sizeof(std::uint32_t) == 0);
  const auto* const from = reinterpret_cast<const std::uint32_t*>(slices + (capacity - moved));
  auto* const to = reinterpret_cast<std::uint32_t*>(slices + kept);
  for (std::uint64_t i = worker; i < std::uint64_t{moved} * kParts; i += workers) to[i] = from[i];
  for (std::uint32_t i = worker; i < moved; i += workers) states[kept + i] = states[capacity - moved + i];
}

/// Tells the launch, by one warp, how many nodes a unit has accepted at each depth.
template <class Lanes, class Emit>
SLICEPOOL_INLINE void tellNodes(const WarpCounters& counters, const std::uint32_t* nodes, int dimension,
                                Emit& emit) {
  Lanes::all([&](int lane, int) {
    std::uint64_t steps = 0;
    for (int q = lane; q < dimension; q += kWarpSize) {
      if (nodes[q] != 0) emit.visited(dimension - 1 - q, nodes[q]);
      steps += nodes[q];
    }
    if (steps != 0) fetchAdd(counters.steps, steps);
  });
}

/// How a launch of this many slices goes, by warps.
struct WarpPlan {
  static constexpr std::uint32_t kSlicesPerWarp = 8;  ///< fewer: a short launch
  static constexpr std::uint32_t kSeeds = 64;         ///< fewer slices: a host makes more first
  static constexpr std::uint32_t kTurnsOfFew = 400;
  static constexpr std::uint32_t kMaximumTurns = 1U << 26U;
  static constexpr std::uint32_t kIdleShare = 8;
  static constexpr std::uint32_t kTurnsBetweenLooks = 16;

  std::uint32_t chunks;  ///< chunk c: slices c, c + chunks, ..: at most 32, from all over the batch
  std::uint32_t turns;   ///< steps of a warp, each of up to 32 nodes
  std::uint32_t maximumIdle;
  std::uint32_t spare;  ///< slices that a warp may leave beyond those that it took

  template <class Slice>
  SLICEPOOL_INLINE static WarpPlan of(const WarpBatch<Slice>& batch) {
    WarpPlan plan;
    const std::uint32_t whole = (batch.live + kWarpSize - 1) / kWarpSize;
    const std::uint32_t dealt = batch.live < batch.units ? batch.live : batch.units;
    const bool few = batch.live < kSlicesPerWarp * batch.units;
    plan.chunks = whole > dealt ? whole : dealt;
    plan.turns = batch.turns(kMaximumTurns);
    if (few && plan.turns > kTurnsOfFew) plan.turns = kTurnsOfFew;
    plan.maximumIdle = batch.units / kIdleShare;
    plan.spare = batch.spare();
    return plan;
  }
};

/// What a warp that works for itself does in a launch beside searching. `emit` is the lane's own on a device.
template <class Searcher, class Emit>
class WarpTurnBase {
 public:
  using Lanes = typename Searcher::Lanes;
  using Slice = typename Searcher::Slice;

 protected:
  SLICEPOOL_INLINE WarpTurnBase(Searcher& searcher, const WarpBatch<Slice>& warpBatch, Emit& emitter)
      : search_(searcher), batch_(warpBatch), plan_(WarpPlan::of(warpBatch)), emit_(emitter) {}

  SLICEPOOL_INLINE static PathState unknown() { return {0, std::numeric_limits<double>::quiet_NaN()}; }
  SLICEPOOL_INLINE PathState stateOf(std::uint64_t i) const {
    return i < batch_.known ? batch_.fromStates[i] : unknown();
  }

  SLICEPOOL_INLINE void readRadius() { search_.squaredRadius = Radius::current(search_.view, emit_).squared; }
  SLICEPOOL_INLINE bool othersRefused() const { return readShared(batch_.counters.refused) != 0; }
  SLICEPOOL_INLINE bool othersIdle() const { return readShared(batch_.counters.idle) > plan_.maximumIdle; }
  SLICEPOOL_INLINE void refuse() {
    Lanes::first([&] { return fetchAdd(batch_.counters.refused, 1U); });
    refused_ = true;
  }
  SLICEPOOL_INLINE void idle() {
    Lanes::first([&] { return fetchAdd(batch_.counters.idle, 1U); });
  }

  /// Sets more_ to false behind the last.
  SLICEPOOL_INLINE std::uint32_t nextChunk() {
    const auto chunk = Lanes::first([&] { return fetchAdd(batch_.counters.next, 1U); });
    if (chunk >= plan_.chunks) more_ = false;
    return chunk;
  }

  /// All entries become slices.
  SLICEPOOL_INLINE void giveAll() {
    const std::uint32_t total = search_.frontier.total;
    const auto at = Lanes::first([&] { return fetchAdd(batch_.counters.kept, total); });
    // Beyond the capacity nothing is written; the count tells the host that the batch is lost.
    if (at <= batch_.capacity && total <= batch_.capacity - at)
      search_.give(batch_.to + at, batch_.toStates + at);
  }

  SLICEPOOL_INLINE void account() {
    tellNodes<Lanes>(batch_.counters, search_.lists().nodes, search_.view.dimension, emit_);
    const std::uint32_t total = search_.frontier.total;
    if (total > taken_)
      Lanes::first([&] { return fetchAdd(batch_.counters.splits, std::uint64_t{total - taken_}); });
  }

  /// The slices of a chunk from number i on go on as they are.
  SLICEPOOL_INLINE void leaveSlices(std::uint64_t i) {
    for (; i < batch_.live; i += plan_.chunks) {
      const auto at = Lanes::first([&] { return fetchAdd(batch_.counters.kept, 1U); });
      if (at >= batch_.capacity) continue;
      const auto* const from = reinterpret_cast<const std::uint32_t*>(batch_.from + i);
      auto* const to = reinterpret_cast<std::uint32_t*>(batch_.to + at);
      Lanes::all([&](int lane, int) {
        for (std::size_t w = static_cast<std::size_t>(lane); w < sizeof(Slice) / 4; w += kWarpSize)
          to[w] = from[w];
        if (lane == 0) batch_.toStates[at] = stateOf(i);
      });
    }
  }

  /// Chunks that no warp has taken go on as they are.
  SLICEPOOL_INLINE void leaveChunks() {
    while (more_) {
      const std::uint32_t chunk = nextChunk();
      if (more_) leaveSlices(chunk);
    }
  }

  Searcher& search_;
  const WarpBatch<Slice>& batch_;
  WarpPlan plan_;
  Emit& emit_;
  std::uint32_t taken_ = 0;  ///< slices
  bool more_ = true;         ///< chunks
  bool refused_ = false;
};

}  // namespace slicepool::lattice
