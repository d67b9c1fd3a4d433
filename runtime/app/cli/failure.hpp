// Exceptions as one line on standard error and an exit code. Called by commandMain, and by runs on several
// ranks and servers, which must tell others.
#pragma once

#include <exception>
#include <string>

namespace slicepool::cli {

struct Failure {
  std::string text;  ///< one line
  int exitCode = 1;
  std::string field{};  ///< of bad input: whose value it was
};
[[nodiscard]] Failure failureOf(const std::exception_ptr& error);

/// Logs what `error` says after `prefix`; returns the exit code.
[[nodiscard]] int reportFailure(const std::exception_ptr& error, const std::string& prefix = {});
/// The same without a word.
[[nodiscard]] int exitCodeOf(const std::exception_ptr& error);

}  // namespace slicepool::cli
