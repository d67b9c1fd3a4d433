// See slicepool/core/session.hpp.
#include "slicepool/core/session.hpp"

#include <pthread.h>

#include <algorithm>
#include <string>
#include <utility>

#include "cpu_workers/core/cpu_workers.hpp"
#include "cpu_workers/core/scheduler_start.hpp"
#include "runtime/core/session_impl.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/problem.hpp"

namespace slicepool {
namespace {

constexpr std::size_t kMaximumArenas = 8;  // a sweep over numbers of threads has so many
constexpr std::size_t kMaximumPools = 8;

/// All sessions of the process. Memory of GPUs belongs to the process, so that what may lie unused is what
/// the most generous of them allows.
class LiveSessions {
 public:
  static LiveSessions& instance() {
    static auto* const kInstance = new LiveSessions;  // sessions may end when static objects have
    return *kInstance;
  }

  void add(Session::Impl* session) {
    const std::lock_guard lock(mutex_);
    all_.push_back(session);
    applyLimits();
  }
  void remove(Session::Impl* session) {
    const std::lock_guard lock(mutex_);
    std::erase(all_, session);
    applyLimits();
  }
  void setOfProcess(const Session::Impl* session) {
    const std::lock_guard lock(mutex_);
    ofProcess_ = session;
    applyLimits();
  }
  void dropUnusedGpuMemory() {
    const std::lock_guard lock(mutex_);
    keepGpuMemory(0, 0);
    applyLimits();
  }

 private:
  LiveSessions() {
    guardForks();  // before these, which destroy arenas
    (void)pthread_atfork([] { instance().beforeFork(); }, [] { instance().afterFork(false); },
                         [] { instance().afterFork(true); });
  }

  void applyLimits() const {
    std::size_t device = 0;
    std::size_t host = 0;
    for (const auto* session : all_) {
      if (session == ofProcess_ && all_.size() > 1) continue;
      device = std::max(device, session->options().deviceBytes);
      host = std::max(host, session->options().hostBytes);
    }
    keepGpuMemory(device, host);
  }

  void beforeFork() {
    mutex_.lock();
    for (auto* session : all_) session->beforeFork();
  }
  void afterFork(bool inChild) {
    for (auto* session : all_) session->afterFork(inChild);
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::vector<Session::Impl*> all_;
  const Session::Impl* ofProcess_ = nullptr;
};

}  // namespace

Session::Impl::Impl(const SessionOptions& options) : options_(options) { LiveSessions::instance().add(this); }

Session::Impl::~Impl() { close(); }

void Session::Impl::close() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(closed_, true)) return;
  }
  release();
  LiveSessions::instance().remove(this);
}

template <class T>
std::unique_ptr<T> Session::Impl::take(Shelf<T>& shelf, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto place =
      std::find_if(shelf.rbegin(), shelf.rend(), [&](const auto& kept) { return kept.name == name; });
  if (place == shelf.rend()) return nullptr;
  auto found = std::move(place->thing);
  shelf.erase(std::next(place).base());
  return found;
}

template <class T>
std::shared_ptr<T> Session::Impl::lend(std::unique_ptr<T> thing, const std::string& name) {
  return {thing.release(),
          [owner = weak_from_this(), name](T* back) {
            std::unique_ptr<T> unused(back);
            if (const auto session = owner.lock()) session->takeBack(name, std::move(unused));
          }};
}

std::shared_ptr<CpuArena> Session::Impl::arena(int threads) {
  const std::string name = std::to_string(threads);
  auto arena = take(arenas_, name);
  if (!arena) {
    arena = std::make_unique<CpuArena>(threads);
    const std::lock_guard lock(mutex_);
    ++arenasMade_;
  }
  return lend(std::move(arena), name);
}

std::shared_ptr<DeviceSeat> Session::Impl::seat(const std::string& device, const MakeSeat& make) {
  auto seat = take(seats_, device);
  if (!seat) {
    seat = make();
    if (!seat) return nullptr;
    const std::lock_guard lock(mutex_);
    ++seatsMade_;
  }
  return lend(std::move(seat), device);
}

