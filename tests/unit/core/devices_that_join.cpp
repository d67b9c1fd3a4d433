// Which GPUs join a run, one by one: each of the range once, an error for one that is not there, and an end.
// A stand-in provides the GPUs; nothing here waits for a time.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <latch>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/core/batch/emulated_device.hpp"
#include "runtime/core/joining_devices.hpp"
#include "runtime/core/session_impl.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"
#include "support/gpu_list.hpp"
#include "support/interval_workload.hpp"
#include "support/steady_device.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool;
using test::contains;
using test::contentOf;
using test::IntervalWorkload;

namespace {

using Counting = TypedProblem<IntervalWorkload, Count>;
struct WithoutKernels : IntervalWorkload {};

Counting problem(std::uint64_t n) {
  ProblemTraits traits;
  traits.workload = "interval";
  return {IntervalWorkload::View{5, true}, {{0, n}}, traits};
}

std::unique_ptr<BatchDevice> makeDevice(const Problem& made) {
  EmulatorOptions options;
  options.lanes = 16;
  return makeEmulatedDevice(made, options);
}

/// A driver of `gpus` GPUs, which starts at once.
class StandIn {
 public:
  explicit StandIn(
      int gpus, std::function<void(int)> warmUp = [](int) {}) {
    GpuProvider provider;
    provider.list = [gpus] { return test::gpuList(gpus); };
    provider.warmUp = std::move(warmUp);
    registerGpuProvider(provider);
  }
  ~StandIn() { registerGpuProvider({}); }
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;
};

/// How often each GPU has joined; negative: how often its device could not be made.
using Joined = std::map<int, int>;

/// Asks until no further device can come.
Joined joinAll(JoiningDevices& joining) {
  Joined joined;
  while (joining.pending()) {
    for (auto& device : joining.ready(true)) {
      CHECK((device.device == nullptr) == (device.error != nullptr));
      joined[device.index] += device.error ? -1 : 1;
    }
    std::this_thread::yield();
  }
  CHECK(joining.ready(true).empty());
  return joined;
}

constexpr int kGpus = 4;

/// GPUs from kGpus on are not there.
JoiningDevices::Make maker(const Problem& made) {
  return [&made](int index) {
    if (index >= kGpus) throw DeviceError("there is no GPU " + std::to_string(index));
    return makeDevice(made);
  };
}

Counting problemOfUnknownSize() {
  ProblemTraits traits;
  traits.workload = "interval";
  return {IntervalWorkload::View{5, false}, {{0, std::uint64_t{1} << 50}}, traits};
}

/// In a session of its own.
EngineOptions choosing(Mode mode) {
  EngineOptions options;
  options.mode = mode;
  options.threads = 2;
  options.cpuBudget = 4096;  // of fewer steps no rate is taken
  options.session = std::make_shared<Session>();
  return options;
}

/// Of an engine that runs in pieces until it has asked for GPUs.
AutomaticChoice choiceOf(const Problem& made, const EngineOptions& options) {
  Engine engine(made, options);
  do engine.runFor(std::chrono::nanoseconds(0));
  while (!engine.report().automatic.value().devices);
  return *engine.report().automatic;
}

}  // namespace

TEST_CASE("every GPU of the range joins once, and then nothing is pending") {
  const StandIn driver(kGpus);
  const Counting made = problem(100);
  const auto joined = [&](int first, int count) {
    JoiningDevices joining(first, count, maker(made));
    CHECK(joining.pending());
    CHECK(joining.start());
    CHECK_FALSE(joining.start());
    Joined found = joinAll(joining);
    CHECK(joining.none() == nullptr);
    return found;
  };
  CHECK(joined(0, 0) == Joined{{0, 1}, {1, 1}, {2, 1}, {3, 1}});
  CHECK(joined(0, 1) == Joined{{0, 1}});
  CHECK(joined(1, 2) == Joined{{1, 1}, {2, 1}});
  CHECK(joined(3, 0) == Joined{{3, 1}});
  CHECK(joined(3, 3) == Joined{{3, 1}, {4, -1}, {5, -1}});
  CHECK(joined(7, 1) == Joined{{7, -1}});
}

