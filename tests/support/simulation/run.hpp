// A run of the library's CPU workers and batch drivers on a machine that is not there: so many cores, such
// GPUs. Pool and books are those of the engine; its threads, its clock and its supervision are not. CPU
// workers have their number for the whole run: cores of devices that join are missing from the start.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cpu_workers/core/cpu_workers.hpp"
#include "runtime/core/batch/batch_driver.hpp"
#include "runtime/core/hub.hpp"
#include "runtime/core/seeding.hpp"
#include "support/simulation/device.hpp"
#include "support/simulation/search.hpp"
#include "support/simulation/time.hpp"

namespace slicepool::test {

inline constexpr std::size_t kPoolCapacity = 1U << 12;

/// The engine's hub with another clock and other sleep.
class SimulatedHub final : public Hub {
 public:
  SimulatedHub(const SimulatedProblem& problem, SimulatedTime& time, int firstCpuRank, bool traces)
      : inner_(problem, options(traces), nullptr), time_(time), cpuRank_(firstCpuRank) {
    inner_.begin();
  }
  EngineHub& inner() { return inner_; }

  [[nodiscard]] const Problem& problem() const override { return inner_.problem(); }
  bool take(std::byte* slice) override { return !over() && inner_.take(slice); }
  std::size_t takeSome(std::byte* slices, std::size_t most) override {
    return over() ? 0 : inner_.takeSome(slices, most);
  }
  std::size_t takeBulk(std::byte* slices, std::size_t most) override { return inner_.takeBulk(slices, most); }
  bool give(const std::byte* slice) override {
    const bool given = inner_.give(slice);
    if (given) time_.wakeAll();
    return given;
  }
  void putBack(const std::byte* slices, std::size_t count) override {
    inner_.putBack(slices, count);
    time_.wakeAll();
  }
  void putBackTogether(const std::byte* slices, std::size_t count) override {
    inner_.putBackTogether(slices, count);
    time_.wakeAll();
  }
  void putBackParcel(HeldSlices parcel) override {
    inner_.putBackParcel(std::move(parcel));
    time_.wakeAll();
  }
  HeldSlices takeParcel(std::size_t most) override { return inner_.takeParcel(most); }
  void addOutstanding(std::size_t count) override { inner_.addOutstanding(count); }
  void finish(std::size_t count) override {
    inner_.finish(count);
    if (inner_.finished()) time_.end();
  }
  bool waitForWork(bool bulk) override {
    (bulk ? bulkAsleep_ : asleep_).fetch_add(1);
    while (inner_.pooled() == 0 && !over()) time_.sleepUntilWoken();
    (bulk ? bulkAsleep_ : asleep_).fetch_sub(1);
    return !over();
  }
  void sleepFor(std::chrono::nanoseconds duration) override { time_.sleep(duration.count()); }
  [[nodiscard]] std::size_t hungryWorkers() const override {
    const std::size_t waiting = inner_.pooled();
    return asleep_ > waiting ? asleep_ - waiting : 0;
  }
  [[nodiscard]] std::size_t hungryDevices() const override { return bulkAsleep_; }
  void setStarving(bool starving) override { inner_.setStarving(starving); }
  void setNeedy(bool needy) override { inner_.setNeedy(needy); }
  [[nodiscard]] std::size_t needyDevices() const override { return inner_.needyDevices(); }
  void setRecalling(bool recalling) override { inner_.setRecalling(recalling); }
  [[nodiscard]] bool recalling() const override { return inner_.recalling(); }
  [[nodiscard]] bool batchWantsSlices() const override {
    return hungryDevices() != 0 || inner_.batchWantsSlices();
  }
  [[nodiscard]] std::size_t pooled() const override { return inner_.pooled(); }
  [[nodiscard]] std::size_t devicesToCome() const override { return inner_.devicesToCome(); }
  [[nodiscard]] double remainingSteps() const override { return inner_.remainingSteps(); }
  [[nodiscard]] double totalRate() const override { return inner_.totalRate(); }
  [[nodiscard]] double cpuRate() const override { return inner_.cpuRate(); }
  [[nodiscard]] double batchRate() const override { return inner_.batchRate(); }
  [[nodiscard]] double fastest(const std::string& device) const override { return inner_.fastest(device); }
  [[nodiscard]] double elapsed() const override { return static_cast<double>(now()) * 1e-9; }
  [[nodiscard]] bool stopping() const override { return over(); }
  void decide() override { time_.end(); }
  void warn(const std::string& message) override { inner_.warn(message); }
  void fail(std::exception_ptr error) override {
    inner_.fail(error);
    time_.end();
  }
  void consume(const std::byte*, std::size_t) override {}
  std::uint64_t exchangeShared(std::uint64_t value) override { return inner_.exchangeShared(value); }
  /// A thread that comes for the first time is a CPU worker; drivers have joined before.
  void enter() override {
    if (!time_.joined()) time_.join(cpuRank_.fetch_add(1));
  }
  [[nodiscard]] bool tracing() const override { return inner_.tracing(); }
  [[nodiscard]] std::int64_t now() const override { return time_.now(); }

 private:
  static EngineOptions options(bool traces) {
    EngineOptions options;
    options.timeline = traces;
    options.poolCapacity = kPoolCapacity;
    return options;
  }
  [[nodiscard]] bool over() const { return time_.over(); }

