// The record of one run: the JSON object that --json prints and that a sweep writes per repetition.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/app/config/run_config.hpp"
#include "runtime/app/config/workloads.hpp"

namespace slicepool::report {

/// When and how long a run took, by its clock (EngineOptions::phases).
struct RunTimes {
  std::string started;     ///< UTC, ISO 8601
  double wallSeconds = 0;  ///< from the start of the process, or of the point of a sweep, to the answer
  PhaseSeconds phases{};   ///< its parts
};

/// After run() and collect(). Everything of docs/file-formats.md, "Records", without machine and build.
[[nodiscard]] config::Json makeRecord(const config::RunConfig& config, const config::WorkloadRun& run,
                                      const RunTimes& times);
/// cpu, gpu, hybrid or emulated: what the workers were. `requested` decides when no worker took part.
[[nodiscard]] std::string effectiveMode(Mode requested, const RunReport& report);
/// The readable report, one line each.
[[nodiscard]] std::string readableReport(const config::RunConfig& config, const config::WorkloadRun& run,
                                         const RunTimes& times);
/// 1234567 -> "1.23 M"; three significant digits with the SI prefix.
[[nodiscard]] std::string shortNumber(double value);
[[nodiscard]] std::string shortSeconds(double seconds);
[[nodiscard]] std::string shortBytes(double bytes);
/// Steps of this run over its enumeration time; 0 when there was none.
[[nodiscard]] double stepsPerSecond(const RunReport& report);

}  // namespace slicepool::report
