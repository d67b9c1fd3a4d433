// See hub.hpp.
#include "runtime/core/hub.hpp"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

namespace slicepool {
EngineHub::EngineHub(const Problem& problem, const EngineOptions& options, ResultConsumer* consumer,
                     std::shared_ptr<SlabPool> pool)
    : problem_(problem),
      consumer_(consumer),
      tracing_(!options.tracePath.empty() || options.timeline),
      stepLimit_(options.stepLimit),
      longestSleep_(options.longestSleep),
      poolCapacity_(options.poolCapacity),
      pool_(pool ? std::move(pool)
                 : std::make_shared<SlabPool>(problem.sliceBytes(), options.poolCapacity, options.poolOrder)),
      shared_(problem.sharedStart()) {
  setAccounts({});
}

bool EngineHub::take(std::byte* slice) {
  if (!pool_->tryPop(slice) && takeOverflow(slice, 1) == 0) return false;
  noteTake();
  return true;
}

std::size_t EngineHub::takeSome(std::byte* slices, std::size_t maximum) {
  const std::size_t count = pool_->tryPop(slices) ? 1 : takeOverflow(slices, maximum);
  if (count != 0) noteTake();
  return count;
}

void EngineHub::noteTake() {
  if (taken_.load(std::memory_order_relaxed) || taken_.exchange(true)) return;
  firstTake_ = std::chrono::steady_clock::now();
  if (firstTakeAt_.load() == 0) firstTakeAt_.store(now());
  if (clock_ != nullptr) clock_->enter(Phase::search);
}

std::size_t EngineHub::takeBulk(std::byte* slices, std::size_t maximum) {
  std::size_t count = pool_->tryPopBulk(slices, maximum);
  if (count < maximum) count += takeOverflow(slices + count * problem_.sliceBytes(), maximum - count);
  if (count != 0) noteTake();
  return count;
}

std::size_t EngineHub::takeOverflow(std::byte* slices, std::size_t maximum) {
  if (overflowCount_.load() == 0) return 0;
  // Pinned memory takes milliseconds to free: not under the lock.
  std::vector<HeldSlices> emptied;
  const std::lock_guard lock(overflowMutex_);
  const std::size_t bytes = problem_.sliceBytes();
  std::size_t count = std::min(maximum, overflow_.size() / bytes);
  const std::size_t rest = overflow_.size() - count * bytes;
  if (count != 0) std::memcpy(slices, overflow_.data() + rest, count * bytes);
  overflow_.resize(rest);
  while (count < maximum && !parcels_.empty()) {
    HeldSlices part = cutParcel(maximum - count);
    std::memcpy(slices + count * bytes, part.slices, part.count * bytes);
    count += part.count;
    emptied.push_back(std::move(part));
  }
  overflowCount_.fetch_sub(count);
  return count;
}

/// The last slices of the last parcel. Under overflowMutex_.
HeldSlices EngineHub::cutParcel(std::size_t maximum) {
  HeldSlices& parcel = parcels_.back();
  HeldSlices part = parcel;
  part.count = std::min(maximum, parcel.count);
  parcel.count -= part.count;
  part.slices += parcel.count * problem_.sliceBytes();
  if (parcel.count == 0) parcels_.pop_back();
  return part;
}

void EngineHub::putBackParcel(HeldSlices parcel) {
  if (parcel.count == 0) return;
  {
    const std::lock_guard lock(overflowMutex_);
    overflowCount_.fetch_add(parcel.count);
    parcels_.push_back(std::move(parcel));
  }
  wake(true);
}

HeldSlices EngineHub::takeParcel(std::size_t maximum) {
  HeldSlices part;
  if (maximum == 0 || overflowCount_.load() == 0) return part;
  {
    const std::lock_guard lock(overflowMutex_);
    if (parcels_.empty()) return part;
    part = cutParcel(maximum);
    overflowCount_.fetch_sub(part.count);
  }
  noteTake();
  return part;
}

bool EngineHub::give(const std::byte* slice) {
  outstanding_.fetch_add(1);
  if (!pool_->tryPush(slice)) {
    // The caller still holds an outstanding slice, so this cannot be the last one.
    outstanding_.fetch_sub(1);
    return false;
  }
  wake(false);
  return true;
}

void EngineHub::putBack(const std::byte* slices, std::size_t count) {
  const std::size_t bytes = problem_.sliceBytes();
  std::size_t pooled = 0;
  while (pooled < count && pool_->tryPush(slices + pooled * bytes)) ++pooled;
  if (pooled < count) {
    const std::lock_guard lock(overflowMutex_);
    overflow_.insert(overflow_.end(), slices + pooled * bytes, slices + count * bytes);
    overflowCount_.fetch_add(count - pooled);
  }
  wake(count > 1);
}

void EngineHub::putBackTogether(const std::byte* slices, std::size_t count) {
  {
    const std::lock_guard lock(overflowMutex_);
    overflow_.insert(overflow_.end(), slices, slices + count * problem_.sliceBytes());
    overflowCount_.fetch_add(count);
  }
  wake(true);
}

void EngineHub::addOutstanding(std::size_t count) { outstanding_.fetch_add(count); }

void EngineHub::finish(std::size_t count) {
  if (count != 0 && outstanding_.fetch_sub(count) == count) endRun();
}

void EngineHub::endRun() {
  const std::lock_guard lock(mutex_);
  workAvailable_.notify_all();
  over_.notify_all();
}

void EngineHub::wake(bool everyone) {
  if (sleepers_.load() == 0) return;
  const std::lock_guard lock(mutex_);
  if (everyone)
    workAvailable_.notify_all();
  else
    workAvailable_.notify_one();
}

bool EngineHub::waitForWork(bool bulk) {
  std::unique_lock lock(mutex_);
  sleepers_.fetch_add(1);
  if (bulk) bulkSleepers_.fetch_add(1);
  while (pooled() == 0 && outstanding_.load() != 0 && !stopping())
    if (longestSleep_.count() == 0)
      workAvailable_.wait(lock);
    else
      workAvailable_.wait_for(lock, longestSleep_);
  if (bulk) bulkSleepers_.fetch_sub(1);
  sleepers_.fetch_sub(1);
  return outstanding_.load() != 0 && !stopping();
}

void EngineHub::sleepFor(std::chrono::nanoseconds duration) { std::this_thread::sleep_for(duration); }

std::size_t EngineHub::hungryWorkers() const {
  const std::size_t asleep = sleepers_.load(std::memory_order_relaxed);
  const std::size_t bulk = bulkSleepers_.load(std::memory_order_relaxed);
  const std::size_t waiting = pooled();
  return asleep > bulk + waiting ? asleep - bulk - waiting : 0;
}

std::size_t EngineHub::hungryDevices() const { return bulkSleepers_.load(std::memory_order_relaxed); }

void EngineHub::setStarving(bool starving) {
  if (starving)
    starving_.fetch_add(1);
  else
    starving_.fetch_sub(1);
}

void EngineHub::setRecalling(bool recalling) {
  if (recalling)
    recalling_.fetch_add(1);
  else
    recalling_.fetch_sub(1);
}

void EngineHub::setNeedy(bool needy) {
  if (needy)
    needy_.fetch_add(1);
  else
    needy_.fetch_sub(1);
}

bool EngineHub::batchWantsSlices() const {
  return hungryDevices() != 0 || starving_.load(std::memory_order_relaxed) != 0;
}

std::size_t EngineHub::pooled() const { return pool_->approximateSize() + overflowCount_.load(); }

double EngineHub::steps() const {
  double done = doneBefore_;
  for (const auto* account : accounts())
    done += static_cast<double>(account->steps.load(std::memory_order_relaxed));
  return done;
}

// An estimate that the run has passed says nothing about what is left. "Nothing is left" would keep devices
// from taking work, and launches at their shortest, for the rest of the run.
double EngineHub::totalSteps() const { return steps() <= totalSteps_ ? totalSteps_ : 0; }

double EngineHub::remainingSteps() const {
  const double total = totalSteps();
  return total > 0 ? std::max(0.0, total - steps()) : std::nan("");
}

namespace {

/// Steps/s of the workers that are asked for.
template <class Asked>
double rateOf(const std::vector<WorkerAccount*>& accounts, Asked&& asked) {
  double rate = 0;
  for (const auto* account : accounts)
    if (asked(*account)) rate += account->stepsPerSecond.load(std::memory_order_relaxed);
  return rate;
}

bool isCpu(const WorkerAccount& account) { return account.kind == "cpu"; }

}  // namespace

double EngineHub::totalRate() const {
  return rateOf(
      accounts(), [](const WorkerAccount&) { return true; });
}
double EngineHub::cpuRate() const { return rateOf(accounts(), isCpu); }
double EngineHub::batchRate() const {
  return rateOf(
      accounts(), [](const WorkerAccount& account) { return !isCpu(account); });
}

double EngineHub::fastest(const std::string& device) const {
  double rate = 0;
  for (const auto* account : accounts())
    if (!isCpu(*account) && account->device == device)
      rate = std::max(rate, account->stepsPerSecond.load(std::memory_order_relaxed));
  return rate;
}

void EngineHub::tookSteps(std::uint64_t steps) {
  if (stepLimit_ != 0 && stepsTaken_.fetch_add(steps) + steps >= stepLimit_) stop();
}

void EngineHub::decide() {
  decided_.store(true);
  stop();
}

void EngineHub::stop() {
  stopping_.store(true);
  endRun();
}

void EngineHub::warn(const std::string& message) {
  {
    const std::lock_guard lock(noteMutex_);
    warnings_.push_back(message);
  }
  const std::lock_guard lock(mutex_);
  warned_ = true;
  over_.notify_all();
}

std::vector<std::string> EngineHub::warnings() const {
  const std::lock_guard lock(noteMutex_);
  return warnings_;
}

void EngineHub::fail(std::exception_ptr error) {
  {
    const std::lock_guard lock(noteMutex_);
    if (!error_) error_ = error;
  }
  stop();
}

void EngineHub::rethrow() {
  const std::lock_guard lock(noteMutex_);
  if (error_) std::rethrow_exception(error_);
}

bool EngineHub::failed() const {
  const std::lock_guard lock(noteMutex_);
  return error_ != nullptr;
}

void EngineHub::enter() {
  for (;;) {
    inside_.fetch_add(1);
    if (!closed_.load()) return;
    leave();
    std::unique_lock lock(gateMutex_);
    gate_.wait(lock, [&] { return !closed_.load(); });
  }
}

void EngineHub::leave() {
  inside_.fetch_sub(1);
  if (!closed_.load()) return;
  const std::lock_guard lock(gateMutex_);
  gate_.notify_all();
}

void EngineHub::betweenTransactions() {
  const std::uint64_t every = askEvery_.load(std::memory_order_relaxed);
  if (every != 0 && (transactions_.fetch_add(1) + 1) % every == 0) {
    const std::lock_guard lock(gateMutex_);
    if (askEvery_.load() != 0) {
      closed_.store(true);
      const std::lock_guard wakeLock(mutex_);
      snapshotAsked_.store(true);
      over_.notify_all();
    }
  }
  if (!closed_.load()) return;
  leave();
  enter();
}

void EngineHub::close() {
  std::unique_lock lock(gateMutex_);
  closed_.store(true);
  gate_.wait(lock, [&] { return inside_.load() == 0; });
}

void EngineHub::open() {
  const std::lock_guard lock(gateMutex_);
  snapshotAsked_.store(false);
  closed_.store(false);
  gate_.notify_all();
}

void EngineHub::askEvery(std::uint64_t transactions) {
  {
    const std::lock_guard lock(gateMutex_);
    askEvery_.store(transactions);
  }
  if (transactions == 0) open();
}

void EngineHub::appendWaiting(std::vector<std::byte>& slices) {
  pool_->copyTo(slices);
  const std::lock_guard lock(overflowMutex_);
  slices.insert(slices.end(), overflow_.begin(), overflow_.end());
  for (const HeldSlices& parcel : parcels_)
    slices.insert(slices.end(), parcel.slices, parcel.slices + parcel.count * problem_.sliceBytes());
}

void EngineHub::consume(const std::byte* results, std::size_t count) {
  if (consumer_ == nullptr || count == 0) return;
  const std::lock_guard lock(consumerMutex_);
  consumer_->consume(results, count);
  (void)exchangeShared(consumer_->sharedBound());
}

std::uint64_t EngineHub::exchangeShared(std::uint64_t value) {
  std::uint64_t current = shared_.load();
  while (value < current && !shared_.compare_exchange_weak(current, value)) {}
  return std::min(value, current);
}

double EngineHub::secondsToFirst(std::chrono::steady_clock::time_point begin) const {
  return taken_.load() ? std::max(0.0, std::chrono::duration<double>(firstTake_ - begin).count()) : 0;
}

std::int64_t EngineHub::now() const { return at(std::chrono::steady_clock::now()); }

std::int64_t EngineHub::at(std::chrono::steady_clock::time_point moment) const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(moment - start_).count();
}

