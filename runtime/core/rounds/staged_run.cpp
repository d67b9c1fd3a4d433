// See staged_run.hpp.
#include "runtime/core/rounds/staged_run.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "cpu_workers/core/cpu_workers.hpp"
#include "cpu_workers/core/parallel.hpp"
#include "runtime/core/memory.hpp"
#include "runtime/core/report_merge.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kInlineBudget = 1U << 14;  ///< steps between looks at a cancel
constexpr std::size_t kPiecesPerThread = 16;       ///< of a parallel round: a late thread costs one of them
constexpr double kMinimumPiece = 16;               ///< steps

/// A slice, cut into pieces of at most `most` steps, in order.
void cut(const Problem& problem, std::vector<std::byte> slice, double most, std::vector<std::byte>& into) {
  std::vector<std::byte> given(slice.size());
  if (problem.size(slice.data()) > most && problem.split(slice.data(), given.data())) {
    cut(problem, std::move(slice), most, into);
    cut(problem, std::move(given), most, into);
  } else {
    into.insert(into.end(), slice.begin(), slice.end());
  }
}

/// Root slices, cut into `wanted` pieces or some more, of nearly equal size.
std::vector<std::byte> pieces(const Problem& problem, std::size_t wanted) {
  const std::vector<std::byte>& roots = problem.roots();
  const auto bytes = static_cast<std::ptrdiff_t>(problem.sliceBytes());
  double total = 0;
  for (auto root = roots.begin(); root != roots.end(); root += bytes) total += problem.size(&*root);
  const double most = std::max(kMinimumPiece, total / static_cast<double>(wanted));
  std::vector<std::byte> slices;
  for (auto root = roots.begin(); root != roots.end(); root += bytes)
    cut(problem, {root, root + bytes}, most, slices);
  return slices;
}

}  // namespace

StagedRun::StagedRun(EngineOptions options) : options_(std::move(options)), lastTold_(Clock::now()) {
  if (options_.phases == nullptr) options_.phases = std::make_shared<PhaseClock>();
}

RoundEnd StagedRun::round(const Problem& problem, bool small, std::vector<std::uint64_t>& words) {
  if (cancelled()) return RoundEnd::cancelled;
  const int threads = options_.threads > 0 ? options_.threads : availableCores();
  return small || threads == 1 ? roundInline(problem, words) : roundInParallel(problem, threads, words);
}

/// What one thread of a round has done.
struct StagedRun::Share {
  std::vector<std::uint64_t> words;
  std::uint64_t steps = 0;
  std::uint64_t turns = 0;
  double seconds = 0;
  bool tells = false;  ///< the calling thread, which may call onProgress
};

/// Advances a slice to its end; false when it was cancelled before.
bool StagedRun::finish(const Problem& problem, std::byte* slice, Share& share) {
  const std::uint64_t granted = options_.cpuBudget != 0 ? options_.cpuBudget : kInlineBudget;
  std::uint64_t shared = problem.sharedStart();
  const SinkMemory memory{share.words.data(), nullptr, nullptr, 0, &shared};
  Turn turn = Turn::budgetSpent;
  while (turn != Turn::exhausted) {
    if (cancelled()) return false;
    Budget budget{granted};
    turn = problem.advanceFast(slice, budget, memory);
    share.steps += granted - budget.left;
    if (!replaying()) stepsOfRound_.fetch_add(granted - budget.left, std::memory_order_relaxed);
    ++share.turns;
    countSteps(granted - budget.left);
    if (share.tells) tellProgress();
  }
  return true;
}

RoundEnd StagedRun::roundInline(const Problem& problem, std::vector<std::uint64_t>& words) {
  const auto begin = Clock::now();
  std::vector<Share> shares(1);
  shares[0].words = words;
  shares[0].tells = true;
  std::vector<std::byte> slices = problem.roots();
  bool whole = true;
  for (std::size_t at = 0; whole && at < slices.size(); at += problem.sliceBytes())
    whole = finish(problem, slices.data() + at, shares[0]);
  words = shares[0].words;
  shares[0].seconds = secondsSince(begin);
  addShares(shares, shares[0].seconds);
  return whole ? RoundEnd::complete : RoundEnd::cancelled;
}

RoundEnd StagedRun::roundInParallel(const Problem& problem, int threads, std::vector<std::uint64_t>& words) {
  const auto begin = Clock::now();
  std::vector<std::byte> slices = pieces(problem, kPiecesPerThread * static_cast<std::size_t>(threads));
  const std::size_t count = slices.size() / problem.sliceBytes();
  std::vector<Share> shares(static_cast<std::size_t>(threads));
  std::atomic<std::size_t> next{0};
  std::atomic<bool> whole{true};
  const auto caller = std::this_thread::get_id();
  forEachIndex(threads, shares.size(), [&](std::uint64_t i) {
    const auto shareBegin = Clock::now();
    Share& share = shares[i];
    share.words = problem.words().fresh();
    share.tells = std::this_thread::get_id() == caller;
    for (std::size_t piece = next++; piece < count; piece = next++)
      if (!finish(problem, slices.data() + piece * problem.sliceBytes(), share)) whole = false;
    share.seconds = secondsSince(shareBegin);
  });
  for (const auto& share : shares) mergeWords(problem.words(), words.data(), share.words.data());
  addShares(shares, secondsSince(begin));
  return whole ? RoundEnd::complete : RoundEnd::cancelled;
}

