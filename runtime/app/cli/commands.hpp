// The subcommands of `slicepool`. Each registers its options and returns what executes it; main.cpp
// dispatches.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace slicepool::cli {

/// Exit codes of the command, documented in --help and the man page.
enum ExitCode : int {
  kDone = 0,
  kFailed = 1,
  kBadInput = 2,
  kNoDevice = 3,
  kLimit = 4,
  kStoppedWithCheckpoint = 5
};

/// Executes a parsed subcommand; returns the exit code.
using Action = std::function<int()>;

[[nodiscard]] Action addFactorizationsCommand(CLI::App& app);
[[nodiscard]] Action addThreeInLineCommand(CLI::App& app);
[[nodiscard]] Action addLatticeCommand(CLI::App& app);
[[nodiscard]] Action addSemigroupCommand(CLI::App& app);
[[nodiscard]] Action addMergeCommand(CLI::App& app);
[[nodiscard]] Action addRunCommand(CLI::App& app);
[[nodiscard]] Action addSweepCommand(CLI::App& app);
[[nodiscard]] Action addVerifyCommand(CLI::App& app);
[[nodiscard]] Action addInfoCommand(CLI::App& app);
/// completion and man are made from the option tree of `root`.
[[nodiscard]] Action addCompletionCommand(CLI::App& app, const CLI::App& root);
[[nodiscard]] Action addManCommand(CLI::App& app, const CLI::App& root);

/// Writes to standard output and throws LimitError when that fails (a full disk).
void writeOut(const std::string& text);

}  // namespace slicepool::cli
