// How often a run that goes on may be saved: a checkpoint costs time in which no worker works, and time of
// the thread that writes it. Used by the engine and by explorations.
#pragma once

#include <algorithm>
#include <string>

namespace slicepool {

/// Seconds of one checkpoint.
struct CheckpointCost {
  double stall = 0;  ///< in which all workers waited
  double write = 0;  ///< of packing and writing, beside the run
};

/// The share of the time, at most, that all workers may wait for checkpoints.
inline constexpr double kMaximumStallShare = 0.05;

/// Seconds from one checkpoint to the next: what was asked for, or more where that costs too much. Writing
/// may take half of the time: it needs cores, too, and a disk.
[[nodiscard]] constexpr double affordableInterval(double asked, const CheckpointCost& cost) {
  return std::max({asked, cost.stall / kMaximumStallShare, 2 * cost.write});
}

/// The interval of one run. It only grows.
class CheckpointPace {
 public:
  CheckpointPace() = default;
  /// `seconds` between two checkpoints; 0: never by time.
  explicit CheckpointPace(double seconds) : interval_(seconds) {}

  [[nodiscard]] double interval() const { return interval_; }
  /// Takes in what a checkpoint has cost. Where that lengthens the interval for the first time: a sentence
  /// for the user; else nothing.
  [[nodiscard]] std::string learn(const CheckpointCost& cost);

 private:
  double interval_ = 0;
  bool told_ = false;
};

}  // namespace slicepool
