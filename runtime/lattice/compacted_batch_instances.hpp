// Definition of compacted_batch.hpp, instantiated for the capacities of each unit in instances.cmake.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/lattice/compacted_batch.hpp"
#include "runtime/lattice/host_launch.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "slicepool/lattice/steps/compacted_turn.hpp"
#include "slicepool/lattice/steps/start_nodes.hpp"

namespace slicepool::lattice {

template <int kCapacity, class S>
BatchTurn advanceCompacted(const SearchView& view, const typename S::View& sinkView, std::byte* slices,
                           std::uint32_t live, std::uint32_t capacity, std::uint64_t budget,
                           const SinkMemory& memory) {
  // Coefficients of either size fit; one size is enough here.
  using Warps = HostWarps<CompactedWarps, kCapacity, LongPaths, S>;
  using Slice = typename Warps::Slice;
  constexpr std::uint32_t kMaximumWarps = 4;
  const std::uint32_t needed = CompactedWarps::slicesPerWarp(view.dimension) / 4;
  WarpBatch<Slice> batch{};
  batch.units = std::clamp(capacity / needed, 1U, kMaximumWarps);
  batch.capacity = capacity;
  batch.budget = budget;

  std::vector<Slice> from(live);
  std::memcpy(from.data(), slices, live * sizeof(Slice));
  BatchTurn turn;
  if (live < WarpPlan::kSeeds) {
    typename S::Emitter emit(sinkView, memory);
    StartNodes<kCapacity, typename S::Emitter> start(view, emit);
    turn.steps = start.expand(from, WarpPlan::kSlicesPerWarp * batch.units, capacity);
    turn.splits = from.size() - std::min<std::size_t>(from.size(), live);
    emit.flush();
  }
  std::vector<Slice> to(capacity);
  std::vector<PathState> states(capacity);
  batch.from = from.data();
  batch.live = static_cast<std::uint32_t>(from.size());
  batch.to = to.data();
  batch.toStates = states.data();
  const HostLaunch launch = Warps(view).run(batch, sinkView, memory);
  std::memcpy(slices, to.data(), launch.kept * sizeof(Slice));
  turn.kept = launch.kept;
  turn.steps += launch.steps;
  turn.splits += launch.splits;
  turn.refused = launch.refused;
  return turn;
}

// NOLINTNEXTLINE(bugprone-macro-parentheses): S is the name of a template
#define SLICEPOOL_INSTANTIATE(capacity, S)                                                                   \
  template BatchTurn advanceCompacted<capacity, S<capacity>>(const SearchView&, const SinkView&, std::byte*, \
                                                             std::uint32_t, std::uint32_t, std::uint64_t,    \
                                                             const SinkMemory&);
#define X(capacity)                      \
  SLICEPOOL_INSTANTIATE(capacity, Tally) \
  SLICEPOOL_INSTANTIATE(capacity, CollectVectors)
SLICEPOOL_INSTANCES
#undef X
#undef SLICEPOOL_INSTANTIATE

}  // namespace slicepool::lattice
