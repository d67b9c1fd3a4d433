// Parameters of the factorizations workload, from JSON to a checked Request.
#pragma once

#include "runtime/app/config/run_config.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::config {

/// Throws ConfigError for values out of range and for options that contradict each other.
[[nodiscard]] factorizations::Request parseFactorizationsRequest(const RunConfig& config,
                                                                 Strictness strictness);
/// "count", "first:10", "any:2*a1 >= 5", .. Throws ConfigError with field "sink".
[[nodiscard]] factorizations::SinkSpec parseSink(const std::string& text, std::size_t dimension);

}  // namespace slicepool::config
