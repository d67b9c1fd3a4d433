// Threads that wait for the next piece of work instead of ending: starting one takes 20 us, and one that uses
// a task arena or a GPU attaches itself anew. Kept by sessions (runtime/core/session.cpp) and by arenas.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace slicepool {

/// Thread-safe, but its own threads do not destroy it.
class ThreadCrew {
  struct Task;

 public:
  ThreadCrew();
  /// Waits for work that is under way.
  ~ThreadCrew();
  ThreadCrew(const ThreadCrew&) = delete;
  ThreadCrew& operator=(const ThreadCrew&) = delete;

  /// Something that a thread of the crew does. May outlive the crew.
  class Work {
   public:
    Work() = default;
    /// Waits for its end, awake for a moment. The thread is free again by then.
    void wait() const;

   private:
    friend class ThreadCrew;
    explicit Work(std::shared_ptr<Task> task) : task_(std::move(task)) {}
    std::shared_ptr<Task> task_;
  };

  /// Runs `work`, which must not throw, on a thread that has nothing to do, or else on a new one. Throws
  /// std::system_error when the system refuses that.
  [[nodiscard]] Work start(std::function<void()> work);
  /// A piece of work follows within a millisecond: the thread that will get it wakes up now, which takes a
  /// tenth of one, and looks out for it. Without an unused thread nothing happens.
  void expect();
  /// Ends the threads that have nothing to do, and waits until they have ended.
  void dismiss();
  [[nodiscard]] std::size_t idle() const;
  /// Threads that were started so far.
  [[nodiscard]] std::uint64_t started() const;

 private:
  struct Member;
  void serve(Member& self);

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<Member*> idle_;
  std::uint64_t started_ = 0;
};

}  // namespace slicepool
