// One report from those of several parts of a run: engines over windows of rows, rounds of a staged run.
#pragma once

#include <string>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/words.hpp"

namespace slicepool {

/// Adds what the part `from` did to `into`: times, steps, splits, checkpoints and workers (by name) are
/// summed, peaks are maxima, budgets and sizes those of the last part that has them, warnings are kept once,
/// timelines of the same workers are joined. Words and shares stay; `complete` and `decided` become those of
/// `from`.
void addReport(RunReport& into, const RunReport& from);
/// The same, words and shares included. The words are merged only when `withWords` is set (an unfinished
/// window is done again, so its words must not count).
void mergeReport(RunReport& into, const RunReport& from, const WordLayout& layout, bool withWords);
/// The part of all steps that each worker took.
void computeShares(RunReport& report);
/// Once, however often it is said.
void addWarning(RunReport& report, const std::string& warning);

}  // namespace slicepool
