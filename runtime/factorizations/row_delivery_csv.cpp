// Rows as text, written between two windows. See row_delivery.hpp.
#include <algorithm>

#include "runtime/factorizations/csv.hpp"
#include "runtime/factorizations/row_delivery.hpp"

namespace slicepool::factorizations {
namespace {

class CsvDelivery final : public RowDelivery {
 public:
  CsvDelivery(const RowRun& run, const WindowCheckpoint& from)
      : run_(run),
        file_(run.request.output.path, run.plan.dimension, run.request.output.header, from.outputBytes,
              from.outputHash),
        buffer_(std::min(run.plan.windowRows, run.plan.rows), run.plan.dimension, run.plan.elementBytes) {
    if (!run_.options.checkpointPath.empty()) file_.keepPart();
    run_.written.begin(from.nextRank, run_.plan.rows);
  }

  [[nodiscard]] std::uint64_t windowEnd(std::uint64_t begin) const override {
    return std::min(run_.plan.rows, begin + run_.plan.windowRows);
  }
  [[nodiscard]] std::byte* place(RankRange) override { return buffer_.data(); }
  void finish(RankRange window) override {
    file_.write(buffer_.data(), window.end - window.begin, run_.plan.elementBytes, run_.threads);
    run_.written.count() = window.end;
  }
  [[nodiscard]] std::optional<OutputState> settle() override {
    file_.sync();
    return OutputState{file_.bytes(), file_.hash()};
  }
  void close() override {
    run_.outcome.outputBytes = file_.bytes();
    const PhaseScope writing(&run_.clock, Phase::writing);
    if (run_.report.complete) file_.publish();
  }

 private:
  const RowRun& run_;
  CsvFile file_;
  RowMatrix buffer_;
};

}  // namespace

std::unique_ptr<RowDelivery> deliverToCsv(const RowRun& run) {
  const bool begun = run.windows.has_value() && run.windows->nextRank != 0;
  return std::make_unique<CsvDelivery>(run, begun ? *run.windows : WindowCheckpoint{});
}

}  // namespace slicepool::factorizations
