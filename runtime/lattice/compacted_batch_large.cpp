// Instantiates the emulated launches of the algorithm `compacted` for capacities 96, 160.
#include "runtime/lattice/compacted_batch_build.hpp"

namespace slicepool::lattice {

template BatchTurn advanceCompacted<96, Tally<96>>(const SearchView&, const SinkView&, std::byte*,
                                                   std::uint32_t, std::uint32_t, std::uint64_t,
                                                   const SinkMemory&);
template BatchTurn advanceCompacted<96, CollectVectors<96>>(const SearchView&, const SinkView&, std::byte*,
                                                            std::uint32_t, std::uint32_t, std::uint64_t,
                                                            const SinkMemory&);
template BatchTurn advanceCompacted<160, Tally<160>>(const SearchView&, const SinkView&, std::byte*,
                                                     std::uint32_t, std::uint32_t, std::uint64_t,
                                                     const SinkMemory&);
template BatchTurn advanceCompacted<160, CollectVectors<160>>(const SearchView&, const SinkView&, std::byte*,
                                                              std::uint32_t, std::uint32_t, std::uint64_t,
                                                              const SinkMemory&);

}  // namespace slicepool::lattice