  EngineHub inner_;
  SimulatedTime& time_;
  std::atomic<int> cpuRank_;
  std::atomic<std::size_t> asleep_{0}, bulkAsleep_{0};
};

struct SimulatedMachine {
  int cores = 8;
  bool cpuWorkers = true;
  std::vector<SimulatedGpu> gpus;
  bool traces = false;    ///< SimulatedResult::traces
  bool fibers = kFibers;  ///< else threads, with the same result
  std::size_t parcelSlices = BatchDriverOptions{}.parcelSlices;
  std::size_t spreadBytes = BatchDriverOptions{}.spreadBytes;
};

struct SimulatedResult {
  double seconds = 0;
  std::uint64_t steps = 0;             ///< by the words of all workers
  std::string stuck;                   ///< why it could not go on; empty: it came to its end
  std::vector<std::uint64_t> bySteps;  ///< of each driver, then of the CPU workers together
  struct Trace {
    std::string worker;
    std::vector<TraceSpan> spans;
  };
  std::vector<Trace> traces;
  /// Steps per second of work, of one core and of one device, as a session learns them; 0: none has worked.
  double coreRate = 0, deviceRate = 0;
};

/// Runs the search to its end.
inline SimulatedResult simulate(const SimulatedSearch& search, const SimulatedMachine& machine) {
  const auto devices = machine.gpus.size();
  const int workers = machine.cpuWorkers ? std::max(1, machine.cores - static_cast<int>(devices)) : 0;
  Fibers fibers;
  const std::size_t flows = devices + static_cast<std::size_t>(workers);
  const auto clock = machine.fibers ? std::make_unique<SimulatedTime>(flows, fibers)
                                    : std::make_unique<SimulatedTime>(flows);
  SimulatedTime& time = *clock;
  const SimulatedProblem problem(search, time);
  SimulatedHub hub(problem, time, static_cast<int>(devices), machine.traces);
  hub.inner().setTotal(problem.totalSteps().value_or(0), 0);

  const Mode mode = devices == 0 ? Mode::cpu : machine.cpuWorkers ? Mode::hybrid : Mode::gpu;
  std::vector<std::byte> roots = problem.roots();
  (void)seedSlices(problem, {mode, machine.cores, 1, kPoolCapacity}, roots);
  hub.inner().addOutstanding(roots.size() / problem.sliceBytes());
  hub.inner().adopt(std::move(roots));

  BatchDriverOptions options;
  options.cpuWorkers = static_cast<std::size_t>(workers);
  options.parcelSlices = machine.parcelSlices;
  options.spreadBytes = machine.spreadBytes;
  options.recalls = true;
  options.otherDevices = devices > 1;
  std::vector<std::unique_ptr<BatchDriver>> drivers(devices);
  std::unique_ptr<Worker> cpu;
  CpuWorkerOptions cpuOptions{.threads = workers};
  if (machine.fibers)
    cpuOptions.run = [&](const std::function<void(std::size_t)>& loop) {
      fibers.startAll(static_cast<std::size_t>(workers), loop);
    };
  if (workers != 0) cpu = makeCpuWorkers(problem, cpuOptions);
  std::vector<WorkerAccount*> accounts;
  if (cpu) accounts = cpu->accounts();
  hub.inner().setAccounts(accounts);
  std::vector<std::function<void()>> bodies;
  std::size_t toCome = devices;
  hub.inner().setDevicesToCome(toCome);
  for (std::size_t i = 0; i < devices; ++i)
    bodies.emplace_back([&, i] {
      time.join(static_cast<int>(i));
      if (machine.gpus[i].joinsAfter > 0)
        time.sleepUntil(static_cast<std::int64_t>(machine.gpus[i].joinsAfter * 1e9));
      if (!time.over()) {
        drivers[i] =
            makeBatchDriver(problem, std::make_unique<SimulatedDevice>(problem, machine.gpus[i], time),
                            options, static_cast<int>(i));
        hub.inner().setDevicesToCome(--toCome);
        accounts.push_back(drivers[i]->accounts().front());
        hub.inner().setAccounts(accounts);
        if (machine.gpus[i].joinsAfter <= 0) drivers[i]->takeFirst(hub);
        drivers[i]->drain(hub);
      }
      time.leave();
    });
  if (cpu) bodies.emplace_back([&] { cpu->drain(hub); });
  SimulatedResult result;
  if (machine.fibers) {
    for (auto& body : bodies) fibers.start(std::move(body));
    if (!fibers.run()) throw std::logic_error("fibers wait for ever");
  } else {
    std::vector<std::thread> threads;
    for (auto& body : bodies) threads.emplace_back(std::move(body));
    for (auto& thread : threads) thread.join();
  }

  result.seconds = static_cast<double>(time.now()) * 1e-9;
  result.stuck = time.stuck();
  std::vector<std::uint64_t> words = problem.words().fresh();
  const auto add = [&](const Worker* worker) {
    const std::uint64_t before = words[0];
    if (worker != nullptr) worker->mergeInto(problem.words(), words.data());
    result.bySteps.push_back(words[0] - before);
  };
  for (const auto& driver : drivers) add(driver.get());
  add(cpu.get());
  result.steps = words[0];
  const auto rateOf = [&](bool cores) {
    double done = 0, busy = 0;
    for (const auto* account : accounts) {
      if ((account->kind == "cpu") != cores) continue;
      done += static_cast<double>(account->steps.load());
      busy += static_cast<double>(account->busyNanoseconds.load()) * 1e-9;
    }
    return busy > 0 ? done / busy : 0;
  };
  result.coreRate = rateOf(true);
  result.deviceRate = rateOf(false);
  if (machine.traces)
    for (auto* account : accounts) result.traces.push_back({account->name, account->spans});
  hub.inner().rethrow();
  return result;
}

}  // namespace slicepool::test
