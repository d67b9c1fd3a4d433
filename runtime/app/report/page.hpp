// The self-contained report page of a sweep: one HTML file with its data, style, scripts and chart library.
#pragma once

#include <string>
#include <vector>

#include "runtime/app/report/summary.hpp"

namespace slicepool::report {

/// HTML text; opens offline. `records` are those that `summary` was made of (timelines come from them).
[[nodiscard]] std::string reportPage(const config::SweepConfig& sweep, const Summary& summary,
                                     const std::vector<config::Json>& records,
                                     const std::vector<std::string>& mismatches);

/// Writes summary.csv and report.html into `directory`, each as a new file that is renamed. Returns the
/// page's path.
std::string writeReport(const std::string& directory, const config::SweepConfig& sweep,
                        const Summary& summary, const std::vector<config::Json>& records,
                        const std::vector<std::string>& mismatches);

}  // namespace slicepool::report
