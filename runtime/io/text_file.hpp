// Reading input files whole, within a limit. Called by the readers of configurations, generators and whatever
// else a person writes by hand.
#pragma once

#include <cstdint>
#include <string>

namespace slicepool {

/// The content of `path`: a file, a FIFO or /dev/stdin. Never more than `most` bytes are read.
/// Throws ConfigError naming `field`: the file cannot be read, is a folder, or is larger than `most` bytes.
[[nodiscard]] std::string readTextFile(const std::string& path, const std::string& field,
                                       const std::string& accepted, std::uint64_t most);

}  // namespace slicepool
