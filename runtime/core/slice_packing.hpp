// Many slices as one block of bytes and back. Each is packed by its problem (Problem::packSlice); the packed
// ones are sorted, and each is stored as the number of bytes that it begins with like the one before, and the
// rest. The order of slices is not kept: no search depends on it. Called by checkpoints.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "slicepool/core/problem.hpp"

namespace slicepool {

/// `slices`: `sliceBytes` each, not 0. `problem` packs them; null: they are stored as they are.
[[nodiscard]] std::vector<std::byte> packSlices(const Problem* problem, std::size_t sliceBytes,
                                                std::span<const std::byte> slices);
/// Into `slices`, whose bytes are zero; false unless `packed` is exactly that many slices.
[[nodiscard]] bool unpackSlices(const Problem* problem, std::size_t sliceBytes,
                                std::span<const std::byte> packed, std::span<std::byte> slices);

}  // namespace slicepool
