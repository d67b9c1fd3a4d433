// A GPU that comes late: an exploration begins on the host, whatever the driver does, moves when the device
// is there and ends without waiting for it. A stand-in for the driver starts when a stage lets it; its
// devices are emulators. Nothing here waits for a time.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <thread>

#include "runtime/semigroup/emulated_stage_device.hpp"
#include "runtime/semigroup/emulated_words_device.hpp"
#include "runtime/semigroup/key_store.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "support/gpu_list.hpp"
#include "support/semigroup/front.hpp"

using namespace slicepool;
using namespace slicepool::test;
using semigroup::Algorithm;

namespace {

constexpr const char* kName = "full:5";  // elements are their keys

/// A driver that starts when it is let, and the emulated devices of its GPUs.
class FakeDriver {
 public:
  explicit FakeDriver(int gpus)
      : generators_(semigroup::namedGenerators(kName, std::numeric_limits<std::size_t>::max())), run_({}) {
    GpuProvider provider;
    provider.list = [this, gpus] {
      started_.wait(false);
      return test::gpuList(gpus);
    };
    provider.warmUp = [](int) {};
    registerGpuProvider(provider);
    semigroup::registerStageDevice<semigroup::PackedKeys>([this](const auto&, const DeviceOptions&) {
      fail();
      return std::make_unique<semigroup::EmulatedStageDevice<semigroup::PackedKeyStore>>(
          generators_, run_, semigroup::ExplorerOptions{});
    });
    semigroup::registerWordsDevice([this](const semigroup::WordsProblem& problem, const DeviceOptions&) {
      fail();
      return std::make_unique<semigroup::EmulatedWordsDevice>(problem, run_, EmulatorOptions{});
    });
  }
  ~FakeDriver() {
    start();
    registerGpuProvider({});
    semigroup::registerStageDevice<semigroup::PackedKeys>({});
    semigroup::registerWordsDevice({});
  }
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  void start() {
    started_.store(true);
    started_.notify_all();
  }
  /// Starts, and returns when every thread can know. Mode auto begins the start after milliseconds only,
  /// which no test waits for: here the test begins it.
  void startAndWait() {
    start();
    startGpus(0, 1);
    while (startedGpus() == nullptr || gpusAreStarting()) std::this_thread::yield();
  }
  bool outOfOrder = false;

 private:
  void fail() const {
    if (outOfOrder) throw DeviceError("out of order");
  }

  std::atomic<bool> started_{false};
  semigroup::Generators generators_;
  StagedRun run_;
};

semigroup::Request request(Algorithm algorithm, const std::function<void(std::uint32_t)>& afterStage = {}) {
  auto made = named(kName);
  made.algorithm = algorithm;
  made.smallStage = 10;
  if (afterStage)
    made.onStage = [afterStage](const semigroup::StageReport& stage) { afterStage(stage.stage); };
  return made;
}

EngineOptions with(Mode mode) {
  EngineOptions options = cpu(2);
  options.mode = mode;
  return options;
}

std::uint64_t stepsOf(const semigroup::Enumeration& enumeration, const std::string& kind) {
  std::uint64_t steps = 0;
  for (const auto& worker : enumeration.outcome().run.workers)
    steps += worker.kind == kind ? worker.steps : 0;
  return steps;
}

}  // namespace

TEST_CASE("an exploration begins on the host and moves when the driver has started") {
  for (const auto algorithm : {Algorithm::fingerprint, Algorithm::words}) {
    const Everything expected = explore(request(algorithm), cpu(1));
    for (const Mode mode : {Mode::hybrid, Mode::automatic}) {
      FakeDriver driver(1);
      semigroup::Enumeration enumeration(request(algorithm,
                                                 [&](std::uint32_t stage) {
                                                   if (stage == 3) driver.startAndWait();
                                                 }),
                                         with(mode));
      enumeration.run();
      CHECK(stepsOf(enumeration, "cpu") > 0);
      CHECK(stepsOf(enumeration, "emulated") > 0);
      const RunReport report = enumeration.outcome().run;
      CHECK(report.warnings.empty());
      CHECK(report.automatic.value().devices);
      for (const auto& worker : report.workers) {
        CAPTURE(worker.name);
        if (worker.turns == 0) continue;
        if (worker.kind == "emulated") CHECK(worker.readySeconds.value() > 0);
        CHECK(worker.readySeconds.value() <= worker.firstSeconds.value());
        CHECK(worker.firstSeconds.value() <= worker.lastSeconds.value());
        CHECK(worker.lastSeconds.value() <= report.seconds * (1 + 1e-9));
      }
      CHECK(everythingOf(enumeration) == expected);
    }
  }
}

