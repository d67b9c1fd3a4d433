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

/// A driver of three GPUs, of which the first may be unusable.
class ThreeGpus {
 public:
  explicit ThreeGpus(int usableFrom = 0) {
    GpuProvider provider;
    provider.list = [] { return test::gpuList(kGpus); };
    provider.warmUp = [](int) {};
    registerGpuProvider(provider);
    registerDeviceFactory(
        typeid(Counting),
        [usableFrom](const Problem& made, const DeviceOptions& options) -> std::unique_ptr<BatchDevice> {
          if (options.deviceIndex < usableFrom) throw DeviceError("out of order");
          EmulatorOptions emulator;
          emulator.lanes = 16;
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

EngineOptions optionsOf(Mode mode) {
  EngineOptions options;
  options.mode = mode;
  options.threads = 2;
  options.cpuBudget = 64;
  options.gpuBudget = 32;
  options.session = std::make_shared<Session>();
  return options;
}

std::set<std::string> devicesOf(const Engine& engine) {
  std::set<std::string> devices;
  for (const WorkerReport& worker : engine.report().workers)
    if (worker.kind == "emulated") devices.insert(worker.name);
  return devices;
}

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
