// Chooses budget and block size of launches from what earlier launches took. Used by the batch driver.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace slicepool {

/// What one launch teaches.
struct LaunchLesson {
  std::uint32_t blockSize = 0;
  std::uint64_t budget = 0;  ///< steps that each slice had
  std::uint64_t steps = 0;   ///< taken by all slices
  double milliseconds = 0;   ///< device time
  bool loaded = false;       ///< the device had slices enough
  /// Some slice used its whole budget up. Otherwise the time says nothing about the budget, and a budget
  /// raised on such evidence could make a later launch very long.
  bool spent = false;
  /// The part of the device that had something to do: where slices end early or are too few, a shorter launch
  /// comes sooner to the next splits.
  double useful = 1;
  double elapsedSeconds = 0;  ///< of the run
  double secondsLeft = 0;     ///< of the run; NaN: unknown
  bool othersWait = false;    ///< for a part of what this device has, after the launch
};

/// Paces launches of one device. Not thread-safe: one owner.
class LaunchPacer {
 public:
  /// Steps per slice of the first launch. Where sizes are known the fill target keeps lanes from having more.
  static constexpr std::uint64_t kFirstOfSized = 1024;
  /// A step of three_in_line takes 20 us on a lane: a first launch of 1024 steps would be a quarter of a
  /// search of 90 ms. One of cheaper steps is over at once, and the next one has the larger budget.
  static constexpr std::uint64_t kFirstOfUnsized = 64;
  /// Shorter launches take most of their time to begin and to end.
  static constexpr double kMinimumMilliseconds = 0.5;

  /// `leastMilliseconds`: target at the start of a run and before its end.
  LaunchPacer(double targetMilliseconds, std::uint64_t fixedBudget, std::uint32_t fixedBlockSize,
              const std::vector<std::uint32_t>& blockSizes, std::uint64_t firstBudget = kFirstOfUnsized,
              double leastMilliseconds = kMinimumMilliseconds)
      : targetMilliseconds_(targetMilliseconds),
        leastMilliseconds_(leastMilliseconds),
        fixedBudget_(fixedBudget),
        fixedBlockSize_(fixedBlockSize),
        budget_(firstBudget) {
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

  void learn(const LaunchLesson& lesson) {
    const auto& [blockSize, budget, steps, milliseconds, loaded, spent, useful, elapsedSeconds, secondsLeft,
                 othersWait] = lesson;
    if (fixedBlockSize_ == 0 && loaded && milliseconds >= kMinimumTrialMilliseconds)
      tryBlock(blockSize, steps, milliseconds);
    if (!spent) return;
    double target = std::clamp(kShareOfElapsed * elapsedSeconds * 1e3, leastMilliseconds_,
                               std::max(leastMilliseconds_, targetMilliseconds_));
    if (std::isfinite(secondsLeft)) target = std::clamp(secondsLeft * 1e3 / 3, leastMilliseconds_, target);
    if (othersWait) target = std::min(target, kOthersWaitMilliseconds);
    if (std::exchange(first_, false) && budget < kFirstOfSized && milliseconds < kCheapMilliseconds) {
      budget_ = kFirstOfSized;
      return;
    }
    double factor = std::clamp(target / std::max(milliseconds, 1e-3), 0.25, 4.0);
    // Below that the launch itself is what takes the time.
    if (useful < kUseful && milliseconds > leastMilliseconds_)
      factor = std::min(factor, std::clamp(useful / kUseful, 0.25, 1.0));
    const double wanted = static_cast<double>(std::max<std::uint64_t>(1, budget)) * factor;
    budget_ = static_cast<std::uint64_t>(std::clamp(wanted, kMinimumBudget, kMaximumBudget));
  }

 private:
  struct Trial {
    std::uint32_t blockSize;
    int launches;
    double steps;
    double milliseconds;
  };
  static constexpr int kLaunchesPerTrial = 3;  // the first one is not counted: it still has the old budget
  static constexpr double kMinimumTrialMilliseconds = 0.4;
  static constexpr double kCheapMilliseconds = 0.8;  // of kFirstOfUnsized steps and the splits behind them
  static constexpr double kOthersWaitMilliseconds = 1;
  static constexpr double kShareOfElapsed = 0.1;
  static constexpr double kMinimumBudget = 16;
  static constexpr double kUseful = 0.7;
  static constexpr double kMaximumBudget = 1e12;

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
  double leastMilliseconds_;
  std::uint64_t fixedBudget_;
  std::uint32_t fixedBlockSize_;
  std::vector<Trial> trials_;
  std::uint64_t budget_;
  bool first_ = true;  ///< nothing learned yet
};

}  // namespace slicepool
