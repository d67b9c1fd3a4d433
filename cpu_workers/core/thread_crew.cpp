// See thread_crew.hpp.
#include "cpu_workers/core/thread_crew.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace slicepool {

struct ThreadCrew::Task {
  std::mutex mutex;
  std::condition_variable ended;
  bool over = false;
};

struct ThreadCrew::Member {
  std::condition_variable wake;
  std::function<void()> work;
  std::shared_ptr<Task> task;
  bool ends = false;
  std::thread thread;
};

ThreadCrew::ThreadCrew() = default;

ThreadCrew::~ThreadCrew() {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& member : members_) {
      member->ends = true;
      member->wake.notify_one();
    }
  }
  for (const auto& member : members_) member->thread.join();
}

void ThreadCrew::Work::wait() const {
  std::unique_lock lock(task_->mutex);
  task_->ended.wait(lock, [this] { return task_->over; });
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
  member->wake.notify_one();
  return Work(std::move(task));
}

void ThreadCrew::serve(Member& self) {
  std::unique_lock lock(mutex_);
  for (;;) {
    self.wake.wait(lock, [&] { return self.work || self.ends; });
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
      task->over = true;
    }
    task->ended.notify_all();
  }
}

void ThreadCrew::dismiss() {
  std::vector<std::unique_ptr<Member>> leaving;
  {
    const std::lock_guard lock(mutex_);
    for (Member* const member : std::exchange(idle_, {})) {
      member->ends = true;
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
