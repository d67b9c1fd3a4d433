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
      : blocks_(blocks),
        settings_(settings),
        stop_(stop),
        workers_(workers),
        left_(blocks.size()),
        results_(blocks.size()) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      left_[i] = blocks[i]->trials();
      for (int trial = 0; trial < blocks[i]->trials(); ++trial) tasks_.push_back({i, trial});
    }
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
      const std::size_t threads =
          std::min(tasks_.size(), static_cast<std::size_t>(std::max(1, settings_.threads)));
      if (threads <= 1)
        work(0);
      else
        session.arena(settings_.threads)->run([this](std::size_t worker) { work(worker); });
    }
    account(record);
    if (error_) std::rethrow_exception(error_);
    if (stopped_) results_.clear();
    return std::move(results_);
  }

 private:
  /// One thread of the arena; throws nothing.
  void work(std::size_t worker) {
    const auto start = Clock::now();
    WorkerReport& report = workers_[worker];
    for (std::size_t next = next_++; next < tasks_.size() && !stopping(); next = next_++) {
      try {
        make(tasks_[next], report);
        ++report.turns;
      } catch (...) {
        fail(std::current_exception());
      }
    }
    report.busySeconds += secondsSince(start);
  }

  void make(const Task& task, WorkerReport& report) {
    BlockSearch& block = *blocks_[task.block];
    const StopRequest stop = [this] { return stopping(); };
    if (!block.reduce(task.trial, stop)) return halt();
    if (settings_.device != nullptr && expectedNodesOf(block.specOf(task.trial)) >= settings_.deviceNodes) {
      const std::lock_guard lock(mutex_);
      queue_.push_back(task);
      changed_.notify_all();
      return;
    }
    const bool complete = block.search(task.trial, stop);
    report.steps += block.record(task.trial).nodes;
    if (!complete) return halt();
    end(task);
  }

  /// The last trial of a block makes its result.
  void end(const Task& task) {
    {
      const std::lock_guard lock(mutex_);
      if (--left_[task.block] != 0) return;
    }
    const BlockSearch& block = *blocks_[task.block];
    results_[task.block] = {block.first(), block.finish(), block.found()};
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
        BlockSearch& block = *blocks_[task.block];
        const DeviceResult result =
            settings_.device->search(block.specOf(task.trial), [this] { return stopping(); });
        block.record(task.trial).nodes = result.nodes;
        deviceSeconds_ += result.seconds;
        if (!result.complete) return halt();
        if (!result.coefficients.empty()) block.offer(task.trial, result.coefficients);
        end(task);
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
    if (std::any_of(left_.begin(), left_.end(), [](int left) { return left != 0; })) stopped_ = true;
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
  std::vector<int> left_;  ///< trials of each block
  std::deque<Task> queue_;
  bool closed_ = false;
  std::exception_ptr error_;
  std::vector<BlockResult> results_;  ///< each written by the thread that ends its block
  double deviceSeconds_ = 0;
};

}  // namespace

std::vector<BlockResult> searchBlocks(std::vector<std::unique_ptr<BlockSearch>>& blocks,
                                      const StepSettings& settings, const StopRequest& stop,
                                      StepRecord& record, std::vector<WorkerReport>& workers) {
  return Step(blocks, settings, stop, workers).run(record);
}

}  // namespace slicepool::reduce
