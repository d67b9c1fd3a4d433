// A launch of the algorithm `compacted` by the lane emulator: start nodes and the host-lane version of the
// warps' search. Called by SearchProblem::advanceBatch; instantiated in compacted_batch_instances.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/problem.hpp"
#include "slicepool/core/sink.hpp"
#include "slicepool/lattice/steps/search.hpp"

namespace slicepool::lattice {

/// Advances `live` slices, with room for `capacity`, in place; see Problem::advanceBatch. kCapacity:
/// capacityOf(d).
template <int kCapacity, class S>
BatchTurn advanceCompacted(const SearchView& view, const typename S::View& sinkView, std::byte* slices,
                           std::uint32_t live, std::uint32_t capacity, std::uint64_t budget,
                           const SinkMemory& memory);

}  // namespace slicepool::lattice
