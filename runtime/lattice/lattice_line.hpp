// One line of a file of many lattices, and one line of answers. Called by many_lattices.cpp, tests and
// fuzzing. docs/file-formats.md describes both. Not by the general reader of JSON: at a hundred thousand
// lattices a second reading is a good part of the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "slicepool/lattice/many_lattices.hpp"

namespace slicepool::lattice {

struct LatticeLine {
  std::string id;  ///< as it stands there, JSON; empty: none
  GivenLattice lattice;

  /// As made anew, but for the memory of a small matrix.
  void clear() {
    constexpr std::size_t kKept = 4096;  // entries: 64 rows
    std::vector<std::int64_t> entries = std::move(lattice.entries);
    entries.clear();
    *this = {};
    if (entries.capacity() <= kKept) lattice.entries = std::move(entries);
  }
};

/// {"basis": [[1, 0], [0, 2]], "id": "a", "squared_radius": 5}: "basis" or "gram", rows of integers of any
/// size; "target", numbers, beside a matrix or alone; `id` a string or an integer. Throws ConfigError with
/// the member and the column; what was read before, such as the id, is in `line`.
void parseLatticeLine(std::string_view text, LatticeLine& line);

/// One object, and the end of the line. `number`: of the line, from 1.
void appendAnswerLine(const LatticeAnswer& answer, std::uint64_t number, const std::string& id,
                      std::string& text);

}  // namespace slicepool::lattice
