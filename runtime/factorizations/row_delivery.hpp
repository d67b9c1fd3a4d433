// Where rows go that workers write at known places: memory, a mapped .npy file, text, or a stream of buffers.
// One file each (row_delivery_<kind>.cpp); called window by window from row_windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/factorizations/algorithm_choice.hpp"
#include "runtime/factorizations/row_plan.hpp"
#include "runtime/factorizations/window_checkpoint.hpp"
#include "runtime/factorizations/written_rows.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/problem.hpp"

namespace slicepool::factorizations {

/// What a delivery goes by and what it fills. Everything outlives it.
struct RowRun {
  const Request& request;
  const Plan& tables;
  const RowPlan& plan;
  const EngineOptions& options;
  int threads = 1;
  PhaseClock& clock;
  WrittenRows& written;
  Outcome& outcome;
  RunReport& report;
  /// Tells of progress while no engine does.
  std::function<void()> tell;
  bool resumed = false;                       ///< from either kind of checkpoint
  bool engineResumed = false;                 ///< from one that an engine saved
  std::optional<WindowCheckpoint> windows{};  ///< the other kind
};

/// What a checkpoint says of an output that is written in windows.
struct OutputState {
  std::uint64_t bytes = 0;
  std::string hash{};  ///< of these; empty: the rows are checked instead
};

/// Calls come in this order: place, engine, finish for each window; settle now and then; close at the end.
/// Without close what was begun is given up.
class RowDelivery {
 public:
  RowDelivery() = default;
  virtual ~RowDelivery() = default;
  RowDelivery(const RowDelivery&) = delete;
  RowDelivery& operator=(const RowDelivery&) = delete;

  /// Where the window ends that begins at row `begin`.
  [[nodiscard]] virtual std::uint64_t windowEnd(std::uint64_t begin) const = 0;
  /// Memory for the rows of a window.
  [[nodiscard]] virtual std::byte* place(RankRange window) = 0;
  /// The rows of the window are there, all before them as well.
  virtual void finish(RankRange window) { (void)window; }
  /// Makes what was finished durable, for a checkpoint of the windows. Empty: the delivery saves itself.
  [[nodiscard]] virtual std::optional<OutputState> settle() { return OutputState{}; }
  /// What checkpoints of one engine over all rows need; null: nothing.
  [[nodiscard]] virtual ResultConsumer* saver() { return nullptr; }
  /// The end: of all rows, when the report is complete.
  virtual void close() {}
};

/// The delivery of the plan: begun anew, or as the checkpoint says. Throws as its files do.
[[nodiscard]] std::unique_ptr<RowDelivery> makeDelivery(const RowRun& run);

[[nodiscard]] std::unique_ptr<RowDelivery> deliverToMemory(const RowRun& run);
[[nodiscard]] std::unique_ptr<RowDelivery> deliverToNpy(const RowRun& run);
[[nodiscard]] std::unique_ptr<RowDelivery> deliverToCsv(const RowRun& run);
[[nodiscard]] std::unique_ptr<RowDelivery> deliverToStream(const RowRun& run);

/// `count` rows that were collected elsewhere and that `write` puts in order into memory: to where the
/// request says. `stream`: the shape of an output that is streamed.
void deliverCollected(const RowRun& run, std::uint64_t count, const std::function<void(std::byte*)>& write,
                      const std::optional<StreamShape>& stream);

}  // namespace slicepool::factorizations
