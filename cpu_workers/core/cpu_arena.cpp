// See cpu_arena.hpp.
#include "cpu_workers/core/cpu_arena.hpp"

// A sanitizer build has an arena of plain threads: oneTBB's own synchronisation is invisible to
// ThreadSanitizer, and its NUMA binding library is loaded in a way that AddressSanitizer refuses.
#ifndef SLICEPOOL_THREAD_ARENA
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#endif

#include <algorithm>
#include <memory>
#include <vector>

#include "cpu_workers/core/cpu_workers.hpp"
#include "cpu_workers/core/scheduler_start.hpp"
#include "cpu_workers/core/thread_crew.hpp"
#include "cpu_workers/core/thread_limit.hpp"

namespace slicepool {
namespace {

/// Waits for all of it, also when the system refuses the next thread: what runs refers to the caller's loop.
struct AllWork {
  AllWork() = default;
  ~AllWork() {
    for (const auto& one : work) one.wait();
  }
  AllWork(const AllWork&) = delete;
  AllWork& operator=(const AllWork&) = delete;
  std::vector<ThreadCrew::Work> work{};
};

}  // namespace

#ifdef SLICEPOOL_THREAD_ARENA

class CpuArena::Impl {
 public:
  explicit Impl(std::size_t threads) : threads_(threads) {}
  [[nodiscard]] std::size_t threads() const { return threads_; }

  void run(const std::function<void(std::size_t)>& loop) {
    AllWork all;
    all.work.reserve(threads_);
    for (std::size_t i = 0; i < threads_; ++i) all.work.push_back(crew_.start([&loop, i] { loop(i); }));
  }

 private:
  std::size_t threads_;
  ThreadCrew crew_;
};

#else

class CpuArena::Impl {
 public:
  explicit Impl(std::size_t threads) : threads_(threads) {
    startScheduler();
    const auto held = changeScheduler();
    const auto limit = enough();  // else oneTBB says on standard error that there are fewer
    using Nodes = std::vector<oneapi::tbb::numa_node_id>;
    const Nodes nodes = machineIsOneNode() ? Nodes{} : oneapi::tbb::info::numa_nodes();
    if (nodes.size() <= 1 || threads < nodes.size()) {
      parts_.push_back(
          std::make_unique<Part>(oneapi::tbb::task_arena(static_cast<int>(threads), 1), 0, threads));
      return;
    }
    // One arena per node, so that a worker and what it first touches stay on one node.
    for (std::size_t node = 0, first = 0; node < nodes.size(); ++node) {
      const std::size_t last = threads * (node + 1) / nodes.size();
      oneapi::tbb::task_arena::constraints constraints;
      constraints.numa_id = nodes[node];
      constraints.max_concurrency = static_cast<int>(last - first);
      parts_.push_back(std::make_unique<Part>(oneapi::tbb::task_arena(constraints, 1), first, last));
      first = last;
    }
  }
  ~Impl() {
    const auto held = changeScheduler();
    parts_.clear();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  [[nodiscard]] std::size_t threads() const { return threads_; }

  void run(const std::function<void(std::size_t)>& loop) {
    const auto limit = enough();
    AllWork others;
    others.work.reserve(parts_.size());
    for (std::size_t part = 1; part < parts_.size(); ++part)
      others.work.push_back(masters_.start([&loop, this, part] { parts_[part]->run(loop); }));
    parts_.front()->run(loop);
  }

 private:
  using Limit = std::unique_ptr<oneapi::tbb::global_control>;
  /// The default limit counts cores; a user may ask for more workers than that. Only then, and only while
  /// they start or run: of several limits the lowest holds, for all arenas of the process.
  [[nodiscard]] Limit enough() const {
    if (threads_ + 1 <= static_cast<std::size_t>(availableCores())) return {};
    return std::make_unique<oneapi::tbb::global_control>(oneapi::tbb::global_control::max_allowed_parallelism,
                                                         threads_ + 1);
  }

  struct Part {
    Part(const oneapi::tbb::task_arena& like, std::size_t from, std::size_t to)
        : arena(like), first(from), last(to) {
      arena.initialize();
    }
    void run(const std::function<void(std::size_t)>& loop) {
      arena.execute([&] {
        oneapi::tbb::task_group group;
        for (std::size_t i = first; i < last; ++i) group.run([&loop, i] { loop(i); });
        group.wait();
      });
    }
    oneapi::tbb::task_arena arena;
    std::size_t first, last;
  };

  std::size_t threads_;
  std::vector<std::unique_ptr<Part>> parts_;
  ThreadCrew masters_;
};

#endif

CpuArena::CpuArena(int threads) {
  requireThreads(threads);
  impl_ = std::make_unique<Impl>(static_cast<std::size_t>(std::max(1, threads)));
}

CpuArena::~CpuArena() = default;

int CpuArena::threads() const { return static_cast<int>(impl_->threads()); }

void CpuArena::run(const std::function<void(std::size_t)>& loop) { impl_->run(loop); }

}  // namespace slicepool
