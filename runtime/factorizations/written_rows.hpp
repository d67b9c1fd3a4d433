// How far an output is that is written while the search goes on, for progress. Set by the writing thread,
// read by any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "runtime/core/recent_rate.hpp"
#include "slicepool/core/options.hpp"

namespace slicepool::factorizations {

class WrittenRows {
 public:
  /// From here on `all` rows are written while others are enumerated; so many are written already.
  void begin(std::uint64_t written, std::uint64_t all) {
    written_ = written;
    all_.store(all, std::memory_order_release);
  }
  [[nodiscard]] std::atomic<std::uint64_t>& count() { return written_; }

  /// A run whose rows are written meanwhile ends when the last one is written: it is as far as that is, and
  /// ends with the slower of the two.
  [[nodiscard]] Progress in(Progress progress) const {
    const std::uint64_t all = all_.load(std::memory_order_acquire);
    if (all == 0) return progress;
    const auto toWrite = static_cast<double>(all);
    const auto written = static_cast<double>(written_.load(std::memory_order_relaxed));
    progress.rowsToWrite = all;
    progress.rowsWritten = static_cast<std::uint64_t>(written);
    progress.doneShare = written / toWrite;
    const std::lock_guard lock(mutex_);
    const double rate = rate_.at(progress.seconds, written);
    progress.secondsLeft = rate > 0 ? std::max(progress.secondsLeft, (toWrite - written) / rate) : -1;
    return progress;
  }

 private:
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> all_{0};  ///< 0: nothing is written meanwhile
  mutable std::mutex mutex_;
  mutable RecentRate rate_;  ///< of written_
};

}  // namespace slicepool::factorizations
