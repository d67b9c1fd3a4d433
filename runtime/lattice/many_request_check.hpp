// What a request for many lattices must satisfy before anything is read, and the lattice of its targets.
// Called by many_lattices.cpp.
#pragma once

#include "slicepool/core/options.hpp"
#include "slicepool/lattice/enumeration.hpp"
#include "slicepool/lattice/many_lattices.hpp"

namespace slicepool::lattice {

/// Throws ConfigError naming field, value and what is accepted.
void checkManyRequest(const ManyRequest& request, const EngineOptions& options);

/// Whether targets without a lattice of their own have one, and that as a request for it.
[[nodiscard]] bool hasLattice(const ManyRequest& request);
[[nodiscard]] Request latticeRequest(const ManyRequest& request);

}  // namespace slicepool::lattice
