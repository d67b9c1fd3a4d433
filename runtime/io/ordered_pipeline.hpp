// Items that several threads convert at the same time, that get their places in the order in which they came,
// and that are written at the same time again: the one pipeline of all outputs. It has no bound; its owners
// have one, of blocks (block_pipeline) or of buffers (runtime/factorizations/row_stream).
//
// The threads are its own. Those of oneTBB are the CPU workers while an engine runs, and these wait for the
// pipeline when it is full.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace slicepool {

/// What a producer does while it waits: `tell` is called at each interval, without the lock. Empty: nothing.
struct Meanwhile {
  std::function<void()> tell;
  std::chrono::milliseconds interval{200};
};

/// One producer at a time. It rethrows the first exception of an action, after which nothing is done any
/// more. Threads start when there is work for them. The owner's state may be guarded by the pipeline's lock.
template <class Item>
class OrderedPipeline {
 public:
  using Lock = std::unique_lock<std::mutex>;

  /// What happens to an item, on one thread.
  struct Actions {
    /// Several items at a time; `thread` is from 0 to the number of threads, that included (the producer in
    /// help()), and never the same at the same time.
    std::function<void(Item&, int thread)> convert;
    /// One at a time, in the order of submit().
    std::function<void(Item&)> place;
    /// Several at a time, after `place`.
    std::function<void(Item&)> write;
    /// The item is through. One at a time, with the lock, which it may give up meanwhile.
    std::function<void(Item&, Lock&)> leave;
  };

  /// `threads` >= 1.
  OrderedPipeline(int threads, Actions actions) : maximumThreads_(threads), actions_(std::move(actions)) {}
  /// Gives up what waits.
  ~OrderedPipeline() { stop(); }
  OrderedPipeline(const OrderedPipeline&) = delete;
  OrderedPipeline& operator=(const OrderedPipeline&) = delete;

  [[nodiscard]] Lock lock() { return Lock(mutex_); }

  /// Hands an item over. With the lock, like all that takes it.
  void submit(Lock& lock, Item item) {
    put(lock, std::move(item));
    if (waiting_.size() > resting_ && threads_.size() < static_cast<std::size_t>(maximumThreads_)) {
      const int thread = static_cast<int>(threads_.size());
      threads_.emplace_back([this, thread] { work(thread); });
    }
    work_.notify_one();
  }
  /// The same for a producer that helps at once, with what waits: no thread begins for it.
  void put(Lock&, Item item) {
    rethrow();
    waiting_.push_back({std::move(item), submitted_++});
  }
  /// Threads that have begun.
  [[nodiscard]] std::size_t threads(const Lock&) const { return threads_.size(); }
  /// Until ready(), which is asked after each item that leaves and after wake().
  template <class Ready>
  void wait(Lock& lock, Ready ready, const Meanwhile& meanwhile = {}) {
    const auto over = [&] { return failure_ != nullptr || ready(); };
    if (!meanwhile.tell) {
      left_.wait(lock, over);
    } else {
      while (!left_.wait_for(lock, std::max(kShortestInterval, meanwhile.interval), over)) {
        lock.unlock();
        meanwhile.tell();
        lock.lock();
      }
    }
    rethrow();
  }
  /// The producer works along until nothing waits, so that a few items need no thread.
  void help(Lock& lock) {
    while (!waiting_.empty() && failure_ == nullptr) processOldest(lock, maximumThreads_);
  }
  /// Everything that was submitted has left.
  [[nodiscard]] bool idle(const Lock&) const { return waiting_.empty() && busy_ == 0; }
  [[nodiscard]] bool failed(const Lock&) const { return failure_ != nullptr; }
  /// Makes a waiting producer look again.
  void wake() { left_.notify_all(); }

  /// What waits is given up: threads end with the items that they are at.
  void abandon() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
      waiting_.clear();
    }
    work_.notify_all();
  }
  /// The same, and they have ended.
  void stop() {
    abandon();
    threads_.clear();  // joins
  }

 private:
  static constexpr std::chrono::milliseconds kShortestInterval{1};

  struct Entry {
    Item item;
    std::uint64_t sequence = 0;
  };

  void work(int thread) {
    Lock lock(mutex_);
    for (;;) {
      ++resting_;
      work_.wait(lock, [this] { return !waiting_.empty() || closing_ || failure_ != nullptr; });
      --resting_;
      if (waiting_.empty() || failure_ != nullptr) return;
      processOldest(lock, thread);
    }
  }

  /// Takes the oldest item through all actions. With the lock, which it gives up meanwhile.
  void processOldest(Lock& lock, int thread) {
    Entry entry = std::move(waiting_.front());
    waiting_.pop_front();
    ++busy_;
    try {
      process(lock, entry, thread);
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      if (failure_ == nullptr) failure_ = std::current_exception();
      work_.notify_all();
      for (const auto& [sequence, condition] : turns_) condition->notify_one();
    }
    --busy_;
    left_.notify_all();
  }

  /// Items are taken in order, so the thread with the oldest one never waits for its turn.
  void process(Lock& lock, Entry& entry, int thread) {
    lock.unlock();
    actions_.convert(entry.item, thread);
    lock.lock();
    awaitTurn(lock, entry.sequence);
    if (failure_ != nullptr) return;
    lock.unlock();
    actions_.place(entry.item);
    lock.lock();
    ++placed_;
    if (const auto next = turns_.find(placed_); next != turns_.end()) next->second->notify_one();
    lock.unlock();
    actions_.write(entry.item);
    lock.lock();
    actions_.leave(entry.item, lock);
  }

  /// Until all items before have their places. Each thread waits by a condition of its own, since only one of
  /// them can go on.
  void awaitTurn(Lock& lock, std::uint64_t sequence) {
    if (placed_ == sequence || failure_ != nullptr) return;
    std::condition_variable turn;
    const auto entry = turns_.emplace(sequence, &turn).first;
    turn.wait(lock, [&] { return placed_ == sequence || failure_ != nullptr; });
    turns_.erase(entry);
  }

  void rethrow() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

  int maximumThreads_;
  Actions actions_;

  std::mutex mutex_;  ///< of everything below
  std::condition_variable work_, left_;
  std::map<std::uint64_t, std::condition_variable*> turns_;  ///< of threads that wait, by sequence
  std::deque<Entry> waiting_;
  std::size_t busy_ = 0;     ///< items in an action
  std::size_t resting_ = 0;  ///< threads without work
  std::uint64_t submitted_ = 0;
  std::uint64_t placed_ = 0;
  bool closing_ = false;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;
};

}  // namespace slicepool
