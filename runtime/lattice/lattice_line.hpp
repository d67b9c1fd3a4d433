// One line of a file of many lattices, and one line of answers. Called by many_lattices.cpp, tests and
// fuzzing. docs/file-formats.md describes both. Not by the general reader of JSON: at a hundred thousand
// lattices a second reading is a good part of the work.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "slicepool/lattice/many_lattices.hpp"

namespace slicepool::lattice {

struct LatticeLine {
  std::string id;  ///< as it stands there, JSON; empty: none
  GivenLattice lattice;
};

/// {"basis": [[1, 0], [0, 2]], "id": "a", "squared_radius": 5}: "basis" or "gram", rows of integers of any
/// size; "target", numbers, beside a matrix or alone; `id` a string or an integer. Throws ConfigError with
/// the member and the column; what was read before, such as the id, is in `line`.
void parseLatticeLine(std::string_view text, LatticeLine& line);

/// One object, and the end of the line. `number`: of the line, from 1.
void appendAnswerLine(const LatticeAnswer& answer, std::uint64_t number, const std::string& id,
                      std::string& text);

}  // namespace slicepool::lattice
