// The workloads of this program, by name: the fronts that CMake found (front.hpp).
#pragma once

#include <string>
#include <vector>

#include "runtime/app/config/front.hpp"

namespace slicepool::config {

/// Ordered by name.
[[nodiscard]] const std::vector<Front>& workloads();
[[nodiscard]] std::vector<std::string> workloadNames();
/// The workload that `document` names. Throws ConfigError with field "workload" when it is missing or
/// unknown.
[[nodiscard]] const Front& requireWorkload(const Json& document);

/// Those of all workloads, each once.
[[nodiscard]] std::vector<ExtraTime> extraTimes();

/// One of each folder with a front.cpp. Defined in a source that CMake writes.
[[nodiscard]] std::vector<Front> foundFronts();

}  // namespace slicepool::config
