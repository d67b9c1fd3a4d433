// The one registration of a workload: what the command, configurations, sweeps, reports and the tables of the
// docs know of it. Every folder runtime/<w>/ with a front.cpp defines `config::Front
// slicepool::<w>::front()`; CMake finds it (cmake/SlicepoolRegistration.cmake), so that nothing else names
// the workload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/app/config/answers.hpp"
#include "runtime/app/config/parameter.hpp"
#include "runtime/app/config/run_config.hpp"
#include "runtime/app/config/shard_rule.hpp"
#include "slicepool/core/engine.hpp"

namespace slicepool::config {

/// Results as a matrix in memory, row after row: unsigned integers, little-endian.
struct RowsInMemory {
  const std::byte* data = nullptr;
  std::uint64_t rows = 0;
  unsigned columns = 0;
  unsigned elementBytes = 1;  ///< 1, 2, 4 or 8
  [[nodiscard]] std::size_t bytes() const { return std::size_t{rows} * columns * elementBytes; }
};

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
  /// Of a complete run whose configuration keeps them.
  virtual void removeCheckpoints() noexcept {}
  /// After run(). Called before the two below.
  virtual void collect() = 0;
  [[nodiscard]] virtual const RunReport& report() const = 0;
  /// After collect(): the file that an unfinished run can be resumed from; empty: there is none.
  [[nodiscard]] virtual std::string savedTo() const = 0;
  /// After collect(), of an unfinished run for which savedTo() is empty: what there is, and how the next run
  /// can do better. Part of a sentence, "stopped by a signal before the end; ..".
  [[nodiscard]] virtual std::string leftBehind() const {
    return "the figures are partial and nothing was saved";
  }
  /// After collect(): what was found and how (algorithm, count, results of the sink, ..).
  [[nodiscard]] virtual Answers answers() const = 0;
  /// Whether rows() will have the results: asked before run().
  [[nodiscard]] virtual bool keepsRows() const noexcept { return false; }
  /// After collect(), of a finished run that keeps them; they live as long as it.
  [[nodiscard]] virtual RowsInMemory rows() const { return {}; }
};

/// An optional library that a workload uses, for `slicepool info`.
struct LibraryUse {
  std::string library;  ///< "fplll": a member of the build record
  std::string use;      ///< what is missing without it
};

/// A time that records of a workload have beside those of every run. Sweeps show its median, and compare it
/// with the figures of the same name in "published" and "reference".
struct ExtraTime {
  std::string member;  ///< "table_seconds"
  std::string column;  ///< of the summary: "table"
  std::string title;   ///< of the page: "table fill"
  std::string
      names;  ///< what the names of figures in "published" and "reference" say: "how the table was filled"
};

/// Records in which this member is true have an answer without an enumeration: a rate of steps says nothing.
struct Shortcut {
  std::string member{};  ///< "counted_by_table"; empty: there is none
  std::string text{};    ///< instead of the rate: "by table"
};

/// Where records of shards stand for themselves, without a plan.
struct RecordMerge {
  std::string format{};  ///< the member "format" of such a record; empty: there are none
  struct Request {
    std::vector<std::string> paths;
    std::string outputPath;  ///< empty: none
    std::string recordPath;  ///< of the whole search; empty: none
    bool json = false;       ///< the answers go to standard output as one JSON object
  };
  /// Adds them up and writes what was asked for. Throws ConfigError that names the file.
  std::function<Answers(const Request&)> merge{};
};

struct Front {
  std::string name;       ///< in configurations: lower case and underscores
  std::string command{};  ///< of `slicepool`; empty: the name, with hyphens
  std::string title;      ///< what the command does: one sentence for --help
  std::string summary;    ///< one line for `info`
  std::string step;       ///< what a step is: a sentence for reports

  std::vector<Parameter> parameters;  ///< without those of parameter.hpp; members of "output" are among them
  std::string outputs{};              ///< what "output" is, for error messages; needed if it has members
  /// Members of "engine", and "trace", that the workload does not use: given to it, they are errors.
  std::vector<std::string> unused{};
  std::string checkpointDefault{};      ///< where checkpoints go without --checkpoint; empty: nowhere
  std::string notes{};                  ///< of --help, before the examples
  std::vector<std::string> examples{};  ///< command lines without "slicepool COMMAND"
  std::string firstExample{};           ///< for `slicepool --help`; empty: none
  std::vector<LibraryUse> libraries{};
  std::vector<ExtraTime> times{};
  Shortcut shortcut{};

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
  /// How plans cut the search, or why they do not.
  ShardRule shards{};
  /// Records of a search that users make without a plan, and `slicepool merge` adds up.
  RecordMerge records{};
};

/// The name of the workload's subcommand.
[[nodiscard]] std::string commandName(const Front& front);
/// Whether the workload uses this member of "engine", or "trace".
[[nodiscard]] bool uses(const Front& front, const Parameter& parameter);
/// What `document` asks, for a point that no axis or row labels: the parameters that have a `label`.
[[nodiscard]] std::string problemLabel(const Front& front, const Json& document);
/// A value in a label: texts without quotes, lists joined by commas.
[[nodiscard]] std::string labelValue(const Json& value);
/// The front's own parameter, or one of parameter.hpp; null: there is none.
[[nodiscard]] const Parameter* findParameter(const Front& front, const std::string& member);

}  // namespace slicepool::config
