// See automatic_choice.hpp.
#include "runtime/core/automatic_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "cpu_workers/core/cpu_workers.hpp"
#include "runtime/core/batch/exchange_policy.hpp"
#include "runtime/core/joining_devices.hpp"
#include "runtime/core/session_impl.hpp"
#include "slicepool/core/devices.hpp"

namespace slicepool {
namespace {

/// By CPU workers, of what devices would need alone.
double secondsSaved(const Forecast& forecast) {
  return forecast.steps / forecast.deviceRate * forecast.cpuRate / (forecast.cpuRate + forecast.deviceRate);
}

constexpr const char* kEndedEarly = "the search ended before it was seen to be long";
constexpr const char* kTooLittle = "too little for the start of a GPU";
constexpr const char* kAskedBefore = "the process had asked for them before";

}  // namespace

AutomaticChoice withoutDevices(std::string reason) {
  AutomaticChoice choice;
  choice.reason = std::move(reason);
  return choice;
}

AutomaticChoice withoutGpus(const std::string& whyNone) {
  return withoutDevices("there is no usable GPU: " + whyNone);
}

// With a provider the driver would have to be asked, which takes its start.
AutomaticChoice withoutGpus() {
  return withoutGpus(builtWithCuda() ? "this process sees none" : knownGpus().whyNone);
}

AutomaticChoice withReadyDevices() {
  AutomaticChoice choice = withoutDevices("the GPUs were ready");
  choice.devices = true;
  return choice;
}

int readyGpus(const EngineOptions& options) {
  const GpuList* const list = startedGpus();
  if (list == nullptr) return 0;
  const int found = static_cast<int>(list->gpus.size()) - options.device.deviceIndex;
  const int most = options.devices == 0 ? found : std::min(found, options.devices);
  int ready = 0;
  while (ready < most && gpuIsReady(options.device.deviceIndex + ready)) ++ready;
  return ready;
}

bool gpusAreReady(const EngineOptions& options) { return readyGpus(options) >= std::max(1, options.devices); }

Forecast forecastOf(const Problem& problem, const EngineOptions& options, double steps) {
  const int devices = options.devices == 0 ? readyGpus(options) : options.devices;
  const int threads = options.threads > 0 ? options.threads : availableCores();
  const std::shared_ptr<Session> session = options.session ? options.session : Session::ofProcess();
  return {std::max(0.0, steps), session->impl().rate(problem, "cpu") * threads,
          session->impl().rate(problem, "gpu") * devices, problem.places().rowBytes != 0, devices};
}

Searchers searchersOf(const Forecast& forecast, Mode mode) {
  constexpr double kSoon = 1e-3;  // seconds: a device, its first launch and its last commit take no less
  // Seconds that CPU workers save by their rate. Searches of which they would have saved 1 to 15 ms took up
  // to 30 ms longer with them, one of them 6 ms less (docs/performance/runtime.md).
  constexpr double kWorthHelp = 2e-2;
  // Several devices also exchange slices among each other, and CPU workers that run dry make each of them
  // stop for that. A search of which they would have saved 0.06 s took 0.2 s longer with them, one of which
  // they would have saved 0.45 s took 0.2 s less.
  constexpr double kWorthHelpToSeveral = 0.2;
  // A device that is about as fast as the CPU workers: in simulated time both are better in searches from 5
  // ms on, by a fifth in the mean (tests/unit/core/balancing_cases.cpp). One that is slower is never left
  // alone, nor left out: the rate of a device that has worked little says little, and would not be learned
  // again.
  constexpr double kAlike = 2;
  constexpr double kWorthExchange = 5e-3;  // seconds of the device
  const auto& [steps, cpuRate, deviceRate, rows, devices] = forecast;
  if (mode == Mode::automatic && cpuRate > 0 && steps > 0 && steps < kSoon * cpuRate)
    return Searchers::cpuWorkers;
  if (cpuRate <= 0 || deviceRate <= 0) return Searchers::both;
  if (rows) return leavesRows(deviceRate, cpuRate) ? Searchers::cpuWorkers : Searchers::both;
  if (steps <= 0) return Searchers::both;
  const bool alike = deviceRate <= kAlike * cpuRate && steps >= kWorthExchange * deviceRate;
  if (devices == 1 && (deviceRate < cpuRate || alike)) return Searchers::both;
  return secondsSaved(forecast) < (devices > 1 ? kWorthHelpToSeveral : kWorthHelp) ? Searchers::devices
                                                                                   : Searchers::both;
}

AutomaticChoice choiceOf(const Forecast& forecast, Mode mode) {
  const Searchers searchers = searchersOf(forecast, mode);
  AutomaticChoice choice = withReadyDevices();
  if (searchers == Searchers::both) return choice;
  if (forecast.steps > 0) choice.stepsLeft = forecast.steps;
  if (searchers == Searchers::devices) {
    const double alone = forecast.steps / forecast.deviceRate;
    choice.reason =
        fmt::format("by earlier runs' rates the GPUs need {:.3g} s, of which CPU workers would save {:.2g}",
                    alone, secondsSaved(forecast));
    return choice;
  }
  choice.devices = false;
  choice.stepsPerSecond = forecast.cpuRate;
  if (forecast.steps > 0) choice.secondsLeft = forecast.steps / forecast.cpuRate;
  choice.reason =
      forecast.rows && forecast.deviceRate > 0 && leavesRows(forecast.deviceRate, forecast.cpuRate)
          ? "earlier runs have copied rows from the GPUs at less than half of the CPU workers' rate"
          : "an earlier run's rate of the CPU workers leaves less than a millisecond of work";
  return choice;
}

double SearchLook::secondsLeft() const {
  return stepsPerSecond > 0 ? stepsLeft / stepsPerSecond : std::numeric_limits<double>::quiet_NaN();
}

AutomaticChoice choiceAfter(const std::optional<SearchLook>& look, bool asked, Mode mode) {
  if (!look) return withoutDevices(kEndedEarly);
  AutomaticChoice choice;
  choice.devices = asked;
  if (asked) choice.askedSeconds = look->seconds;
  if (look->stepsPerSecond > 0) choice.stepsPerSecond = look->stepsPerSecond;
  if (!std::isnan(look->stepsLeft)) choice.stepsLeft = look->stepsLeft;
  const double left = look->secondsLeft();
  if (!std::isnan(left)) choice.secondsLeft = left;
  constexpr double kLate = 1e9;  // seconds: as if only what is left counted
  if (asked && std::isnan(left))
    choice.reason =
        fmt::format("the search had taken {:.3f} s, and how much was left was unknown", look->seconds);
  else if (asked)
    choice.reason = fmt::format("the rate of the CPU workers left {:.3g} s of work", left);
  else if (std::isnan(left) || worthStartingGpus(mode, kLate, left))
    choice.reason = kEndedEarly;
  else
    choice.reason =
        fmt::format("the rate of the CPU workers left {:.3g} s of work at last, {}", left, kTooLittle);
  return choice;
}

AutomaticChoice alreadyAsked(double seconds) {
  AutomaticChoice choice = withoutDevices(kAskedBefore);
  choice.devices = true;
  choice.askedSeconds = seconds;
  return choice;
}

AutomaticChoice askedAfterEarlierRuns(double seconds, double earlier) {
  AutomaticChoice choice =
      withoutDevices(fmt::format("earlier searches of the session had taken {:.3g} s without GPUs", earlier));
  choice.devices = true;
  choice.askedSeconds = seconds;
  return choice;
}

bool gpusMayJoin(const EngineOptions& options) {
  return (options.mode == Mode::automatic || options.mode == Mode::hybrid) && gpusAreLikely();
}

AutomaticChoice askedBeforeSearch(std::string reason) {
  AutomaticChoice choice = withoutDevices(std::move(reason));
  choice.devices = true;
  choice.askedSeconds = 0;
  return choice;
}

std::optional<AutomaticChoice> startGpusBeforeSearch(const EngineOptions& options, std::string reason) {
  std::optional<AutomaticChoice> told;
  if (!driverWasAsked()) told = askedBeforeSearch(std::move(reason));
  startGpus(options.device.deviceIndex, std::max(1, options.devices));
  return told;
}

void tellOfEarlyStart(std::optional<AutomaticChoice>& choice, const AutomaticChoice& early) {
  if (!choice) return;
  const std::string& reason = choice->reason;
  if (choice->askedSeconds || reason == kEndedEarly || reason.ends_with(kTooLittle)) choice = early;
}

void addChoice(std::optional<AutomaticChoice>& into, const std::optional<AutomaticChoice>& part,
               double before) {
  if (!part || (into && into->devices)) return;
  into = part;
  if (into->askedSeconds) *into->askedSeconds += before;
}

}  // namespace slicepool
