// The parameters of the factorizations workload. Called by its front.
#pragma once

#include <vector>

#include "runtime/app/config/parameter.hpp"

namespace slicepool::factorizations {

[[nodiscard]] std::vector<config::Parameter> frontParameters();

}  // namespace slicepool::factorizations
