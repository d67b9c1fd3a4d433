// Steps of the dropped-in workload: those of examples/nqueens, which a user's program has outside this
// repository.
#pragma once

#include "examples/nqueens/nqueens.hpp"

namespace slicepool::queens {

using Queens = ::NQueens;

}  // namespace slicepool::queens
