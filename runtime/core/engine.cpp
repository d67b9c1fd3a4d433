// See slicepool/core/engine.hpp. A run is a sequence of segments: start the workers, wait, stop them; between
// segments every slice is back in the hub and every word is settled, which is what checkpoints rely on.
#include "slicepool/core/engine.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <future>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "cpu_workers/core/cpu_workers.hpp"
#include "runtime/core/batch/batch_driver.hpp"
#include "runtime/core/batch/emulated_device.hpp"
#include "runtime/core/checkpoint.hpp"
#include "runtime/core/checkpoint_interval.hpp"
#include "runtime/core/hub.hpp"
#include "runtime/core/joining_devices.hpp"
#include "runtime/core/memory.hpp"
#include "runtime/core/recent_rate.hpp"
#include "runtime/core/seeding.hpp"
#include "runtime/core/trace.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kTimelineSamples = 200;
constexpr std::size_t kMaximumPoolSamples = 4096;

}  // namespace

class Engine::Impl {
 public:
  Impl(const Problem& problem, EngineOptions options, ResultConsumer* consumer)
      : problem_(problem),
        options_(std::move(options)),
        consumer_(consumer),
        hub_(problem, options_, consumer) {
    // Without a clock from outside the time of a run is what passes in run() and runFor().
    ownsClock_ = options_.phases == nullptr;
    if (ownsClock_) options_.phases = std::make_shared<PhaseClock>();
    if (ownsClock_) options_.phases->stop();
    if (options_.threads < 0)
      throw ConfigError("threads", std::to_string(options_.threads), "0 (all cores) or more");
    if (problem.resultBytes() != 0 && consumer == nullptr)
      throw Error("a collecting sink needs a ResultConsumer");
    slices_ = problem.roots();
    baseWords_ = problem.words().fresh();
  }

  void runUntil(Clock::time_point deadline) {
    if (cancelled_.load()) return;
    if (ownsClock_) options_.phases->enter(Phase::start);
    struct Leave {
      Impl& impl;
      ~Leave() {
        if (impl.ownsClock_) impl.options_.phases->stop();
      }
    } const leave{*this};
    prepare();
    while (!hub_.finished() && !hub_.decided()) {
      const bool over = segment(deadline);
      hub_.rethrow();
      if (hub_.stepLimitReached()) cancelled_.store(true);
      if (over || cancelled_.load() || Clock::now() >= deadline) break;
    }
    // Who hears of progress learns where the run stopped.
    if (!hub_.finished() && !hub_.decided() && options_.onProgress) options_.onProgress(progress());
    finishFiles();
  }

  void cancel() noexcept {
    cancelled_.store(true);
    hub_.stop();
  }

  [[nodiscard]] bool finished() const { return prepared_ ? hub_.finished() : slices_.empty(); }
  [[nodiscard]] bool cancelled() const { return cancelled_.load(); }

  [[nodiscard]] Progress progress() const {
    Progress progress;
    const PhaseClock::Reading time = options_.phases->read();
    progress.seconds = time.seconds;
    progress.phase = time.phase;
    progress.steps = stepsBefore_;
    progress.secondsLeft = -1;
    if (!prepared_.load(std::memory_order_acquire)) return progress;
    const std::lock_guard lock(accountsMutex_);
    progress.steps = hub_.steps();
    for (const auto* account : accounts_)
      progress.results += account->results.load(std::memory_order_relaxed);
    progress.results += baseWords_.at(0);
    progress.stepsPerSecond = hub_.totalRate();
    progress.pooledSlices = hub_.pooled();
    return withTotal(progress, hub_.totalSteps());
  }

