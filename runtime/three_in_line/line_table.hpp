// Builds the tables that the search reads (include/slicepool/three_in_line/steps/lines.hpp). Called by
// problem_factory*.cpp and by tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "slicepool/three_in_line/steps/lines.hpp"

namespace slicepool::three_in_line {

/// A table in memory that vectors of 64 bytes may be loaded from.
class LineTable {
 public:
  /// Zeroed. Throws LimitError when there is no memory.
  explicit LineTable(std::size_t words);
  [[nodiscard]] std::uint32_t* data() { return words_.get(); }
  [[nodiscard]] const std::uint32_t* data() const { return words_.get(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::uint32_t* words) const;
  };
  std::size_t bytes_;
  std::unique_ptr<std::uint32_t, Free> words_;
};

/// The table for grids of size n, 2 <= n <= the shape's lines. O(n^5).
template <class Shape>
[[nodiscard]] LineTable makeLineTable(int n);

/// The greatest common divisors that computed lines need (ComputedLines).
[[nodiscard]] LineTable makeDivisorTable();

/// The one that these Lines read.
template <class Shape, class Lines>
[[nodiscard]] LineTable makeTableFor(int n) {
  if constexpr (std::is_same_v<Lines, ComputedLines>) {
    (void)n;
    return makeDivisorTable();
  } else {
    return makeLineTable<Shape>(n);
  }
}

}  // namespace slicepool::three_in_line
