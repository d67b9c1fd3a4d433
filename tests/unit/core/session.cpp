// What a session keeps between runs: one seat of a device for runs of different workloads, the arena and its
// threads; within its limits, not what has failed, and for each of several runs at a time its own.
// One file, because all cases count by the same stand-in of a device.
#include "slicepool/core/session.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/core/batch/emulated_device.hpp"
#include "runtime/core/session_impl.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"
#include "support/collector.hpp"
#include "support/gpu_list.hpp"
#include "support/interval_workload.hpp"
#include "support/scale.hpp"
#include "support/worker_options.hpp"

using namespace slicepool;
using test::IntervalWorkload;

namespace {

using Counting = TypedProblem<IntervalWorkload, Count>;
using Collecting = TypedProblem<IntervalWorkload, Collect<std::uint64_t>>;

template <class P>
P problem(std::uint64_t n, std::uint64_t salt = 3) {
  ProblemTraits traits;
  traits.workload = "interval";
  traits.totalSteps = static_cast<double>(n);
  return {IntervalWorkload::View{salt, true}, {{0, n}}, traits};
}

EngineOptions in(const std::shared_ptr<Session>& session, EngineOptions options) {
  options.session = session;
  options.longestSleep = std::chrono::milliseconds(0);
  return options;
}

/// Two runs of different workloads. Returns the report of the second.
RunReport runBoth(const EngineOptions& options, std::uint64_t n, std::uint64_t salt = 3) {
  const auto expected = IntervalWorkload::expected(salt, n);
  {
    const auto counting = problem<Counting>(n, salt);
    Engine counts(counting, options);  // which has its seat until it is destroyed
    counts.run();
    CHECK(counts.report().complete);
    CHECK(counts.report().words.at(0) == expected.size());
  }
  const auto collecting = problem<Collecting>(n + 1, salt);
  test::Collector<std::uint64_t> collector;
  Engine collects(collecting, options, &collector);
  collects.run();
  CHECK(collects.report().complete);
  CHECK(collector.sorted() == IntervalWorkload::expected(salt, n + 1));
  return collects.report();
}

bool workedOn(const RunReport& report, const std::string& kind) {
  return std::any_of(
      report.workers.begin(), report.workers.end(),
      [&](const WorkerReport& worker) { return worker.kind == kind && worker.steps != 0; });
}

/// A driver of one GPU, whose devices are emulated ones.
class StandIn {
 public:
  StandIn() {
    GpuProvider provider;
    provider.list = [] { return test::gpuList(1); };
    provider.warmUp = [](int) {};
    provider.makeSeat = [this](int index) {
      CHECK(index == 0);
      ++seatsMade;
      return makeEmulatedSeat();
    };
    provider.keepMemory = [this](std::size_t device, std::size_t host) {
      limits = {device, host};
      smallest = std::min(smallest, device);
    };
    provider.unusedMemory = [] { return UnusedGpuMemory{1000, 100}; };
    registerGpuProvider(provider);
    for (const auto& type : {std::type_index(typeid(Counting)), std::type_index(typeid(Collecting))}) {
      registerDeviceFactory(
          type,
          [this](const Problem& made, const DeviceOptions& options) {
            ++devicesMade;
            {
              const std::lock_guard lock(mutex);
              seats.insert(options.seat.get());
            }
            EmulatorOptions emulator;
            emulator.lanes = 64;
            emulator.failAtLaunch = failAtLaunch.exchange(-1);
            return makeEmulatedDevice(made, emulator, options.seat);
          });
    }
  }
  ~StandIn() {
    registerGpuProvider({});
    for (const auto& type : {std::type_index(typeid(Counting)), std::type_index(typeid(Collecting))})
      registerDeviceFactory(type, {});
  }
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

  std::atomic<int> seatsMade{0}, devicesMade{0};
  std::atomic<std::int64_t> failAtLaunch{-1};  ///< of the next device
  std::mutex mutex;
  std::set<const DeviceSeat*> seats;
  std::pair<std::size_t, std::size_t> limits{};
  std::size_t smallest = ~std::size_t{0};
};

EngineOptions onGpu() {
  EngineOptions options;
  options.mode = Mode::gpu;
  options.gpuBudget = 200;
  return options;
}

}  // namespace

