// A run over rows at known places, window after window: one engine each, a delivery (row_delivery.hpp) that
// takes what is finished, and checkpoints between them. Called by enumeration.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/core/checkpoint.hpp"
#include "runtime/factorizations/row_delivery.hpp"

namespace slicepool::factorizations {

/// Runs an engine over a window; its rows go to `rows`. `saves`: the engine writes the checkpoints. False
/// when it was cancelled before the end.
using WindowEngine =
    std::function<bool(RankRange window, std::byte* rows, bool saves, ResultConsumer* consumer)>;

class RowWindows {
 public:
  /// Windows count from the first row wanted, or from where the checkpoint of `run` says: its words and steps
  /// go into the report. `words`: how many a checkpoint of this request has. Throws CheckpointError when what
  /// it says does not fit together; `resumePath` is its name.
  RowWindows(const RowRun& run, std::size_t words, const std::string& resumePath);

  /// To the end, or until an engine or `cancelled` says so: whether it was the end is in the report.
  void run(RowDelivery& delivery, const WindowEngine& engine, const std::function<bool()>& cancelled);

 private:
  void save(RowDelivery& delivery, bool stopping);

  const RowRun& run_;
  std::uint64_t nextRank_ = 0;
  /// Of finished windows: those of a window that is cut short are reported, but a resume repeats them.
  std::vector<std::uint64_t> words_;
  std::uint64_t steps_ = 0;
  IntervalSaves intervalSaves_;
};

}  // namespace slicepool::factorizations