  [[nodiscard]] RunReport report() const {
    RunReport report;
    report.complete = finished();
    report.decided = hub_.decided();
    report.words = mergedWords();
    report.seconds = seconds_;
    report.setupSeconds = setupSeconds_;
    report.stepsBefore = static_cast<std::uint64_t>(stepsBefore_);
    report.secondsBefore = secondsBefore_;
    const PhaseClock::Reading time = options_.phases->read();
    report.wallSeconds = time.seconds;
    report.phases = time.phases;
    report.warnings = hub_.warnings();
    report.peakHostBytes = peakResidentBytes();
    report.checkpoints = checkpoints_;
    report.checkpointBytes = checkpointBytes_;
    report.checkpointStallSeconds = checkpointStallSeconds_;
    report.checkpointWriteSeconds = checkpointWriteSeconds_;
    fillWorkers(report);
    for (const auto& worker : workers_) report.peakDeviceBytes += worker->deviceBytes();
    for (const auto* driver : drivers_) report.blockSize = std::max(report.blockSize, driver->blockSize());
    if (options_.timeline)
      report.timeline = makeTimeline(accounts_, poolSamples_, seconds_, kTimelineSamples);
    return report;
  }

  void saveCheckpoint(const std::string& path) {
    const auto begin = Clock::now();
    Checkpoint checkpoint = checkpointHead();
    checkpoint.slices = slices_;
    checkpointBytes_ = writeCheckpoint(path, checkpoint, {}, &problem_, threads());
    checkpointWriteSeconds_ += secondsSince(begin);
  }

  /// Everything but slices. Between segments, or while the hub is closed.
  [[nodiscard]] Checkpoint checkpointHead() const {
    Checkpoint checkpoint;
    checkpoint.workload = problem_.workload();
    checkpoint.identity = options_.checkpointIdentity;
    checkpoint.sliceBytes = problem_.sliceBytes();
    checkpoint.words = mergedWords();
    if (consumer_ != nullptr) checkpoint.consumer = consumer_->save();
    checkpoint.shared = hub_.sharedWord();
    checkpoint.steps = prepared_ ? hub_.steps() : stepsBefore_;
    checkpoint.seconds = secondsBefore_ + seconds_;
    return checkpoint;
  }

  void loadCheckpoint(const std::string& path) {
    if (prepared_) throw CheckpointError("a checkpoint must be loaded before the run starts");
    const CheckpointHeader header = readCheckpointHeader(path);
    if (header.workload != problem_.workload() || header.sliceBytes != problem_.sliceBytes() ||
        header.identity != options_.checkpointIdentity)
      refuseCheckpoint(path, header);
    Checkpoint checkpoint = readCheckpoint(path, &problem_, threads());
    if (checkpoint.words.size() != baseWords_.size()) refuseCheckpoint(path, checkpoint);
    slices_ = std::move(checkpoint.slices);
    baseWords_ = std::move(checkpoint.words);
    stepsBefore_ = checkpoint.steps;
    secondsBefore_ = checkpoint.seconds;
    hub_.setShared(checkpoint.shared);
    if (consumer_ != nullptr) consumer_->restore(checkpoint.consumer);
  }

 private:
  [[noreturn]] void refuseCheckpoint(const std::string& path, const CheckpointHeader& header) const {
    throw CheckpointError("checkpoint " + path + " belongs to another problem: it has " + header.workload +
                          " " + header.identity + "; this run is " + problem_.workload() + " " +
                          options_.checkpointIdentity);
  }

  /// Threads that a run may use, also to write and read checkpoints.
  [[nodiscard]] int threads() const { return options_.threads > 0 ? options_.threads : availableCores(); }

  /// Makes the workers and seeds the pool; once.
  void prepare() {
    if (prepared_) return;
    const auto begin = Clock::now();
    const Mode mode = resolveMode();
    const int threads = this->threads();
    if (!slices_.empty()) makeWorkers(mode, threads);
    for (const auto& worker : workers_)
      for (auto* account : worker->accounts()) accounts_.push_back(account);
    hub_.setAccounts(accounts_);
    hub_.setTotal(problem_.totalSteps().value_or(estimateTotal()), stepsBefore_);
    seed(mode, threads);
    setupSeconds_ = secondsSince(begin);
    hub_.startClock();
    prepared_.store(true, std::memory_order_release);
  }

  [[nodiscard]] double estimateTotal() const {
    double total = stepsBefore_;
    for (std::size_t at = 0; at < slices_.size(); at += problem_.sliceBytes())
      total += problem_.size(slices_.data() + at);
    return std::isfinite(total) ? total : 0;
  }

