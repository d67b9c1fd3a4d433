// All of the `slicepool` command behind its main function, in the library so that it is compiled once for the
// command and for a test's command with a workload more.
#pragma once

namespace slicepool::cli {

/// Executes one command line and returns the exit code. An error is one line on standard error. Called once,
/// by main().
[[nodiscard]] int commandMain(int argc, char** argv);

}  // namespace slicepool::cli
