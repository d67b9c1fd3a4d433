// The JSON Schema of configurations, made from the tables of parameters. Called by schema.cpp; `slicepool
// schema` prints it, and configs/schema.json is what it printed.
#pragma once

#include <string>
#include <vector>

#include "runtime/app/config/front.hpp"

namespace slicepool::config {

/// Draft-07, with the definitions run_W, row_W, parameters_W and sweep_W of every workload W; or only of that
/// named `only`, which takes a fraction of the time.
[[nodiscard]] Json makeSchema(const std::vector<Front>& fronts, const std::string& only = {});

}  // namespace slicepool::config
