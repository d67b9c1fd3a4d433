// Messages as bytes and back. Slices are packed as in a checkpoint file, which takes a part of their size in
// memory. Both sides are the same program (its version is the first thing they compare) on machines of one
// byte order, so the format has no version of its own; only its first bytes stay as they are.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/cluster/message.hpp"
#include "slicepool/core/problem.hpp"

namespace slicepool::cluster {

/// `problem` packs the slices. O(bytes of the slices, times the log of their number: they are sorted).
[[nodiscard]] std::vector<std::byte> encode(const Message& message, const Problem& problem);
/// Kind, version, identity and search of a message, which may be of another problem. Throws as decode.
[[nodiscard]] Message headingOf(std::span<const std::byte> bytes);
/// Throws Error for bytes that no message of this program is: another one has sent them, or they are damaged.
[[nodiscard]] Message decode(std::span<const std::byte> bytes, const Problem& problem);

}  // namespace slicepool::cluster
