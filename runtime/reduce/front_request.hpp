// From a configuration to a request. Called by front.cpp, the Python package and tests.
#pragma once

#include "runtime/app/config/run_config.hpp"
#include "slicepool/reduce/reduction.hpp"

namespace slicepool::config {

/// Throws ConfigError naming member, value and what is accepted.
[[nodiscard]] reduce::Request parseReduceRequest(const RunConfig& config);

}  // namespace slicepool::config