void StagedRun::countSteps(std::uint64_t steps) {
  const std::uint64_t limit = options_.stepLimit;
  if (limit == 0 || replaying() || stepsTaken_.fetch_add(steps) + steps < limit) return;
  onStepLimit_ ? onStepLimit_() : cancel();
}

void StagedRun::cancel() noexcept { cancelled_.store(true); }

void StagedRun::addShares(const std::vector<Share>& shares, double seconds) {
  RunReport part;
  part.seconds = seconds;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    part.steps += shares[i].steps;
    WorkerReport worker;
    worker.name = "cpu" + std::to_string(i);
    worker.kind = "cpu";
    worker.steps = shares[i].steps;
    worker.turns = shares[i].turns;
    worker.busySeconds = shares[i].turns == 0 ? 0 : shares[i].seconds;
    part.workers.push_back(std::move(worker));
  }
  add(part);
}

void StagedRun::add(const RunReport& part) {
  const std::lock_guard lock(mutex_);
  if (replaying()) {
    total_.setupSeconds += part.seconds;
    total_.peakDeviceBytes = std::max(total_.peakDeviceBytes, part.peakDeviceBytes);
    for (const auto& warning : part.warnings) addWarning(total_, warning);
    return;
  }
  RunReport timed = part;
  for (auto& worker : timed.workers)
    if (worker.turns != 0) noteTurn(worker, 0, part.seconds);
  addReport(total_, timed);
  stepsOfRound_.store(0, std::memory_order_relaxed);
}

void StagedRun::addRound(const WorkerReport& worker, double seconds, std::size_t deviceBytes) {
  RunReport part;
  part.seconds = seconds;
  part.steps = worker.steps;
  part.peakDeviceBytes = deviceBytes;
  part.workers.push_back(worker);
  add(part);
  countSteps(worker.steps);
  tellProgress();
}

void StagedRun::warn(const std::string& warning) {
  const std::lock_guard lock(mutex_);
  addWarning(total_, warning);
}

void StagedRun::setChoice(AutomaticChoice choice) {
  const std::lock_guard lock(mutex_);
  total_.automatic = std::move(choice);
}

void StagedRun::addSeconds(double seconds) {
  const std::lock_guard lock(mutex_);
  (replaying() ? total_.setupSeconds : total_.seconds) += seconds;
}

void StagedRun::addThreadSeconds(double seconds) {
  addSeconds(seconds);
  const std::lock_guard lock(mutex_);
  if (!replaying()) threadSeconds_ += seconds;
}

void StagedRun::addExchange(const std::string& worker, double seconds) {
  addSeconds(seconds);
  const std::lock_guard lock(mutex_);
  if (!replaying()) exchange_[worker] += seconds;
}

void StagedRun::setReady(const std::string& worker) {
  const std::lock_guard lock(mutex_);
  ready_[worker] = total_.seconds;
}

void StagedRun::addBefore(double seconds, std::uint64_t steps) {
  const std::lock_guard lock(mutex_);
  total_.secondsBefore += seconds;
  total_.stepsBefore += steps;
}

double StagedRun::seconds() const {
  const std::lock_guard lock(mutex_);
  return total_.secondsBefore + total_.seconds;
}

std::uint64_t StagedRun::steps() const {
  const std::lock_guard lock(mutex_);
  return total_.stepsBefore + total_.steps;
}

RunReport StagedRun::report() const {
  const std::lock_guard lock(mutex_);
  RunReport report = total_;
  computeShares(report);
  for (auto& worker : report.workers) {
    const auto ready = ready_.find(worker.name);
    worker.readySeconds = ready == ready_.end() ? 0 : ready->second;
    if (worker.name == "cpu0") worker.busySeconds += threadSeconds_;
    const auto exchange = exchange_.find(worker.name);
    if (exchange != exchange_.end()) worker.exchangeSeconds = exchange->second;
  }
  computeWaiting(report, report.seconds);
  report.steps += report.stepsBefore;
  report.peakHostBytes = peakResidentBytes();
  const PhaseClock::Reading time = options_.phases->read();
  report.wallSeconds = time.seconds;
  report.phases = time.phases;
  return report;
}

Progress StagedRun::progress() const {
  const std::lock_guard lock(mutex_);
  Progress progress;
  const PhaseClock::Reading time = options_.phases->read();
  progress.seconds = time.seconds;
  progress.phase = time.phase;
  progress.steps =
      static_cast<double>(total_.stepsBefore + total_.steps + stepsOfRound_.load(std::memory_order_relaxed));
  progress.stepsPerSecond = rate_.at(time.seconds, progress.steps);
  progress.secondsLeft = -1;
  progress.results = results_.load();
  return progress;
}

void StagedRun::tellProgress() {
  if (!options_.onProgress || Clock::now() - lastTold_ < options_.progressInterval) return;
  lastTold_ = Clock::now();
  options_.onProgress(progress());
}

}  // namespace slicepool
