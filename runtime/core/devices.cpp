// The list of GPUs, which the CUDA part of the library provides, and their start in the background.
#include "slicepool/core/devices.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/detail/device_seat.hpp"

namespace slicepool {
namespace {

#ifdef SLICEPOOL_HAVE_CUDA
constexpr const char* kNoProvider =
    "this program has no GPU worker: link slicepool::cuda and call slicepool::registerCudaKernels()";
#else
constexpr const char* kNoProvider = "this build has no CUDA support";
#endif

constexpr const char* kForked =
    "this process was forked from one that had used a GPU, and a driver does not survive that; start "
    "processes "
    "by spawn or forkserver, or fork before the first use of a GPU (CPU workers run here: mode cpu)";

/// The process that asked the driver first; 0: none has.
std::atomic<pid_t> driverOwner{0};

/// A child that has the memory of a process with a driver, but neither its driver nor its threads: a call
/// would fail there, or wait for ever.
bool forkedFromOwner() {
  const pid_t owner = driverOwner.load();
  return owner != 0 && owner != getpid();
}

/// -1: none was hidden.
std::atomic<int> onlyGpuOfUser{-1};

struct GpuRegistry {
  std::mutex mutex;
  GpuProvider provider;
  std::mutex knownMutex;
  GpuList known;
};

GpuRegistry& gpuRegistry() {
  static GpuRegistry instance;  // constructed on first use: registrars run during static initialisation
  return instance;
}

GpuProvider provider() {
  const std::lock_guard lock(gpuRegistry().mutex);
  return gpuRegistry().provider;
}

bool likely(const GpuProvider& known) { return known.list && (!known.likely || known.likely()); }

/// Before every call that may ask the driver: false in a child of the process that asked first. Where there
/// can be no GPU no process becomes that one, so that a child hears the same reason as its parent.
bool ownsDriver() {
  pid_t owner = 0;
  const pid_t self = getpid();
  if (!likely(provider())) return !forkedFromOwner();
  return driverOwner.compare_exchange_strong(owner, self) || owner == self;
}

}  // namespace

void showOnlyGpu(int index) { onlyGpuOfUser = index; }
std::optional<int> onlyGpu() {
  const int index = onlyGpuOfUser.load();
  return index < 0 ? std::nullopt : std::optional(index);
}
int shownGpu(int index) { return index + std::max(0, onlyGpuOfUser.load()); }
bool driverWasAsked() { return driverOwner.load() != 0; }

bool builtWithCuda() { return static_cast<bool>(provider().list); }

GpuList listGpus() {
  const auto list = provider().list;
  if (!list) return {{}, kNoProvider};
  if (!ownsDriver()) return {{}, kForked};
  return list();
}

GpuList knownGpus() {
  if (forkedFromOwner()) return {{}, kForked};  // before the lock, which may have been taken at the fork
  const std::lock_guard lock(gpuRegistry().knownMutex);
  GpuList& known = gpuRegistry().known;
  if (known.gpus.empty()) {
    const auto describe = provider().describe;
    known = describe && ownsDriver() ? describe() : listGpus();
  }
  return known;
}

std::size_t freeGpuBytes(int index) {
  const auto freeBytes = provider().freeBytes;
  return freeBytes && ownsDriver() ? freeBytes(index) : 0;
}

bool gpusAreLikely() { return !forkedFromOwner() && likely(provider()); }

void expectGpus(int first, int count) {
  if (!gpusAreLikely())
    (void)requireGpus();
  else
    startGpus(first, count);
}

// ---- start in the background ------------------------------------------------------------------------------

namespace {

/// The thread that starts the driver and makes contexts, one after the other: drivers do not make two at a
/// time. One for the process; never destroyed, since a process may leave while the driver starts.
class GpuStart {
  using Clock = std::chrono::steady_clock;

 public:
  static GpuStart& instance() {
    static GpuStart* const kInstance = [] {
      // The last resort: handlers that the driver registers while it starts have run by then (awaitGpuStart).
      (void)std::atexit([] { instance().finish(); });
      return new GpuStart;
    }();
    return *kInstance;
  }

  void finish() {
    if (!forkedFromOwner() && thread_.joinable()) thread_.join();
  }

  /// Another driver: what the last one said is of no use.
  void forget() {
    finish();
    const std::lock_guard lock(mutex_);
    asked_ = all_ = false;
    wanted_.clear();
    ready_.clear();
    steps_.clear();
    if (list_) old_.push_back(std::move(list_));
  }

  void begin(int first, int count) {
    if (!ownsDriver()) return;
    const std::lock_guard lock(mutex_);
    bool more = !asked_;
    asked_ = true;
    if (count == 0)
      more = !std::exchange(all_, true) || more;
    else
      for (int index = first; index < first + count; ++index) more = wanted_.insert(index).second || more;
    if (!more || running_) return;
    if (thread_.joinable()) thread_.join();
    running_ = true;
    thread_ = std::thread([this] { run(); });
  }

