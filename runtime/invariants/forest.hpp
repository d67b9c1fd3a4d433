// Disjoint sets of rows: union by size, paths halved (Tarjan, van Leeuwen 1984). Called by set_degrees.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace slicepool::invariants {

class Forest {
 public:
  explicit Forest(std::uint32_t size) : parents_(size), sizes_(size, 1) {
    std::iota(parents_.begin(), parents_.end(), 0U);
  }
  [[nodiscard]] std::uint32_t root(std::uint32_t at) {
    while (parents_[at] != at) {
      parents_[at] = parents_[parents_[at]];
      at = parents_[at];
    }
    return at;
  }
  /// False when they are in one set already.
  bool join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    if (a == b) return false;
    if (sizes_[a] < sizes_[b]) std::swap(a, b);
    parents_[b] = a;
    sizes_[a] += sizes_[b];
    return true;
  }
  [[nodiscard]] std::uint32_t sizeOf(std::uint32_t root) const { return sizes_[root]; }

 private:
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint32_t> sizes_;
};

}  // namespace slicepool::invariants