TEST_CASE("runs of different workloads use one seat, one arena and the same threads") {
  const auto session = std::make_shared<Session>();
  const std::uint64_t n = test::scaled(20'000);
  for (int run = 0; run < 10; ++run) CHECK(workedOn(runBoth(in(session, test::onEmulator()), n), "emulated"));
  const SessionReport report = session->report();
  CHECK(report.runs == 20);
  CHECK(report.seatsMade == 1);
  CHECK(report.arenasMade == 1);
  CHECK(report.threadsStarted == 2);  // of the device and of the arena
  CHECK(report.seats == 1);
  CHECK(report.arenas == 1);
  CHECK(report.threads == 2);
  CHECK(report.hostBytes > 0);
}

TEST_CASE("a seat of a GPU is made once for devices of different problems") {
  StandIn driver;
  const auto session = std::make_shared<Session>();
  for (int run = 0; run < 6; ++run) runBoth(in(session, onGpu()), 5000);
  CHECK(driver.devicesMade == 12);
  CHECK(driver.seatsMade == 1);
  CHECK(driver.seats.size() == 1);
  CHECK(driver.seats.count(nullptr) == 0);
  CHECK(session->report().arenasMade == 0);
  CHECK(session->report().deviceBytes == 1000);
}

TEST_CASE("each number of threads has its arena, and the longest unused goes first") {
  const auto session = std::make_shared<Session>();
  for (int round = 0; round < 2; ++round)
    for (int threads = 1; threads <= 4; ++threads) runBoth(in(session, test::onCpu(threads)), 1000);
  CHECK(session->report().arenasMade == 4);
  for (int threads = 5; threads <= 12; ++threads) runBoth(in(session, test::onCpu(threads)), 1000);
  CHECK(session->report().arenas == 8);
  CHECK(session->report().arenasMade == 12);
  runBoth(in(session, test::onCpu(12)), 1000);
  CHECK(session->report().arenasMade == 12);
  runBoth(in(session, test::onCpu(4)), 1000);
  CHECK(session->report().arenasMade == 13);
}

TEST_CASE("a seat that is larger than the limit is not kept") {
  EngineOptions options = test::onEmulator();
  options.poolCapacity = 64;  // far smaller than a seat with results
  const auto generous = std::make_shared<Session>();
  runBoth(in(generous, options), 5000);
  const std::size_t needed = generous->report().hostBytes;
  REQUIRE(needed > 0);
  const auto small = std::make_shared<Session>(SessionOptions{.deviceBytes = 0, .hostBytes = needed / 2});
  for (int run = 0; run < 3; ++run) runBoth(in(small, options), 5000);
  CHECK(small->report().hostBytes <= needed / 2);
  CHECK(small->report().seats == 0);
  CHECK(small->report().seatsMade > 1);
  // Two at a time, of which one fits.
  options.emulator.devices = 2;
  const auto middle =
      std::make_shared<Session>(SessionOptions{.deviceBytes = 0, .hostBytes = 3 * needed / 2});
  for (int run = 0; run < 3; ++run) runBoth(in(middle, options), 5000);
  CHECK(middle->report().hostBytes <= 3 * needed / 2);
  CHECK(middle->report().seats >= 1);
}

TEST_CASE("a device that has failed is not kept, and the next run has another one") {
  const auto session = std::make_shared<Session>();
  const std::uint64_t n = 20'000;
  runBoth(in(session, test::onEmulator()), n);
  REQUIRE(session->report().seats == 1);
  for (int failure = 1; failure <= 3; ++failure) {
    CAPTURE(failure);
    {
      const auto made = problem<Counting>(n);
      Engine engine(made, in(session, test::onEmulator(0)));
      engine.run();
      CHECK(engine.report().complete);
      CHECK(engine.report().words.at(0) == IntervalWorkload::expected(3, n).size());
      CHECK_FALSE(engine.report().warnings.empty());
    }
    CHECK(session->report().seats == 0);
    const RunReport next = runBoth(in(session, test::onEmulator()), n);
    CHECK(next.warnings.empty());
    CHECK(workedOn(next, "emulated"));
    CHECK(session->report().seats == 1);
    CHECK(session->report().seatsMade == static_cast<std::uint64_t>(1 + failure));
  }
}

TEST_CASE("a GPU that has failed is used again by the next run") {
  StandIn driver;
  const auto session = std::make_shared<Session>();
  runBoth(in(session, onGpu()), 5000);
  driver.failAtLaunch = 1;
  const auto made = problem<Counting>(5000);
  Engine engine(made, in(session, onGpu()));
  engine.run();
  CHECK(engine.report().words.at(0) == IntervalWorkload::expected(3, 5000).size());
  CHECK_FALSE(engine.report().warnings.empty());
  CHECK(runBoth(in(session, onGpu()), 5000).warnings.empty());
  CHECK(driver.seatsMade == 2);
}

TEST_CASE("runs at the same time each have a seat and an arena, which are all kept") {
  const auto session = std::make_shared<Session>();
  constexpr int kThreads = 4;
  const int runs = static_cast<int>(test::scaled(8));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (int run = 0; run < runs; ++run)
        runBoth(in(session, run % 2 == 0 ? test::onEmulator() : test::onCpu(2)), 3000,
                static_cast<std::uint64_t>(thread + 10));
    });
  for (auto& thread : threads) thread.join();
  const SessionReport report = session->report();
  CHECK(report.runs == static_cast<std::uint64_t>(2 * kThreads * runs));
  CHECK(report.seatsMade <= kThreads);
  CHECK(report.arenasMade <= 2 * kThreads);
  CHECK(report.threadsStarted <= 2 * kThreads);
  CHECK(report.seats == report.seatsMade);
  CHECK(report.arenas == report.arenasMade);
  CHECK(report.threads == report.threadsStarted);
}

