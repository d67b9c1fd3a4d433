// See staged_run.hpp.
#include "runtime/core/staged_run.hpp"

#include <algorithm>
#include <utility>

#include "runtime/core/memory.hpp"

namespace slicepool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kInlineBudget = 1U << 14;  ///< steps between looks at a cancel

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

StagedRun::StagedRun(EngineOptions options) : options_(std::move(options)), lastTold_(Clock::now()) {
  // A checkpoint is the workload's own, at the end of a stage; an engine's would be of one round.
  options_.checkpointPath.clear();
}

RoundEnd StagedRun::round(const Problem& problem, bool small, std::vector<std::uint64_t>& words) {
  if (cancelled()) return RoundEnd::cancelled;
  const bool alone = options_.mode == Mode::cpu && options_.threads == 1;
  if (alone || small) return roundInline(problem, words);
  return roundOnEngine(problem, words);
}

RoundEnd StagedRun::roundInline(const Problem& problem, std::vector<std::uint64_t>& words) {
  const auto begin = Clock::now();
  std::vector<std::byte> slices = problem.roots();
  std::uint64_t shared = problem.sharedStart();
  const SinkMemory memory{words.data(), nullptr, nullptr, 0, &shared};
  std::uint64_t steps = 0;
  std::uint64_t turns = 0;
  for (std::size_t at = 0; at < slices.size(); at += problem.sliceBytes()) {
    Turn turn = Turn::budgetSpent;
    while (turn != Turn::exhausted) {
      if (cancelled()) {
        addInline(steps, turns, secondsSince(begin));
        return RoundEnd::cancelled;
      }
      Budget budget{kInlineBudget};
      turn = problem.advanceFast(slices.data() + at, budget, memory);
      steps += kInlineBudget - budget.left;
      ++turns;
      tellProgress();
    }
  }
  addInline(steps, turns, secondsSince(begin));
  return RoundEnd::complete;
}

RoundEnd StagedRun::roundOnEngine(const Problem& problem, std::vector<std::uint64_t>& words) {
  EngineOptions options = options_;
  if (options.onProgress) {
    options.onProgress = [this](const Progress&) { tellProgress(); };
  }
  Engine engine(problem, std::move(options));
  {
    const std::lock_guard lock(mutex_);
    engine_ = &engine;
    if (cancelled()) engine.cancel();
  }
  struct Leave {
    StagedRun& run;
    ~Leave() {
      const std::lock_guard lock(run.mutex_);
      run.engine_ = nullptr;
    }
  } leave{*this};
  engine.run();
  const RunReport part = engine.report();
  add(part);
  if (!part.complete) return RoundEnd::cancelled;
  mergeWords(problem.words(), words.data(), part.words.data());
  tellProgress();
  return RoundEnd::complete;
}

void StagedRun::cancel() noexcept {
  cancelled_.store(true);
  const std::lock_guard lock(mutex_);
  if (engine_ != nullptr) engine_->cancel();
}

void StagedRun::addInline(std::uint64_t steps, std::uint64_t turns, double seconds) {
  RunReport part;
  part.seconds = seconds;
  part.steps = steps;
  WorkerReport worker;
  worker.name = "cpu0";
  worker.kind = "cpu";
  worker.steps = steps;
  worker.turns = turns;
  worker.busySeconds = seconds;
  part.workers.push_back(std::move(worker));
  add(part);
}

void StagedRun::add(const RunReport& part) {
  const std::lock_guard lock(mutex_);
  total_.seconds += part.seconds;
  total_.setupSeconds += part.setupSeconds;
  total_.steps += part.steps;
  total_.splits += part.splits;
  total_.peakDeviceBytes = std::max(total_.peakDeviceBytes, part.peakDeviceBytes);
  total_.blockSize = std::max(total_.blockSize, part.blockSize);
  total_.gpuBudget = std::max(total_.gpuBudget, part.gpuBudget);
  total_.cpuBudget = std::max(total_.cpuBudget, part.cpuBudget);
  for (const auto& warning : part.warnings) {
    const auto& known = total_.warnings;
    if (std::find(known.begin(), known.end(), warning) == known.end()) total_.warnings.push_back(warning);
  }
  for (const auto& worker : part.workers) {
    const auto [place, isNew] = workers_.emplace(worker.name, total_.workers.size());
    if (isNew) {
      total_.workers.push_back(worker);
      continue;
    }
    auto& sum = total_.workers[place->second];
    sum.steps += worker.steps;
    sum.results += worker.results;
    sum.turns += worker.turns;
    sum.splits += worker.splits;
    sum.busySeconds += worker.busySeconds;
  }
}

void StagedRun::addRound(const WorkerReport& worker, std::size_t deviceBytes) {
  RunReport part;
  part.seconds = worker.busySeconds;
  part.steps = worker.steps;
  part.peakDeviceBytes = deviceBytes;
  part.workers.push_back(worker);
  add(part);
  tellProgress();
}

void StagedRun::warn(const std::string& warning) {
  RunReport part;
  part.warnings.push_back(warning);
  add(part);
}

void StagedRun::addSeconds(double seconds) {
  const std::lock_guard lock(mutex_);
  total_.seconds += seconds;
}

double StagedRun::seconds() const {
  const std::lock_guard lock(mutex_);
  return total_.seconds;
}

RunReport StagedRun::report() const {
  const std::lock_guard lock(mutex_);
  RunReport report = total_;
  for (auto& worker : report.workers) {
    worker.share =
        report.steps != 0 ? static_cast<double>(worker.steps) / static_cast<double>(report.steps) : 0;
  }
  report.peakHostBytes = peakResidentBytes();
  return report;
}

Progress StagedRun::progress() const {
  const std::lock_guard lock(mutex_);
  Progress progress;
  if (engine_ != nullptr) progress = engine_->progress();
  progress.seconds += total_.seconds;
  progress.steps += static_cast<double>(total_.steps);
  progress.totalSteps = 0;
  progress.secondsLeft = -1;
  progress.results = results_.load();
  if (progress.stepsPerSecond <= 0 && progress.seconds > 0)
    progress.stepsPerSecond = progress.steps / progress.seconds;
  return progress;
}

void StagedRun::tellProgress() {
  if (!options_.onProgress || Clock::now() - lastTold_ < options_.progressInterval) return;
  lastTold_ = Clock::now();
  options_.onProgress(progress());
}

}  // namespace slicepool
