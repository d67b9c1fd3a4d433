// See parallel.hpp.
#include "cpu_workers/core/parallel.hpp"

#include <algorithm>

#include "cpu_workers/core/scheduler_start.hpp"
#include "cpu_workers/core/setup_stop.hpp"
#include "cpu_workers/core/thread_limit.hpp"

#ifdef SLICEPOOL_THREAD_ARENA
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#else
#include <mutex>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <thread>
#endif

namespace slicepool {

#ifdef SLICEPOOL_THREAD_ARENA

namespace {

thread_local int arenaThreads = 1;

/// Ranges of one loop, taken by its threads until none is left.
class Ranges {
 public:
  Ranges(std::uint64_t begin, std::uint64_t end, std::uint64_t grain)
      : next_(begin), end_(end), grain_(grain) {}

  void take(const std::function<void(std::uint64_t, std::uint64_t)>& body) {
    try {
      for (;;) {
        const std::uint64_t first = next_.fetch_add(grain_);
        if (first >= end_) return;
        body(first, first + std::min(grain_, end_ - first));
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::atomic<std::uint64_t> next_;
  std::uint64_t end_;
  std::uint64_t grain_;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

void inArena(int threads, const std::function<void()>& work) {
  struct Restore {
    int before = arenaThreads;
    ~Restore() { arenaThreads = before; }
  } const restore;
  requireThreads(threads);
  arenaThreads = std::max(1, threads);
  work();
}

void parallelFor(std::uint64_t begin, std::uint64_t end, std::uint64_t grain,
                 const std::function<void(std::uint64_t, std::uint64_t)>& body) {
  if (begin >= end) return;
  grain = std::max<std::uint64_t>(1, grain);
  const SetupGuard* const guard = SetupGuard::current();
  const auto guarded = [&](std::uint64_t first, std::uint64_t last) {
    if (guard != nullptr) guard->check();
    body(first, last);
  };
  Ranges ranges(begin, end, grain);
  const std::uint64_t pieces = (end - begin - 1) / grain + 1;
  std::vector<std::thread> helpers;
  for (std::uint64_t i = 1; i < std::min(pieces, static_cast<std::uint64_t>(arenaThreads)); ++i)
    helpers.emplace_back([&] { ranges.take(guarded); });
  ranges.take(guarded);
  for (auto& helper : helpers) helper.join();
  ranges.rethrow();
}

#else

void inArena(int threads, const std::function<void()>& work) {
  requireThreads(threads);
  startScheduler();
  // Without this TBB would warn on standard error when there are more threads than cores.
  const int allowed = std::max({1, threads, static_cast<int>(std::thread::hardware_concurrency())});
  // What begins and ends with the scheduler held.
  struct Begun {
    Begun(int most, int wanted)
        : held(changeScheduler()),
          control(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(most)),
          arena(wanted) {
      arena.initialize();
      held.unlock();
    }
    ~Begun() { held.lock(); }
    Begun(const Begun&) = delete;
    Begun& operator=(const Begun&) = delete;
    std::unique_lock<std::mutex> held;  ///< ends last
    oneapi::tbb::global_control control;
    oneapi::tbb::task_arena arena;
  };
  Begun begun(allowed, std::max(1, threads));
  begun.arena.execute(work);
}

void parallelFor(std::uint64_t begin, std::uint64_t end, std::uint64_t grain,
                 const std::function<void(std::uint64_t, std::uint64_t)>& body) {
  if (begin >= end) return;
  const oneapi::tbb::blocked_range<std::uint64_t> all(begin, end, std::max<std::uint64_t>(1, grain));
  const SetupGuard* const guard = SetupGuard::current();
  oneapi::tbb::parallel_for(all, [&](const auto& range) {
    if (guard != nullptr) guard->check();
    body(range.begin(), range.end());
  });
}

#endif

void forEachIndex(int threads, std::uint64_t count, const std::function<void(std::uint64_t)>& work) {
  const auto some = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) work(i);
  };
  if (threads <= 1 || count <= 1) return some(0, count);
  inArena(threads, [&] { parallelFor(0, count, 1, some); });
}

}  // namespace slicepool
