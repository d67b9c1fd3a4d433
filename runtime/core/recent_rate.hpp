// How fast something has grown lately, by samples: the rates and times left that progress shows. Called under
// a lock of its owner (engine_slot, enumerations).
#pragma once

#include <deque>
#include <utility>

#include "slicepool/core/options.hpp"

namespace slicepool {

class RecentRate {
 public:
  /// Notes `amount` at `seconds`, neither of which decreases. Returns its growth per second over the last
  /// kWindow seconds; 0 before that can be told. O(1) amortised.
  double at(double seconds, double amount) {
    while (samples_.size() > 1 && samples_[1].first <= seconds - kWindow) samples_.pop_front();
    if (samples_.empty() || seconds - samples_.back().first >= kBetween)
      samples_.emplace_back(seconds, amount);
    const auto [begin, before] = samples_.front();
    return seconds - begin >= kBetween ? (amount - before) / (seconds - begin) : 0;
  }
  void forget() { samples_.clear(); }

  static constexpr double kWindow = 10;     ///< seconds: longer than windows of rows and checkpoints take
  static constexpr double kBetween = 0.05;  ///< seconds between samples

 private:
  std::deque<std::pair<double, double>> samples_;
};

/// `progress` of a search of `totalSteps` steps; 0: it is unknown how many.
[[nodiscard]] inline Progress withTotal(Progress progress, double totalSteps) {
  const double left = totalSteps - progress.steps;
  progress.totalSteps = left >= 0 ? totalSteps : 0;
  progress.doneShare = progress.totalSteps > 0 ? progress.steps / totalSteps : -1;
  progress.secondsLeft =
      progress.totalSteps > 0 && progress.stepsPerSecond > 0 ? left / progress.stepsPerSecond : -1;
  return progress;
}

}  // namespace slicepool
