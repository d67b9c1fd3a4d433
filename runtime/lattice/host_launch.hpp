// A launch of a lattice search by warps on the host: its units, which are warps or teams of them, one after
// the other, each as loops over warps and lanes. What kernels/lattice/device.cuh does on a GPU. Used by
// compacted_batch.hpp and by tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "slicepool/core/sink.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/lattice/steps/search.hpp"
#include "slicepool/lattice/steps/warp_lists.hpp"
#include "slicepool/lattice/steps/warp_turn.hpp"

namespace slicepool::lattice {

/// What a launch did.
struct HostLaunch {
  std::uint32_t kept = 0;     ///< slices left
  std::uint32_t refused = 0;  ///< units whose vector was refused
  std::uint64_t steps = 0;
  std::uint64_t splits = 0;
  std::uint32_t ofTeams = 0;  ///< of these, slices that teams go on with if the next launch wants that
  bool early = false;         ///< units had too little to do
};

/// Memory and tables of one unit, used by all. Algorithm: AutomaticTeams or CompactedWarps.
template <class Algorithm, int kCapacity, class Layout, class S>
class HostWarps {
 public:
  using Searcher = typename Algorithm::template Searcher<HostLanes, kCapacity, Layout>;
  using Lists = typename Searcher::Lists;
  using Slice = typename Searcher::Slice;

  explicit HostWarps(const SearchView& view) : HostWarps(view, Lists{}, 0) {}
  /// With such lists, for paths whose first `narrow` coefficients fit the narrow packing (PathLayout).
  HostWarps(const SearchView& view, const Lists& lists, int narrow) : view_(view), lists_(lists) {
    lists_.shape(view.dimension, narrow);
    memory_.resize(lists_.memoryBytes() / sizeof(FourWords) + 1);
    shared_.resize(lists_.sharedBytes() / sizeof(std::uint64_t) + 1);
    lists_.memory = reinterpret_cast<std::byte*>(memory_.data());
    lists_.place(reinterpret_cast<std::byte*>(shared_.data()));
    table_.resize(Searcher::tableSize(lists_));
    for (int part = 0; part < Searcher::tableParts(view.dimension); ++part)
      Searcher::fillTable(lists_, view, part, 0, 1, table_.data());
  }

  /// Counters of `batch` and what belongs to teams alone need not be set.
  HostLaunch run(WarpBatch<Slice> batch, const typename S::View& sinkView, const SinkMemory& memory) {
    HostLaunch launch;
    std::uint32_t next = 0;
    std::uint32_t idle = 0;
    std::uint32_t rest = 0;
    own_.resize(batch.units, {0, 0});
    batch.own = own_.data();
    batch.counters = {&next, &idle, &launch.kept, &launch.refused, &launch.steps, &launch.splits, &rest};
    for (std::uint32_t unit = 0; unit < batch.units; ++unit) {
      Searcher search(view_, table_.data(), lists_);
      typename S::Emitter emit(sinkView, memory);
      typename Algorithm::template Turn<Searcher, typename S::Emitter> turn(search, batch, unit, emit);
      turn.run();
      emit.flush();
    }
    launch.ofTeams = launch.kept;
    launch.kept += rest;
    launch.early = idle > batch.units / WarpPlan::kIdleShare;
    putTogether(batch.to, batch.toStates, launch.ofTeams, rest, batch.capacity, 0, 1);
    return launch;
  }

 private:
  SearchView view_;
  Lists lists_;
  std::vector<FourWords> memory_;
  std::vector<std::uint64_t> shared_;
  std::vector<double> table_;
  std::vector<TeamSlices> own_;
};

}  // namespace slicepool::lattice
