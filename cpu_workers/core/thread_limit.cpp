// See thread_limit.hpp.
#include "cpu_workers/core/thread_limit.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "cpu_workers/core/cpu_workers.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

std::atomic<int> granted{1};

/// Threads that wait for each other's end.
class Trial {
 public:
  ~Trial() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    wake_.notify_all();
    for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
  }

  /// 0, or the error number.
  int add() {
    threads_.reserve(threads_.size() + 1);
    pthread_t thread{};
    const int code = pthread_create(&thread, nullptr, &waitForEnd, this);
    if (code == 0) threads_.push_back(thread);
    return code;
  }
  [[nodiscard]] std::size_t size() const { return threads_.size(); }

 private:
  static void* waitForEnd(void* trial) {
    auto* self = static_cast<Trial*>(trial);
    // The first allocation of a thread takes an arena, which is address space, too.
    ::operator delete(::operator new(kSomeBytes, std::nothrow));
    std::unique_lock lock(self->mutex_);
    self->wake_.wait(lock, [self] { return self->over_; });
    return nullptr;
  }

  static constexpr std::size_t kSomeBytes = 256;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::vector<pthread_t> threads_;
};

bool limited(int resource, rlim_t enough) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 && limit.rlim_cur < enough;
}

}  // namespace

void requireThreads(int threads) {
  constexpr rlim_t kManyProcesses = 8192;
  constexpr int kBeside = 8;  ///< the engine's, a watchdog's and those of outputs come later
  if (threads <= granted.load(std::memory_order_relaxed)) return;
  const bool few = threads <= availableCores() && !limited(RLIMIT_AS, RLIM_INFINITY) &&
                   !limited(RLIMIT_NPROC, kManyProcesses);
  if (few) return;
  Trial trial;
  for (int i = 1; i < threads + kBeside; ++i) {
    if (const int code = trial.add(); code != 0) {
      throw LimitError("threads: " + std::to_string(threads) + " were asked for, the system grants about " +
                       std::to_string(std::max<std::size_t>(trial.size(), kBeside) - kBeside + 1) + " (" +
                       std::generic_category().message(code) +
                       "; a limit of address space, processes or memory); use fewer --threads");
    }
  }
  granted.store(threads, std::memory_order_relaxed);
}

}  // namespace slicepool
