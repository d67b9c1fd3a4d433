// See block_step.hpp.
#include "runtime/reduce/block_step.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <numeric>

#include "runtime/core/report_merge.hpp"
#include "runtime/core/session_impl.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool::reduce {
namespace {

using Clock = std::chrono::steady_clock;

struct Task {
  std::size_t block = 0;
  int trial = 0;
};

double expectedNodesOf(const lattice::ProblemSpec& spec) {
  constexpr std::size_t kCells = 64;  // an order of magnitude is enough
  const std::vector<double> levels = lattice::expectedNodes(spec, kCells);
  return std::accumulate(levels.begin(), levels.end(), 0.0);
}

class Step {
 public:
  Step(std::vector<std::unique_ptr<BlockSearch>>& blocks, const StepSettings& settings,
       const StopRequest& stop, std::vector<WorkerReport>& workers)
      : blocks_(blocks), settings_(settings), stop_(stop), workers_(workers), results_(blocks.size()) {
    for (std::size_t i = 0; i < blocks.size(); ++i)
      for (int trial = 0; trial < blocks[i]->trials(); ++trial) tasks_.push_back({i, trial});
    left_ = tasks_.size();
    // Those that take longest first.
    std::stable_sort(tasks_.begin(), tasks_.end(), [&](const Task& a, const Task& b) {
      return blocks_[a.block]->size() > blocks_[b.block]->size();
    });
  }

  std::vector<BlockResult> run(StepRecord& record) {
    Session::Impl& session = settings_.session->impl();
    {
      std::vector<ThreadCrew::Work> device;
      const struct Close {
        Step& step;
        std::vector<ThreadCrew::Work>& device;
        ~Close() {
          step.close();
          for (const auto& one : device) one.wait();
        }
      } closing{*this, device};
      if (settings_.device != nullptr) device.push_back(session.drivers().start([this] { driveDevice(); }));
      inParallel(session, tasks_.size(), [this](std::size_t worker) { work(worker); });
      searchTogether();
    }
    if (left_ != 0) stopped_ = true;
    if (!stopped_) inParallel(session, blocks_.size(), [this](std::size_t) { finishBlocks(); });
    account(record);
    if (error_) std::rethrow_exception(error_);
    if (stopped_) results_.clear();
    return std::move(results_);
  }

 private:
  template <class Loop>
  void inParallel(Session::Impl& session, std::size_t tasks, const Loop& loop) {
    if (tasks <= 1 || settings_.threads <= 1)
      loop(0);
    else
      session.arena(settings_.threads)->run(loop);
  }

  /// One thread of the arena; throws nothing.
  void work(std::size_t worker) {
    const double begin = secondsSince(settings_.begun);
    WorkerReport& report = workers_[worker];
    const std::uint64_t before = report.turns;
    report.readySeconds = 0;
    for (std::size_t next = next_++; next < tasks_.size() && !stopping(); next = next_++) {
      try {
        make(tasks_[next], report);
        ++report.turns;
      } catch (...) {
        fail(std::current_exception());
      }
    }
    const double end = secondsSince(settings_.begun);
    report.busySeconds += end - begin;
    if (report.turns != before) noteTurn(report, begin, end);
  }

  void make(const Task& task, WorkerReport& report) {
    BlockSearch& block = *blocks_[task.block];
    const StopRequest stop = [this] { return stopping(); };
    if (!block.reduce(task.trial, stop)) return halt();
    if (block.isPruned() && enqueued(task, block)) return;
    const bool complete = block.search(task.trial, stop);
    report.steps += block.record(task.trial).nodes;
    if (!complete) return halt();
    end();
  }

  /// Whether the tree is left to a device, or to all cores.
  bool enqueued(const Task& task, const BlockSearch& block) {
    if (settings_.device == nullptr && settings_.cores == nullptr) return false;
    const double nodes = expectedNodesOf(block.specOf(task.trial));
    const std::lock_guard lock(mutex_);
    if (settings_.device != nullptr && nodes >= settings_.deviceNodes) {
      queue_.push_back(task);
      changed_.notify_all();
      return true;
    }
    if (settings_.cores == nullptr || nodes < settings_.sharedNodes) return false;
    shared_.push_back(task);
    return true;
  }

  void end() {
    const std::lock_guard lock(mutex_);
    --left_;
  }

  /// By the thread that runs the step, after those of the arena: large trees, each by all cores.
  void searchTogether() {
    try {
      for (const Task& task : shared_) {
        if (stopping()) return halt();
        if (!searchByEngine(*settings_.cores, task, sharedSeconds_)) return halt();
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }

  bool searchByEngine(EngineSearch& engine, const Task& task, double& seconds) {
    BlockSearch& block = *blocks_[task.block];
    const EngineSearchResult result = engine.search(block.specOf(task.trial), [this] { return stopping(); });
    block.record(task.trial).nodes = result.nodes;
    seconds += result.seconds;
    if (!result.complete) return false;
    for (const auto& coefficients : result.coefficients) block.offer(task.trial, coefficients);
    end();
    return true;
  }

  /// One thread of the arena; throws nothing.
  void finishBlocks() {
    try {
      for (std::size_t next = nextBlock_++; next < blocks_.size(); next = nextBlock_++) {
        const BlockSearch& block = *blocks_[next];
        results_[next] = {block.first(), block.finish(), block.found()};
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }

  void driveDevice() {
    try {
      for (;;) {
        Task task;
        {
          std::unique_lock lock(mutex_);
          changed_.wait(lock, [&] { return closed_ || stopped_ || !queue_.empty(); });
          if (stopped_ || queue_.empty()) return;
          task = queue_.front();
          queue_.pop_front();
        }
        if (!searchByEngine(*settings_.device, task, deviceSeconds_)) return halt();
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }

  [[nodiscard]] bool stopping() const { return stopped_ || (stop_ && stop_()); }
  void halt() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    stopped_ = true;
    changed_.notify_all();
  }
  /// No more trees come for the device.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  void account(StepRecord& record) {
    for (const auto& block : blocks_) {
      ++record.blocks;
      for (int trial = 0; trial < block->trials(); ++trial) {
        const TrialRecord& one = block->record(trial);
        record.nodes += one.nodes;
        record.reductionSeconds += one.reductionSeconds;
        record.searchSeconds += one.searchSeconds;
        ++record.trials;
      }
    }
    record.deviceSeconds += deviceSeconds_;
    record.searchSeconds += sharedSeconds_ * settings_.threads;
  }

  std::vector<std::unique_ptr<BlockSearch>>& blocks_;
  const StepSettings& settings_;
  const StopRequest& stop_;
  std::vector<WorkerReport>& workers_;
  std::vector<Task> tasks_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;  ///< of what follows
  std::condition_variable changed_;
  std::size_t left_ = 0;      ///< tasks without an end
  std::deque<Task> queue_;    ///< for the device
  std::vector<Task> shared_;  ///< for all cores
  bool closed_ = false;
  std::exception_ptr error_;
  std::atomic<std::size_t> nextBlock_{0};
  std::vector<BlockResult> results_;  ///< each written by the thread that took its block
  double deviceSeconds_ = 0;
  double sharedSeconds_ = 0;
};

}  // namespace

std::vector<BlockResult> searchBlocks(std::vector<std::unique_ptr<BlockSearch>>& blocks,
                                      const StepSettings& settings, const StopRequest& stop,
                                      StepRecord& record, std::vector<WorkerReport>& workers) {
  return Step(blocks, settings, stop, workers).run(record);
}

}  // namespace slicepool::reduce
