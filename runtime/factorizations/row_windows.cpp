// See row_windows.hpp.
#include "runtime/factorizations/row_windows.hpp"

#include <chrono>
#include <utility>

#include "runtime/core/report_merge.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {

RowWindows::RowWindows(const RowRun& run, std::size_t words, const std::string& resumePath) : run_(run) {
  if (!run_.windows.has_value()) return;
  const WindowCheckpoint& from = *run_.windows;
  nextRank_ = from.nextRank;
  // No word before the first window.
  const bool fresh = from.words.empty() && nextRank_ == 0;
  const bool fits = fresh || (from.words.size() == words && from.words[0] == nextRank_);
  if (nextRank_ > run_.plan.rows || !fits) {
    throw CheckpointError("checkpoint " + resumePath + ": its " + std::to_string(nextRank_) +
                          " rows and its results do not fit together; remove it to start anew");
  }
  run_.report.words = words_ = from.words;
  run_.report.steps = steps_ = from.steps;
  run_.report.stepsBefore = from.steps;
}

/// One window that is everything leaves checkpoints to the engine.
void RowWindows::run(RowDelivery& delivery, const WindowEngine& engine,
                     const std::function<bool()>& cancelled) {
  const std::uint64_t rows = run_.plan.rows;
  RunReport& report = run_.report;
  const bool windowed = run_.plan.inWindows() || run_.plan.stream.has_value() || run_.windows.has_value();
  const Phase finishing = run_.request.output.path.empty() ? Phase::merging : Phase::writing;
  auto saved = std::chrono::steady_clock::now();
  report.complete = nextRank_ == rows;
  while (nextRank_ < rows) {
    const RankRange window{nextRank_, delivery.windowEnd(nextRank_)};
    std::byte* const place = delivery.place(window);
    const bool whole = engine(window, place, !windowed, windowed ? nullptr : delivery.saver());
    if (whole) {
      const PhaseScope scope(&run_.clock, finishing);
      delivery.finish(window);
      nextRank_ = window.end;
      words_ = report.words;
      steps_ = report.steps;
    }
    report.complete = nextRank_ == rows;
    const bool stopping = !whole || (cancelled() && !report.complete);
    const auto now = std::chrono::steady_clock::now();
    if (windowed && !report.complete && (stopping || now - saved >= run_.options.checkpointInterval)) {
      save(delivery, stopping);
      saved = now;
    }
    if (stopping) return;
  }
}

void RowWindows::save(RowDelivery& delivery, bool stopping) {
  if (run_.options.checkpointPath.empty()) return;
  const PhaseScope writing(&run_.clock, Phase::writing);
  const std::optional<OutputState> output = delivery.settle();
  if (!output.has_value()) return;
  const auto write = [&] {
    writeWindowCheckpoint(run_.options.checkpointPath, {canonicalRowsText(run_.request), nextRank_,
                                                        output->bytes, output->hash, words_, steps_});
    ++run_.report.checkpoints;
  };
  if (stopping) return write();
  (void)intervalSaves_.attempt(write,
                               [this](const std::string& warning) { addWarning(run_.report, warning); });
}

}  // namespace slicepool::factorizations