  [[nodiscard]] Mode resolveMode() const {
    if (options_.mode != Mode::automatic) return options_.mode;
    return findDeviceFactory(problem_.type()) != nullptr && gpusAreLikely() ? Mode::hybrid : Mode::cpu;
  }

  void makeWorkers(Mode mode, int threads) {
    const bool cpu = mode == Mode::cpu || mode == Mode::hybrid ||
                     (mode == Mode::emulated && options_.emulator.withCpuWorkers);
    if (mode == Mode::emulated)
      for (int i = 0; i < std::max(1, options_.emulator.devices); ++i)
        addDriver(makeEmulatedDevice(problem_, options_.emulator), cpu, i);
    if (mode == Mode::gpu || mode == Mode::hybrid) addGpus(cpu);
    withCpuWorkers_ = cpu;
    // The driver of a device takes one core; at least one CPU worker remains where CPU workers are wanted.
    if (cpu) addCpuWorkers(std::max(1, threads - static_cast<int>(drivers_.size())));
    fallbackThreads_ = threads;
  }

  /// Whether every GPU of the run has its context, so that making the devices holds nobody up.
  [[nodiscard]] bool gpusAreReady() const {
    const GpuList* const list = startedGpus();
    if (list == nullptr || list->gpus.empty()) return false;
    const int found = static_cast<int>(list->gpus.size());
    const int first = options_.device.deviceIndex;
    for (int index = first; index < (options_.devices == 0 ? found : first + options_.devices); ++index)
      if (!gpuIsReady(index)) return false;
    return first < found;
  }

  /// GPUs that are ready become workers at once. The others join: where nothing else works, all but the
  /// first.
  void addGpus(bool withCpuWorkers) {
    const PhaseScope waiting(options_.phases.get(), Phase::devices);
    const int first = options_.device.deviceIndex;
    if (findDeviceFactory(problem_.type()) == nullptr) (void)makeGpu(first);  // says what is missing
    if (options_.mode != Mode::automatic) expectGpus(first, options_.devices);
    int last = first + options_.devices;
    int next = first;
    if (gpusAreReady()) {
      if (options_.devices == 0) last = std::max(first + 1, static_cast<int>(requireGpus().gpus.size()));
      for (; next < last; ++next) addDriver(makeGpu(next), withCpuWorkers, next);
      return;
    }
    if (!withCpuWorkers) {
      (void)requireGpus();
      addDriver(makeGpu(next), withCpuWorkers, next);
      if (++next == last) return;
    }
    joining_ = std::make_unique<JoiningDevices>(next, options_.devices == 0 ? 0 : last - next,
                                                [this](int index) { return makeGpu(index); });
    // The list is there: the device that begins leaves them their part.
    if (!withCpuWorkers && joining_->start()) hub_.setDevicesToCome(joining_->expected(true));
  }

  [[nodiscard]] std::unique_ptr<BatchDevice> makeGpu(int index) const {
    DeviceOptions device = options_.device;
    device.deviceIndex = index;
    const DeviceFactory* factory = findDeviceFactory(problem_.type());
    if (factory == nullptr)
      throw DeviceError("no GPU kernels were built for this " + problem_.workload() + " problem");
    return (*factory)(problem_, device);
  }

  void addDriver(std::unique_ptr<BatchDevice> device, bool withCpuWorkers, int index) {
    checkBlockSize(device->info());
    const bool emulated = device->info().kind == "emulated";
    BatchDriverOptions driverOptions;
    driverOptions.launchMilliseconds = options_.gpuTurnMilliseconds;
    driverOptions.fixedBudget = options_.gpuBudget;
    driverOptions.blockSize = options_.blockSize;
    driverOptions.parcelSlices = emulated ? options_.emulator.parcelSlices : driverOptions.parcelSlices;
    driverOptions.deals = !prepared_.load();  // those that join find what was put aside for them
    if (withCpuWorkers) driverOptions.cpuWorkers = static_cast<std::size_t>(std::max(1, threads() - 1));
    auto driver = makeBatchDriver(problem_, std::move(device), driverOptions, index);
    drivers_.push_back(driver.get());
    workers_.push_back(std::move(driver));
  }

