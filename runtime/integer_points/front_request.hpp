// The parameters of integer_points, and the request that a configuration is. Called by front.cpp.
#pragma once

#include <vector>

#include "runtime/app/config/parameter.hpp"
#include "runtime/app/config/run_config.hpp"
#include "slicepool/integer_points/enumeration.hpp"

namespace slicepool::config {

[[nodiscard]] std::vector<Parameter> pointParameters();
/// Throws ConfigError for members that are none, or do not go together.
[[nodiscard]] integer_points::Request parsePointRequest(const RunConfig& config);

}  // namespace slicepool::config
