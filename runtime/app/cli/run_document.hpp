// Runs one JSON configuration as a command does: signals, progress, report, exit code. Called by the workload
// commands, which addWorkloadCommand() makes, and by `slicepool run`.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/options.hpp"
#include "runtime/app/config/json.hpp"

namespace slicepool::cli {

/// How a run shows itself.
struct Display {
  std::string progress = "auto";
  bool json = false;
  std::string cluster = "none";  ///< who shares the search, as addCluster() has it
};

/// --progress and --json. `display` must outlive the parse.
void addDisplay(CLI::App& app, Display& display);

/// The subcommand of a workload: flags -> one JSON configuration -> a run. `front` outlives the command.
[[nodiscard]] Action addWorkloadCommand(CLI::App& app, const config::Front& front);

/// Two writers to standard output: throws ConfigError for --json beside `--output -`. `output`: as
/// RunConfig::standardOutput.
void refuseJsonBesideOutput(bool json, const std::string& output);
/// The readable report, on standard error where standard output belongs to an output.
void printReport(const std::string& text, bool besideOutput);

/// Called with the record of a run that came to its end, before anything is printed.
using WhenDone = std::function<void(const config::Json& record)>;

/// Validates, runs and prints the configuration; returns the exit code. Throws what these throw.
[[nodiscard]] int runDocument(const config::Json& document, const Display& display,
                              const WhenDone& whenDone = {});

}  // namespace slicepool::cli
