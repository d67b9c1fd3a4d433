// Leases: one holder at a time; what a lost process leaves can be taken again, and only that.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "runtime/cluster/lease.hpp"
#include "slicepool/core/error.hpp"
#include "support/file_size_limit.hpp"
#include "support/text.hpp"
#include "unit/cluster/support.hpp"

using namespace slicepool;
using namespace slicepool::cluster;
using namespace slicepool::test;

namespace {

constexpr std::chrono::seconds kLimit{600};

std::string leaseOf(const Process& process) {
  return fmt::format(
      R"({{"host":"{}","process":{},"started":{},"space":"{}","job":"{}","restarts":{},"limit_seconds":600,"token":"0"}})",
      process.host, process.id, process.started, process.space, process.job, process.restarts);
}

/// As if it had been touched for the last time so long ago.
void age(const std::string& path, long seconds) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  timespec times[2] = {status.st_mtim, status.st_mtim};
  for (auto& time : times) time.tv_sec -= seconds;
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

/// A process that has ended, and of which nothing is left.
Process goneProcess() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  Process gone = thisProcess();
  gone.id = child;
  gone.started = 1;
  return gone;
}

struct LeaseFolder {
  TemporaryFolder folder;
  std::string path = folder.path("plan-0.lease");

  [[nodiscard]] std::unique_ptr<Lease> take(LeaseView* view = nullptr) const {
    LeaseView own;
    return Lease::take(path, kLimit, view != nullptr ? view : &own);
  }
};

}  // namespace

TEST_CASE("a lease is held by one at a time, and gone when it is given back") {
  const LeaseFolder place;
  CHECK(lookAtLease(place.path).state == LeaseState::none);
  auto lease = place.take();
  REQUIRE(lease != nullptr);
  CHECK(lease->isOurs());
  LeaseView view;
  CHECK(place.take(&view) == nullptr);
  CHECK(view.state == LeaseState::held);
  CHECK(view.holder == fmt::format("process {} on {}", ::getpid(), thisProcess().host));
  lease.reset();
  CHECK(!std::filesystem::exists(place.path));
  CHECK(place.take() != nullptr);
}

TEST_CASE("the lease of a process that is gone is taken again") {
  const LeaseFolder place;
  const Process gone = goneProcess();
  writeText(place.path, leaseOf(gone));
  CHECK(lookAtLease(place.path).state == LeaseState::stale);
  LeaseView view;
  auto lease = place.take(&view);
  REQUIRE(lease != nullptr);
  CHECK(view.state == LeaseState::stale);
  CHECK(view.holder == fmt::format("process {} on {}", gone.id, gone.host));
  CHECK(view.why == "which is gone");
  CHECK(lease->isOurs());
  CHECK(place.take() == nullptr);
}

TEST_CASE("a process that has ended and that nobody has waited for is gone") {
  const LeaseFolder place;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
  Process zombie = thisProcess();
  zombie.id = child;
  writeText(place.path, leaseOf(zombie));
  LeaseView view;
  CHECK(place.take(&view) != nullptr);
  CHECK(view.why == "which is gone");
  REQUIRE(::waitpid(child, nullptr, 0) == child);
}

TEST_CASE("a stale lease that a full disk does not let take over is free, and not one that begins") {
  const LeaseFolder place;
  writeText(place.path, leaseOf(goneProcess()));
  {
    const FileSizeLimit full(20);
    CHECK_THROWS_AS((void)place.take(), Error);
  }
  CHECK(lookAtLease(place.path).state == LeaseState::none);
  CHECK(place.take() != nullptr);
}

TEST_CASE("another process with the same number is not its holder") {
  const LeaseFolder place;
  Process earlier = thisProcess();
  REQUIRE(earlier.started != 0);
  earlier.started -= 1;
  writeText(place.path, leaseOf(earlier));
  CHECK(lookAtLease(place.path).state == LeaseState::stale);
}

