// A fork waits for what another thread has begun in oneTBB: a child would have its locks and not the thread.
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "cpu_workers/core/scheduler_start.hpp"

namespace {
namespace forks_test {

using namespace slicepool;

/// Whether a thread of this process waits for something.
bool sleeps(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(file, line);
  const auto name = line.rfind(") ");
  return name != std::string::npos && line.compare(name + 2, 1, "S") == 0;
}

TEST_CASE("a fork waits while the scheduler changes") {
  auto held = changeScheduler();
  if (!held.owns_lock()) return;  // workers are plain threads in this build
  std::atomic<pid_t> forking{0};
  std::atomic<bool> forked{false};
  int status = -1;
  std::thread other([&] {
    forking = static_cast<pid_t>(syscall(SYS_gettid));
    const pid_t child = fork();
    if (child == 0) _exit(7);
    forked = true;
    (void)waitpid(child, &status, 0);
  });
  // It forks, or it waits for this thread: nothing else is in its way.
  while (!forked && (forking == 0 || !sleeps(forking))) std::this_thread::yield();
  CHECK_FALSE(forked);
  held.unlock();
  other.join();
  CHECK(forked);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
}

TEST_CASE("the scheduler starts once, and can be changed after a fork") {
  startScheduler();
  startScheduler();
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    startScheduler();
    const auto held = changeScheduler();
    _exit(5);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 5);
}

}  // namespace forks_test
}  // namespace
