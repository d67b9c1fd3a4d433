// Rows in a .npy file that is mapped into memory. See row_delivery.hpp.
#include <algorithm>

#include "runtime/factorizations/npy.hpp"
#include "runtime/factorizations/row_delivery.hpp"
#include "runtime/factorizations/row_savers.hpp"
#include "slicepool/factorizations/rank_index.hpp"

namespace slicepool::factorizations {
namespace {

NpyFile openFile(const RowRun& run) {
  const bool begun = !run.windows.has_value() || run.windows->nextRank != 0;
  const RowPlan& plan = run.plan;
  return {run.request.output.path, plan.rows, plan.dimension, plan.elementBytes, run.resumed && begun};
}

class NpyDelivery final : public RowDelivery {
 public:
  explicit NpyDelivery(const RowRun& run)
      : run_(run), reserving_(std::in_place, &run.clock, Phase::writing), file_(openFile(run)) {
    if (run_.windows.has_value()) requireRows(run_.windows->nextRank);
    if (saves()) file_.keepPart();
    reserving_.reset();
  }

  [[nodiscard]] std::uint64_t windowEnd(std::uint64_t begin) const override {
    return std::min(run_.plan.rows, begin + run_.plan.windowRows);
  }
  [[nodiscard]] std::byte* place(RankRange window) override {
    return file_.rows() + window.begin * run_.plan.rowBytes();
  }
  [[nodiscard]] std::optional<OutputState> settle() override {
    file_.sync();
    return OutputState{file_.fileBytes(), {}};
  }
  [[nodiscard]] ResultConsumer* saver() override { return saves() ? &synced_ : nullptr; }
  void close() override {
    run_.outcome.outputBytes = file_.fileBytes();
    if (!run_.report.complete) return;
    const PhaseScope writing(&run_.clock, Phase::writing);
    // Which rows were there already, only the slices know that are no more: all of them are looked at.
    if (run_.engineResumed) requireRows(run_.plan.rows);
    file_.publish();
  }

 private:
  [[nodiscard]] bool saves() const { return !run_.options.checkpointPath.empty(); }
  /// Mapped rows have no hash, but there is only one sequence of them.
  void requireRows(std::uint64_t count) const {
    const Request& request = run_.request;
    const Rank first = request.ranks.has_value() ? parseRank(request.ranks->begin, "rank_range") : Rank(0);
    file_.requireRows(RowCheck(request.generators, request.element, run_.plan.elementBytes), count, first,
                      run_.tables.memoryLimit, run_.threads);
  }

  const RowRun& run_;
  std::optional<PhaseScope> reserving_;  ///< while the file is made: it reserves the disk
  NpyFile file_;
  SyncedFile synced_{file_};
};

}  // namespace

std::unique_ptr<RowDelivery> deliverToNpy(const RowRun& run) { return std::make_unique<NpyDelivery>(run); }

}  // namespace slicepool::factorizations
