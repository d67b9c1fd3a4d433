// Work in a thread of its own, so that the thread that asked for it can look for signals. A Job is what is
// done, a Task does it once. Made by the functions of the Python package, which wait for it.
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <nanobind/nanobind.h>

#include "cpu_workers/core/thread_crew.hpp"
#include "record_text.hpp"
#include "runtime/app/config/run_config.hpp"
#include "runtime/app/report/execute.hpp"
#include "slicepool/core/session.hpp"

namespace slicepool::python {

class Job {
 public:
  Job() = default;
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  /// On the thread of the task, which holds no lock of Python. Throws what the work throws, SetupStopped
  /// when `stop` came before a search began.
  virtual void execute(const report::StopRequest& stop, const report::RunWatcher& watcher) = 0;
  /// Before execute(): the session of what it runs. Null: that of the process.
  virtual void use(std::shared_ptr<Session> session) { (void)session; }
};

/// One run of the library, from the JSON document of a run. After execute() it has the answer.
class RunJob : public Job {
 public:
  /// Throws ConfigError. `follow`: progress will be asked for, so that its size is estimated. `recorded`: the
  /// record will be asked for; it is made in execute(), where a stop ends it, as one with a large list takes
  /// long.
  RunJob(const std::string& document, bool follow, bool recorded = false);
  /// The same, checked by the caller.
  RunJob(config::RunConfig config, bool follow);
  void execute(const report::StopRequest& stop, const report::RunWatcher& watcher) override;
  void use(std::shared_ptr<Session> session) override { config_.engine.session = std::move(session); }

  [[nodiscard]] bool finished() const { return execution_.run != nullptr && execution_.run->finished(); }
  [[nodiscard]] std::string savedTo() const;
  /// The record of the run, as `slicepool --json` prints it.
  [[nodiscard]] std::shared_ptr<const RecordText> record() const;

 protected:
  /// Of the registered workload; derived jobs make a run whose answer they keep.
  [[nodiscard]] virtual std::unique_ptr<config::WorkloadRun> prepare(const config::RunConfig& config);
  /// After a finished run: what takes long with a large answer. Calls checkSetup() between its parts, which
  /// throws SetupStopped when the job is to stop.
  virtual void takeAnswer() {}

  config::RunConfig config_;
  report::Execution execution_;

 private:
  [[nodiscard]] std::shared_ptr<const RecordText> makeRecord() const;

  bool recorded_ = false;
  std::shared_ptr<const RecordText> record_;  ///< if it was made in execute()
};

class Task {
 public:
  /// `session`: null: that of the process.
  Task(std::shared_ptr<Job> job, std::shared_ptr<Session> session)
      : job_(std::move(job)), session_(session ? std::move(session) : Session::ofProcess()) {
    job_->use(session_);
  }
  /// Cancels and waits for the end.
  ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  /// Throws std::system_error when the system refuses a thread.
  void start();
  /// Waits `seconds` at most. Returns whether the work has ended.
  [[nodiscard]] bool wait(double seconds);
  /// Any thread, at any time: the work ends soon.
  void cancel() noexcept { stop_.request(); }
  /// All zeros until a search has begun, and the last one after its end.
  [[nodiscard]] Progress progress();
  /// Waits for the end and throws what the work threw.
  void finish();
  /// Whether this process was forked from the one that began the work, of which it has no thread. Then there
  /// is nothing to wait for: the others throw Error, and the end of the task leaves everything as it is.
  [[nodiscard]] bool inherited() const { return process_ != getpid(); }

 private:
  void work() noexcept;
  void requireOwn() const;
  void watch(const config::WorkloadRun* run);

  pid_t process_ = getpid();
  std::shared_ptr<Job> job_;
  std::shared_ptr<Session> session_;
  report::StopRequest stop_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::exception_ptr error_;
  const config::WorkloadRun* watched_ = nullptr;
  Progress last_{};
  std::optional<ThreadCrew::Work> work_;  ///< once started
};

void bindTask(nanobind::module_& module);

}  // namespace slicepool::python
