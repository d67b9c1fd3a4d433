// Instantiates the emulated launches of the algorithm `compacted` for capacities 16, 32, 64.
#include "runtime/lattice/compacted_batch_build.hpp"

namespace slicepool::lattice {

template BatchTurn advanceCompacted<16, Tally<16>>(const SearchView&, const SinkView&, std::byte*,
                                                   std::uint32_t, std::uint32_t, std::uint64_t,
                                                   const SinkMemory&);
template BatchTurn advanceCompacted<16, CollectVectors<16>>(const SearchView&, const SinkView&, std::byte*,
                                                            std::uint32_t, std::uint32_t, std::uint64_t,
                                                            const SinkMemory&);
template BatchTurn advanceCompacted<32, Tally<32>>(const SearchView&, const SinkView&, std::byte*,
                                                   std::uint32_t, std::uint32_t, std::uint64_t,
                                                   const SinkMemory&);
template BatchTurn advanceCompacted<32, CollectVectors<32>>(const SearchView&, const SinkView&, std::byte*,
                                                            std::uint32_t, std::uint32_t, std::uint64_t,
                                                            const SinkMemory&);
template BatchTurn advanceCompacted<64, Tally<64>>(const SearchView&, const SinkView&, std::byte*,
                                                   std::uint32_t, std::uint32_t, std::uint64_t,
                                                   const SinkMemory&);
template BatchTurn advanceCompacted<64, CollectVectors<64>>(const SearchView&, const SinkView&, std::byte*,
                                                            std::uint32_t, std::uint32_t, std::uint64_t,
                                                            const SinkMemory&);

}  // namespace slicepool::lattice
