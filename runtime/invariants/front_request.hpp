// A configuration as a request. Called by front.cpp.
#pragma once

#include "runtime/app/config/run_config.hpp"
#include "slicepool/invariants/enumeration.hpp"

namespace slicepool::config {

/// Throws ConfigError for whatever can be found without computing; reads the file of elements.
[[nodiscard]] invariants::Request parseInvariantsRequest(const RunConfig& config);

}  // namespace slicepool::config
