// GPUs that join a running search: a stand-in for the driver starts when the test lets it, its devices are
// lane emulators. Nothing here waits for a time.
#include <doctest/doctest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/core/batch/emulated_device.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/run.hpp"
#include "slicepool/detail/batch_device.hpp"
#include "support/collector.hpp"
#include "support/gpu_list.hpp"
#include "support/interval_workload.hpp"

using namespace slicepool;
using test::IntervalWorkload;

namespace {

/// What the search and the stand-in tell each other.
struct Gate {
  std::atomic<bool> begun{false};     ///< a CPU worker has taken a step
  std::atomic<bool> launched{false};  ///< a device has launched
  std::atomic<int> asked{0};          ///< times that the driver was asked for its GPUs
  std::atomic<int> made{0};           ///< devices

  void launch() {
    launched.store(true);
    launched.notify_all();
  }
};

constexpr std::uint64_t kDeviceBudget = 32;  // CPU workers have more: that is how a step knows them

/// The integers of an interval. From the half on a step waits until a device has launched, if the view says
/// so: a run that ends has been joined.
struct GatedWorkload {
  struct View {
    Gate* gate;
    std::uint64_t half;  ///< 0: nothing waits
  };
  using Slice = IntervalWorkload::Slice;

  template <class Emit>
  static Turn advance(const View& view, Slice& slice, Budget& budget, Emit& emit) {
    if (budget.left <= kDeviceBudget) view.gate->launch();
    view.gate->begun.store(true);
    view.gate->begun.notify_all();
    if (view.half != 0 && slice.end > view.half && slice.begin < slice.end) view.gate->launched.wait(false);
    return IntervalWorkload::advance({kSalt, true}, slice, budget, emit);
  }
  static bool split(const View&, Slice& kept, Slice& given) {
    return IntervalWorkload::split({kSalt, true}, kept, given);
  }
  static double size(const View&, const Slice& slice) { return static_cast<double>(slice.end - slice.begin); }
  static constexpr std::uint64_t kSalt = 71;
};

using GatedProblem = TypedProblem<GatedWorkload, Collect<std::uint64_t>>;

constexpr std::uint64_t kN = 100'000;

GatedProblem problem(Gate& gate, bool waits) {
  ProblemTraits traits;
  traits.workload = "gated";
  // The total stays unknown: it may not be found that a device does not pay.
  return {GatedWorkload::View{&gate, waits ? kN / 2 : 0}, {{0, kN}}, traits};
}

std::unique_ptr<BatchDevice> makeDevice(const Problem& problem, Gate& gate) {
  gate.made.fetch_add(1);
  EmulatorOptions options;
  options.lanes = 16;
  return makeEmulatedDevice(problem, options);
}

/// The driver of `gpus` GPUs, which starts when `start` says so.
class FakeDriver {
 public:
  FakeDriver(Gate& gate, int gpus, std::function<void()> start) {
    GpuProvider provider;
    provider.list = [&gate, gpus, start = std::move(start)] {
      gate.asked.fetch_add(1);
      start();
      return test::gpuList(gpus);
    };
    provider.warmUp = [](int) {};
    registerGpuProvider(provider);
    registerDeviceFactory(typeid(GatedProblem), [&gate](const Problem& problem, const DeviceOptions&) {
      return makeDevice(problem, gate);
    });
  }
  ~FakeDriver() { registerGpuProvider({}); }
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;
};

EngineOptions options(Mode mode) {
  EngineOptions made;
  made.mode = mode;
  made.threads = 3;
  made.cpuBudget = 2 * kDeviceBudget;
  made.gpuBudget = kDeviceBudget;
  return made;
}

RunReport runAll(const Problem& made, const EngineOptions& options) {
  test::Collector<std::uint64_t> collector;
  Engine engine(made, options, &collector);
  engine.run();
  CHECK(engine.finished());
  CHECK(collector.sorted() == IntervalWorkload::expected(GatedWorkload::kSalt, kN));
  RunReport report = engine.report();
  CHECK(report.steps == kN);
  return report;
}

std::size_t workersOf(const RunReport& report, const std::string& kind) {
  std::size_t found = 0;
  for (const auto& worker : report.workers) found += worker.kind == kind ? 1 : 0;
  return found;
}

}  // namespace

TEST_CASE("a GPU joins a search that CPU workers have begun, and the set is the same") {
  for (const Mode mode : {Mode::hybrid, Mode::automatic}) {
    for (const int gpus : {1, 3}) {
      Gate gate;
      const FakeDriver driver(gate, gpus, [&] { gate.begun.wait(false); });
      const RunReport report = runAll(problem(gate, true), options(mode));
      CHECK(gate.asked == 1);
      CHECK(workersOf(report, "cpu") == 3);
      CHECK(workersOf(report, "emulated") >= 1);
      CHECK(report.warnings.empty());
    }
  }
}

TEST_CASE("a run that is over before the driver has started does not wait for it") {
  for (const Mode mode : {Mode::hybrid, Mode::automatic}) {
    Gate gate;
    std::latch over(1);
    const FakeDriver driver(gate, 1, [&] { over.wait(); });
    const RunReport report = runAll(problem(gate, false), options(mode));
    CHECK(workersOf(report, "emulated") == 0);
    CHECK(report.automatic.value().devices == gpusAreStarting());  // on a loaded machine it may be long
    over.count_down();
  }
}

TEST_CASE("GPUs that are ready work from the first slice on") {
  Gate gate;
  const FakeDriver driver(gate, 2, [] {});
  startGpus();
  while (!gpuIsReady(0) || !gpuIsReady(1)) std::this_thread::yield();
  const RunReport report = runAll(problem(gate, true), options(Mode::hybrid));
  CHECK(workersOf(report, "emulated") == 2);
  CHECK(workersOf(report, "cpu") == 1);  // each driver takes a core
}

TEST_CASE("without a GPU hybrid ends with an error and auto goes on") {
  Gate gate;
  const FakeDriver driver(gate, 0, [&] { gate.begun.wait(false); });
  const RunReport report = runAll(problem(gate, false), options(Mode::automatic));
  CHECK(workersOf(report, "emulated") == 0);
  Gate waiting;
  const FakeDriver second(waiting, 0, [&] { waiting.begun.wait(false); });
  const auto made = problem(waiting, true);
  test::Collector<std::uint64_t> collector;
  Engine engine(made, options(Mode::hybrid), &collector);
  // Workers wait for a launch that never comes until the driver has said that there is no GPU.
  std::thread release([&] {
    while (startedGpus() == nullptr) std::this_thread::yield();
    waiting.launch();
  });
  try {
    engine.run();
    CHECK(engine.finished());  // the CPU workers were faster than the answer
  } catch (const DeviceError& error) {
    CHECK(std::string(error.what()) == "no usable GPU: the stand-in has none");
  }
  release.join();
}

TEST_CASE("a GPU that cannot be used costs a warning and no result") {
  Gate gate;
  const FakeDriver driver(gate, 1, [&] { gate.begun.wait(false); });  // ready at once it would be an error
  registerDeviceFactory(typeid(GatedProblem),
                        [&gate](const Problem&, const DeviceOptions&) -> std::unique_ptr<BatchDevice> {
                          gate.launch();
                          throw DeviceError("out of order");
                        });
  const RunReport report = runAll(problem(gate, true), options(Mode::hybrid));
  CHECK(workersOf(report, "emulated") == 0);
}

TEST_CASE("mode cpu never asks the driver") {
  Gate gate;
  const FakeDriver driver(gate, 1, [] {});
  (void)runAll(problem(gate, false), options(Mode::cpu));
  CHECK(gate.asked == 0);
}
