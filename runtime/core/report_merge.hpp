// One report from those of several parts of a run: engines over windows of rows, rounds of a staged run.
#pragma once

#include <chrono>
#include <string>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/words.hpp"

namespace slicepool {

/// Adds what the part `from` did to `into`: times, steps, splits, checkpoints and workers (by name) are
/// summed, peaks are maxima, budgets and sizes those of the last part that has them, warnings are kept once,
/// timelines of the same workers are joined. Words and shares stay; `complete` and `decided` become those of
/// `from`.
void addReport(RunReport& into, const RunReport& from);
/// A part that went on beside others of the run: it began `begin` seconds after the start of the enumeration
/// of `into`, whose seconds stay.
void addReportAt(RunReport& into, const RunReport& from, double begin);
/// A turn of a worker without a pool: from `begin` to `end`, in seconds since the start of the enumeration.
void noteTurn(WorkerReport& worker, double begin, double end);
/// Of workers that waited whenever they did nothing else: CPU workers, and devices of which nobody measured
/// it. `seconds` is the enumeration.
void computeWaiting(RunReport& report, double seconds);

/// The reports of engines that ran one after another, as one whose moments count from one clock.
class ReportsInTurn {
 public:
  /// Else from the construction. Before the first add().
  void beginAt(std::chrono::steady_clock::time_point moment) { begun_ = moment; }
  /// Of an engine whose run has just ended.
  void add(const RunReport& report);
  /// At the end, after `seconds` of the whole: between two engines their workers waited. The seconds of the
  /// report are those of the engines.
  [[nodiscard]] RunReport report(double seconds) const;

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  RunReport report_;
};

/// As addReport(), words and shares included. The words are merged only when `withWords` is set (an
/// unfinished window is done again, so its words must not count).
void mergeReport(RunReport& into, const RunReport& from, const WordLayout& layout, bool withWords);
/// The part of all steps that each worker took.
void computeShares(RunReport& report);
/// Once, however often it is said.
void addWarning(RunReport& report, const std::string& warning);

}  // namespace slicepool
