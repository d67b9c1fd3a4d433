// Chooses step budgets so that turns last about a target time. Used by every CPU worker.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace slicepool {

/// Smoothed rate of one worker and the budget that follows from it. Not thread-safe: one owner.
class TurnPacer {
 public:
  TurnPacer(double targetMilliseconds, std::uint64_t fixedBudget)
      : targetSeconds_(targetMilliseconds / 1000), fixedBudget_(fixedBudget) {}

  /// Steps for the next turn. Turns are short while the run is young, so that a run of some ms is balanced
  /// too, and short again when `secondsLeft` (NaN: unknown) is small, so that all workers end together.
  [[nodiscard]] std::uint64_t budget(double elapsedSeconds, double secondsLeft) const {
    if (fixedBudget_ != 0) return fixedBudget_;
    if (rate_ <= 0) return kFirstBudget;
    double seconds = std::clamp(kShareOfElapsed * elapsedSeconds, kMinimumSeconds,
                                std::max(kMinimumSeconds, targetSeconds_));
    if (std::isfinite(secondsLeft)) seconds = std::max(kMinimumSeconds, std::min(seconds, secondsLeft / 4));
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rate_ * seconds));
  }

  /// Learns from a finished turn. Outliers (a preempted thread) are clipped to a factor of four.
  void learn(std::uint64_t steps, double seconds) {
    if (steps < kFirstBudget / 4 || seconds <= 0) return;
    const double observed = static_cast<double>(steps) / seconds;
    rate_ = rate_ <= 0 ? observed : 0.75 * rate_ + 0.25 * std::clamp(observed, rate_ / 4, rate_ * 4);
  }

  [[nodiscard]] double rate() const { return rate_; }

 private:
  static constexpr std::uint64_t kFirstBudget = 2048;
  static constexpr double kMinimumSeconds = 2e-4;
  static constexpr double kShareOfElapsed = 0.02;

  double targetSeconds_;
  std::uint64_t fixedBudget_;
  double rate_ = 0;
};

}  // namespace slicepool
