// How often a run saves: at the interval it was given, unless saving costs more than its share of it. Used by
// the front (enumeration.cpp).
#pragma once

#include <algorithm>
#include <chrono>

namespace slicepool::semigroup {

class CheckpointPace {
 public:
  using Seconds = std::chrono::duration<double>;

  explicit CheckpointPace(Seconds interval) : interval_(interval) {}

  [[nodiscard]] Seconds interval() const { return interval_; }

  /// A checkpoint has stopped the run for `stall` and was written in `writing` beside it. The run may stand
  /// still for a twentieth of the interval, and the thread that writes may be busy for half of it. Returns
  /// whether the interval became longer.
  bool cost(Seconds stall, Seconds writing) {
    const Seconds needed = std::max(20 * stall, 2 * writing);
    if (needed <= interval_) return false;
    interval_ = needed;
    return true;
  }

 private:
  Seconds interval_;
};

}  // namespace slicepool::semigroup
