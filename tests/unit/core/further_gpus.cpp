// GPUs behind the first one, in searches that may use all: who asks for them, and when they take part.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/core/batch/emulated_device.hpp"
#include "runtime/core/joining_devices.hpp"
#include "runtime/core/session_impl.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"
#include "support/gpu_list.hpp"
#include "support/interval_workload.hpp"

namespace {
namespace further_gpus_test {

using namespace slicepool;
using Counting = TypedProblem<test::IntervalWorkload, Count>;

constexpr int kGpus = 3;
constexpr std::uint64_t kShort = 5000;
const std::string kFailure =
    " failed (emulated device: injected launch failure); its slices went back to the pool "
    "and the run goes on without it";

/// A driver of three GPUs, of which the first ones may be unusable, or fail at their first launch.
class ThreeGpus {
 public:
  explicit ThreeGpus(int usableFrom = 0, int worksFrom = 0) {
    GpuProvider provider;
    provider.list = [] { return test::gpuList(kGpus); };
    provider.warmUp = [](int) {};
    registerGpuProvider(provider);
    registerDeviceFactory(
        typeid(Counting),
        [=](const Problem& made, const DeviceOptions& options) -> std::unique_ptr<BatchDevice> {
          if (options.deviceIndex < usableFrom) throw DeviceError("out of order");
          EmulatorOptions emulator;
          emulator.lanes = 16;
          if (options.deviceIndex < worksFrom) emulator.failAtLaunch = 0;
          return makeEmulatedDevice(made, emulator);
        });
  }
  ~ThreeGpus() { registerGpuProvider({}); }
  ThreeGpus(const ThreeGpus&) = delete;
  ThreeGpus& operator=(const ThreeGpus&) = delete;
};

/// More than any test steps through. Its size is known.
Counting endless() {
  ProblemTraits traits;
  traits.workload = "interval";
  return {test::IntervalWorkload::View{5, true}, {{0, std::uint64_t{1} << 50}}, traits};
}

Counting shortOne() {
  ProblemTraits traits;
  traits.workload = "interval";
  return {test::IntervalWorkload::View{5, true}, {{0, kShort}}, traits};
}

EngineOptions optionsOf(Mode mode) {
  EngineOptions options;
  options.mode = mode;
  options.threads = 2;
  options.cpuBudget = 64;
  options.gpuBudget = 32;
  options.session = std::make_shared<Session>();
  return options;
}

std::set<std::string> workersOf(const Engine& engine, const std::string& kind = "") {
  std::set<std::string> workers;
  for (const WorkerReport& worker : engine.report().workers)
    if (kind.empty() || worker.kind == kind) workers.insert(worker.name);
  return workers;
}

std::set<std::string> devicesOf(const Engine& engine) { return workersOf(engine, "emulated"); }

std::set<std::string> devicesOfOneStep(const Counting& problem, EngineOptions options) {
  options.stepLimit = 1;
  Engine engine(problem, options);
  engine.run();
  return devicesOf(engine);
}

/// Steps, in pieces, until this holds.
void runUntil(Engine& engine, const std::function<bool()>& holds) {
  do engine.runFor(std::chrono::nanoseconds(0));
  while (!holds());
}

TEST_CASE("further GPUs are asked for where much is left, or much has passed where that is unknown") {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(worthFurtherGpus(0.04, 100));  // no rate to go by yet
  CHECK(worthFurtherGpus(0.06, 0.6));
  CHECK_FALSE(worthFurtherGpus(0.06, 0.4));
  CHECK_FALSE(worthFurtherGpus(10, 0.4));
  CHECK_FALSE(worthFurtherGpus(0.29, unknown));
  CHECK(worthFurtherGpus(0.31, unknown));
  // Searches of the session before.
  CHECK_FALSE(worthFurtherGpus(0, unknown, 0.9));
  CHECK(worthFurtherGpus(0.02, 0.001, 0.99));
  CHECK(worthFurtherGpus(0, unknown, 1.01));
}

TEST_CASE("a long search begins with the first GPU, and the others join") {
  for (const Mode mode : {Mode::gpu, Mode::hybrid}) {
    const ThreeGpus driver;
    const Counting problem = endless();
    Engine engine(problem, optionsOf(mode));
    runUntil(engine, [&] { return !devicesOf(engine).empty(); });
    CHECK(devicesOf(engine).contains("emulated0"));
    runUntil(engine, [&] { return devicesOf(engine).size() == kGpus; });
    CHECK(engine.report().warnings.empty());
  }
}

TEST_CASE("searches of a session that were short without further GPUs add up") {
  const ThreeGpus driver;
  const Counting problem = endless();
  EngineOptions options = optionsOf(Mode::gpu);
  do CHECK(devicesOfOneStep(problem, options).contains("emulated0"));
  while (options.session->impl().secondsWithFewGpus() <= 0);
  options.session->impl().addSecondsWithFewGpus(2);
  Engine second(problem, options);
  runUntil(second, [&] { return devicesOf(second).size() == kGpus; });
}

TEST_CASE("where the first GPU cannot be used the others are asked for") {
  const ThreeGpus driver(1);
  const Counting problem = endless();
  Engine engine(problem, optionsOf(Mode::hybrid));
  runUntil(engine, [&] { return devicesOf(engine).size() == 2; });
  CHECK(devicesOf(engine) == std::set<std::string>{"emulated1", "emulated2"});
  CHECK(engine.report().warnings == std::vector<std::string>{"GPU 0 cannot be used: out of order"});
}

TEST_CASE("a run whose first GPU fails goes on with the others") {
  const ThreeGpus driver(0, 1);
  const Counting problem = shortOne();
  Engine engine(problem, optionsOf(Mode::gpu));
  engine.run();
  CHECK(engine.finished());
  CHECK(engine.report().words[0] == test::IntervalWorkload::expected(5, kShort).size());
  CHECK(workersOf(engine, "cpu").empty());
  CHECK(devicesOf(engine).size() >= 2);
  CHECK(engine.report().warnings == std::vector<std::string>{"emulated0" + kFailure});
}

TEST_CASE("beside CPU workers a first GPU that fails keeps no other one from joining") {
  const ThreeGpus driver(0, 1);
  const Counting problem = endless();
  EngineOptions options = optionsOf(Mode::hybrid);
  Engine engine(problem, options);
  runUntil(engine, [&] { return devicesOf(engine).size() == kGpus; });
  CHECK(engine.report().warnings.size() <= 1);
}

TEST_CASE("a run all of whose GPUs fail goes on on CPU threads, and comes to an end") {
  const ThreeGpus driver(0, kGpus);
  const Counting problem = shortOne();
  Engine engine(problem, optionsOf(Mode::gpu));
  engine.run();
  CHECK(engine.finished());
  CHECK(engine.report().words[0] == test::IntervalWorkload::expected(5, kShort).size());
  CHECK(engine.report().warnings.back() == "no device is left: the run goes on on 2 CPU threads");
}

TEST_CASE("mode gpu begins with the first GPU that can be used") {
  const ThreeGpus driver(1);
  const Counting problem = shortOne();
  Engine engine(problem, optionsOf(Mode::gpu));
  engine.run();
  CHECK(engine.report().words[0] == test::IntervalWorkload::expected(5, kShort).size());
  CHECK(devicesOf(engine).contains("emulated1"));
  CHECK(engine.report().warnings == std::vector<std::string>{"GPU 0 cannot be used: out of order"});
}

TEST_CASE("mode gpu ends where no GPU can be used, or none of those that were asked for") {
  for (const int devices : {0, 1, 2}) {
    const ThreeGpus driver(devices == 0 ? kGpus : devices);
    const Counting problem = shortOne();
    EngineOptions options = optionsOf(Mode::gpu);
    options.devices = devices;
    Engine engine(problem, options);
    CHECK_THROWS_WITH_AS(engine.run(), "out of order", DeviceError);
  }
}

TEST_CASE("GPUs that are ready take part from the beginning, as many as there are") {
  const ThreeGpus driver;
  const Counting problem = endless();
  startGpus(0, 2);
  awaitGpuStart();
  const std::set<std::string> devices = devicesOfOneStep(problem, optionsOf(Mode::gpu));
  CHECK(devices.contains("emulated0"));
  CHECK(devices.contains("emulated1"));
}

TEST_CASE("as many GPUs as the options count are asked for at once") {
  const ThreeGpus driver;
  const Counting problem = endless();
  EngineOptions options = optionsOf(Mode::gpu);
  options.devices = 2;
  Engine engine(problem, options);
  engine.runFor(std::chrono::nanoseconds(0));
  awaitGpuStart();
  CHECK(gpuIsReady(1));
  CHECK_FALSE(gpuIsReady(2));
}

}  // namespace further_gpus_test
}  // namespace