TEST_CASE("no device is made before its start, nor while the rest of the run is too short") {
  const StandIn driver(1);
  const Counting made = problem(100);
  std::atomic<int> begun{0};
  JoiningDevices joining(0, 0, [&](int) {
    begun.fetch_add(1);
    return makeDevice(made);
  });
  CHECK(joining.ready(true).empty());
  CHECK(joining.pending());
  CHECK(joining.start());
  while (!gpuIsReady(0)) std::this_thread::yield();
  for (int i = 0; i < 3; ++i) CHECK(joining.ready(false).empty());
  CHECK(joining.pending());
  CHECK(joining.expected(true) == 1);
  CHECK(joining.expected(false) == 0);  // it will not come
  CHECK(begun == 0);
  CHECK(joinAll(joining) == Joined{{0, 1}});
  CHECK(joining.expected(true) == 0);
  CHECK(begun == 1);
}

TEST_CASE("who is to come is known at once where the driver has started, without GPUs that are not there") {
  const StandIn driver(kGpus);
  const Counting made = problem(100);
  startGpus();
  while (startedGpus() == nullptr) std::this_thread::yield();
  for (const int missing : {0, 3}) {
    JoiningDevices joining(2, 2 + missing, maker(made));
    CHECK(joining.expected(true) == 0);
    CHECK(joining.start());
    CHECK(joining.expected(true) == 2);
    CHECK(joining.expected(false) == 0);
    (void)joinAll(joining);
    CHECK(joining.expected(true) == 0);
  }
}

TEST_CASE("a GPU that is not ready when the start is over is not waited for") {
  const StandIn driver(kGpus);
  const Counting made = problem(100);
  JoiningDevices joining(0, 0, maker(made));
  CHECK(joining.start());
  while (!gpuIsReady(kGpus - 1)) std::this_thread::yield();
  CHECK(joining.ready(false).empty());  // listed, and not worth it yet
  CHECK(joining.expected(true) == kGpus);
  const StandIn other(kGpus);  // another driver, which was not started: no GPU of the first is ready
  CHECK(joining.ready(true).empty());
  CHECK(joining.expected(true) == 0);
  CHECK_FALSE(joining.pending());
}

TEST_CASE("a driver without GPUs says why, and nothing is pending") {
  const StandIn driver(0);
  const Counting made = problem(100);
  JoiningDevices joining(0, 0, maker(made));
  CHECK(joining.start());
  CHECK(joinAll(joining).empty());
  REQUIRE(joining.none() != nullptr);
  CHECK(joining.none()->whyNone == "the stand-in has none");
}

TEST_CASE("a process that cannot have GPUs has nothing pending from the start on") {
  REQUIRE_FALSE(gpusAreLikely());
  const Counting made = problem(100);
  JoiningDevices joining(0, 0, maker(made));
  CHECK(joining.start());
  CHECK_FALSE(joining.pending());
  CHECK(joining.none() == nullptr);
}

