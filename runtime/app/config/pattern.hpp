// The patterns of configs/schema.json, matched without recursion and without going back. Called by
// schema.cpp.
#pragma once

#include <string_view>

namespace slicepool::config {

/// Whether all of `text` matches `pattern`: ^..$ with literals, ., [sets], (groups|of|alternatives), and ?,
/// *, + after any of them. Takes time |text| x |pattern| and memory |pattern|. Precondition: the pattern is
/// of this kind; throws Error otherwise.
[[nodiscard]] bool matchesPattern(std::string_view text, std::string_view pattern);

}  // namespace slicepool::config
