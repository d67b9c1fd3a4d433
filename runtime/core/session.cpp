// See slicepool/core/session.hpp.
#include "slicepool/core/session.hpp"

#include <pthread.h>

#include <algorithm>
#include <string>
#include <utility>

#include "cpu_workers/core/cpu_workers.hpp"
#include "runtime/core/session_impl.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

constexpr std::size_t kMostArenas = 8;  // a sweep over numbers of threads has so many

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
  void dropUnusedGpuMemory() {
    const std::lock_guard lock(mutex_);
    keepGpuMemory(0, 0);
    applyLimits();
  }

 private:
  LiveSessions() {
    (void)pthread_atfork([] { instance().beforeFork(); }, [] { instance().afterFork(false); },
                         [] { instance().afterFork(true); });
  }

  void applyLimits() const {
    std::size_t device = 0;
    std::size_t host = 0;
    for (const auto* session : all_) {
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

std::shared_ptr<CpuArena> Session::Impl::arena(int threads) {
  std::unique_ptr<CpuArena> found;
  {
    const std::lock_guard lock(mutex_);
    const auto place = std::find_if(arenas_.rbegin(), arenas_.rend(),
                                    [&](const auto& arena) { return arena->threads() == threads; });
    if (place != arenas_.rend()) {
      found = std::move(*place);
      arenas_.erase(std::next(place).base());
    }
  }
  if (!found) {
    found = std::make_unique<CpuArena>(threads);
    const std::lock_guard lock(mutex_);
    ++arenasMade_;
  }
  return {found.release(), [owner = weak_from_this()](CpuArena* arena) {
            std::unique_ptr<CpuArena> back(arena);
            if (const auto session = owner.lock()) session->takeBack(std::move(back));
          }};
}

void Session::Impl::takeBack(std::unique_ptr<CpuArena> arena) {
  std::unique_ptr<CpuArena> dropped;  // after the lock
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  arenas_.push_back(std::move(arena));
  if (arenas_.size() <= kMostArenas) return;
  dropped = std::move(arenas_.front());
  arenas_.erase(arenas_.begin());
}

std::shared_ptr<DeviceSeat> Session::Impl::seat(const std::string& device, const MakeSeat& make) {
  std::unique_ptr<DeviceSeat> found;
  {
    const std::lock_guard lock(mutex_);
    const auto place =
        std::find_if(seats_.rbegin(), seats_.rend(), [&](const auto& kept) { return kept.device == device; });
    if (place != seats_.rend()) {
      found = std::move(place->seat);
      seats_.erase(std::next(place).base());
    }
  }
  if (!found) {
    found = make();
    if (!found) return nullptr;
    const std::lock_guard lock(mutex_);
    ++seatsMade_;
  }
  return {found.release(), [owner = weak_from_this(), device](DeviceSeat* seat) {
            std::unique_ptr<DeviceSeat> back(seat);
            const auto session = owner.lock();
            if (session && back->usable()) session->takeBack(device, std::move(back));
          }};
}

std::shared_ptr<DeviceSeat> Session::Impl::gpuSeat(int index) {
  return seat(
      "gpu" + std::to_string(index), [index] { return makeGpuSeat(index); });
}

void Session::Impl::takeBack(const std::string& device, std::unique_ptr<DeviceSeat> seat) {
  std::vector<KeptSeat> dropped;  // after the lock
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  seats_.push_back({device, std::move(seat)});
  while (!seats_.empty() && seatBytes() > options_.hostBytes) {
    dropped.push_back(std::move(seats_.front()));
    seats_.erase(seats_.begin());
  }
}

/// Under the lock.
std::size_t Session::Impl::seatBytes() const {
  std::size_t bytes = 0;
  for (const auto& kept : seats_) bytes += kept.seat->hostBytes();
  return bytes;
}

void Session::Impl::noteRun() {
  const std::lock_guard lock(mutex_);
  ++runs_;
}

double Session::Impl::cpuRate(std::type_index problem) const {
  const std::lock_guard lock(mutex_);
  const auto found = cpuRates_.find(problem);
  return found == cpuRates_.end() ? 0 : found->second;
}

void Session::Impl::learnCpuRate(std::type_index problem, double stepsPerSecond) {
  const std::lock_guard lock(mutex_);
  cpuRates_[problem] = stepsPerSecond;
}

void Session::Impl::release() {
  std::vector<std::unique_ptr<CpuArena>> arenas;
  std::vector<KeptSeat> seats;
  {
    const std::lock_guard lock(mutex_);
    arenas.swap(arenas_);
    seats.swap(seats_);
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
  report.hostBytes = memory.hostBytes + seatBytes();
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
    (void)new std::vector<KeptSeat>(std::move(seats_));  // of a driver that is not there
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
  static auto* const kSession = new std::shared_ptr<Session>(std::make_shared<Session>());
  return *kSession;
}

}  // namespace slicepool
