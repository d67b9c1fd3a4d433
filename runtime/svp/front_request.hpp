// From a configuration to a request. Called by front.cpp and tests.
#pragma once

#include "runtime/app/config/run_config.hpp"
#include "slicepool/svp/enumeration.hpp"

namespace slicepool::config {

/// Throws ConfigError naming member, value and what is accepted.
[[nodiscard]] svp::Request parseSvpRequest(const RunConfig& config);

}  // namespace slicepool::config
