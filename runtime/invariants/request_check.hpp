// What a request must satisfy before anything is computed. Called by enumeration.cpp and the front.
#pragma once

#include "slicepool/invariants/enumeration.hpp"

namespace slicepool::invariants {

/// Throws ConfigError naming field, value and what is accepted. The names of fields are those of
/// configurations. Whether generators generate a semigroup, and elements belong to it, is found by run().
void checkInvariantRequest(const Request& request);

}  // namespace slicepool::invariants
