// Rows in memory: the caller's, or a matrix of the outcome. See row_delivery.hpp.
#include <algorithm>

#include "runtime/factorizations/row_delivery.hpp"
#include "runtime/factorizations/row_savers.hpp"

namespace slicepool::factorizations {
namespace {

class MemoryDelivery final : public RowDelivery {
 public:
  explicit MemoryDelivery(const RowRun& run) : plan_(run.plan), rows_(run.request.output.memory) {
    if (rows_ == nullptr) {
      run.outcome.rows = RowMatrix(plan_.rows, plan_.dimension, plan_.elementBytes);
      rows_ = run.outcome.rows.data();
    }
    if (!run.options.checkpointPath.empty()) saved_.emplace(rows_, plan_.rows * plan_.rowBytes());
  }

  [[nodiscard]] std::uint64_t windowEnd(std::uint64_t begin) const override {
    return std::min(plan_.rows, begin + plan_.windowRows);
  }
  [[nodiscard]] std::byte* place(RankRange window) override {
    return rows_ + window.begin * plan_.rowBytes();
  }
  [[nodiscard]] ResultConsumer* saver() override { return saved_ ? &*saved_ : nullptr; }

 private:
  const RowPlan& plan_;
  std::byte* rows_;
  std::optional<SavedRows> saved_;
};

}  // namespace

std::unique_ptr<RowDelivery> deliverToMemory(const RowRun& run) {
  return std::make_unique<MemoryDelivery>(run);
}

std::unique_ptr<RowDelivery> makeDelivery(const RowRun& run) {
  if (run.plan.stream.has_value()) return deliverToStream(run);
  if (run.plan.format == OutputFormat::csv) return deliverToCsv(run);
  if (run.plan.format == OutputFormat::npy) return deliverToNpy(run);
  return deliverToMemory(run);
}

}  // namespace slicepool::factorizations
