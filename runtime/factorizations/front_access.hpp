// Random access from the command: the rank of a row, the row of a rank, a uniform sample. Called by the
// factorizations workload (front.cpp) where a configuration asks for one of them.
#pragma once

#include <memory>

#include "runtime/app/config/front.hpp"

namespace slicepool::config {

/// True when the configuration has `sample`, `rank_of` or `row_at`: then nothing is enumerated.
[[nodiscard]] bool asksForAccess(const Json& document);

/// Checks the parameters and makes the rank index. Throws ConfigError, LimitError.
[[nodiscard]] std::unique_ptr<WorkloadRun> prepareAccess(const RunConfig& config);

}  // namespace slicepool::config
