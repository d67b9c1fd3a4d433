// One report from the runs of several windows. Called by enumeration.cpp.
#pragma once

#include "slicepool/core/engine.hpp"
#include "slicepool/core/words.hpp"

namespace slicepool::factorizations {

/// Adds what `from` did to `into`: times, steps, splits and workers (by name) are summed, peaks are maxima,
/// shares are computed anew, warnings are kept once, timelines of the same workers are joined. The words are
/// merged only when `withWords` is set (an unfinished window is done again, so its words must not count).
/// `complete` and `decided` become those of `from`.
void mergeReport(RunReport& into, const RunReport& from, const WordLayout& layout, bool withWords);

}  // namespace slicepool::factorizations
