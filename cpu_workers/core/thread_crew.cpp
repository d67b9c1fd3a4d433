// See thread_crew.hpp.
#include "cpu_workers/core/thread_crew.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace slicepool {

namespace {

/// Waits for `done()` without sleeping, but not for long: whether it came.
template <class Done>
bool lookOut(std::chrono::microseconds longest, const Done& done) {
  const auto end = std::chrono::steady_clock::now() + longest;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::yield();
  }
  return true;
}

constexpr std::chrono::microseconds kUntilWork{1000};
/// Work whose end is waited for is often just about to end.
constexpr std::chrono::microseconds kUntilEnd{50};

}  // namespace

struct ThreadCrew::Task {
  std::mutex mutex;
  std::condition_variable ended;
  std::atomic<bool> over{false};
};

struct ThreadCrew::Member {
  std::condition_variable wake;
  std::function<void()> work;
  std::shared_ptr<Task> task;
  bool ends = false;
  bool expects = false;
  std::atomic<bool> called{false};  ///< there is work, or an end: for a thread that looks without the lock
  std::thread thread;
};

ThreadCrew::ThreadCrew() = default;

ThreadCrew::~ThreadCrew() {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& member : members_) {
      member->ends = true;
      member->called.store(true);
      member->wake.notify_one();
    }
  }
  for (const auto& member : members_) member->thread.join();
}

void ThreadCrew::Work::wait() const {
  if (lookOut(kUntilEnd, [this] { return task_->over.load(); })) return;
  std::unique_lock lock(task_->mutex);
  task_->ended.wait(lock, [this] { return task_->over.load(); });
}

ThreadCrew::Work ThreadCrew::start(std::function<void()> work) {
  auto task = std::make_shared<Task>();
  const std::lock_guard lock(mutex_);
  Member* member = nullptr;
  if (idle_.empty()) {
    auto made = std::make_unique<Member>();
    members_.reserve(members_.size() + 1);
    idle_.reserve(members_.size() + 1);  // so that a thread that becomes free needs no memory
    made->thread = std::thread([this, self = made.get()] { serve(*self); });
    member = made.get();
    members_.push_back(std::move(made));
    ++started_;
  } else {
    member = idle_.back();  // the one that ended last has the warmest caches
    idle_.pop_back();
  }
  member->work = std::move(work);
  member->task = task;
  member->called.store(true);
  member->wake.notify_one();
  return Work(std::move(task));
}

void ThreadCrew::serve(Member& self) {
  std::unique_lock lock(mutex_);
  for (;;) {
    self.wake.wait(lock, [&] { return self.work || self.ends || self.expects; });
    if (std::exchange(self.expects, false) && !self.work && !self.ends) {
      lock.unlock();
      (void)lookOut(kUntilWork, [&] { return self.called.load(); });
      lock.lock();
      continue;
    }
    self.called.store(false);
    if (!self.work) return;
    {
      const auto work = std::exchange(self.work, {});
      lock.unlock();
      work();
    }
    const auto task = std::exchange(self.task, {});
    lock.lock();
    // Before the end is known: the next work then finds this thread.
    idle_.push_back(&self);
    {
      const std::lock_guard ending(task->mutex);
      task->over.store(true);
    }
    task->ended.notify_all();
  }
}

void ThreadCrew::expect() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return;
  idle_.back()->expects = true;
  idle_.back()->wake.notify_one();
}

void ThreadCrew::dismiss() {
  std::vector<std::unique_ptr<Member>> leaving;
  {
    const std::lock_guard lock(mutex_);
    for (Member* const member : std::exchange(idle_, {})) {
      member->ends = true;
      member->called.store(true);
      member->wake.notify_one();
      const auto place = std::find_if(members_.begin(), members_.end(),
                                      [&](const auto& each) { return each.get() == member; });
      leaving.push_back(std::move(*place));
      members_.erase(place);
    }
    idle_.reserve(members_.size());
  }
  for (const auto& member : leaving) member->thread.join();
}

std::size_t ThreadCrew::idle() const {
  const std::lock_guard lock(mutex_);
  return idle_.size();
}

std::uint64_t ThreadCrew::started() const {
  const std::lock_guard lock(mutex_);
  return started_;
}

}  // namespace slicepool
