// Chooses budget and block size of launches from what earlier launches took. Used by the batch driver.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace slicepool {

/// Paces launches of one device. Not thread-safe: one owner.
class LaunchPacer {
 public:
  LaunchPacer(double targetMilliseconds, std::uint64_t fixedBudget, std::uint32_t fixedBlockSize,
              std::vector<std::uint32_t> blockSizes)
      : targetMilliseconds_(targetMilliseconds), fixedBudget_(fixedBudget), fixedBlockSize_(fixedBlockSize) {
    for (const auto size : blockSizes) trials_.push_back({size, 0, 0, 0});
    if (trials_.size() < 2 && fixedBlockSize_ == 0 && !trials_.empty())
      fixedBlockSize_ = trials_.front().blockSize;
  }

  /// Steps per slice for the next launch.
  [[nodiscard]] std::uint64_t budget() const { return fixedBudget_ != 0 ? fixedBudget_ : budget_; }
  [[nodiscard]] std::uint32_t nextBlockSize() const {
    if (fixedBlockSize_ != 0) return fixedBlockSize_;
    for (const auto& trial : trials_)
      if (trial.launches < kLaunchesPerTrial) return trial.blockSize;
    return trials_.empty() ? 0 : trials_.front().blockSize;
  }
  /// The block size settled on; 0 while still trying.
  [[nodiscard]] std::uint32_t settledBlockSize() const { return fixedBlockSize_; }

  /// Learns from one launch: its budget and device time. `loaded`: the device had slices enough. `spent`:
  /// some slice used its whole budget up; otherwise the time says nothing about the budget, and a budget
  /// raised on such evidence could make a later launch very long. `elapsedSeconds`, `secondsLeft` (NaN:
  /// unknown) as for CPU turns.
  /// `useful`: the part of the device that had something to do: where slices end early or are too few, a
  /// shorter launch comes sooner to the next splits.
  void learn(std::uint32_t blockSize, std::uint64_t budgetUsed, std::uint64_t steps, double milliseconds,
             bool loaded, bool spent, double useful, double elapsedSeconds, double secondsLeft) {
    if (fixedBlockSize_ == 0 && loaded && milliseconds >= kShortestTrialMilliseconds)
      tryBlock(blockSize, steps, milliseconds);
    if (!spent) return;
    double target = std::clamp(kShareOfElapsed * elapsedSeconds * 1e3, kShortestMilliseconds,
                               std::max(kShortestMilliseconds, targetMilliseconds_));
    if (std::isfinite(secondsLeft)) target = std::clamp(secondsLeft * 1e3 / 3, kShortestMilliseconds, target);
    double factor = std::clamp(target / std::max(milliseconds, 1e-3), 0.25, 4.0);
    // Below that the launch itself is what takes the time.
    if (useful < kUseful && milliseconds > kShortestMilliseconds)
      factor = std::min(factor, std::clamp(useful / kUseful, 0.25, 1.0));
    const double wanted = static_cast<double>(std::max<std::uint64_t>(1, budgetUsed)) * factor;
    budget_ = static_cast<std::uint64_t>(std::clamp(wanted, kSmallestBudget, kLargestBudget));
  }

 private:
  struct Trial {
    std::uint32_t blockSize;
    int launches;
    double steps;
    double milliseconds;
  };
  static constexpr int kLaunchesPerTrial = 3;  // the first one is not counted: it still has the old budget
  static constexpr double kShortestTrialMilliseconds = 0.4;
  static constexpr double kShortestMilliseconds = 0.5;
  static constexpr double kShareOfElapsed = 0.1;
  static constexpr double kSmallestBudget = 16;
  static constexpr double kUseful = 0.7;
  static constexpr double kLargestBudget = 1e12;

  void tryBlock(std::uint32_t blockSize, std::uint64_t steps, double milliseconds) {
    for (auto& trial : trials_) {
      if (trial.blockSize != blockSize || trial.launches >= kLaunchesPerTrial) continue;
      if (trial.launches++ > 0) {
        trial.steps += static_cast<double>(steps);
        trial.milliseconds += milliseconds;
      }
    }
    for (const auto& trial : trials_)
      if (trial.launches < kLaunchesPerTrial) return;
    const auto best = std::max_element(trials_.begin(), trials_.end(), [](const Trial& a, const Trial& b) {
      return a.steps * b.milliseconds < b.steps * a.milliseconds;
    });
    if (best != trials_.end()) fixedBlockSize_ = best->blockSize;
  }

  double targetMilliseconds_;
  std::uint64_t fixedBudget_;
  std::uint32_t fixedBlockSize_;
  std::vector<Trial> trials_;
  std::uint64_t budget_ = 1024;
};

}  // namespace slicepool
