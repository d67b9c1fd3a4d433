// The command line of slicepool_bench_rows. Called by main.cpp.
#pragma once

#include <CLI/CLI.hpp>

#include "bench/rows/settings.hpp"

namespace slicepool::bench {

/// What was typed.
struct Arguments {
  std::string instances, threads, elementBytes, modes, algorithm, table, json;
  int repetitions = 0;  ///< 0: not given
  bool quick = false;
};

void addOptions(CLI::App& app, Arguments& arguments);

/// Checks and completes what was typed; without --modes everything that this machine and build can do. Throws
/// ConfigError, and DeviceError when a mode was asked for that has no device.
[[nodiscard]] Settings settingsFrom(const Arguments& arguments);

}  // namespace slicepool::bench
