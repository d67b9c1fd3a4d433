// The subcommands of `slicepool`. Each registers its options and returns what executes it;
// commandMain dispatches.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace slicepool::cli {

/// Exit codes of the command, documented in --help and the man page.
enum ExitCode : int {
  kDone = 0,
  kFailed = 1,
  kBadInput = 2,
  kNoDevice = 3,
  kLimit = 4,
  kStoppedWithCheckpoint = 5,
  kNothingLeft = 6
};

/// Executes a parsed subcommand; returns the exit code.
using Action = std::function<int()>;

/// A subcommand that a workload has beside its own: runtime/<w>/front_command.cpp defines
/// `cli::Subcommand slicepool::<w>::frontCommand()`.
struct Subcommand {
  std::string name;
  std::string title;  ///< one sentence for --help
  std::function<Action(CLI::App&)> add;
};
/// One of each folder with a front_command.cpp. Defined in a source that CMake writes.
[[nodiscard]] std::vector<Subcommand> foundCommands();

[[nodiscard]] Action addRunCommand(CLI::App& app);
[[nodiscard]] Action addServeCommand(CLI::App& app);
[[nodiscard]] Action addSweepCommand(CLI::App& app);
[[nodiscard]] Action addPlanCommand(CLI::App& app);
[[nodiscard]] Action addStatusCommand(CLI::App& app);
[[nodiscard]] Action addMergeCommand(CLI::App& app);
[[nodiscard]] Action addRecountCommand(CLI::App& app);
[[nodiscard]] Action addSlurmCommand(CLI::App& app);
[[nodiscard]] Action addInfoCommand(CLI::App& app);
/// completion and man are made from the option tree of `root`.
[[nodiscard]] Action addCompletionCommand(CLI::App& app, const CLI::App& root);
[[nodiscard]] Action addManCommand(CLI::App& app, const CLI::App& root);
/// What the tables of parameters make, for this repository's own files: the JSON Schema and tables of the
/// docs.
[[nodiscard]] Action addSchemaCommand(CLI::App& app);

/// Writes to standard output and throws LimitError when that fails (a full disk).
void writeOut(const std::string& text);

}  // namespace slicepool::cli
