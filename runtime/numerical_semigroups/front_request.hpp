// JSON parameters of the numerical_semigroups workload to a Request. Called by the front of the workload.
#pragma once

#include <vector>

#include "runtime/app/config/parameter.hpp"
#include "runtime/app/config/run_config.hpp"
#include "slicepool/numerical_semigroups/enumeration.hpp"

namespace slicepool::config {

[[nodiscard]] std::vector<Parameter> genusParameters();

/// `config` has passed the schema. Throws ConfigError.
[[nodiscard]] numerical_semigroups::Request parseGenusRequest(const RunConfig& config);

}  // namespace slicepool::config
