// Workers of an engine: those that a mode has, GPUs that join a search, CPU workers in place of devices that
// failed.
#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "cpu_workers/core/cpu_workers.hpp"
#include "runtime/core/batch/emulated_device.hpp"
#include "runtime/core/batch/exchange_policy.hpp"
#include "runtime/core/engine_impl.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool {

Mode Engine::Impl::resolveMode() {
  if (options_.mode != Mode::automatic && options_.mode != Mode::hybrid) return options_.mode;
  if (options_.mode == Mode::automatic) {
    if (!gpusAreLikely())
      choice_ = withoutGpus();
    else if (findDeviceFactory(problem_.type()) == nullptr)
      choice_ = withoutDevices("this build has no GPU kernels for this " + problem_.workload() + " problem");
    if (choice_) return Mode::cpu;
  }
  if (!gpusAreReady(options_)) return Mode::hybrid;
  const Forecast expected =
      forecastOf(problem_, options_, problem_.expectedSteps().value_or(estimateTotal()) - stepsBefore_);
  choice_ = choiceOf(expected, options_.mode);
  switch (searchersOf(expected, options_.mode)) {
    case Searchers::cpuWorkers: return Mode::cpu;
    case Searchers::devices: return Mode::gpu;
    case Searchers::both: break;
  }
  return Mode::hybrid;
}

AutomaticChoice Engine::Impl::choice() const {
  return choice_ ? *choice_ : choiceAfter(look_, asked_, options_.mode);
}

int Engine::Impl::threads() const { return options_.threads > 0 ? options_.threads : availableCores(); }

void Engine::Impl::makeWorkers(Mode mode, int threads) {
  const bool cpu = mode == Mode::cpu || mode == Mode::hybrid ||
                   (mode == Mode::emulated && options_.emulator.withCpuWorkers);
  if (mode == Mode::emulated)
    for (int i = 0; i < std::max(1, options_.emulator.devices); ++i)
      addDriver(makeEmulatedDevice(problem_, options_.emulator,
                                   session_->impl().seat("emulated", makeEmulatedSeat)),
                cpu, i);
  if (mode == Mode::gpu || mode == Mode::hybrid) addGpus(cpu);
  withCpuWorkers_ = cpu;
  // The driver of a device takes one core; at least one CPU worker remains where CPU workers are wanted.
  if (cpu) addCpuWorkers(std::max(1, threads - busyDrivers_));
  fallbackThreads_ = threads;
}

bool Engine::Impl::hasSeveralGpus() const {
  if (options_.devices != 0) return options_.devices > 1;
  const GpuList* const list = startedGpus();
  return list != nullptr && static_cast<int>(list->gpus.size()) > options_.device.deviceIndex + 1;
}

void Engine::Impl::addGpus(bool withCpuWorkers) {
  const PhaseScope waiting(options_.phases.get(), Phase::devices);
  const int first = options_.device.deviceIndex;
  if (findDeviceFactory(problem_.type()) == nullptr) (void)makeGpu(first);  // says what is missing
  // Of all GPUs the first one is enough to begin with.
  const int asked = std::max(1, options_.devices);
  if (options_.mode == Mode::gpu) expectGpus(first, asked);
  // A machine without a GPU is an error however short the search would be.
  if (options_.mode == Mode::hybrid && !gpusAreLikely()) (void)requireGpus();
  earlierFewSeconds_ = session_->impl().secondsWithFewGpus();
  int next = withCpuWorkers ? first : addFirstGpu(first);
  const bool ready = gpusAreReady(options_);
  for (const int last = ready ? first + readyGpus(options_) : next; next < last; ++next) {
    try {
      addDriver(makeGpu(next), withCpuWorkers, next);
    } catch (const DeviceError& error) {
      warnOfGpu(next, error);
    }
  }
  if (ready || next >= first + asked) {
    if (options_.devices == 0) further_ = next;
    return;
  }
  joining_ = std::make_unique<JoiningDevices>(next, first + asked - next,
                                              [this](int index) { return makeGpu(index); });
  // The list is there: the device that begins leaves them their part.
  if (!withCpuWorkers && joining_->start()) hub_.setDevicesToCome(joining_->expected(true));
  if (options_.mode != Mode::hybrid) return;
  // Of engines that end within milliseconds, one after the other, none would come to a look.
  earlierSeconds_ = session_->impl().secondsWithoutGpus();
  if (asksForDriver({0, 0, std::numeric_limits<double>::quiet_NaN()})) startGpus(first, asked);
}

