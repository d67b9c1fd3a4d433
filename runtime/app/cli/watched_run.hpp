// One run among several of a command: with progress, and a stop that all of them share. Called by commands
// that run the shards of a plan one after the other.
#pragma once

#include <optional>
#include <string>

#include "runtime/app/report/execute.hpp"

namespace slicepool::cli {

/// `progress` as --progress has it. The run has a clock of its own. Logs its warnings. Nothing: it was
/// stopped while it was set up. Throws what runs throw.
[[nodiscard]] std::optional<report::Execution> executeWatched(config::RunConfig config,
                                                              const std::string& progress,
                                                              const report::StopRequest& stop);

/// The record that --json prints, with machine and build.
[[nodiscard]] config::Json recordOfRun(const config::RunConfig& config, const report::Execution& execution);

}  // namespace slicepool::cli