TEST_CASE("the first GPU leaves slices to one that is still being made") {
  std::latch over(1);
  const StandIn driver(2, [&](int index) {
    if (index == 1) over.wait();
  });
  startGpus();
  while (!gpuIsReady(0)) std::this_thread::yield();
  test::SteadyDevice::Log log;
  registerDeviceFactory(typeid(Counting), [&](const Problem&, const DeviceOptions&) {
    return std::make_unique<test::SteadyDevice>(test::SteadyDevice::Script{.lanes = 4096}, &log);
  });
  ProblemTraits traits;
  traits.workload = "interval";
  const Counting endless(IntervalWorkload::View{5, false}, {{0, std::uint64_t{1} << 50}}, traits);
  EngineOptions options;
  options.mode = Mode::gpu;
  options.devices = 2;
  options.stepLimit = 10'000;
  Engine engine(endless, options);
  engine.run();
  CHECK(engine.report().steps >= 10'000);
  CHECK(log.uploads == 1);  // the other batch would take some, too
  over.count_down();
}

TEST_CASE("GPUs that cannot be used are named in a warning each, and the others work") {
  bool ready = false;
  SUBCASE("they join") {}
  SUBCASE("they are ready before the run") { ready = true; }
  std::latch over(ready ? 0 : 1);
  const StandIn driver(3, [&](int) { over.wait(); });
  if (ready) {
    startGpus();
    awaitGpuStart();
  }
  registerDeviceFactory(
      typeid(Counting),
      [](const Problem& made, const DeviceOptions& options) -> std::unique_ptr<BatchDevice> {
        if (options.deviceIndex != 1) throw DeviceError("out of order");
        return makeDevice(made);
      });
  const Counting endless = problem(std::uint64_t{1} << 50);
  EngineOptions options;
  options.mode = Mode::hybrid;
  options.threads = 2;
  options.cpuBudget = 64;
  options.gpuBudget = 32;
  Engine engine(endless, options);
  engine.runFor(std::chrono::nanoseconds(0));  // its workers are made
  if (!ready) over.count_down();
  RunReport report;
  const auto devices = [&] {
    return std::count_if(report.workers.begin(), report.workers.end(),
                         [](const WorkerReport& worker) { return worker.kind == "emulated"; });
  };
  do {  // each piece takes a step at least
    engine.runFor(std::chrono::nanoseconds(0));
    report = engine.report();
  } while (report.warnings.size() < 2 || devices() == 0);
  CHECK_FALSE(engine.finished());
  CHECK(devices() == 1);
  std::sort(report.warnings.begin(), report.warnings.end());
  CHECK(report.warnings ==
        std::vector<std::string>{"GPU 0 cannot be used: out of order", "GPU 2 cannot be used: out of order"});
}

TEST_CASE("the only GPU of a driver is called as the user calls it") {
  const StandIn driver(2);
  showOnlyGpu(5);
  const test::TemporaryFolder folder;
  registerDeviceFactory(
      typeid(Counting),
      [](const Problem& made, const DeviceOptions& options) -> std::unique_ptr<BatchDevice> {
        if (options.deviceIndex != 0) throw DeviceError("out of order");
        return makeDevice(made);
      });
  startGpus();
  awaitGpuStart();
  EngineOptions options;
  options.mode = Mode::gpu;
  options.gpuBudget = 32;
  options.tracePath = folder.path("trace.json");
  const Counting made = problem(1000);
  Engine engine(made, options);
  engine.run();
  const RunReport report = engine.report();
  REQUIRE(report.workers.size() == 1);
  CHECK(report.workers[0].name == "emulated5");
  CHECK(report.warnings == std::vector<std::string>{"GPU 6 cannot be used: out of order"});
  CHECK(contains(contentOf(options.tracePath), "device of GPU 5"));
}

TEST_CASE("a mode that asks for GPUs ends where the driver finds none, while auto goes on") {
  const StandIn driver(0);
  registerDeviceFactory(typeid(Counting),
                        [](const Problem& made, const DeviceOptions&) { return makeDevice(made); });
  const Counting endless = problem(std::uint64_t{1} << 50);
  EngineOptions options;
  options.threads = 2;
  options.cpuBudget = 64;
  options.mode = Mode::hybrid;
  Engine engine(endless, options);
  const auto toTheError = [&] {
    for (;;) engine.runFor(std::chrono::nanoseconds(0));
  };
  CHECK_THROWS_WITH_AS(toTheError(), "no usable GPU: the stand-in has none", DeviceError);
  options.mode = Mode::automatic;
  options.stepLimit = 10'000;
  Engine other(endless, options);
  other.run();
  CHECK(other.report().steps >= 10'000);
  CHECK(other.report().warnings.empty());
}

TEST_CASE("auto says what it chose and why") {
  registerDeviceFactory(typeid(Counting),
                        [](const Problem& made, const DeviceOptions&) { return makeDevice(made); });
  EngineOptions options = choosing(Mode::automatic);
  SUBCASE("the rate leaves much work") {
    const StandIn driver(0);
    AutomaticChoice choice;
    do choice = choiceOf(problem(std::uint64_t{1} << 50), options);
    while (!choice.stepsPerSecond);  // a machine so loaded that no turn has ended in time
    CHECK(choice.askedSeconds.value() > 0.02);
    CHECK(choice.secondsLeft.value() == doctest::Approx(*choice.stepsLeft / *choice.stepsPerSecond));
    CHECK(choice.secondsLeft.value() > 0.4);
    CHECK(choice.reason.starts_with("the rate of the CPU workers left "));
  }
  SUBCASE("nothing is known of the rest") {
    const StandIn driver(1);
    const AutomaticChoice choice = choiceOf(problemOfUnknownSize(), options);
    CHECK(choice.askedSeconds.value() > 0.075);
    CHECK_FALSE(choice.stepsLeft);
    CHECK(contains(choice.reason, "how much was left was unknown"));
  }
  SUBCASE("the driver finds none") {
    const StandIn driver(0);
    const Counting endless = problem(std::uint64_t{1} << 50);
    Engine engine(endless, options);
    do engine.runFor(std::chrono::nanoseconds(0));
    while (!contains(engine.report().automatic.value().reason, "none"));
    CHECK(contains(engine.report().automatic->reason, ", but there is no usable GPU: the stand-in has none"));
    CHECK(engine.report().automatic->askedSeconds.has_value());
  }
  SUBCASE("GPUs are ready; the next run is over before they would begin") {
    const StandIn driver(1);
    startGpus();
    awaitGpuStart();
    const Counting made = problem(3'000'000);
    Engine engine(made, options);
    engine.run();
    REQUIRE(engine.report().automatic);
    CHECK(engine.report().automatic->devices);
    CHECK(engine.report().automatic->reason == "the GPUs were ready");
    CHECK_FALSE(engine.report().automatic->askedSeconds);
    options.session->impl().learnRate(made, "cpu", 1e12);
    Engine next(made, options);
    next.run();
    REQUIRE(next.report().automatic);
    CHECK_FALSE(next.report().automatic->devices);
    CHECK(contains(next.report().automatic->reason, "less than a millisecond"));
    CHECK(next.report().automatic->stepsPerSecond == 2e12);
    CHECK(next.report().automatic->stepsLeft == 3'000'000);
  }
  SUBCASE("GPUs are ready, and CPU workers would save too little") {
    const StandIn driver(1);
    startGpus();
    awaitGpuStart();
    const Counting made = problem(300'000);
    options.session->impl().learnRate(made, "cpu", 1e7);
    options.session->impl().learnRate(made, "gpu", 1e9);
    for (const Mode mode : {Mode::hybrid, Mode::automatic}) {
      options.mode = mode;
      Engine engine(made, options);
      engine.run();
      CHECK(engine.finished());
      const RunReport report = engine.report();
      CHECK(report.words.at(0) == IntervalWorkload::expected(5, 300'000).size());
      REQUIRE(report.workers.size() == 1);
      CHECK(report.workers.front().kind == "emulated");
      CHECK(report.automatic.value().devices);
      CHECK(contains(report.automatic->reason, "of which CPU workers would save"));
    }
  }
  SUBCASE("no kernels, or no GPU") {
    const Counting made = problem(1000);
    Engine engine(made, options);
    engine.run();
    CHECK(engine.report().automatic.value().reason.starts_with("there is no usable GPU: "));
    const StandIn driver(1);
    ProblemTraits traits;
    traits.workload = "interval";
    const TypedProblem<WithoutKernels, Count> unknown{IntervalWorkload::View{5, true}, {{0, 1000}}, traits};
    Engine other(unknown, options);
    other.run();
    CHECK(other.report().automatic.value().reason ==
          "this build has no GPU kernels for this interval problem");
  }
  options.mode = Mode::cpu;
  const Counting made = problem(1000);
  Engine engine(made, options);
  engine.run();
  CHECK_FALSE(engine.report().automatic);
}

TEST_CASE(
    "a trace shows the start of the driver and of each GPU that a run has waited for or was joined by") {
  registerDeviceFactory(typeid(Counting),
                        [](const Problem& made, const DeviceOptions&) { return makeDevice(made); });
  const test::TemporaryFolder folder;
  const Counting endless = problem(std::uint64_t{1} << 50);
  EngineOptions options;
  options.threads = 2;
  options.cpuBudget = 64;
  options.gpuBudget = 32;
  for (const Mode mode : {Mode::hybrid, Mode::gpu}) {
    const StandIn driver(2);
    options.mode = mode;
    options.tracePath = folder.path("trace.json");
    Engine engine(endless, options);
    const auto devices = [&] {
      const RunReport report = engine.report();
      return std::count_if(report.workers.begin(), report.workers.end(),
                           [](const WorkerReport& worker) { return worker.kind == "emulated"; });
    };
    do engine.runFor(std::chrono::nanoseconds(0));
    while (devices() < 2);
    engine.runFor(std::chrono::nanoseconds(0));  // writes the trace once more
    const std::string trace = contentOf(options.tracePath);
    for (const char* name :
         {"driver", "context of GPU 0", "context of GPU 1", "device of GPU 0", "device of GPU 1"}) {
      CAPTURE(name);
      CHECK(contains(trace, "\"name\":\"" + std::string(name) + "\""));
    }
    CHECK(contains(trace, "\"name\":\"tail\""));
  }
}

TEST_CASE("mode gpu starts the driver at once, hybrid and auto when a search is or becomes long") {
  const double unknown = std::nan("");
  struct Row {
    double passed, left;
    bool automatic, hybrid;
  };
  for (const Row& row :
       {Row{0, 100, false, false},  // no rate to go by yet
        Row{0.02, 100, false, false}, Row{0.021, 0.41, true, true}, Row{0.021, 0.39, false, true},
        Row{0.021, 0.21, false, true}, Row{0.021, 0.19, false, false}, Row{0, unknown, false, false},
        Row{0.039, unknown, false, false}, Row{0.041, unknown, false, true}, Row{0.074, unknown, false, true},
        Row{0.076, unknown, true, true}, Row{0.076, 0.001, false, false},  // known to be about over
        Row{10, 0.19, false, false}, Row{10, 0.21, false, true}}) {
    CAPTURE(row.passed);
    CAPTURE(row.left);
    CHECK(worthStartingGpus(Mode::gpu, row.passed, row.left));
    CHECK(worthStartingGpus(Mode::automatic, row.passed, row.left) == row.automatic);
    CHECK(worthStartingGpus(Mode::hybrid, row.passed, row.left) == row.hybrid);
  }
}

TEST_CASE("many short searches of a session in mode hybrid start the driver, one alone does not") {
  CHECK_FALSE(worthStartingGpus(Mode::hybrid, 10, 0.001, 0));
  CHECK_FALSE(worthStartingGpus(Mode::hybrid, 0.01, 0.001, 0.28));
  CHECK(worthStartingGpus(Mode::hybrid, 0.03, 0.001, 0.28));
  CHECK(worthStartingGpus(Mode::hybrid, 0, std::nan(""), 0.31));
  CHECK_FALSE(worthStartingGpus(Mode::automatic, 0, std::nan(""), 100));
}

TEST_CASE("hybrid says when it asked for GPUs and why") {
  registerDeviceFactory(typeid(Counting),
                        [](const Problem& made, const DeviceOptions&) { return makeDevice(made); });
  const StandIn driver(1);
  const Counting unknown = problemOfUnknownSize();
  EngineOptions options = choosing(Mode::hybrid);
  SUBCASE("nothing is known of the rest") {
    const AutomaticChoice choice = choiceOf(unknown, options);
    CHECK(choice.askedSeconds.value() > 0.04);
    CHECK(contains(choice.reason, "how much was left was unknown"));
    CHECK(driverWasAsked());
  }
  SUBCASE("a search that is over before has not touched the driver") {
    RunReport report;
    do {  // a machine so loaded that it took 40 ms
      const StandIn again(1);
      const Counting made = problem(1000);
      Engine engine(made, options);
      engine.run();
      report = engine.report();
      CHECK(report.automatic.value().devices == driverWasAsked());
      options.session = std::make_shared<Session>();
    } while (report.automatic->devices);
    CHECK(report.complete);
    CHECK(report.automatic->reason == "the search ended before it was seen to be long");
    CHECK_FALSE(report.automatic->askedSeconds);
  }
  SUBCASE("another run has asked, and its contexts are not there yet") {
    (void)knownGpus();
    REQUIRE(driverWasAsked());
    const AutomaticChoice choice = choiceOf(unknown, options);
    CHECK(choice.reason == "the process had asked for them before");
    CHECK(choice.askedSeconds.value() == 0);
  }
  SUBCASE("earlier searches of the session have taken long enough") {
    options.session->impl().addSecondsWithoutGpus(0.5);
    const AutomaticChoice choice = choiceOf(unknown, options);
    CHECK(choice.reason == "earlier searches of the session had taken 0.5 s without GPUs");
    CHECK(choice.askedSeconds.value() == 0);
  }
  SUBCASE("searches that end without GPUs are noted") {
    double seconds = 0;
    RunReport report;
    do {
      const StandIn again(1);
      options.session = std::make_shared<Session>();
      const Counting made = problem(100'000);
      Engine engine(made, options);
      engine.run();
      report = engine.report();
      seconds = options.session->impl().secondsWithoutGpus();
    } while (report.automatic.value().devices);
    CHECK(seconds == report.seconds);
  }
  SUBCASE("they were ready") {
    startGpus();
    awaitGpuStart();
    const Counting made = problem(100'000);
    Engine engine(made, options);
    engine.run();
    CHECK(engine.report().automatic.value().reason == "the GPUs were ready");
  }
}

TEST_CASE("hybrid without any GPU is an error before the first step, however short the search") {
  registerDeviceFactory(typeid(Counting),
                        [](const Problem& made, const DeviceOptions&) { return makeDevice(made); });
  REQUIRE_FALSE(gpusAreLikely());
  EngineOptions options;
  options.mode = Mode::hybrid;
  options.threads = 1;
  const Counting made = problem(1);
  Engine engine(made, options);
  CHECK_THROWS_AS(engine.run(), DeviceError);
  CHECK(engine.report().steps == 0);
}

TEST_CASE("workers in their first turn count like the others") {
  CHECK(foreseenRate({}) == 0);
  CHECK(foreseenRate({0, 0}) == 0);
  CHECK(foreseenRate({10, 30}) == 40);
  CHECK(foreseenRate({10, 0, 30, 0}) == 80);
}

TEST_CASE("a program that waits for the start of its GPUs leaves with nothing at work") {
  const StandIn driver(3);
  awaitGpuStart();  // of nothing
  startGpus();
  awaitGpuStart();
  CHECK_FALSE(gpusAreStarting());
  REQUIRE(startedGpus() != nullptr);
  CHECK(startedGpus()->gpus.size() == 3);
  for (int index = 0; index < 3; ++index) CHECK(gpuIsReady(index));
}

TEST_CASE("a GPU joins unless the search is known to be about over") {
  CHECK(worthJoining(std::nan("")));
  CHECK(worthJoining(0.021));
  CHECK_FALSE(worthJoining(0.019));
}