  /// Refused here: a launch that fails for it would look like a failing device.
  void checkBlockSize(const DeviceInfo& info) const {
    if (options_.blockSize == 0 || info.kind != "gpu" || info.blockSizes.empty()) return;
    if (options_.blockSize % 32 == 0 && options_.blockSize <= info.blockSizes.back()) return;
    throw ConfigError(
        "block_size", std::to_string(options_.blockSize),
        "0 (found by a warm-up) or a multiple of 32 up to " + std::to_string(info.blockSizes.back()));
  }

  void addCpuWorkers(int threads) {
    workers_.push_back(makeCpuWorkers(problem_, {threads, options_.cpuTurnMilliseconds, options_.cpuBudget}));
    cpuWorkers_ = workers_.back().get();
  }

  /// Cuts the roots into enough slices for everybody to start at once.
  void seed(Mode mode, int threads) {
    const PhaseScope cutting(options_.phases.get(), Phase::cutting);
    splitsAtStart_ = seedSlices(problem_, {mode, threads, drivers_.size(), options_.poolCapacity}, slices_);
    hub_.addOutstanding(slices_.size() / problem_.sliceBytes());
  }

  /// One segment. True when the run ended in it.
  bool segment(Clock::time_point deadline) {
    const PhaseScope starting(options_.phases.get(), Phase::start);
    const auto begin = Clock::now();
    hub_.begin(options_.phases.get());
    if (cancelled_.load()) hub_.stop();
    hub_.adopt(std::exchange(slices_, {}));
    for (auto* driver : drivers_) driver->takeFirst(hub_);
    startSaving(begin);
    for (auto& worker : workers_) startDraining(*worker);
    std::exception_ptr error;
    bool over = false;
    try {
      over = supervise(begin, deadline);
    } catch (...) {
      error = std::current_exception();
    }
    if (!over) hub_.stop();
    hub_.askEvery(0);
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    seconds_ += std::max(0.0, secondsSince(begin) - hub_.secondsToFirst(begin));
    if (error) std::rethrow_exception(error);
    if (writing_.valid()) {
      const PhaseScope writing(options_.phases.get(), Phase::writing);
      finishWriting();
    }
    if (!hub_.finished()) afterStop(!cancelled_.load() && Clock::now() < deadline);
    return over && hub_.finished();
  }

  void startDraining(Worker& worker) {
    threads_.emplace_back([this, &worker] { worker.drain(hub_); });
  }

  /// Devices that are ready by now become workers. A GPU that cannot be used costs a warning, as one that
  /// fails later does; a mode that asks for GPUs ends where there is none.
  void joinDevices(Clock::time_point begin) {
    const double rate = hub_.totalRate();
    const double left = rate > 0 ? hub_.remainingSteps() / rate : std::nan("");
    // The thread that starts the driver takes a core, later the driver's own thread does.
    const bool worth = worthStartingGpus(options_.mode == Mode::automatic, secondsSince(begin), left);
    if (worth && joining_->start() && withCpuWorkers_) cpuWorkers_->leaveCore();
    auto made = joining_->ready(worthJoining(left));
    std::size_t toCome = joining_->expected(worthJoining(left));
    for (const auto& joined : made) toCome += joined.device != nullptr ? 1 : 0;
    for (auto& joined : made) {
      try {
        if (joined.error) std::rethrow_exception(joined.error);
        hub_.setDevicesToCome(--toCome);
        addDriver(std::move(joined.device), withCpuWorkers_, joined.index);
      } catch (const DeviceError& error) {
        hub_.warn(fmt::format("GPU {} cannot be used: {}", joined.index, error.what()));
        continue;
      }
      {
        const std::lock_guard lock(accountsMutex_);
        for (auto* account : workers_.back()->accounts()) accounts_.push_back(account);
        hub_.setAccounts(accounts_);
      }
      if (withCpuWorkers_ && std::exchange(joined_, true)) cpuWorkers_->leaveCore();
      startDraining(*workers_.back());
    }
    if (joining_->none() != nullptr && options_.mode == Mode::hybrid)
      throw DeviceError("no usable GPU: " + joining_->none()->whyNone);
    hub_.setDevicesToCome(toCome);
    if (!joining_->pending()) joining_.reset();
  }

