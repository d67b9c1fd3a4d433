// JSON parameters of the lattice workload to a Request. Called by front.cpp and tests.
#pragma once

#include "runtime/app/config/run_config.hpp"
#include "slicepool/lattice/enumeration.hpp"

namespace slicepool::config {

/// `config` has passed the schema. A basis that begins with [ is the matrix itself. Throws ConfigError.
[[nodiscard]] lattice::Request parseLatticeRequest(const RunConfig& config);

}  // namespace slicepool::config
