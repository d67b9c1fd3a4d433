// Runs the points of a sweep and keeps results.jsonl: one record per repetition, appended as soon as it is
// known, so that a killed sweep goes on where it stopped. Called by `slicepool sweep`.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "runtime/app/config/sweep_config.hpp"
#include "runtime/app/report/execute.hpp"
#include "runtime/io/output_guard.hpp"

namespace slicepool::report {

/// Makes the record of one run. Throws DeviceError (the point is skipped), LimitError (refused), others
/// (failed).
using PointRunner = std::function<config::Json(const config::SweepPoint&, const config::Measurement&)>;
/// Executes the point in this process, within a session (null: that of the process), so that a second point
/// does not pay for the threads and the contexts of GPUs that the first one has made.
[[nodiscard]] PointRunner inProcessRunner(const StopRequest& stop, std::shared_ptr<Session> session = {});

/// Where a sweep is, when a repetition begins.
struct SweepStatus {
  std::size_t point = 0;  ///< from 1
  std::size_t points = 0;
  std::size_t repetition = 0;  ///< how many have ended or been found; those of points given up are among them
  std::size_t total = 0;       ///< repetitions of all points
  std::size_t run = 0;         ///< that this process has run
  std::string label;           ///< of the point, its mode included
};

/// One line for a terminal of `width` columns, `seconds` after the sweep began; `secondsDone` of them had
/// passed when the present repetition did. The time left supposes that the rest take as long as those that
/// were run.
[[nodiscard]] std::string sweepBar(const SweepStatus& status, double seconds, double secondsDone,
                                   std::size_t width);

struct SweepSettings {
  std::string directory;  ///< created if needed
  bool restart = false;   ///< forget earlier records of this directory
  /// Called before and after each run with one readable line. May be empty.
  std::function<void(const std::string&)> message;
  /// Called before each repetition. May be empty.
  std::function<void(const SweepStatus&)> began{};
};

struct SweepOutcome {
  std::vector<config::Json> records;    ///< of this sweep's points: kept and new, in the order of the file
  std::size_t kept = 0;                 ///< repetitions found in the directory
  std::size_t done = 0;                 ///< repetitions run now
  std::size_t skipped = 0;              ///< points without a device for their mode
  std::size_t refused = 0;              ///< points for which memory or disk is short
  std::size_t failed = 0;               ///< points that ended in an error
  std::vector<std::string> mismatches;  ///< one sentence each: what differs from what
  bool stopped = false;                 ///< a stop was requested; the directory can be continued
  std::string resultsPath;

  /// 0 done, 1 mismatch or failure, 3 everything skipped, 4 everything refused, 5 stopped.
  [[nodiscard]] int exitCode() const;
};

/// Makes the directory and takes what a sweep writes there, its report included, until the guard gives it
/// back. Throws ConfigError when it cannot be used or another sweep has it.
void claimDirectory(const std::string& directory, OutputGuard& guard);

/// Throws ConfigError when the directory cannot be used.
[[nodiscard]] SweepOutcome runSweep(const config::SweepConfig& sweep, const SweepSettings& settings,
                                    const PointRunner& runner, const StopRequest& stop);

/// Compares counts and fingerprints of runs that must agree: with the expected count, and with each other
/// whatever the mode, algorithm or number of threads.
class Verifier {
 public:
  /// Adds "verification" to the record; returns a sentence when something differs, else an empty string.
  [[nodiscard]] std::string check(const config::SweepPoint& point, config::Json& record);

 private:
  struct Known {
    config::Json value;
    std::string from;
  };
  [[nodiscard]] static std::string compare(std::map<std::string, Known>& known, const std::string& identity,
                                           const config::Json& value, const std::string& what,
                                           const std::string& from, config::Json& verdict);
  [[nodiscard]] std::string checkCount(const config::SweepPoint& point, const std::string& identity,
                                       const config::Json& count, const std::string& from,
                                       config::Json& verdict);

  std::map<std::string, Known> counts_;
  std::map<std::string, Known> fingerprints_;
  std::map<std::string, Known> nodes_;  ///< of tree searches: a second checksum
};

}  // namespace slicepool::report
