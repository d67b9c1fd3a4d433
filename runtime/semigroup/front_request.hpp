// JSON parameters of the semigroup workload to a Request. Called by front.cpp and tests.
#pragma once

#include "runtime/app/config/run_config.hpp"
#include "slicepool/semigroup/enumeration.hpp"

namespace slicepool::config {

/// `config` has passed the schema. Throws ConfigError.
[[nodiscard]] semigroup::Request parseSemigroupRequest(const RunConfig& config);

}  // namespace slicepool::config