TEST_CASE("a holder on another machine is gone when it was not seen for longer than its limit") {
  const LeaseFolder place;
  writeText(place.path, leaseOf({"elsewhere", goneProcess().id, 1}));
  CHECK(lookAtLease(place.path).state == LeaseState::held);
  CHECK(place.take() == nullptr);
  age(place.path, 500);
  CHECK(place.take() == nullptr);
  age(place.path, 200);
  LeaseView view;
  CHECK(place.take(&view) != nullptr);
  CHECK(contains(view.why, "600 s are the limit"));
}

TEST_CASE("a process on this machine that is there keeps its lease, however long it was stopped") {
  const LeaseFolder place;
  writeText(place.path, leaseOf(thisProcess()));
  age(place.path, 100'000);
  CHECK(lookAtLease(place.path).state == LeaseState::held);
  CHECK(place.take() == nullptr);
}

TEST_CASE("process numbers of another machine of the same name, or of another container, say nothing") {
  const LeaseFolder place;
  Process other = goneProcess();
  for (const std::string space : {"", "another pid:[1]"}) {
    other.space = space;
    writeText(place.path, leaseOf(other));
    CHECK(lookAtLease(place.path).state == LeaseState::held);
    age(place.path, 601);
    CHECK(lookAtLease(place.path).state == LeaseState::stale);
  }
}

TEST_CASE("a job that Slurm has started again takes the lease of its earlier start, and no other job does") {
  const LeaseFolder place;
  const auto set = [](const char* job, const char* restarts) {
    REQUIRE(::setenv("SLURM_JOB_ID", job, 1) == 0);
    REQUIRE(::setenv("SLURM_RESTART_COUNT", restarts, 1) == 0);
  };
  Process earlier{"elsewhere", 17, 1};
  earlier.job = "4711";
  earlier.restarts = 1;
  writeText(place.path, leaseOf(earlier));
  set("4711", "1");
  CHECK(lookAtLease(place.path).state == LeaseState::held);
  set("4712", "2");
  CHECK(lookAtLease(place.path).state == LeaseState::held);
  set("4711", "2");
  LeaseView view;
  CHECK(place.take(&view) != nullptr);
  CHECK(contains(view.why, "job 4711"));
  REQUIRE(::unsetenv("SLURM_JOB_ID") == 0);
  REQUIRE(::unsetenv("SLURM_RESTART_COUNT") == 0);
}

TEST_CASE("a lease of which nothing is known yet is held until it is old") {
  for (const std::string text : {"", "{", "[]", "{\"host\":7}", "\xff\xfe"}) {
    const LeaseFolder place;
    writeText(place.path, text);
    CHECK(lookAtLease(place.path).state == LeaseState::held);
    CHECK(place.take() == nullptr);
    age(place.path, 601);
    CHECK(place.take() != nullptr);
  }
}

TEST_CASE("who was stopped for too long sees that its lease is another's, and leaves it there") {
  const LeaseFolder place;
  auto first = place.take();
  REQUIRE(first != nullptr);
  writeText(place.path, leaseOf({"elsewhere", 1, 1}));
  age(place.path, 601);
  auto second = place.take();
  REQUIRE(second != nullptr);
  CHECK(second->isOurs());
  CHECK(!first->isOurs());
  first.reset();
  CHECK(second->isOurs());
}

TEST_CASE("of many who find a stale lease one gets it") {
  const Process gone = goneProcess();
  for (int round = 0; round < 20; ++round) {
    const LeaseFolder place;
    writeText(place.path, leaseOf(gone));
    std::atomic<int> winners{0};
    std::atomic<int> losers{0};
    std::vector<std::unique_ptr<Lease>> leases(8);
    std::vector<std::thread> threads;
    for (auto& lease : leases) {
      threads.emplace_back([&] {
        lease = place.take();
        ++(lease != nullptr ? winners : losers);
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(winners == 1);
    CHECK(losers == 7);
  }
}

TEST_CASE("of many who ask for a free lease one gets it, and the next when it is given back") {
  const LeaseFolder place;
  std::atomic<int> inside{0};
  std::atomic<int> times{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int done = 0; done < 25;) {
        const auto lease = place.take();
        if (lease == nullptr) continue;
        if (++inside == 1) ++times;
        --inside;
        ++done;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(times == 100);
  CHECK(!std::filesystem::exists(place.path));
}