  [[nodiscard]] const GpuList* list() const {
    if (forkedFromOwner()) return nullptr;
    const std::lock_guard lock(mutex_);
    return list_.get();
  }
  [[nodiscard]] bool ready(int index) const {
    if (forkedFromOwner()) return false;
    const std::lock_guard lock(mutex_);
    return ready_.contains(index);
  }
  [[nodiscard]] bool running() const {
    if (forkedFromOwner()) return false;
    const std::lock_guard lock(mutex_);
    return running_;
  }
  [[nodiscard]] std::vector<GpuStartStep> steps() const {
    if (forkedFromOwner()) return {};
    const std::lock_guard lock(mutex_);
    return steps_;
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    const bool starts = !list_;
    if (starts) steps_.push_back({"driver", Clock::now(), {}});
    lock.unlock();
    auto list = std::make_unique<const GpuList>(knownGpus());
    lock.lock();
    if (starts) steps_.back().end = Clock::now();
    if (!list_ || list_->gpus.empty()) {
      if (list_) old_.push_back(std::move(list_));
      list_ = std::move(list);
    }
    for (int index = next(); index >= 0; index = next()) {
      steps_.push_back({"context of GPU " + std::to_string(shownGpu(index)), Clock::now(), {}});
      lock.unlock();
      try {
        warmUpGpu(index);
      } catch (const std::exception&) {
        // The device that is made there will say what is wrong.
      }
      lock.lock();
      ready_.insert(index);
      steps_.back().end = Clock::now();
    }
    running_ = false;
  }

  /// The next GPU that is asked for and has no context; -1: none.
  [[nodiscard]] int next() const {
    for (const auto& gpu : list_->gpus)
      if ((all_ || wanted_.contains(gpu.index)) && !ready_.contains(gpu.index)) return gpu.index;
    return -1;
  }

  mutable std::mutex mutex_;
  std::thread thread_;
  bool asked_ = false;
  bool running_ = false;
  bool all_ = false;
  std::set<int> wanted_, ready_;
  std::vector<GpuStartStep> steps_;
  std::unique_ptr<const GpuList> list_;
  std::vector<std::unique_ptr<const GpuList>> old_;  ///< a caller may still read them
};

}  // namespace

void registerGpuProvider(GpuProvider provider) {
  if (builtWithCuda()) GpuStart::instance().forget();
  const std::scoped_lock lock(gpuRegistry().mutex, gpuRegistry().knownMutex);
  gpuRegistry().provider = std::move(provider);
  gpuRegistry().known = {};
  driverOwner = 0;
  onlyGpuOfUser = -1;
}

void startGpus(int first, int count) {
  if (gpusAreLikely()) GpuStart::instance().begin(first, count);
}

const GpuList* startedGpus() { return GpuStart::instance().list(); }
bool gpuIsReady(int index) { return GpuStart::instance().ready(index); }
std::vector<GpuStartStep> gpuStartSteps() { return GpuStart::instance().steps(); }
bool gpusAreStarting() { return GpuStart::instance().running(); }
void awaitGpuStart() { GpuStart::instance().finish(); }

void leaveWithoutDriver() noexcept {
  if (!forkedFromOwner()) return;
  const auto leave = [](int status, void*) {
    std::fflush(nullptr);
    _exit(status);
  };
  (void)on_exit(leave, nullptr);
}

GpuList requireGpus() {
  GpuList list = knownGpus();
  if (list.gpus.empty()) throw DeviceError("no usable GPU: " + list.whyNone);
  return list;
}

void warmUpGpu(int index) {
  const auto warmUp = provider().warmUp;
  if (!warmUp) throw DeviceError(std::string("no GPU: ") + kNoProvider);
  if (!ownsDriver()) throw DeviceError(std::string("no usable GPU: ") + kForked);
  warmUp(index);
}

std::unique_ptr<DeviceSeat> makeGpuSeat(int index) {
  const auto makeSeat = provider().makeSeat;
  return makeSeat && ownsDriver() ? makeSeat(index) : nullptr;
}

void keepGpuMemory(std::size_t deviceBytes, std::size_t hostBytes) {
  const auto keepMemory = provider().keepMemory;
  if (keepMemory && !forkedFromOwner()) keepMemory(deviceBytes, hostBytes);
}

UnusedGpuMemory unusedGpuMemory() {
  const auto unusedMemory = provider().unusedMemory;
  return unusedMemory && !forkedFromOwner() ? unusedMemory() : UnusedGpuMemory{};
}

std::shared_ptr<std::byte[]> transferMemory(std::size_t bytes) {
  const auto pinned = provider().transferMemory;
  if (pinned && !knownGpus().gpus.empty()) {
    if (auto memory = pinned(bytes)) return memory;
  }
  return std::shared_ptr<std::byte[]>(new std::byte[bytes]);
}

}  // namespace slicepool
