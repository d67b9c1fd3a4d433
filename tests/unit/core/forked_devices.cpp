// A process that is forked from one that has used a GPU is told so, instead of asking a driver that it does
// not have.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <string>

#include <doctest/doctest.h>

#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

std::atomic<int> asked{0};  ///< calls of the stand-in's driver

struct StandInDriver {
  StandInDriver() {
    asked = 0;
    GpuProvider provider;
    provider.list = [] {
      ++asked;
      GpuList list;
      list.gpus.resize(1);
      return list;
    };
    provider.warmUp = [](int) { ++asked; };
    provider.freeBytes = [](int) {
      ++asked;
      return std::size_t{1} << 30;
    };
    registerGpuProvider(provider);
  }
  ~StandInDriver() { registerGpuProvider({}); }
  StandInDriver(const StandInDriver&) = delete;
  StandInDriver& operator=(const StandInDriver&) = delete;
};

/// What a child answers. It leaves at once: nothing of the parent's is destroyed in it.
template <class Question>
int inChild(const Question& question) {
  std::cout.flush();  // of which a child that leaves by exit() would write another copy
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(question());
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

bool advised(const std::string& message) {
  return message.find("forked") != std::string::npos && message.find("spawn") != std::string::npos;
}

/// 0: every way to a GPU is refused with advice, and the driver is not asked.
int refusals() {
  const int before = asked;
  if (!knownGpus().gpus.empty() || !advised(knownGpus().whyNone)) return 1;
  if (!listGpus().gpus.empty() || !advised(listGpus().whyNone)) return 2;
  if (gpusAreLikely() || gpuIsReady(0) || gpusAreStarting() || startedGpus() != nullptr) return 3;
  if (freeGpuBytes(0) != 0) return 4;
  startGpus();
  for (const auto& call : {+[] { (void)requireGpus(); }, +[] { expectGpus(); }, +[] { warmUpGpu(0); }}) {
    try {
      call();
      return 5;
    } catch (const DeviceError& error) {
      if (!advised(error.what())) return 6;
    }
  }
  return asked == before ? 0 : 7;
}

TEST_CASE("a child of a process that has used a GPU is refused with advice") {
  const StandInDriver driver;
  REQUIRE(knownGpus().gpus.size() == 1);
  CHECK(inChild(refusals) == 0);
  CHECK(knownGpus().gpus.size() == 1);  // the parent has its own still
}

TEST_CASE("a child of a process that has started its GPUs in the background is refused") {
  const StandInDriver driver;
  startGpus();
  awaitGpuStart();
  REQUIRE(gpuIsReady(0));
  CHECK(inChild(refusals) == 0);
}

TEST_CASE("a child of a process that has not asked for a GPU may use one") {
  const StandInDriver driver;
  REQUIRE(gpusAreLikely());  // asks no driver
  CHECK(inChild([] { return knownGpus().gpus.size() == 1 && asked > 0 ? 0 : 1; }) == 0);
  CHECK(inChild([] {
          expectGpus();
          const bool found = requireGpus().gpus.size() == 1;
          awaitGpuStart();
          return found ? 0 : 1;
        }) == 0);
  CHECK(asked == 0);
}

TEST_CASE("a child that leaves without the driver does not run handlers from before") {
  const StandInDriver driver;
  constexpr int kByHandler = 3;
  constexpr int kOwn = 5;
  const auto statusOf = [](bool without) {
    return inChild([without] {
      (void)std::atexit([] { _exit(kByHandler); });  // the driver's
      (void)knownGpus();
      leaveWithoutDriver();  // of a process that has the driver: changes nothing
      return inChild([without] {
        if (without) leaveWithoutDriver();
        std::exit(kOwn);
        return 0;
      });
    });
  };
  CHECK(statusOf(true) == kOwn);
  CHECK(statusOf(false) == kByHandler);
}

TEST_CASE("a child hears why there is no GPU, where there can be none") {
  GpuProvider provider;
  provider.likely = [] { return false; };
  provider.list = [] { return GpuList{{}, "no driver"}; };
  registerGpuProvider(provider);
  REQUIRE(knownGpus().whyNone == "no driver");
  CHECK(inChild([] {
          return knownGpus().whyNone == "no driver" && listGpus().whyNone == "no driver" ? 0 : 1;
        }) == 0);
  registerGpuProvider({});
}

}  // namespace
}  // namespace slicepool
