// The watchdog of a run: it cancels when a stop is asked for, again and again until it goes, and never
// otherwise.
#include <doctest/doctest.h>

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/app/report/execute.hpp"

using namespace slicepool;

namespace {

/// Counts how often it was cancelled.
class Cancelled final : public config::WorkloadRun {
 public:
  void resumeFrom(const std::string&) override {}
  void run() override {}
  void cancel() noexcept override {
    ++times_;
    times_.notify_all();
  }
  [[nodiscard]] bool finished() const override { return false; }
  [[nodiscard]] Progress progress() const override { return {}; }
  void collect() override {}
  [[nodiscard]] const RunReport& report() const override { return report_; }
  [[nodiscard]] std::string savedTo() const override { return {}; }
  [[nodiscard]] config::Answers answers() const override { return {}; }

  /// Waits until it was cancelled that often.
  void waitFor(int times) const {
    for (int now = times_.load(); now < times; now = times_.load()) times_.wait(now);
  }
  [[nodiscard]] int times() const { return times_.load(); }

 private:
  std::atomic<int> times_{0};
  RunReport report_;
};

}  // namespace

TEST_CASE("without a limit and a stop nothing is cancelled") {
  Cancelled run;
  const report::StopRequest stop;
  { const report::Watchdog watchdog(run, std::nullopt, stop); }
  CHECK(run.times() == 0);
}

TEST_CASE("a stop cancels, and again, so that one just before the run begins is not lost") {
  Cancelled run;
  report::StopRequest stop;
  const report::Watchdog watchdog(run, std::nullopt, stop);
  CHECK(run.times() == 0);
  stop.request();
  run.waitFor(3);
  CHECK_FALSE(watchdog.timeIsOver());
}
