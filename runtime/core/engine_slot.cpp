// See engine_slot.hpp.
#include "runtime/core/engine_slot.hpp"

#include <algorithm>
#include <utility>

#include "runtime/cluster/rank_search.hpp"
#include "runtime/core/memory.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

void EngineSlot::useClock(EngineOptions& options) {
  if (options.phases == nullptr) options.phases = std::make_shared<PhaseClock>();
  clock_ = options.phases;
}

void EngineSlot::finishTimes(RunReport& report) const {
  clock_->stop();
  const PhaseClock::Reading time = clock_->read();
  report.wallSeconds = time.seconds;
  report.phases = time.phases;
  report.peakHostBytes = std::max(report.peakHostBytes, peakResidentBytes());
}

template <class Search>
RunReport EngineSlot::drive(Search& search, std::function<void()> cancel, double share,
                            const std::string& resumePath) {
  if (!resumePath.empty()) search.loadCheckpoint(resumePath);
  struct Leave {
    EngineSlot& slot;
    ~Leave() { slot.setCurrent({}, 1); }
  } const leave{*this};
  setCurrent({std::move(cancel), [&search] { return search.progress(); }}, share);
  search.run();
  RunReport report = search.report();
  finishCurrent(report);
  return report;
}

RunReport EngineSlot::run(const Problem& problem, EngineOptions options, ResultConsumer* consumer,
                          double share, const std::string& resumePath) {
  const auto tell = std::move(options.onProgress);
  if (tell) {
    options.onProgress = [&](const Progress& progress) {
      lastTold_ = Clock::now();
      Progress all;
      {
        const std::lock_guard lock(mutex_);
        all = cumulative(progress);
      }
      tell(all);
    };
  }
  const auto interval = options.progressInterval;
  const std::uint64_t stepLimit = options.stepLimit;
  if (stepLimit != 0) options.stepLimit = stepLimit - std::min(stepLimit - 1, stepsTaken_);
  options.phases = clock_;
  const std::string checkpointPath = options.checkpointPath;
  RunReport report;
  if (options.cluster) {
    if (share < 1) throw Error("internal: several ranks, and a part of the work at a time");
    const PhaseScope searching(clock_.get(), Phase::search);
    cluster::RankSearch search(problem, std::move(options), consumer, {.followed = mayBeFollowed_});
    report = drive(
        search, [&search] { search.cancel(); }, share, resumePath);
    followed_ = search.followed();
  } else {
    Engine engine(problem, std::move(options), consumer);
    // Without a checkpoint nothing goes on from here.
    const auto cancel = [&engine, ends = checkpointPath.empty()] {
      ends ? engine.giveUp() : engine.cancel();
    };
    report = drive(engine, cancel, share, resumePath);
    // A cancel before the first turn leaves the engine no segment in which it would have saved.
    if (!checkpointPath.empty() && !report.complete && !report.decided && report.checkpoints == 0) {
      const PhaseScope writing(clock_.get(), Phase::writing);
      engine.saveCheckpoint(checkpointPath);
      report.checkpoints = 1;
    }
  }
  for (const auto& worker : report.workers) stepsTaken_ += worker.steps;
  if (stepLimit != 0 && stepsTaken_ >= stepLimit) cancelled_.store(true);
  // Windows may all be shorter than the interval: then no engine comes to tell anything.
  if (tell && share < 1 && Clock::now() - lastTold_ >= interval) {
    lastTold_ = Clock::now();
    tell(this->progress());
  }
  return report;
}

std::vector<std::string> EngineSlot::leaveOut(const Problem& problem, EngineOptions options) const {
  options.checkpointPath.clear();
  options.onProgress = {};
  cluster::RankSearch search(problem, std::move(options), nullptr,
                             {.followed = mayBeFollowed_, .leftOut = true});
  search.run();
  return search.report().warnings;
}

bool EngineSlot::stepping() const noexcept {
  if (stepping_.load()) return true;
  const std::lock_guard lock(mutex_);
  // Rates are of this run; steps may be those of a checkpoint.
  if (current_.progress && current_.progress().stepsPerSecond > 0) stepping_.store(true);
  return stepping_.load();
}

void EngineSlot::cancel() noexcept {
  cancelled_.store(true);
  const std::lock_guard lock(mutex_);
  if (current_.cancel) current_.cancel();
}

void EngineSlot::setCurrent(Current current, double share) {
  const std::lock_guard lock(mutex_);
  current_ = std::move(current);
  share_ = share;
  if (current_.cancel && cancelled_.load()) current_.cancel();
}

void EngineSlot::finishCurrent(const RunReport& report) {
  const std::lock_guard lock(mutex_);
  current_ = {};
  stepping_.store(true);
  done_.steps += static_cast<double>(report.steps);
  done_.results += report.words.empty() ? 0 : report.words[0];
  // Between two windows the total stays that of all of them.
  done_.totalSteps = std::max({done_.totalSteps, done_.steps, static_cast<double>(report.steps) / share_});
}

void EngineSlot::addDone(std::uint64_t steps, std::uint64_t results) {
  const std::lock_guard lock(mutex_);
  done_.steps += static_cast<double>(steps);
  done_.results += results;
}

Progress EngineSlot::progress() const {
  const std::lock_guard lock(mutex_);
  return current_.progress ? cumulative(current_.progress()) : timed(done_);
}

/// Under the lock: `progress` of the engine of the moment, and all before it.
Progress EngineSlot::cumulative(Progress progress) const {
  if (share_ < 1) progress.totalSteps /= share_;
  progress.steps += done_.steps;
  progress.results += done_.results;
  return timed(progress);
}

/// Under the lock: rates and what is left, by the clock of the run. An engine's own rate, which leaves out
/// whatever happens between engines, is for the first moments.
Progress EngineSlot::timed(Progress progress) const {
  const PhaseClock::Reading time = clock_->read();
  progress.seconds = time.seconds;
  progress.phase = time.phase;
  const double recent = rate_.at(time.seconds, progress.steps);
  if (recent > 0 || !current_.progress) progress.stepsPerSecond = recent;
  return withTotal(progress, progress.totalSteps);
}

}  // namespace slicepool