TEST_CASE("an exploration that is over before the driver has started does not wait for it") {
  for (const auto algorithm : {Algorithm::fingerprint, Algorithm::words}) {
    const Everything expected = explore(request(algorithm), cpu(1));
    for (const Mode mode : {Mode::hybrid, Mode::automatic}) {
      const FakeDriver driver(1);
      semigroup::Enumeration enumeration(request(algorithm), with(mode));
      enumeration.run();
      CHECK(stepsOf(enumeration, "emulated") == 0);
      CHECK(enumeration.outcome().run.automatic.value().devices == gpusAreStarting());
      CHECK(everythingOf(enumeration) == expected);
    }
  }
}

TEST_CASE("an exploration of small stages asks for no driver, however long it takes") {
  for (const Mode mode : {Mode::hybrid, Mode::automatic}) {
    const FakeDriver driver(1);
    auto small = named(kName);
    small.smallStage = std::numeric_limits<std::uint64_t>::max();
    semigroup::Enumeration enumeration(small, with(mode));
    enumeration.run();
    CHECK_FALSE(driverWasAsked());
    CHECK_FALSE(enumeration.outcome().run.automatic.value().devices);
  }
}

TEST_CASE("without a GPU hybrid ends with an error when that is known, and auto goes on") {
  for (const auto algorithm : {Algorithm::fingerprint, Algorithm::words}) {
    const Everything expected = explore(request(algorithm), cpu(1));
    for (const Mode mode : {Mode::hybrid, Mode::automatic}) {
      FakeDriver driver(0);
      semigroup::Enumeration enumeration(request(algorithm,
                                                 [&](std::uint32_t stage) {
                                                   if (stage == 3) driver.startAndWait();
                                                 }),
                                         with(mode));
      if (mode == Mode::hybrid) {
        CHECK_THROWS_WITH_AS(enumeration.run(), "no usable GPU: the stand-in has none", DeviceError);
      } else {
        enumeration.run();
        CHECK(enumeration.outcome().run.warnings.empty());
        const AutomaticChoice choice = enumeration.outcome().run.automatic.value();
        CHECK_FALSE(choice.devices);
        CHECK(choice.reason == "there is no usable GPU: the stand-in has none");
        CHECK(everythingOf(enumeration) == expected);
      }
    }
  }
}

TEST_CASE("a GPU that cannot be used costs a warning and no result") {
  for (const auto algorithm : {Algorithm::fingerprint, Algorithm::words}) {
    const Everything expected = explore(request(algorithm), cpu(1));
    FakeDriver driver(1);
    driver.outOfOrder = true;
    driver.start();
    semigroup::Enumeration enumeration(request(algorithm, [&](std::uint32_t) { driver.startAndWait(); }),
                                       with(Mode::hybrid));
    enumeration.run();
    REQUIRE(enumeration.outcome().run.warnings.size() == 1);
    CHECK(enumeration.outcome().run.warnings.front() == "GPU 0 cannot be used: out of order");
    CHECK(everythingOf(enumeration) == expected);
  }
}

TEST_CASE("mode cpu touches no GPU") {
  const FakeDriver driver(1);
  CHECK(explore(request(Algorithm::fingerprint), cpu(1)).words.size() == 3125);
  CHECK(startedGpus() == nullptr);
  CHECK_FALSE(gpusAreStarting());
}