std::shared_ptr<DeviceSeat> Session::Impl::gpuSeat(int index) {
  return seat(
      "gpu" + std::to_string(index), [index] { return makeGpuSeat(index); });
}

std::shared_ptr<SlabPool> Session::Impl::pool(std::size_t entryBytes, std::size_t capacity, PoolOrder order) {
  const std::string name = std::to_string(entryBytes) + "x" + std::to_string(capacity) +
                           (order == PoolOrder::lifo ? " lifo" : " fifo");
  auto pool = take(pools_, name);
  if (!pool) pool = std::make_unique<SlabPool>(entryBytes, capacity, order);
  return lend(std::move(pool), name);
}

// What is not kept is destroyed after the lock: that may take milliseconds.

void Session::Impl::takeBack(const std::string& name, std::unique_ptr<CpuArena> arena) {
  Kept<CpuArena> dropped{name, std::move(arena)};
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  arenas_.push_back(std::move(dropped));
  if (arenas_.size() <= kMaximumArenas) return;
  dropped = std::move(arenas_.front());
  arenas_.erase(arenas_.begin());
}

void Session::Impl::takeBack(const std::string& name, std::unique_ptr<DeviceSeat> seat) {
  Shelf<DeviceSeat> dropped;
  const bool usable = seat->usable();
  dropped.push_back({name, std::move(seat)});
  const std::lock_guard lock(mutex_);
  if (closed_ || !usable) return;
  seats_.push_back(std::move(dropped.back()));
  dropped.clear();
  while (!seats_.empty() && hostBytes() > options_.hostBytes) {
    dropped.push_back(std::move(seats_.front()));
    seats_.erase(seats_.begin());
  }
}

void Session::Impl::takeBack(const std::string& name, std::unique_ptr<SlabPool> pool) {
  Shelf<SlabPool> dropped;
  const bool usable = pool->approximateSize() == 0;  // an error leaves slices in it
  dropped.push_back({name, std::move(pool)});
  const std::lock_guard lock(mutex_);
  if (closed_ || !usable) return;
  pools_.push_back(std::move(dropped.back()));
  dropped.clear();
  while (pools_.size() > kMaximumPools || (!pools_.empty() && hostBytes() > options_.hostBytes)) {
    dropped.push_back(std::move(pools_.front()));
    pools_.erase(pools_.begin());
  }
}

/// Under the lock.
std::size_t Session::Impl::hostBytes() const {
  std::size_t bytes = 0;
  for (const auto& kept : seats_) bytes += kept.thing->hostBytes();
  for (const auto& kept : pools_) bytes += kept.thing->memoryBytes();
  return bytes;
}

void Session::Impl::noteRun() {
  const std::lock_guard lock(mutex_);
  ++runs_;
}

double Session::Impl::secondsWithoutGpus() const {
  const std::lock_guard lock(mutex_);
  return secondsWithoutGpus_;
}

void Session::Impl::addSecondsWithoutGpus(double seconds) {
  const std::lock_guard lock(mutex_);
  secondsWithoutGpus_ += seconds;
}

double Session::Impl::secondsWithFewGpus() const {
  const std::lock_guard lock(mutex_);
  return secondsWithFewGpus_;
}

void Session::Impl::addSecondsWithFewGpus(double seconds) {
  const std::lock_guard lock(mutex_);
  secondsWithFewGpus_ += seconds;
}

Session::Impl::RateKey Session::Impl::keyOf(const Problem& problem, const std::string& worker) {
  return {problem.type(), problem.places().rowBytes != 0, worker};
}

double Session::Impl::rate(const Problem& problem, const std::string& worker) const {
  const std::lock_guard lock(mutex_);
  const auto found = rates_.find(keyOf(problem, worker));
  return found == rates_.end() ? 0 : found->second;
}

