// Simulated time for threads or fibers: one of them runs at a time, and the clock jumps to whatever happens
// next. What they do costs no time of the clock; what they sleep does. Used to run workers and drivers of the
// library on machines that are not there.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "support/simulation/fibers.hpp"

namespace slicepool::test {

class SimulatedTime {
 public:
  /// What goes beyond is a hang, which ends the simulation and says so (stuck()).
  struct Limits {
    int joinSeconds = 60;                      ///< of real time, until all threads take part
    std::int64_t longest = 1'000'000'000'000;  ///< ns of simulated time
  };

  /// Nothing happens before so many threads take part.
  explicit SimulatedTime(std::size_t threads) : SimulatedTime(threads, Limits{}) {}
  SimulatedTime(std::size_t threads, Limits limits) : limits_(limits), expected_(threads) {}
  /// The same for fibers, which must outlive it.
  SimulatedTime(std::size_t count, Fibers& fibers) : limits_(Limits{}), expected_(count), fibers_(&fibers) {}
  SimulatedTime(const SimulatedTime&) = delete;
  SimulatedTime& operator=(const SimulatedTime&) = delete;

  /// The calling thread takes part from now on, and waits for its first turn. Threads begin by rank.
  void join(int rank) {
    Thread thread(fibers_);
    thread.rank = rank;
    {
      const std::lock_guard lock(mutex_);
      if (over_) return;
      queue(thread, now_);
      if (++joined_ == expected_) next();
    }
    if (!thread.turn.acquireWithin(limits_.joinSeconds)) {
      {
        const std::lock_guard lock(mutex_);
        if (joined_ < expected_ && !over_)
          finish("only " + std::to_string(joined_) + " of " + std::to_string(expected_) +
                 " threads take part");
      }
      thread.turn.acquire();
    }
    current() = id_;
    threadRank() = rank;
  }
  [[nodiscard]] bool joined() const { return current() == id_; }
  /// The calling thread takes no further part.
  void leave() {
    current() = 0;
    const std::lock_guard lock(mutex_);
    if (!over_) next();
  }

  /// ns. Of a thread that has its turn, or after the end.
  [[nodiscard]] std::int64_t now() const { return now_; }
  void sleep(std::int64_t nanoseconds) { sleepUntil(now_ + nanoseconds); }
  void sleepUntil(std::int64_t time) {
    Thread thread(fibers_);
    thread.rank = threadRank();
    {
      const std::lock_guard lock(mutex_);
      if (over_) return;
      queue(thread, time > now_ ? time : now_);
      next();
    }
    thread.turn.acquire();
  }
  /// Sleeps until wakeAll().
  void sleepUntilWoken() {
    Thread thread(fibers_);
    thread.rank = threadRank();
    {
      const std::lock_guard lock(mutex_);
      if (over_) return;
      asleep_.push_back(&thread);
      next();
    }
    thread.turn.acquire();
  }
  void wakeAll() {
    const std::lock_guard lock(mutex_);
    for (Thread* thread : asleep_) queue(*thread, now_);
    asleep_.clear();
  }
  /// The clock stands still from here on, and no thread sleeps any more.
  void end() {
    const std::lock_guard lock(mutex_);
    finish();
  }
  [[nodiscard]] bool over() const {
    const std::lock_guard lock(mutex_);
    return over_;
  }
  /// Why the simulation could not go on; empty: it could.
  [[nodiscard]] const std::string& stuck() const { return stuck_; }

 private:
  /// std::binary_semaphore spins before it waits: with one thread that runs at a time that is all lost.
  class Turn {
   public:
    explicit Turn(Fibers* fibers) : fibers_(fibers) {
      if (fibers_ == nullptr) sem_init(&semaphore_, 0, 0);
    }
    ~Turn() {
      if (fibers_ == nullptr) sem_destroy(&semaphore_);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    void acquire() {
      if (fibers_ != nullptr) return fiberTurn_.acquire(*fibers_);
      while (sem_wait(&semaphore_) != 0) {}
    }
    /// False when so many seconds of real time have passed before.
    bool acquireWithin(int seconds) {
      if (fibers_ != nullptr) {  // all of them have been started
        acquire();
        return true;
      }
      timespec until{};
      clock_gettime(CLOCK_REALTIME, &until);
      until.tv_sec += seconds;
      for (;;) {
        if (sem_timedwait(&semaphore_, &until) == 0) return true;
        if (errno == ETIMEDOUT) return false;
      }
    }
    void release() { fibers_ != nullptr ? fiberTurn_.release(*fibers_) : (void)sem_post(&semaphore_); }

   private:
    Fibers* fibers_;
    Fibers::Turn fiberTurn_;
    sem_t semaphore_{};
  };
  struct Thread {
    explicit Thread(Fibers* fibers) : turn(fibers) {}
    Turn turn;
    int rank = 0;
  };
  struct Event {
    std::int64_t time;
    int rank;
    std::uint64_t number;
    Thread* thread;
    bool operator<(const Event& other) const {  // for a queue with the earliest on top
      if (time != other.time) return time > other.time;
      return rank != other.rank ? rank > other.rank : number > other.number;
    }
  };

  /// Whose time the thread takes part in: a number and no address, since a thread may outlive one.
  std::uint64_t& current() const {
    thread_local std::uint64_t id = 0;
    return fibers_ != nullptr ? fibers_->local().time : id;
  }
  static std::uint64_t newId() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1) + 1;
  }
  int& threadRank() const {
    thread_local int rank = 0;
    return fibers_ != nullptr ? fibers_->local().rank : rank;
  }

  void queue(Thread& thread, std::int64_t time) { events_.push({time, thread.rank, ++number_, &thread}); }

  void next() {
    if (events_.empty()) return finish(asleep_.empty() ? "" : "all threads sleep, and none can wake them");
    const Event event = events_.top();
    if (event.time > limits_.longest)
      return finish("it goes on after " + std::to_string(limits_.longest / 1'000'000) + " ms");
    events_.pop();
    now_ = event.time;
    event.thread->turn.release();
  }

  void finish(std::string stuck = {}) {
    stuck_ = std::move(stuck);
    over_ = true;
    for (; !events_.empty(); events_.pop()) events_.top().thread->turn.release();
    for (Thread* thread : asleep_) thread->turn.release();
    asleep_.clear();
  }

  const std::uint64_t id_ = newId();
  mutable std::mutex mutex_;
  const Limits limits_;
  std::size_t expected_;
  std::size_t joined_ = 0;
  std::int64_t now_ = 0;
  std::uint64_t number_ = 0;
  bool over_ = false;
  std::string stuck_;
  std::priority_queue<Event> events_;
  std::vector<Thread*> asleep_;
  Fibers* fibers_ = nullptr;
};

}  // namespace slicepool::test
