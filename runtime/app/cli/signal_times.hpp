// Which of the signals that ask a process to stop is the first, and which is a second one that insists.
// Called by the handler in signals.cpp.
#pragma once

#include <atomic>
#include <cstdint>

namespace slicepool::cli {

/// Of one run. note() is safe in a signal handler, and in several threads at once.
class SignalTimes {
 public:
  /// timeout(1) and job systems signal a process and then its group: signals that come together are one.
  static constexpr std::int64_t kTogetherNanoseconds = 500'000'000;
  enum class Signal : std::uint8_t { first, together, again };

  /// One that came at `now`, ns of a monotonic clock, not 0.
  Signal note(std::int64_t now) noexcept {
    std::int64_t first = 0;
    if (first_.compare_exchange_strong(first, now)) return Signal::first;
    return now - first > kTogetherNanoseconds ? Signal::again : Signal::together;
  }
  void forget() noexcept { first_.store(0); }

 private:
  std::atomic<std::int64_t> first_{0};
  static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler changes it");
};

}  // namespace slicepool::cli
