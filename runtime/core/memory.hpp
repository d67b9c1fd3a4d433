// What memory this machine has and what this process used. Linux; zeros where it cannot be known.
#pragma once

#include <cstddef>

namespace slicepool {

/// Largest resident size of this process so far, bytes.
[[nodiscard]] std::size_t peakResidentBytes();
/// Memory that can be taken without swapping (MemAvailable, and the limit of the control group), bytes.
[[nodiscard]] std::size_t availableMemoryBytes();
/// Bytes of host memory that a run may use: what was asked for, or (0) half of what is available. Never 0.
[[nodiscard]] std::size_t hostMemoryLimit(std::size_t asked);

}  // namespace slicepool
