// See slicepool/core/engine.hpp. A run is a sequence of segments: start the workers, wait, stop them; between
// segments every slice is back in the hub and every word is settled, which is what checkpoints rely on.
#include "slicepool/core/engine.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <string>
#include <utility>

#include "runtime/core/engine_impl.hpp"
#include "runtime/core/seeding.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool {
namespace {

constexpr std::size_t kMaximumPoolSamples = 4096;
/// How long the thread that waits for a search on devices does so without sleeping.
constexpr std::chrono::microseconds kAwake{2000};

}  // namespace

Engine::Impl::Impl(const Problem& problem, EngineOptions options, ResultConsumer* consumer)
    : problem_(problem),
      options_(std::move(options)),
      session_(options_.session ? options_.session : Session::ofProcess()),
      consumer_(consumer),
      hub_(problem, options_, consumer,
           session_->impl().pool(problem.sliceBytes(), options_.poolCapacity, options_.poolOrder)) {
  // Without a clock from outside the time of a run is what passes in run() and runFor().
  ownsClock_ = options_.phases == nullptr;
  if (ownsClock_) options_.phases = std::make_shared<PhaseClock>();
  if (ownsClock_) options_.phases->stop();
  if (options_.threads < 0)
    throw ConfigError("threads", std::to_string(options_.threads), "0 (all cores) or more");
  if (problem.resultBytes() != 0 && consumer == nullptr)
    throw Error("a collecting sink needs a ResultConsumer");
  slices_ = problem.roots();
  baseWords_ = problem.words().fresh();
}

void Engine::Impl::runUntil(Clock::time_point deadline) {
  hub_.rethrow();  // of an earlier call: what the worker that failed held is lost
  if (cancelled_.load()) return;
  if (ownsClock_) options_.phases->enter(Phase::start);
  struct Leave {
    Impl& impl;
    ~Leave() {
      if (impl.ownsClock_) impl.options_.phases->stop();
    }
  } const leave{*this};
  prepare();
  bool goesOn = !hub_.finished() && !hub_.decided();
  while (goesOn) {
    goesOn = segment(deadline);
    hub_.rethrow();
  }
  learnRates();
  if (options_.mode == Mode::hybrid && joining_ && !asked_)
    session_->impl().addSecondsWithoutGpus(seconds_ - std::exchange(aloneSeconds_, seconds_));
  if (further_ >= 0) session_->impl().addSecondsWithFewGpus(seconds_ - std::exchange(fewSeconds_, seconds_));
  // The callback of progress learns where the run stopped.
  if (!hub_.finished() && !hub_.decided() && options_.onProgress) options_.onProgress(progress());
  finishFiles();
}

void Engine::Impl::cancel() noexcept {
  cancelled_.store(true);
  hub_.stop();
}

void Engine::Impl::giveUp() noexcept {
  cancelled_.store(true);
  hub_.giveUp();
}

void Engine::Impl::prepare() {
  if (prepared_) return;
  session_->impl().noteRun();
  const auto begin = Clock::now();
  const Mode mode = resolveMode();
  const int threads = this->threads();
  if (!slices_.empty()) makeWorkers(mode, threads);
  for (const auto& worker : workers_)
    for (auto* account : worker->accounts()) accounts_.push_back(account);
  hub_.setAccounts(accounts_);
  hub_.setTotal(problem_.expectedSteps().value_or(estimateTotal()), stepsBefore_);
  seed(mode, threads);
  setupSeconds_ = secondsSince(begin);
  hub_.startClock();
  prepared_.store(true, std::memory_order_release);
}

double Engine::Impl::estimateTotal() const {
  double total = stepsBefore_;
  for (std::size_t at = 0; at < slices_.size(); at += problem_.sliceBytes())
    total += problem_.size(slices_.data() + at);
  return std::isfinite(total) ? total : 0;
}

