// See engine_work.hpp.
#include "runtime/cluster/engine_work.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace slicepool::cluster {
namespace {

/// Bytes of results that one commit may carry, about.
constexpr std::size_t kManyResults = 16U << 20;
/// More than any lease has; a duration of nanoseconds must not overflow.
constexpr double kLongest = 1e9;

/// Of the worker that has the most: a GPU that was not ready in time has all of them.
double idleSeconds(const RunReport& report, double seconds) {
  double most = 0;
  for (const auto& worker : report.workers)
    most = std::max(most, seconds - worker.busySeconds - worker.waitingSeconds.value_or(0));
  return most;
}

}  // namespace

EngineWork::EngineWork(const Problem& problem, EngineOptions options, bool collects)
    : problem_(problem), options_(std::move(options)), collects_(collects) {}

EngineWork::~EngineWork() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = leaving_ = true;
    endIfStepped();
  }
  if (thread_.joinable()) thread_.join();
}

void EngineWork::begin(const Checkpoint& parcel, double seconds) {
  if (thread_.joinable()) thread_.join();  // it has told its end
  {
    const std::lock_guard lock(mutex_);
    ending_ = false;
    lowered_.reset();
    done_.reset();
  }
  Checkpoint own = parcel;
  own.workload = problem_.workload();
  own.identity = options_.checkpointIdentity;
  own.sliceBytes = problem_.sliceBytes();
  thread_ = std::thread([this, own = std::move(own), seconds]() mutable { work(std::move(own), seconds); });
}

void EngineWork::work(Checkpoint parcel, double seconds) {
  std::optional<Done> done;
  std::exception_ptr error;
  try {
    done = search(std::move(parcel), seconds);
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  done_ = std::move(done);
  error_ = error;
  changed_.notify_all();
}

EngineWork::Done EngineWork::search(Checkpoint parcel, double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  RawResults results(problem_.resultBytes(), kManyResults, [this] { end(); });
  Engine engine(problem_, options_, collects_ ? &results : nullptr);
  engine.restore(std::move(parcel));
  struct Leave {
    EngineWork& work;
    ~Leave() {
      const std::lock_guard lock(work.mutex_);
      work.engine_ = nullptr;
    }
  } const leave{*this};
  {
    const std::lock_guard lock(mutex_);
    engine_ = &engine;
    if (lowered_) engine.lowerShared(*lowered_);
    endIfStepped();
  }
  const std::chrono::duration<double> length(std::clamp(seconds, 0.0, kLongest));
  do {
    engine.runFor(std::chrono::duration_cast<std::chrono::nanoseconds>(length));
  } while (!engine.finished() && !engine.cancelled() && !engine.report().decided &&
           engine.progress().steps == 0);
  Done done{engine.checkpoint(), engine.report()};
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  done.idle = idleSeconds(done.report, spent.count());
  return done;
}

void EngineWork::end() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  endIfStepped();
}

void EngineWork::endIfStepped() {
  if (!ending_ || engine_ == nullptr) return;
  if (leaving_ || engine_->progress().steps > 0) engine_->cancel();
}

void EngineWork::lower(std::uint64_t word) {
  const std::lock_guard lock(mutex_);
  if (engine_ != nullptr) return engine_->lowerShared(word);
  lowered_ = std::min(word, lowered_.value_or(word));
}

double EngineWork::steps() const {
  const std::lock_guard lock(mutex_);
  return engine_ == nullptr ? 0 : engine_->progress().steps;
}

std::optional<EngineWork::Done> EngineWork::take() {
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  return std::exchange(done_, std::nullopt);
}

void EngineWork::wait(double seconds) {
  std::unique_lock lock(mutex_);
  endIfStepped();
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return done_ || error_; });
}

}  // namespace slicepool::cluster
