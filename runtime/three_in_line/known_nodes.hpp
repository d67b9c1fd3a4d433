// The lengths of searches that were made before. The tree is heavy-tailed, so that neither its first slices
// nor random probes say in time how long a search takes (docs/performance/runtime.md); its size is a function
// of n and the rules of the search alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/three_in_line/request_check.hpp"
#include "slicepool/three_in_line/types.hpp"

namespace slicepool::three_in_line {

/// Boards that a whole search visits; nothing where none was made. Up to n = 11 a test counts them, up to 16
/// records in bench/results have them; that of n = 17, on eight H200, left none. O(1).
[[nodiscard]] inline std::optional<std::uint64_t> knownNodes(int n, Group group) {
  static_assert(kSearchRules == 1, "other rules visit other boards");
  // n = 2 and on.
  constexpr std::array<std::uint64_t, 16> kNodes{
      1,      7,      9,       47,       171,       849,        3453,        20917,
      113915, 823319, 6256183, 52762525, 421175585, 4546552287, 35343315061, 353052919125};
  if (group != Group::none || n < 2 || static_cast<std::size_t>(n - 2) >= kNodes.size()) return std::nullopt;
  return kNodes.at(static_cast<std::size_t>(n - 2));
}

}  // namespace slicepool::three_in_line
