// The registry of workloads for the command and the sweeps: name -> check parameters, run, describe.
// A new workload adds one entry to workloads() and its definitions to configs/schema.json.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/app/config/run_config.hpp"
#include "slicepool/core/engine.hpp"

namespace slicepool::config {

/// One prepared run of any workload. Used from one thread, except cancel() and progress().
class WorkloadRun {
 public:
  virtual ~WorkloadRun() = default;
  virtual void resumeFrom(const std::string& checkpointPath) = 0;
  virtual void run() = 0;
  virtual void cancel() noexcept = 0;
  /// The time limit is over: cancel(), unless the workload has to get ahead first. Any thread; repeated.
  virtual void timeIsOver() noexcept { cancel(); }
  /// Any thread: whether the run is past what it has to repeat of an earlier one. A time limit counts from
  /// there.
  [[nodiscard]] virtual bool stepping() const noexcept { return true; }
  /// After run(): false when it was cancelled before the answer was settled.
  [[nodiscard]] virtual bool finished() const = 0;
  [[nodiscard]] virtual Progress progress() const = 0;
  /// After run(). Called before the two below.
  virtual void collect() = 0;
  [[nodiscard]] virtual const RunReport& report() const = 0;
  /// After collect(): the file that an unfinished run can be resumed from; empty: there is none.
  [[nodiscard]] virtual std::string savedTo() const = 0;
  /// After collect(): the workload's own members of a record (algorithm, count, results of the sink, ..).
  virtual void addToRecord(Json& record) const = 0;
  /// After collect(): name and value of each line of the readable report.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> answerLines() const = 0;
};

struct Workload {
  std::string name;
  std::string summary;  ///< one line for --help and info
  std::string step;     ///< what a step is: a sentence for reports
  /// Checks the workload's parameters and sizes the run. Throws ConfigError, LimitError, DeviceError.
  std::function<std::unique_ptr<WorkloadRun>(const RunConfig&, Strictness)> prepare;
  /// Checks the workload's parameters, and the files they name, without sizing anything. Throws as prepare
  /// does.
  std::function<void(const RunConfig&, Strictness)> check;
  /// The part of a configuration that determines the exact count and fingerprint, whatever the mode or
  /// algorithm.
  std::function<Json(const Json& document)> identity;
  /// True when `count` of this configuration is the size of the whole set (false for early stops).
  std::function<bool(const Json& document)> countsEverything;
};

[[nodiscard]] const std::vector<Workload>& workloads();
[[nodiscard]] std::vector<std::string> workloadNames();
/// The workload that `document` names. Throws ConfigError with field "workload" when it is missing or
/// unknown.
[[nodiscard]] const Workload& requireWorkload(const Json& document);

/// Entry of the factorizations workload (factorizations_run.cpp).
[[nodiscard]] Workload factorizationsWorkload();
/// Entry of the three_in_line workload (three_in_line_run.cpp).
[[nodiscard]] Workload threeInLineWorkload();
/// Entry of the lattice workload (lattice_run.cpp).
[[nodiscard]] Workload latticeWorkload();
/// Entry of the semigroup workload (semigroup_run.cpp).
[[nodiscard]] Workload semigroupWorkload();

}  // namespace slicepool::config
