// What an engine says of its run: progress, the merged words, the report.
#include <algorithm>
#include <utility>

#include "runtime/core/engine_impl.hpp"
#include "runtime/core/memory.hpp"
#include "runtime/core/recent_rate.hpp"
#include "slicepool/core/devices.hpp"

namespace slicepool {
namespace {

constexpr std::size_t kTimelineSamples = 200;

/// After the first slice of the run was taken: the enumeration begins there.
std::optional<double> moment(const std::atomic<std::int64_t>& nanoseconds, std::int64_t first) {
  const std::int64_t at = nanoseconds.load();
  return at < 0 ? std::nullopt
                : std::optional(static_cast<double>(std::max<std::int64_t>(0, at - first)) * 1e-9);
}

}  // namespace

bool Engine::Impl::finished() const { return prepared_ ? hub_.finished() : slices_.empty(); }

bool Engine::Impl::cancelled() const { return cancelled_.load(); }

Progress Engine::Impl::progress() const {
  Progress progress;
  const PhaseClock::Reading time = options_.phases->read();
  progress.seconds = time.seconds;
  progress.phase = time.phase;
  progress.steps = stepsBefore_;
  progress.secondsLeft = -1;
  if (!prepared_.load(std::memory_order_acquire)) return progress;
  const std::lock_guard lock(accountsMutex_);
  progress.steps = hub_.steps();
  for (const auto* account : accounts_) progress.results += account->results.load(std::memory_order_relaxed);
  progress.results += baseWords_.at(0);
  progress.stepsPerSecond = hub_.totalRate();
  progress.pooledSlices = hub_.pooled();
  return withTotal(progress, hub_.totalSteps());
}

RunReport Engine::Impl::report() const {
  RunReport report;
  report.complete = finished();
  report.decided = hub_.decided();
  report.words = mergedWords();
  report.seconds = seconds_;
  report.setupSeconds = setupSeconds_;
  report.stepsBefore = static_cast<std::uint64_t>(stepsBefore_);
  report.secondsBefore = secondsBefore_;
  const PhaseClock::Reading time = options_.phases->read();
  report.wallSeconds = time.seconds;
  report.phases = time.phases;
  report.warnings = hub_.warnings();
  report.peakHostBytes = peakResidentBytes();
  report.checkpoints = checkpoints_;
  report.checkpointBytes = checkpointBytes_;
  report.checkpointStallSeconds = checkpointStallSeconds_;
  report.checkpointWriteSeconds = checkpointWriteSeconds_;
  if (options_.mode == Mode::automatic || options_.mode == Mode::hybrid) report.automatic = choice();
  fillWorkers(report);
  for (const auto& worker : workers_) report.peakDeviceBytes += worker->deviceBytes();
  for (const auto* driver : drivers_) report.blockSize = std::max(report.blockSize, driver->blockSize());
  if (options_.timeline) report.timeline = makeTimeline(accounts_, poolSamples_, seconds_, kTimelineSamples);
  return report;
}

void Engine::Impl::thinSamples(std::chrono::microseconds& interval) {
  for (std::size_t i = 0; 2 * i < poolSamples_.size(); ++i) poolSamples_[i] = poolSamples_[2 * i];
  poolSamples_.resize((poolSamples_.size() + 1) / 2);
  interval *= 2;
}

std::vector<std::uint64_t> Engine::Impl::mergedWords() const {
  std::vector<std::uint64_t> words = baseWords_;
  for (const auto& worker : workers_) worker->mergeInto(problem_.words(), words.data());
  return words;
}

std::int64_t Engine::Impl::enumerationBegin() const {
  // A worker may have taken its slice and used it before the one that was first has noted the time.
  std::int64_t first = hub_.firstTakeAt();
  for (const auto* account : accounts_)
    if (const std::int64_t at = account->firstAt.load(); at >= 0) first = std::min(first, at);
  return first;
}

std::vector<TraceStart> Engine::Impl::startsOfGpus() const {
  std::vector<TraceStart> starts;
  if (drivers_.empty() && !joining_ && !asked_) return starts;
  const auto now = Clock::now();
  const auto add = [&](const GpuStartStep& step) {
    starts.push_back({step.what, hub_.at(step.begin), hub_.at(step.end.value_or(now))});
  };
  // What earlier runs of the process have started is not of this one. Its clock is older than the engine, or
  // has stood still between two pieces.
  const auto ofClock = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(options_.phases->read().seconds));
  const auto runBegin = std::min(made_, now - ofClock);
  for (const auto& step : gpuStartSteps())
    if (step.end.value_or(now) >= runBegin) add(step);
  const std::lock_guard lock(devicesMutex_);
  for (const auto& step : devicesMade_) add(step);
  return starts;
}

void Engine::Impl::fillWorkers(RunReport& report) const {
  report.splits = splitsAtStart_;
  const std::int64_t first = enumerationBegin();
  for (const auto* account : accounts_) {
    WorkerReport worker;
    worker.name = account->name;
    worker.kind = account->kind;
    worker.device = account->device;
    worker.steps = account->steps.load();
    worker.results = account->results.load();
    worker.turns = account->turns.load();
    worker.splits = account->splits.load();
    worker.busySeconds = static_cast<double>(account->busyNanoseconds.load()) * 1e-9;
    worker.readySeconds = moment(account->readyAt, first);
    worker.firstSeconds = moment(account->firstAt, first);
    worker.lastSeconds = moment(account->lastAt, first);
    worker.exchangeSeconds = static_cast<double>(account->exchangeNanoseconds.load()) * 1e-9;
    worker.waitingSeconds = static_cast<double>(account->waitingNanoseconds.load()) * 1e-9;
    report.steps += worker.steps;
    report.splits += worker.splits;
    auto& budget = account->kind == "cpu" ? report.cpuBudget : report.gpuBudget;
    budget = std::max(budget, account->budget.load());
    report.workers.push_back(std::move(worker));
  }
  for (auto& worker : report.workers) {
    worker.share =
        report.steps != 0 ? static_cast<double>(worker.steps) / static_cast<double>(report.steps) : 0;
  }
  report.steps += static_cast<std::uint64_t>(stepsBefore_);
}

}  // namespace slicepool
