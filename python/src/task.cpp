// See task.hpp.
#include "task.hpp"

#include <chrono>
#include <utility>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "cpu_workers/core/setup_stop.hpp"
#include "gil.hpp"
#include "runtime/app/report/machine.hpp"
#include "runtime/core/session_impl.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/phases.hpp"

namespace slicepool::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// In the order of the members of slicepool.Progress.
using ProgressTuple = std::tuple<double, std::string, double, double, std::uint64_t, double, double, double,
                                 std::uint64_t, std::uint64_t>;

ProgressTuple tupleOf(const Progress& progress) {
  return {progress.seconds,     phaseName(progress.phase), progress.steps,     progress.totalSteps,
          progress.results,     progress.stepsPerSecond,   progress.doneShare, progress.secondsLeft,
          progress.rowsWritten, progress.rowsToWrite};
}

bool mayUseGpu(Mode mode) { return mode == Mode::gpu || mode == Mode::hybrid || mode == Mode::automatic; }

}  // namespace

RunJob::RunJob(const std::string& document, bool follow, bool recorded)
    : RunJob(config::parseRunConfig(config::parseJson(document, "configuration"), config::Strictness::single),
             follow) {
  recorded_ = recorded;
}

RunJob::RunJob(config::RunConfig config, bool follow) : config_(std::move(config)) {
  if (follow) config_.engine.onProgress = [](const Progress&) {};
}

void RunJob::execute(const report::StopRequest& stop, const report::RunWatcher& watcher) {
  execution_ = report::execute(
      config_, [this](const config::RunConfig& timed) { return prepare(timed); }, stop, watcher);
  // A run that was stopped has a short record, of what it found.
  const SetupGuard guard([&]() -> std::string {
    return finished() && stop.requested() ? "stopped while the answer was taken; nothing was saved" : "";
  });
  if (recorded_) record_ = makeRecord();
  if (finished()) takeAnswer();
}

std::unique_ptr<config::WorkloadRun> RunJob::prepare(const config::RunConfig& config) {
  return config::requireWorkload(config.document).prepare(config, config::Strictness::single);
}

std::string RunJob::savedTo() const {
  return execution_.run == nullptr ? std::string{} : execution_.run->savedTo();
}

std::shared_ptr<const RecordText> RunJob::record() const { return record_ ? record_ : makeRecord(); }

std::shared_ptr<const RecordText> RunJob::makeRecord() const {
  config::Json record = report::makeRecord(config_, *execution_.run, execution_.times);
  record["machine"] = report::machineRecord(mayUseGpu(config_.engine.mode) && startedGpus() != nullptr);
  record["build"] = report::buildRecord();
  return std::make_shared<const RecordText>(std::move(record));
}

Task::~Task() {
  if (inherited()) {  // their ends would wait for threads
    (void)new std::shared_ptr<Job>(std::move(job_));
    (void)new std::shared_ptr<Session>(std::move(session_));
    (void)new std::optional<ThreadCrew::Work>(std::move(work_));
    return;
  }
  cancel();
  if (work_) {
    // The thread that drops a task may hold Python's lock; the work does not need it, but other threads do.
    const GilReleased released;
    work_->wait();
  }
}

void Task::start() {
  if (!work_) work_ = session_->impl().helpers().start([this] { work(); });
}

void Task::work() noexcept {
  std::exception_ptr error;
  try {
    job_->execute(
        stop_, [this](const config::WorkloadRun* run) { watch(run); });
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  watched_ = nullptr;
  error_ = error;
  over_ = true;
  wake_.notify_all();
}

void Task::watch(const config::WorkloadRun* run) {
  const std::lock_guard lock(mutex_);
  if (run == nullptr && watched_ != nullptr) last_ = watched_->progress();
  watched_ = run;
}

void Task::requireOwn() const {
  // Before the mutex, which another thread may have had at the fork.
  if (inherited())
    throw Error("this run belongs to the process that this one was forked from; begin another one here");
}

bool Task::wait(double seconds) {
  requireOwn();
  std::unique_lock lock(mutex_);
  return wake_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return over_; });
}

Progress Task::progress() {
  requireOwn();
  const std::lock_guard lock(mutex_);
  return watched_ == nullptr ? last_ : watched_->progress();
}

void Task::finish() {
  requireOwn();
  if (work_) work_->wait();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void bindTask(nb::module_& module) {
  nb::class_<Job>(module, "Job");
  nb::class_<RunJob, Job>(module, "RunJob")
      .def(nb::init<const std::string&, bool, bool>(), "document"_a, "follow"_a, "recorded"_a = false)
      .def_prop_ro("finished", &RunJob::finished)
      .def_prop_ro("saved_to", &RunJob::savedTo)
      .def(
          "record",
          [](const RunJob& job) {
            const GilReleased released;
            return std::const_pointer_cast<RecordText>(job.record());
          });
  nb::class_<Task>(module, "Task")
      .def(nb::init<std::shared_ptr<Job>, std::shared_ptr<Session>>(), "job"_a, "session"_a.none())
      .def("start", &Task::start)
      .def("wait", &Task::wait, "seconds"_a, nb::call_guard<GilReleased>())
      .def("cancel", &Task::cancel)
      .def_prop_ro("inherited", &Task::inherited)
      .def("progress", [](Task& task) { return tupleOf(task.progress()); })
      .def("finish", &Task::finish, nb::call_guard<GilReleased>());
}

}  // namespace slicepool::python