int Engine::Impl::addFirstGpu(int first) {
  const int found = static_cast<int>(requireGpus().gpus.size());
  const int last = std::max(first, options_.devices == 0 ? found - 1 : first + options_.devices - 1);
  for (int index = first;; ++index) {
    try {
      addDriver(makeGpu(index), false, index);
      return index + 1;
    } catch (const DeviceError& error) {
      if (index == last) throw;
      warnOfGpu(index, error);
    }
  }
}

bool Engine::Impl::asksForDriver(const SearchLook& look) {
  if (asked_) return true;
  const bool hybrid = options_.mode == Mode::hybrid;
  if (hybrid && driverWasAsked()) {
    choice_ = alreadyAsked(look.seconds);
    asked_ = true;
  } else if (worthStartingGpus(options_.mode, look.seconds, look.secondsLeft())) {
    asked_ = true;
  } else if (worthStartingGpus(options_.mode, look.seconds, look.secondsLeft(), earlierSeconds_)) {
    choice_ = askedAfterEarlierRuns(look.seconds, earlierSeconds_);
    asked_ = true;
  }
  return asked_;
}

void Engine::Impl::warnOfGpu(int index, const DeviceError& error) {
  hub_.warn(fmt::format("GPU {} cannot be used: {}", shownGpu(index), error.what()));
}

std::unique_ptr<BatchDevice> Engine::Impl::makeGpu(int index) const {
  DeviceOptions device = options_.device;
  device.deviceIndex = index;
  const DeviceFactory* factory = findDeviceFactory(problem_.type());
  if (factory == nullptr)
    throw DeviceError("no GPU kernels were built for this " + problem_.workload() + " problem");
  const auto begin = Clock::now();
  session_->impl().drivers().expect();
  device.seat = session_->impl().gpuSeat(index);
  auto made = (*factory)(problem_, device);
  const std::lock_guard lock(devicesMutex_);
  devicesMade_.push_back({fmt::format("device of GPU {}", shownGpu(index)), begin, Clock::now()});
  return made;
}

void Engine::Impl::addDriver(std::unique_ptr<BatchDevice> device, bool withCpuWorkers, int index,
                             double cpuSecondsLeft) {
  checkBlockSize(device->info());
  const bool emulated = device->info().kind == "emulated";
  BatchDriverOptions driverOptions;
  driverOptions.launchMilliseconds = options_.gpuTurnMilliseconds;
  driverOptions.fixedBudget = options_.gpuBudget;
  driverOptions.blockSize = options_.blockSize;
  driverOptions.parcelSlices = emulated ? options_.emulator.parcelSlices : driverOptions.parcelSlices;
  driverOptions.otherDevices = emulated ? options_.emulator.devices > 1 : hasSeveralGpus();
  driverOptions.deals = !prepared_.load();  // those that join find what was put aside for them
  driverOptions.recalls = !emulated;
  if (withCpuWorkers) driverOptions.cpuWorkers = static_cast<std::size_t>(std::max(1, threads() - 1));
  driverOptions.expectedRate = session_->impl().rate(problem_, device->info().kind);
  driverOptions.expectedCpuRate =
      session_->impl().rate(problem_, "cpu") * static_cast<double>(driverOptions.cpuWorkers);
  driverOptions.cpuSecondsLeft = cpuSecondsLeft;
  // One that has nothing to do sleeps.
  const bool sleeps = problem_.places().rowBytes != 0 && withCpuWorkers &&
                      leavesRows(driverOptions.expectedRate, driverOptions.expectedCpuRate);
  busyDrivers_ += sleeps ? 0 : 1;
  auto driver = makeBatchDriver(problem_, std::move(device), driverOptions, shownGpu(index));
  drivers_.push_back(driver.get());
  workers_.push_back(std::move(driver));
}

void Engine::Impl::checkBlockSize(const DeviceInfo& info) const {
  if (options_.blockSize == 0 || info.kind != "gpu" || info.blockSizes.empty()) return;
  if (options_.blockSize % 32 == 0 && options_.blockSize <= info.blockSizes.back()) return;
  throw ConfigError(
      "block_size", std::to_string(options_.blockSize),
      "0 (found by a warm-up) or a multiple of 32 up to " + std::to_string(info.blockSizes.back()));
}