void Session::Impl::learnRate(const Problem& problem, const std::string& worker, double stepsPerSecond) {
  const std::lock_guard lock(mutex_);
  rates_[keyOf(problem, worker)] = stepsPerSecond;
}

void Session::Impl::release() {
  Shelf<CpuArena> arenas;
  Shelf<DeviceSeat> seats;
  Shelf<SlabPool> pools;
  {
    const std::lock_guard lock(mutex_);
    arenas.swap(arenas_);
    seats.swap(seats_);
    pools.swap(pools_);
  }
  drivers_->dismiss();
  arenas.clear();
  seats.clear();
  helpers_->dismiss();
  LiveSessions::instance().dropUnusedGpuMemory();
}

SessionReport Session::Impl::report() const {
  SessionReport report;
  const UnusedGpuMemory memory = unusedGpuMemory();
  const std::lock_guard lock(mutex_);
  report.runs = runs_;
  report.seatsMade = seatsMade_;
  report.arenasMade = arenasMade_;
  report.threadsStarted = drivers_->started() + helpers_->started();
  report.seats = seats_.size();
  report.arenas = arenas_.size();
  report.threads = drivers_->idle() + helpers_->idle();
  report.deviceBytes = memory.deviceBytes;
  report.hostBytes = memory.hostBytes + hostBytes();
  return report;
}

void Session::Impl::beforeFork() {
  mutex_.lock();
  arenas_.clear();  // the last one takes the threads of oneTBB with it, so that a child starts its own
  drivers_->dismiss();
  helpers_->dismiss();
}

void Session::Impl::afterFork(bool inChild) {
  if (inChild) {
    // Threads that were at work are not there, and their locks may be held for ever.
    (void)drivers_.release();
    (void)helpers_.release();
    drivers_ = std::make_unique<ThreadCrew>();
    helpers_ = std::make_unique<ThreadCrew>();
    (void)new Shelf<DeviceSeat>(std::move(seats_));  // of a driver that is not there
    seats_.clear();
  }
  mutex_.unlock();
}

// ---- the public face
// ----------------------------------------------------------------------------------------

Session::Session(const SessionOptions& options) : impl_(std::make_shared<Impl>(options)) {}

Session::~Session() { impl_->close(); }

void Session::close() { impl_->close(); }

void Session::warmUp(Mode mode, int threads, int first, int count) {
  if (threads < 0) throw ConfigError("threads", std::to_string(threads), "0 (all cores) or more");
  const bool needed = mode == Mode::gpu || mode == Mode::hybrid;
  std::vector<int> gpus;
  if (needed || (mode == Mode::automatic && gpusAreLikely())) {
    for (const auto& gpu : needed ? requireGpus().gpus : knownGpus().gpus)
      if (gpu.index >= first && (count == 0 || gpu.index < first + count)) gpus.push_back(gpu.index);
    startGpus(first, count);
    awaitGpuStart();
    std::vector<std::shared_ptr<DeviceSeat>> seats;
    seats.reserve(gpus.size() + 1);
    for (const int gpu : gpus) seats.push_back(impl_->gpuSeat(gpu));
    if (needed && gpus.empty()) seats.push_back(impl_->gpuSeat(first));  // says which there are
  }
  if (mode == Mode::gpu) return;
  const int workers = (threads != 0 ? threads : availableCores()) - static_cast<int>(gpus.size());
  const auto arena = impl_->arena(std::max(1, workers));
  impl_->helpers().start([&] { arena->run([](std::size_t) {}); }).wait();
}

void Session::release() { impl_->release(); }

SessionReport Session::report() const { return impl_->report(); }

const std::shared_ptr<Session>& Session::ofProcess() {
  // Never destroyed: drivers and threads may be gone when static objects are.
  static auto* const kSession = [] {
    auto* const made = new std::shared_ptr<Session>(std::make_shared<Session>());
    LiveSessions::instance().setOfProcess(&(*made)->impl());
    return made;
  }();
  return *kSession;
}

}  // namespace slicepool
