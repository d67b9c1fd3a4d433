// The shortest vectors that a search kept, as solutions and as an output. Called by enumeration.cpp, and by
// front_shards.cpp for those of all shards.
#pragma once

#include "runtime/lattice/best_vectors.hpp"
#include "runtime/lattice/integer_basis.hpp"
#include "runtime/lattice/vector_file.hpp"
#include "runtime/lattice/vector_maker.hpp"
#include "slicepool/lattice/enumeration.hpp"

namespace slicepool::lattice {

/// `maker` is of the searched basis.
[[nodiscard]] Solution solutionOf(VectorMaker& maker, const BestVector& best);

/// In order, in pieces.
void writeBest(const IntegerBasis& basis, const BestVectors& best, VectorFile& file);

}  // namespace slicepool::lattice