TEST_CASE("a pool that a run has left slices in is not used again") {
  const auto session = std::make_shared<Session>();
  EngineOptions options = in(session, test::onCpu(2));
  options.stepLimit = 5000;  // what is left goes back to the hub, which has the pool until its end
  for (int run = 0; run < 4; ++run) {
    const auto made = problem<Counting>(100'000);
    Engine engine(made, options);
    engine.run();
    CHECK_FALSE(engine.report().complete);
  }
  runBoth(in(session, test::onCpu(2)), 20'000);
  const auto pool = session->impl().pool(64, 16, PoolOrder::lifo);
  std::array<std::byte, 64> slice{};
  REQUIRE(pool->tryPush(slice.data()));
  const auto other = session->impl().pool(64, 16, PoolOrder::lifo);
  CHECK(other != pool);
  CHECK(other->approximateSize() == 0);
}

TEST_CASE("pools of other sizes and orders are others") {
  const auto session = std::make_shared<Session>();
  const SlabPool* first = session->impl().pool(64, 16, PoolOrder::lifo).get();
  CHECK(session->impl().pool(64, 16, PoolOrder::lifo).get() == first);
  CHECK(session->impl().pool(64, 17, PoolOrder::lifo)->capacity() == 17);
  CHECK(session->impl().pool(64, 16, PoolOrder::fifo).get() != first);
  CHECK_THROWS_AS((void)session->impl().pool(64, 0, PoolOrder::lifo), ConfigError);
}

TEST_CASE("release gives back what no run has, and runs go on") {
  const auto session = std::make_shared<Session>();
  runBoth(in(session, test::onEmulator()), 2000);
  session->release();
  SessionReport report = session->report();
  CHECK(report.seats + report.arenas + report.threads == 0);
  CHECK(report.hostBytes == 0);  // pools of slices, too
  runBoth(in(session, test::onEmulator()), 2000);
  report = session->report();
  CHECK(report.seats == 1);
  CHECK(report.seatsMade == 2);
}

TEST_CASE("a closed session keeps nothing, and runs go on") {
  const auto session = std::make_shared<Session>();
  runBoth(in(session, test::onEmulator()), 2000);
  session->close();
  session->close();
  for (int run = 0; run < 2; ++run) {
    runBoth(in(session, test::onEmulator()), 2000);
    CHECK(session->report().seats + session->report().arenas == 0);
  }
}

TEST_CASE("a run keeps its session alive") {
  auto session = std::make_shared<Session>();
  const auto made = problem<Counting>(2000);
  auto engine = std::make_unique<Engine>(made, in(session, test::onEmulator()));
  const std::weak_ptr<Session> watched = session;
  session.reset();
  engine->run();
  CHECK(engine->report().complete);
  CHECK_FALSE(watched.expired());
  engine.reset();
  CHECK(watched.expired());
}

TEST_CASE("a session that is warm makes nothing in its first run") {
  StandIn driver;
  const auto session = std::make_shared<Session>();
  EngineOptions options = in(session, onGpu());
  options.mode = Mode::hybrid;
  options.threads = 3;
  session->warmUp(Mode::hybrid, 3);
  const SessionReport before = session->report();
  CHECK(before.seats == 1);
  CHECK(before.arenas == 1);
  runBoth(options, 2000);
  CHECK(session->report().seatsMade == before.seatsMade);
  CHECK(session->report().arenasMade == before.arenasMade);
  CHECK_THROWS_AS(session->warmUp(Mode::cpu, -1), ConfigError);
}

TEST_CASE("without a GPU a session is warm for CPU workers only") {
  registerGpuProvider({});
  Session session;
  session.warmUp(Mode::automatic, 2);
  CHECK(session.report().arenas == 1);
  CHECK_THROWS_AS(session.warmUp(Mode::gpu), DeviceError);
  CHECK_THROWS_AS(session.warmUp(Mode::hybrid), DeviceError);
}

TEST_CASE("auto leaves a GPU that is ready alone where CPU workers are done before it has begun") {
  StandIn driver;
  const auto session = std::make_shared<Session>();
  session->warmUp(Mode::gpu);
  EngineOptions options = in(session, onGpu());
  options.mode = Mode::automatic;
  options.threads = 2;
  const auto any = problem<Counting>(1);
  const auto devices = [&] {
    const int before = driver.devicesMade;
    const auto made = problem<Counting>(10'000);
    Engine engine(made, options);
    engine.run();
    CHECK(engine.report().complete);
    return driver.devicesMade - before;
  };
  CHECK(session->impl().rate(any, "cpu") == 0);
  CHECK(devices() == 1);  // nothing is known
  session->impl().learnRate(any, "cpu", 1e9);
  CHECK(devices() == 0);
  session->impl().learnRate(any, "cpu", 1e3);
  CHECK(devices() == 1);
}

TEST_CASE("a session has the rates of the workers of earlier runs, of each kind") {
  const auto session = std::make_shared<Session>();
  const auto made = problem<Counting>(3'000'000);
  for (const char* kind : {"cpu", "emulated"}) {
    EngineOptions options = in(session, {});
    options.mode = std::string(kind) == "cpu" ? Mode::cpu : Mode::emulated;
    options.threads = 1;
    CHECK(session->impl().rate(made, kind) == 0);
    Engine engine(made, options);
    engine.run();
    CHECK(session->impl().rate(made, kind) > 0);
  }
  CHECK(session->impl().rate(made, "gpu") == 0);
  CHECK(session->impl().rate(problem<Collecting>(10), "cpu") == 0);
}

TEST_CASE("what may lie unused on GPUs is what the most generous session allows") {
  StandIn driver;
  constexpr std::size_t kHuge = std::size_t{1} << 50;  // beyond that of the process
  auto first = std::make_unique<Session>(SessionOptions{.deviceBytes = kHuge, .hostBytes = 2 * kHuge});
  CHECK(driver.limits == std::pair{kHuge, 2 * kHuge});
  auto second = std::make_unique<Session>(SessionOptions{.deviceBytes = 3 * kHuge, .hostBytes = 1});
  CHECK(driver.limits == std::pair{3 * kHuge, 2 * kHuge});
  driver.smallest = kHuge;
  second->release();
  CHECK(driver.smallest == 0);
  CHECK(driver.limits == std::pair{3 * kHuge, 2 * kHuge});
  second.reset();
  CHECK(driver.limits == std::pair{kHuge, 2 * kHuge});
  first.reset();
  CHECK(driver.limits.first < kHuge);
  // That of the process counts where it is the only one.
  const std::pair usual{SessionOptions{}.deviceBytes, SessionOptions{}.hostBytes};
  (void)Session::ofProcess();
  CHECK(driver.limits == usual);
  {
    const Session modest({.deviceBytes = 7, .hostBytes = 5});
    CHECK(driver.limits == std::pair{std::size_t{7}, std::size_t{5}});
  }
  CHECK(driver.limits == usual);
}

TEST_CASE("a forked process has a session of its own threads") {
  const auto session = std::make_shared<Session>();
  const auto count = [&](const EngineOptions& options) {
    const auto made = problem<Counting>(20'000);
    Engine engine(made, options);
    engine.run();
    return engine.report().complete ? engine.report().words.at(0) : 0;
  };
  const std::uint64_t expected = IntervalWorkload::expected(3, 20'000).size();
  REQUIRE(count(in(session, test::onEmulator())) == expected);
  REQUIRE(count(in(Session::ofProcess(), test::onCpu(2))) == expected);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const bool right = count(in(session, test::onEmulator())) == expected &&
                       count(in(Session::ofProcess(), test::onCpu(2))) == expected;
    _exit(right && session->report().threads == 2 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(count(in(session, test::onEmulator())) == expected);
}
