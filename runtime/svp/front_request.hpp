// From a configuration to a request. Called by front.cpp and tests.
#pragma once

#include "runtime/app/config/run_config.hpp"
#include "slicepool/svp/enumeration.hpp"

namespace slicepool::config {

/// What a target is, for the description of the parameter and for errors.
inline constexpr const char* kSvpTargets =
    "exact, gh:F (a vector of at most F times the Gaussian heuristic, F above 0) or norm2:N (of at most this "
    "squared norm, from 1e-300 to 1e300: 1234, 1234.5, 2/3 or 1e30)";

/// Throws ConfigError naming member, value and what is accepted.
[[nodiscard]] svp::Request parseSvpRequest(const RunConfig& config);

}  // namespace slicepool::config