void Engine::Impl::addCpuWorkers(int threads) {
  workers_.push_back(makeCpuWorkers(problem_, {threads, options_.cpuTurnMilliseconds, options_.cpuBudget,
                                               session_->impl().arena(threads)}));
  cpuWorkers_ = workers_.back().get();
}

SearchLook Engine::Impl::lookAt(Clock::time_point begin) const {
  std::vector<double> rates;
  for (const auto* account : accounts_)
    rates.push_back(account->stepsPerSecond.load(std::memory_order_relaxed));
  return {seconds_ + secondsSince(begin), foreseenRate(rates), hub_.remainingSteps()};
}

void Engine::Impl::askForFurther(Clock::time_point begin) {
  // In this order. The first device may be made before the GPUs are listed.
  const bool starting = gpusAreStarting();
  const GpuList* const gpus = startedGpus();
  if (gpus == nullptr && starting) return;
  if (gpus == nullptr || further_ >= static_cast<int>(gpus->gpus.size())) {
    further_ = -1;
    return;
  }
  const SearchLook look = lookAt(begin);
  if (furtherSince_ < 0) furtherSince_ = look.seconds;
  // Those that are ready cost nothing, and where the first one cannot be used they are wanted at once.
  if (!gpuIsReady(further_) && !noDriverWorks() &&
      !worthFurtherGpus(look.seconds - furtherSince_, look.secondsLeft(), earlierFewSeconds_))
    return;
  joining_ = std::make_unique<JoiningDevices>(further_, 0, [this](int index) { return makeGpu(index); });
  further_ = -1;
  askedForFurther_ = asked_ = true;
  (void)joining_->start();
  // The thread that makes contexts takes a core, later the driver's thread of the first of them does.
  joined_ = false;
  if (withCpuWorkers_) cpuWorkers_->leaveCore();
}

void Engine::Impl::joinDevices(Clock::time_point begin) {
  const SearchLook look = lookAt(begin);
  if (!asked_) look_ = look;
  const double left = look.secondsLeft();
  // The thread that starts the driver takes a core, later the driver's own thread does.
  if (asksForDriver(look) && joining_->start() && withCpuWorkers_) cpuWorkers_->leaveCore();
  // A run without any worker waits for what comes.
  const bool worth = worthJoining(left) || noWorkerIsLeft();
  auto made = joining_->ready(worth);
  std::size_t toCome = joining_->expected(worth);
  for (const auto& joined : made) toCome += joined.device != nullptr ? 1 : 0;
  for (auto& joined : made) {
    try {
      if (joined.error) std::rethrow_exception(joined.error);
      hub_.setDevicesToCome(--toCome);
      addDriver(std::move(joined.device), withCpuWorkers_, joined.index, left);
    } catch (const DeviceError& error) {
      warnOfGpu(joined.index, error);
      continue;
    }
    {
      const std::lock_guard lock(accountsMutex_);
      for (auto* account : workers_.back()->accounts()) accounts_.push_back(account);
      hub_.setAccounts(accounts_);
    }
    if (withCpuWorkers_ && std::exchange(joined_, true)) cpuWorkers_->leaveCore();
    startDraining(*workers_.back(), true);
  }
  if (const GpuList* const none = joining_->none()) {
    if (options_.mode == Mode::hybrid) throw DeviceError("no usable GPU: " + none->whyNone);
    choice_ = choiceAfter(look_, true, options_.mode);
    choice_->reason += ", but there is no usable GPU: " + none->whyNone;
  }
  hub_.setDevicesToCome(toCome);
  if (joining_->pending()) return;
  joining_.reset();
  if (options_.devices == 0 && !askedForFurther_) further_ = options_.device.deviceIndex + 1;
}

bool Engine::Impl::noDriverWorks() const {
  return std::all_of(
      drivers_.begin(), drivers_.end(), [](const BatchDriver* driver) { return driver->failed(); });
}

bool Engine::Impl::noWorkerIsLeft() const { return drivers_.size() == workers_.size() && noDriverWorks(); }

bool Engine::Impl::needsCpuWorkers() const { return noWorkerIsLeft() && !joining_ && further_ < 0; }

void Engine::Impl::finishOnCpu() {
  hub_.warn("no device is left: the run goes on on " + std::to_string(fallbackThreads_) + " CPU threads");
  addCpuWorkers(fallbackThreads_);
  const std::lock_guard lock(accountsMutex_);
  for (auto* account : workers_.back()->accounts()) accounts_.push_back(account);
  hub_.setAccounts(accounts_);
}

}  // namespace slicepool