  /// Progress, samples, deadline and checkpoint interval. True when the workers ended by themselves.
  bool supervise(Clock::time_point begin, Clock::time_point deadline) {
    auto nextProgress = begin + options_.progressInterval;
    auto sampleInterval =
        std::chrono::microseconds(options_.timeline || !options_.tracePath.empty() ? 500 : 3'600'000'000LL);
    auto nextSample = begin;
    const double before = hub_.steps();
    bool stopsSoon = false;
    for (;;) {
      auto until = std::min({deadline, nextProgress, nextSave_, nextSample});
      if (joining_) until = std::min(until, Clock::now() + kLook);
      if (hub_.waitUntil(until)) return true;
      const auto now = Clock::now();
      if (allDriversFailed()) return false;
      if (joining_) joinDevices(begin);
      if (now >= deadline) {
        // A segment takes steps, however short its time: a run that is stopped and resumed for ever would
        // otherwise not come to an end. From here on everybody waits after a transaction.
        if (hub_.steps() > before) return false;
        deadline = Clock::time_point::max();
        stopsSoon = true;
        hub_.askEvery(1);
      }
      if (stopsSoon && hub_.snapshotAsked()) {
        if (hub_.steps() > before) return false;
        hub_.open();
      }
      if (!stopsSoon && (now >= nextSave_ || hub_.snapshotAsked())) saveOnTheWay(begin);
      if (now >= nextSample) {
        poolSamples_.push_back({hub_.elapsed(), hub_.pooled()});
        if (poolSamples_.size() >= kMaximumPoolSamples) thinSamples(sampleInterval);
        nextSample = now + sampleInterval;
      }
      if (now >= nextProgress) {
        if (options_.onProgress) options_.onProgress(progress());
        nextProgress = now + options_.progressInterval;
      }
    }
  }

  // ---- checkpoints of a run that goes on: asked for, taken, written ---------------------------------------

  /// The first one is due after one interval also where reading the last one took longer: a run that is
  /// killed again and again gets on by what it saves early.
  void startSaving(Clock::time_point begin) {
    if (options_.checkpointPath.empty()) return;
    sharedToSave_ = hub_.sharedWord();
    if (options_.checkpointTransactions != 0) return hub_.askEvery(options_.checkpointTransactions);
    commitsAsked_ = 0;
    if (pace_.interval() > 0) return;
    pace_ = CheckpointPace(std::chrono::duration<double>(options_.checkpointInterval).count());
    nextSave_ = after(begin, pace_.interval());
  }

  [[nodiscard]] static Clock::time_point after(Clock::time_point begin, double seconds) {
    return begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  /// Does what is due: asks every batch for a commit, takes the snapshot when all have made it, looks whether
  /// it is written.
  void saveOnTheWay(Clock::time_point begin) {
    if (hub_.snapshotAsked()) {
      takeSnapshot(begin);
      if (writing_.valid()) {
        const PhaseScope writing(options_.phases.get(), Phase::writing);
        finishWriting();
      }
      return hub_.open();
    }
    nextSave_ = Clock::now() + kLook;
    if (writing_.valid()) {
      if (writing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) finishWriting();
      return;
    }
    if (commitsAsked_ == 0) {
      // What devices know is committed with this request; a word that is too high costs only time.
      sharedToSave_ = hub_.sharedWord();
      commitsAsked_ = hub_.wantCommits();
    }
    const bool all = std::all_of(workers_.begin(), workers_.end(),
                                 [&](const auto& worker) { return worker->hasCommitted(commitsAsked_); });
    if (!all) return;
    commitsAsked_ = 0;
    takeSnapshot(begin);
    hub_.open();
    if (!writing_.valid()) nextSave_ = after(Clock::now(), pace_.interval());
  }

  /// Leaves the hub closed, and a thread writing unless the run is over or has failed.
  void takeSnapshot(Clock::time_point begin) {
    const auto closing = Clock::now();
    hub_.close();
    if (hub_.failed() || hub_.stopping() || hub_.finished()) return;
    (void)intervalSaves_.attempt([&] { startWriting(begin); },
                                 [this](const std::string& warning) { hub_.warn(warning); });
    lastStall_ = secondsSince(closing);
    checkpointStallSeconds_ += lastStall_;
  }

  /// Copies what would change, borrows the rest.
  void startWriting(Clock::time_point begin) {
    auto checkpoint = std::make_shared<Checkpoint>(checkpointHead());
    checkpoint->shared = sharedToSave_;
    checkpoint->seconds += secondsSince(begin);
    hub_.appendWaiting(checkpoint->slices);
    std::vector<HeldSlices> held;
    for (const auto& worker : workers_) {
      worker->appendHeld(held);
      checkpoint->steps -= static_cast<double>(worker->uncommittedSteps());
    }
    std::vector<SliceSpan> spans;
    for (HeldSlices& slices : held) {
      const std::span span(slices.slices, slices.count * problem_.sliceBytes());
      if (slices.memory)
        spans.push_back({std::move(slices.memory), span});
      else
        checkpoint->slices.insert(checkpoint->slices.end(), span.begin(), span.end());
    }
    writing_ = std::async(std::launch::async, [this, checkpoint, spans = std::move(spans)]() mutable {
      const auto from = Clock::now();
      const std::uint64_t bytes =
          writeCheckpoint(options_.checkpointPath, *checkpoint, spans, &problem_, threads());
      return Written{bytes, secondsSince(from)};
    });
  }

  /// Waits for the thread that writes; the next checkpoint is due an interval from now, or later.
  void finishWriting() {
    const bool saved = intervalSaves_.attempt(
        [this] {
          const Written written = writing_.get();
          ++checkpoints_;
          checkpointBytes_ = written.bytes;
          checkpointWriteSeconds_ += written.seconds;
          const std::string lengthened = pace_.learn({lastStall_, written.seconds});
          if (!lengthened.empty()) hub_.warn(lengthened);
        },
        [this](const std::string& warning) { hub_.warn(warning); });
    nextSave_ = pace_.interval() > 0 ? after(Clock::now(), pace_.interval()) : Clock::time_point::max();
    if (saved && options_.onCheckpoint) options_.onCheckpoint(options_.checkpointPath);
  }

  void thinSamples(std::chrono::microseconds& interval) {
    for (std::size_t i = 0; 2 * i < poolSamples_.size(); ++i) poolSamples_[i] = poolSamples_[2 * i];
    poolSamples_.resize((poolSamples_.size() + 1) / 2);
    interval *= 2;
  }

  /// True when nobody is left to work: the only workers were batch drivers and all of them failed.
  [[nodiscard]] bool allDriversFailed() const {
    return drivers_.size() == workers_.size() &&
           std::all_of(
               drivers_.begin(), drivers_.end(), [](const BatchDriver* driver) { return driver->failed(); });
  }

  void finishOnCpu() {
    hub_.warn("no device is left: the run goes on on " + std::to_string(fallbackThreads_) + " CPU threads");
    addCpuWorkers(fallbackThreads_);
    const std::lock_guard lock(accountsMutex_);
    for (auto* account : workers_.back()->accounts()) accounts_.push_back(account);
    hub_.setAccounts(accounts_);
  }

  /// The workers have stopped with slices left: keep them here until the next segment, save them if asked. A
  /// run that goes on does so without a checkpoint, too.
  void afterStop(bool goesOn) {
    slices_ = hub_.drainSlices();
    if (allDriversFailed()) finishOnCpu();
    if (options_.checkpointPath.empty() || hub_.decided()) return;
    const PhaseScope writing(options_.phases.get(), Phase::writing);
    const auto save = [this] {
      saveCheckpoint(options_.checkpointPath);
      ++checkpoints_;
    };
    if (goesOn)
      (void)intervalSaves_.attempt(save, [this](const std::string& warning) { hub_.warn(warning); });
    else
      save();
  }

  void finishFiles() {
    if (options_.tracePath.empty()) return;
    const PhaseScope writing(options_.phases.get(), Phase::writing);
    writeTrace(options_.tracePath, accounts_, poolSamples_);
  }

  [[nodiscard]] std::vector<std::uint64_t> mergedWords() const {
    std::vector<std::uint64_t> words = baseWords_;
    for (const auto& worker : workers_) worker->mergeInto(problem_.words(), words.data());
    return words;
  }

  void fillWorkers(RunReport& report) const {
    report.splits = splitsAtStart_;
    for (const auto* account : accounts_) {
      WorkerReport worker;
      worker.name = account->name;
      worker.kind = account->kind;
      worker.device = account->device;
      worker.steps = account->steps.load();
      worker.results = account->results.load();
      worker.turns = account->turns.load();
      worker.splits = account->splits.load();
      worker.busySeconds = static_cast<double>(account->busyNanoseconds.load()) * 1e-9;
      report.steps += worker.steps;
      report.splits += worker.splits;
      auto& budget = account->kind == "cpu" ? report.cpuBudget : report.gpuBudget;
      budget = std::max(budget, account->budget.load());
      report.workers.push_back(std::move(worker));
    }
    for (auto& worker : report.workers) {
      worker.share =
          report.steps != 0 ? static_cast<double>(worker.steps) / static_cast<double>(report.steps) : 0;
    }
    report.steps += static_cast<std::uint64_t>(stepsBefore_);
  }

  const Problem& problem_;
  EngineOptions options_;
  ResultConsumer* consumer_;
  EngineHub hub_;
  std::vector<std::byte> slices_;         ///< slices while they are not in the hub
  std::vector<std::uint64_t> baseWords_;  ///< from a checkpoint, else neutral
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<BatchDriver*> drivers_;
  Worker* cpuWorkers_ = nullptr;
  std::vector<std::thread> threads_;  ///< of the segment, one for each worker
  std::vector<WorkerAccount*> accounts_;
  std::vector<PoolSample> poolSamples_;
  mutable std::mutex accountsMutex_;  ///< progress() may be called while a fallback adds workers
  std::atomic<bool> prepared_{false};
  std::atomic<bool> cancelled_{false};
  bool ownsClock_ = true;
  int fallbackThreads_ = 1;
  bool withCpuWorkers_ = false;
  bool joined_ = false;  ///< a device has joined
  double stepsBefore_ = 0;
  double secondsBefore_ = 0;
  double seconds_ = 0;
  double setupSeconds_ = 0;
  static constexpr std::chrono::milliseconds kLook{1};  ///< between two looks while a checkpoint is made
  struct Written {
    std::uint64_t bytes = 0;
    double seconds = 0;
  };
  CheckpointPace pace_;  ///< 0: no checkpoints by time
  Clock::time_point nextSave_ = Clock::time_point::max();
  std::uint64_t commitsAsked_ = 0;  ///< number of the request for commits that is open, or 0
  std::uint64_t sharedToSave_ = 0;
  std::future<Written> writing_;
  double lastStall_ = 0;
  std::uint64_t checkpointBytes_ = 0;
  double checkpointStallSeconds_ = 0;
  double checkpointWriteSeconds_ = 0;
  std::uint64_t checkpoints_ = 0;
  IntervalSaves intervalSaves_;
  std::uint64_t splitsAtStart_ = 0;
  std::unique_ptr<JoiningDevices> joining_;  ///< last: devices that are being made refer to the problem
};

Engine::Engine(const Problem& problem, EngineOptions options, ResultConsumer* consumer)
    : impl_(std::make_unique<Impl>(problem, std::move(options), consumer)) {}
Engine::~Engine() = default;

void Engine::run() { impl_->runUntil(Clock::time_point::max()); }
void Engine::runFor(std::chrono::nanoseconds duration) { impl_->runUntil(Clock::now() + duration); }
void Engine::cancel() noexcept { impl_->cancel(); }
bool Engine::finished() const { return impl_->finished(); }
bool Engine::cancelled() const { return impl_->cancelled(); }
Progress Engine::progress() const { return impl_->progress(); }
RunReport Engine::report() const { return impl_->report(); }
void Engine::saveCheckpoint(const std::string& path) const { impl_->saveCheckpoint(path); }
void Engine::loadCheckpoint(const std::string& path) { impl_->loadCheckpoint(path); }

}  // namespace slicepool