void Engine::Impl::seed(Mode mode, int threads) {
  const PhaseScope cutting(options_.phases.get(), Phase::cutting);
  splitsAtStart_ = seedSlices(problem_, {mode, threads, drivers_.size(), options_.poolCapacity}, slices_);
  hub_.addOutstanding(slices_.size() / problem_.sliceBytes());
}

bool Engine::Impl::segment(Clock::time_point deadline) {
  const PhaseScope starting(options_.phases.get(), Phase::start);
  const auto begin = Clock::now();
  hub_.begin(options_.phases.get());
  if (cancelled_.load()) hub_.stop();
  // One device takes all that it can hold, the last ones first, as a stack gives them.
  const bool together =
      cpuWorkers_ == nullptr && drivers_.size() == 1 && options_.poolOrder == PoolOrder::lifo;
  std::exception_ptr error;
  bool adopted = false;
  bool started = false;
  bool over = false;
  try {
    hub_.adopt(std::exchange(slices_, {}), together);
    adopted = true;
    for (auto* driver : drivers_) driver->takeFirst(hub_);
    startSaving(begin);
    for (auto& worker : workers_) startDraining(*worker, worker.get() != cpuWorkers_);
    started = true;
    over = supervise(begin, deadline);
  } catch (...) {
    error = std::current_exception();
    // A driver that did not start has what it took first. Slices that nobody has are lost.
    if (!adopted || (!started && !drivers_.empty())) hub_.fail(error);
  }
  if (!over) hub_.stop();
  hub_.askEvery(0);
  for (const auto& worker : draining_) worker.wait();
  draining_.clear();
  enumerationEnd_ = hub_.now();
  seconds_ += std::max(0.0, secondsSince(begin) - hub_.secondsToFirst(begin));
  slices_ = hub_.drainSlices();  // before anything that throws: a checkpoint has them whatever happens
  if (hub_.stepLimitReached()) cancelled_.store(true);
  if (error) {
    if (writing_.valid()) writing_.wait();  // the caller may save by the same name
    std::rethrow_exception(error);
  }
  if (writing_.valid()) {
    const PhaseScope writing(options_.phases.get(), Phase::writing);
    finishWriting();
  }
  if (hub_.finished()) return false;
  // Asked once: a save that fails is a warning where the run goes on, and an error where it does not.
  const bool goesOn = !hub_.decided() && !hub_.failed() && !cancelled_.load() && Clock::now() < deadline;
  afterStop(goesOn);
  return goesOn;
}

void Engine::Impl::startDraining(Worker& worker, bool drivesDevice) {
  ThreadCrew& crew = drivesDevice ? session_->impl().drivers() : session_->impl().helpers();
  draining_.reserve(draining_.size() + 1);  // what has been started is waited for
  draining_.push_back(crew.start([this, &worker] { worker.drain(hub_); }));
}

