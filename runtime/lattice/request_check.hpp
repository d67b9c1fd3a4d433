// What a request must satisfy before anything is built, and the names of its algorithms. Called by
// enumeration.cpp and runtime/app/config.
#pragma once

#include <string>

#include "runtime/lattice/given_lattice.hpp"
#include "slicepool/lattice/enumeration.hpp"

namespace slicepool::lattice {

/// Throws ConfigError naming field, value and what is accepted. Nothing is read but the request.
void checkRequest(const Request& request, const EngineOptions& options);

/// Whether the radius stays: asked for, or because more than the shortest vector is wanted.
[[nodiscard]] bool fixesRadius(const Request& request);

/// What the request has as its lattice; the request must outlive it.
[[nodiscard]] GivenMatrix matrixOf(const Request& request);
/// Whether the lattice is given by a Gram matrix, and whether vectors close to a target are searched.
[[nodiscard]] bool isGram(const Request& request);
[[nodiscard]] bool hasTarget(const Request& request);

/// "auto", "compacted".
[[nodiscard]] std::string algorithmName(Algorithm algorithm);
/// Throws ConfigError for field "algorithm".
[[nodiscard]] Algorithm parseAlgorithm(const std::string& text);

}  // namespace slicepool::lattice
