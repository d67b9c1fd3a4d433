// Threads that are there before the clock starts: a memory limit must not contain the start of its threads.
#pragma once

#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace slicepool::bench {

/// `size` threads, the caller among them, that execute a function together. Calls come from one thread.
class ThreadTeam {
 public:
  explicit ThreadTeam(int size);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(helpers_.size()) + 1; }
  /// Calls work(0) .. work(size - 1), each on its thread, and returns when all are done. `work` must not
  /// throw.
  void run(const std::function<void(int)>& work);

 private:
  void help(int member);

  std::barrier<> begin_;
  std::barrier<> end_;
  const std::function<void(int)>* work_ = nullptr;  ///< null at `begin_`: the team is dissolved
  std::vector<std::thread> helpers_;
};

}  // namespace slicepool::bench
