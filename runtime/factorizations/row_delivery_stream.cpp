// Rows through a ring of buffers: writer threads write a window while the next one is enumerated. See
// row_delivery.hpp.
#include "runtime/core/report_merge.hpp"
#include "runtime/factorizations/row_delivery.hpp"
#include "runtime/factorizations/row_stream.hpp"

namespace slicepool::factorizations {
namespace {

/// The stream counts what its writers have done, and tells of it while it waits for them.
StreamBooks booksOf(const RowRun& run) {
  StreamBooks books = makeStreamBooks(run.request, run.plan.rows, run.plan.elementBytes);
  books.checkpointPath = run.options.checkpointPath;
  books.checkpointInterval = run.options.checkpointInterval;
  run.written.begin(run.windows.has_value() ? run.windows->nextRank : 0, run.plan.rows);
  books.rowsWritten = &run.written.count();
  if (run.options.onProgress) books.meanwhile = {run.tell, run.options.progressInterval};
  return books;
}

class StreamDelivery final : public RowDelivery {
 public:
  explicit StreamDelivery(const RowRun& run)
      : run_(run), stream_(*run.plan.stream, booksOf(run), run.windows) {}

  [[nodiscard]] std::uint64_t windowEnd(std::uint64_t begin) const override {
    return run_.plan.stream->windowEnd(begin);
  }
  /// The writers may be the slower ones.
  [[nodiscard]] std::byte* place(RankRange) override {
    const PhaseScope writing(&run_.clock, Phase::writing);
    return rows_ = stream_.acquire();
  }
  void finish(RankRange window) override {
    stream_.submit(window, rows_, run_.report.words, run_.report.steps);
  }
  [[nodiscard]] std::optional<OutputState> settle() override { return std::nullopt; }
  void close() override {
    const PhaseScope writing(&run_.clock, Phase::writing);
    if (run_.report.complete)
      finishStream(stream_, *run_.plan.stream, run_.outcome);
    else
      stream_.suspend();
    run_.report.checkpoints += stream_.checkpoints();
    for (const auto& warning : stream_.warnings()) addWarning(run_.report, warning);
    run_.outcome.outputSecondsWaited = stream_.secondsWaited();
  }

 private:
  const RowRun& run_;
  RowStream stream_;
  std::byte* rows_ = nullptr;
};

}  // namespace

std::unique_ptr<RowDelivery> deliverToStream(const RowRun& run) {
  return std::make_unique<StreamDelivery>(run);
}

}  // namespace slicepool::factorizations