void EngineHub::lookOutUntil(std::chrono::steady_clock::time_point until) const {
  while (outstanding_.load() != 0 && !stopping() && !snapshotAsked_.load() &&
         std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
}

bool EngineHub::waitUntil(std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(mutex_);
  const auto over = [&] { return outstanding_.load() == 0 || stopping(); };
  over_.wait_until(lock, until, [&] { return over() || snapshotAsked_.load() || warned_; });
  warned_ = false;
  return over();
}

// A resumed run of a device may have hundreds of megabytes of slices: memory that is touched for the first
// time costs more than all else here.
void EngineHub::adopt(std::vector<std::byte> slices, bool together) {
  const std::size_t bytes = problem_.sliceBytes();
  const std::size_t pooled = together ? 0 : std::min(slices.size(), poolCapacity_ * bytes);
  const std::size_t behind = slices.size() - pooled;
  if (behind != 0) {
    const std::lock_guard lock(overflowMutex_);
    const std::vector<std::byte> last(slices.begin() + static_cast<std::ptrdiff_t>(behind), slices.end());
    slices.resize(behind);
    overflowCount_.fetch_add(behind / bytes);
    if (overflow_.empty())
      overflow_ = std::move(slices);
    else
      overflow_.insert(overflow_.end(), slices.begin(), slices.end());
    slices = last;
  }
  putBack(slices.data(), slices.size() / bytes);
}

std::vector<std::byte> EngineHub::drainSlices() {
  taken_.store(true);  // no start of a search
  std::vector<std::byte> slices;
  std::vector<HeldSlices> emptied;  // freed after the lock
  {
    const std::lock_guard lock(overflowMutex_);
    slices = std::exchange(overflow_, {});
    for (const HeldSlices& parcel : parcels_)
      slices.insert(slices.end(), parcel.slices, parcel.slices + parcel.count * problem_.sliceBytes());
    emptied.swap(parcels_);
    overflowCount_.store(0);
  }
  std::vector<std::byte> slice(problem_.sliceBytes());
  while (take(slice.data())) slices.insert(slices.end(), slice.begin(), slice.end());
  return slices;
}

}  // namespace slicepool
