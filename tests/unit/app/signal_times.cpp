// The first signal that asks a process to stop, those that come with it, and one that insists.
#include "runtime/app/cli/signal_times.hpp"

#include <doctest/doctest.h>

#include <barrier>
#include <thread>

using namespace slicepool;
using Signal = cli::SignalTimes::Signal;

TEST_CASE("a signal within half a second of the first one is the same, a later one insists") {
  constexpr std::int64_t kTogether = cli::SignalTimes::kTogetherNanoseconds;
  cli::SignalTimes times;
  CHECK(times.note(1000) == Signal::first);
  CHECK(times.note(1000) == Signal::together);
  CHECK(times.note(999) == Signal::together);  // another core's clock
  CHECK(times.note(1000 + kTogether) == Signal::together);
  CHECK(times.note(1001 + kTogether) == Signal::again);
  times.forget();
  CHECK(times.note(1002 + kTogether) == Signal::first);
}

TEST_CASE("of two signals that come to two threads at once one is the first, and none insists") {
  for (int round = 0; round < 200; ++round) {
    cli::SignalTimes times;
    std::barrier both(2);
    Signal seen[2] = {Signal::again, Signal::again};
    const auto come = [&](int thread) {
      both.arrive_and_wait();
      // A clock that has run for long: beside no first signal at all, it would be half a second after that.
      seen[thread] = times.note(5'000'000'000 + thread);
    };
    std::thread other([&] { come(1); });
    come(0);
    other.join();
    CHECK((seen[0] == Signal::first) != (seen[1] == Signal::first));
    CHECK((seen[0] == Signal::together) != (seen[1] == Signal::together));
  }
}
