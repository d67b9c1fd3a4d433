// What modes `automatic` and `hybrid` say of their choice: the sentences of a run's report, and the numbers
// behind them.
// Used by the engine and by the workloads that decide before they have one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/problem.hpp"

namespace slicepool {

/// CPU workers alone, for `reason`.
[[nodiscard]] AutomaticChoice withoutDevices(std::string reason);
/// The same, since the driver has said that there is no GPU, or since it is clear without asking it.
[[nodiscard]] AutomaticChoice withoutGpus(const std::string& whyNone);
[[nodiscard]] AutomaticChoice withoutGpus();
/// GPUs that an earlier run of the process has left ready.
[[nodiscard]] AutomaticChoice withReadyDevices();

/// GPUs of a run that have their contexts, from the first one on without a gap.
[[nodiscard]] int readyGpus(const EngineOptions& options);
/// Whether they have, so that making the devices holds up no worker: those that the options count, or of all
/// of them the first one.
[[nodiscard]] bool gpusAreReady(const EngineOptions& options);

/// What earlier runs of the session say of a search whose GPUs are ready, before it begins.
struct Forecast {
  double steps = 0;       ///< 0: unknown
  double cpuRate = 0;     ///< steps/s of all CPU workers; 0: unknown
  double deviceRate = 0;  ///< steps/s of all devices, rows with their copies; 0: unknown
  bool rows = false;
  int devices = 1;  ///< that deviceRate is of
};
/// Of `steps` of a problem. Its type and whether it writes rows are what counts.
[[nodiscard]] Forecast forecastOf(const Problem& problem, const EngineOptions& options, double steps);
/// Who searches where the GPUs are ready.
enum class Searchers : std::uint8_t { both, cpuWorkers, devices };
/// In the modes `hybrid` and `automatic`. Slices that CPU workers and devices exchange cost both some
/// milliseconds: where CPU workers save less than that beside devices that are faster, they are left out.
[[nodiscard]] Searchers searchersOf(const Forecast& forecast, Mode mode);
/// What is said of it.
[[nodiscard]] AutomaticChoice choiceOf(const Forecast& forecast, Mode mode);

/// A look at a search under way: what is known of it after `seconds`.
struct SearchLook {
  double seconds = 0;
  double stepsPerSecond = 0;  ///< 0: no worker has a rate yet
  double stepsLeft = 0;       ///< NaN: unknown

  /// NaN: unknown.
  [[nodiscard]] double secondsLeft() const;
};

/// What the last look says: it was the one after which the driver of the GPUs was `asked` for, or the search
/// ended before one was. Empty: it ended before the first.
[[nodiscard]] AutomaticChoice choiceAfter(const std::optional<SearchLook>& look, bool asked,
                                          Mode mode = Mode::automatic);
/// Asked for after `seconds`, since others have asked before, or since earlier searches of the session have
/// taken as long without GPUs.
[[nodiscard]] AutomaticChoice alreadyAsked(double seconds);
[[nodiscard]] AutomaticChoice askedAfterEarlierRuns(double seconds, double earlier);

/// Whether GPUs may join a search of CPU workers: in `hybrid` and `automatic`, where there may be one.
[[nodiscard]] bool gpusMayJoin(const EngineOptions& options);
/// Asked for before the search, for this reason.
[[nodiscard]] AutomaticChoice askedBeforeSearch(std::string reason);
/// Starts the driver before the search; of several GPUs the engine asks for the rest. What to tell of it:
/// nothing where the process had asked before.
std::optional<AutomaticChoice> startGpusBeforeSearch(const EngineOptions& options, std::string reason);
/// A run has asked before its search: an engine that does not know of it says that GPUs were not worth it,
/// that others had asked, or that it has.
void tellOfEarlyStart(std::optional<AutomaticChoice>& choice, const AutomaticChoice& early);

/// Of the parts of a run, the first one that has asked for GPUs says when; where none has, the last one says
/// why not. `before`: seconds of enumeration before this part.
void addChoice(std::optional<AutomaticChoice>& into, const std::optional<AutomaticChoice>& part,
               double before);

}  // namespace slicepool
