// Runs one JSON configuration as a command does: signals, progress, report, exit code. Called by the workload
// commands and `slicepool run`.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "runtime/config/json.hpp"

namespace slicepool::cli {

/// How a run shows itself.
struct Display {
  std::string progress = "auto";
  bool json = false;
};

/// --progress and --json. `display` must outlive the parse.
void addDisplay(CLI::App& app, Display& display);

/// Validates, runs and prints the configuration; returns the exit code. Throws what these throw.
[[nodiscard]] int runDocument(const config::Json& document, const Display& display);

}  // namespace slicepool::cli
