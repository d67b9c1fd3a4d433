// What a request for a block reduction must satisfy before anything is computed. Called by reduction.cpp and
// front.cpp.
#pragma once

#include "runtime/lattice/given_lattice.hpp"
#include "slicepool/reduce/reduction.hpp"

namespace slicepool::reduce {

/// Throws ConfigError naming field, value and what is accepted; also in a build without fplll. Nothing is
/// read but the request.
void checkRequest(const Request& request);

/// What the request has as its lattice; the request must outlive it.
[[nodiscard]] lattice::GivenMatrix matrixOf(const Request& request);

}  // namespace slicepool::reduce
