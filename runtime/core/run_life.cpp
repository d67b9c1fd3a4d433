// See run_life.hpp.
#include "runtime/core/run_life.hpp"

#include <algorithm>
#include <memory>

#include "runtime/cluster/transport.hpp"
#include "runtime/core/checkpoint.hpp"
#include "runtime/core/memory.hpp"
#include "runtime/core/recent_rate.hpp"
#include "runtime/core/report_merge.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/run_handle.hpp"
#include "slicepool/core/session.hpp"

namespace slicepool {

RunHandle::RunHandle(std::unique_ptr<RunLife> life) : life_(std::move(life)) {}
RunHandle::~RunHandle() = default;
void RunHandle::resumeFrom(const std::string& checkpointPath) { life_->resumeFrom(checkpointPath); }
bool RunHandle::resumeIfSaved() { return life_->resumeIfSaved(); }
void RunHandle::keepCheckpoints() noexcept { life_->keepCheckpoints(); }
void RunHandle::removeCheckpoints() noexcept { life_->removeCheckpoints(); }
void RunHandle::run() { life_->run(); }
void RunHandle::cancel() noexcept { life_->cancel(); }
bool RunHandle::finished() const noexcept { return life_->finished(); }
bool RunHandle::stepping() const noexcept { return life_->stepping(); }
Progress RunHandle::progress() const { return life_->progress(); }

// ---- every run ------------------------------------------------------------------------------------------

RunLife::RunLife(EngineOptions options, std::string savers)
    : options_(std::move(options)), savers_(std::move(savers)) {
  if (options_.threads < 0)
    throw ConfigError("threads", std::to_string(options_.threads), "0 (all cores) or more");
  if (options_.phases == nullptr) options_.phases = std::make_shared<PhaseClock>();
  // Also of staged runs, for which it keeps the memory of devices.
  if (options_.session == nullptr) options_.session = Session::ofProcess();
  if (leads()) return;
  guard_.standAside();
  options_.checkpointPath.clear();
  options_.tracePath.clear();
}

bool RunLife::leads() const { return options_.cluster == nullptr || options_.cluster->rank() == 0; }

void RunLife::refuseRanks(const std::string& what, const std::string& accepted) const {
  if (options_.cluster != nullptr) throw ConfigError("--cluster", "several ranks with " + what, accepted);
}

void RunLife::resumeFrom(const std::string& path) {
  if (started_) throw CheckpointError("resume: the enumeration has already run");
  allowResume(path);
  guard_.resume(path, !options_.checkpointPath.empty(), [&] { readCheckpoint(path); });
  resumePath_ = path;
  // Without a path of its own a second interruption would lose what the first one saved.
  if (options_.checkpointPath.empty()) options_.checkpointPath = path;
}

bool RunLife::resumeIfSaved() {
  if (!checkpointIsThere(options_.checkpointPath, savers_)) return false;
  resumeFrom(options_.checkpointPath);
  return true;
}

void RunLife::expectDevices() {
  if (!needsDevices()) return;
  const PhaseScope waiting(&clock(), Phase::devices);
  if (options_.mode == Mode::gpu)
    expectGpus(options_.device.deviceIndex, std::max(1, options_.devices));  // others where it takes long
  else if (!gpusAreLikely())
    (void)requireGpus();
}

void RunLife::awaitDevices() {
  const PhaseScope waiting(&clock(), Phase::devices);
  (void)requireGpus();
}

void RunLife::prepare(std::string identity, std::vector<OutputRole> outputs) {
  outputs.push_back({"trace", options_.tracePath, OutputNeed::text});
  outputs.push_back({"checkpoint", options_.checkpointPath, OutputNeed::checkpoint});
  guard_.claim(std::move(outputs));
  expectDevices();
  limitMemory();
  options_.checkpointIdentity = std::move(identity);
}

void RunLife::limitMemory() { options_.memoryLimit = hostMemoryLimit(options_.memoryLimit); }

void RunLife::refuseInPlace(const std::string& checkpoint) const {
  if (checkpoint.empty() || !guard_.inPlace("output.path")) return;
  throw ConfigError("checkpoint", "\"" + checkpoint + "\" with an output that is written in place",
                    "a checkpoint only with an output that can be continued (a file)");
}

void RunLife::requireRun() const {
  if (!started_) throw Error("outcome: the enumeration has not run");
}

void RunLife::dropCheckpoints() noexcept {
  needsNoCheckpoints_ = true;
  if (!keepsCheckpoints_) removeCheckpoints();
}

void RunLife::removeCheckpoints() const noexcept {
  if (needsNoCheckpoints_) slicepool::removeCheckpoints({options_.checkpointPath, resumePath_});
}

// ---- runs on engines ------------------------------------------------------------------------------------

EngineLife::EngineLife(EngineOptions options, std::string savers)
    : RunLife(std::move(options), std::move(savers)) {
  slot_.useClock(options_);
}

void EngineLife::run() {
  if (started_.exchange(true)) throw Error("an enumeration runs once");
  const ReleaseAtEnd release(guard_);
  execute();
  slot_.finishTimes(report_);
}

void EngineLife::conclude(const std::function<void()>& writeFiles) {
  if (!leads()) return;
  for (const auto& warning : guard_.warnings()) warn(warning);
  if (!report_.complete && !report_.decided) {
    savedTo_ = options_.checkpointPath;
    return;
  }
  finished_ = true;  // progress while files are written is that of a whole search
  try {
    if (writeFiles) {
      const PhaseScope writing(&clock(), Phase::writing);
      writeFiles();
    }
    dropCheckpoints();
  } catch (...) {
    finished_ = false;
    throw;
  }
}

void EngineLife::estimateSteps(std::function<double(const Progress&)> refine) {
  estimates_ = true;
  if (!options_.onProgress) return;
  options_.onProgress = [this, refine = std::move(refine),
                         tell = std::move(options_.onProgress)](const Progress& progress) {
    estimatedSteps_ = refine(progress);
    tell(withEstimate(progress));
  };
}

Progress EngineLife::withEstimate(Progress progress) const {
  if (!estimates_ || finished_) return progress;
  return withTotal(progress, estimatedSteps_);
}

void EngineLife::warn(const std::string& warning) { addWarning(report_, warning); }

ReductionLife::ReductionLife(EngineOptions options, std::unique_ptr<const Problem> problem,
                             std::string identity)
    : EngineLife(std::move(options)), problem_(std::move(problem)) {
  prepare(std::move(identity));
}

void ReductionLife::readCheckpoint(const std::string& path) {
  (void)readCheckpointHeaderOf(path, problem_->workload(), options_.checkpointIdentity);
}

void ReductionLife::execute() {
  report_ = slot_.run(*problem_, options_, nullptr, 1, resumePath_);
  readWords(report_.words);
  conclude();
}

}  // namespace slicepool