bool Engine::Impl::supervise(Clock::time_point begin, Clock::time_point deadline) {
  auto nextProgress = begin + options_.progressInterval;
  auto sampleInterval =
      std::chrono::microseconds(options_.timeline || !options_.tracePath.empty() ? 500 : 3'600'000'000LL);
  auto nextSample = begin;
  const double before = hub_.steps();
  bool stopsSoon = false;
  // To wake up takes a tenth of what a short search on a GPU takes. No CPU worker wants this core.
  const auto awake = cpuWorkers_ == nullptr && !drivers_.empty() ? begin + kAwake : begin;
  for (;;) {
    auto until = std::min({deadline, nextProgress, nextSave_, nextSample});
    if (joining_ || further_ >= 0) until = std::min(until, Clock::now() + kLook);
    hub_.lookOutUntil(std::min(until, awake));
    if (hub_.waitUntil(until)) return true;
    const auto now = Clock::now();
    if (joining_)
      joinDevices(begin);
    else if (further_ >= 0)
      askForFurther(begin);
    if (needsCpuWorkers()) return false;
    if (now >= deadline) {
      // A segment takes steps, however short its time: a run that is stopped and resumed for ever would
      // otherwise not come to an end. From here on every worker waits after a transaction.
      if (hub_.steps() > before) return false;
      deadline = Clock::time_point::max();
      stopsSoon = true;
      hub_.askEvery(1);
    }
    if (stopsSoon && hub_.snapshotAsked()) {
      if (hub_.steps() > before) return false;
      hub_.open();
    }
    if (!stopsSoon && (now >= nextSave_ || hub_.snapshotAsked())) saveOnTheWay(begin);
    if (now >= nextSample) {
      poolSamples_.push_back({hub_.elapsed(), hub_.pooled()});
      if (poolSamples_.size() >= kMaximumPoolSamples) thinSamples(sampleInterval);
      nextSample = now + sampleInterval;
    }
    if (now >= nextProgress) {
      if (options_.onProgress) options_.onProgress(progress());
      nextProgress = now + options_.progressInterval;
    }
  }
}

void Engine::Impl::afterStop(bool goesOn) {
  if (needsCpuWorkers()) finishOnCpu();
  // What the worker that failed held is lost: a checkpoint without it would complete with less than the
  // whole. The one before stays.
  if (options_.checkpointPath.empty() || hub_.decided() || hub_.failed() || hub_.givenUp()) return;
  const PhaseScope writing(options_.phases.get(), Phase::writing);
  const auto save = [this] {
    saveCheckpoint(options_.checkpointPath);
    ++checkpoints_;
  };
  if (goesOn)
    (void)intervalSaves_.attempt(save, [this](const std::string& warning) { hub_.warn(warning); });
  else
    save();
}

void Engine::Impl::learnRates() {
  constexpr double kEnough = 1e-3;  // seconds of turns: below that the first ones are much of it
  struct Work {
    double steps = 0;
    double seconds = 0;
  };
  std::map<std::string, Work> kinds;
  for (const auto* account : accounts_) {
    Work& work = kinds[account->kind];
    work.steps += static_cast<double>(account->steps.load());
    work.seconds += static_cast<double>(account->busyNanoseconds.load()) * 1e-9;
  }
  for (const auto& [kind, work] : kinds)
    if (work.steps > 0 && work.seconds > kEnough)
      session_->impl().learnRate(problem_, kind, work.steps / work.seconds);
  // The copies of rows are not in the busy time of a device.
  for (const auto* driver : drivers_)
    if (driver->rowRate() > 0) session_->impl().learnRate(problem_, driver->kind(), driver->rowRate());
}

void Engine::Impl::finishFiles() {
  if (options_.tracePath.empty()) return;
  const PhaseScope writing(options_.phases.get(), Phase::writing);
  TraceFrame frame;
  frame.begin = enumerationBegin();
  frame.end = enumerationEnd_;
  frame.starts = startsOfGpus();
  writeTrace(options_.tracePath, accounts_, poolSamples_, frame);
}

Engine::Engine(const Problem& problem, EngineOptions options, ResultConsumer* consumer)
    : impl_(std::make_unique<Impl>(problem, std::move(options), consumer)) {}
Engine::~Engine() = default;

void Engine::run() { impl_->runUntil(Impl::Clock::time_point::max()); }
void Engine::runFor(std::chrono::nanoseconds duration) { impl_->runUntil(Impl::Clock::now() + duration); }
void Engine::cancel() noexcept { impl_->cancel(); }
void Engine::giveUp() noexcept { impl_->giveUp(); }
bool Engine::finished() const { return impl_->finished(); }
bool Engine::cancelled() const { return impl_->cancelled(); }
Progress Engine::progress() const { return impl_->progress(); }
RunReport Engine::report() const { return impl_->report(); }
void Engine::saveCheckpoint(const std::string& path) const { impl_->saveCheckpoint(path); }
void Engine::loadCheckpoint(const std::string& path) { impl_->loadCheckpoint(path); }
Checkpoint Engine::checkpoint() const { return impl_->checkpoint(); }
void Engine::restore(Checkpoint checkpoint) { impl_->restore(std::move(checkpoint)); }
void Engine::lowerShared(std::uint64_t word) noexcept { impl_->lowerShared(word); }

}  // namespace slicepool
