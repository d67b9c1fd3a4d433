// See execute.hpp.
#include "runtime/app/report/execute.hpp"

#include <algorithm>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/app/report/machine.hpp"
#include "runtime/core/session_impl.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool::report {

Watchdog::Watchdog(config::WorkloadRun& run, std::optional<double> timeLimitSeconds, const StopRequest& stop)
    : run_(run),
      limit_(timeLimitSeconds),
      stop_(stop),
      watching_(Session::ofProcess()->impl().helpers().start([this] { watch(); })) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  watching_.wait();
}

void Watchdog::watch() {
  constexpr std::chrono::milliseconds kLook{20};
  auto begin = std::chrono::steady_clock::now();
  bool steps = run_.stepping();
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kLook, [this] { return done_; })) {
    if (!steps) {
      begin = std::chrono::steady_clock::now();
      steps = run_.stepping();
    }
    const bool over = limit_ && secondsSince(begin) >= *limit_;
    if (stop_.requested()) {
      run_.cancel();
    } else if (over) {
      timeIsOver_.store(true, std::memory_order_relaxed);
      run_.timeIsOver();
    }
  }
}

namespace {

/// A set-up may take so long whatever the time limit: small tables do not depend on how fast the machine is.
constexpr double kShortSetup = 1;

}  // namespace

Execution execute(const config::RunConfig& config, config::Strictness strictness, const StopRequest& stop,
                  const RunWatcher& watcher) {
  const auto prepare = [strictness](const config::RunConfig& timed) {
    return config::requireWorkload(timed.document).prepare(timed, strictness);
  };
  return execute(config, prepare, stop, watcher);
}

Execution execute(const config::RunConfig& config, const PrepareRun& prepare, const StopRequest& stop,
                  const RunWatcher& watcher) {
  Execution execution;
  execution.times.started = utcNow();
  config::RunConfig timed = config;
  if (timed.engine.phases == nullptr) timed.engine.phases = std::make_shared<PhaseClock>();
  {
    const auto begin = std::chrono::steady_clock::now();
    // No limit for what a resumed run sets up: it takes as long every time, and runs in a loop would stay
    // there.
    const auto limit = config.resumePath.empty() ? config.timeLimitSeconds : std::nullopt;
    const SetupGuard guard([&, limit]() -> std::string {
      if (stop.requested()) return "stopped by a signal while the search was set up";
      if (!limit || secondsSince(begin) < std::max(*limit, kShortSetup)) return {};
      return "stopped by the time limit while the search was set up: give it more time than that takes";
    });
    execution.run = prepare(timed);
  }
  if (!config.resumePath.empty()) execution.run->resumeFrom(config.resumePath);
  {
    const Watchdog watchdog(*execution.run, config.timeLimitSeconds, stop);
    struct Watched {
      const RunWatcher& watcher;
      ~Watched() {
        if (watcher) watcher(nullptr);
      }
    } const watched{watcher};
    if (watcher) watcher(execution.run.get());
    execution.run->run();
    execution.timeIsOver = watchdog.timeIsOver();
  }
  timed.engine.phases->stop();
  const PhaseClock::Reading time = timed.engine.phases->read();
  execution.times.wallSeconds = time.seconds;
  execution.times.phases = time.phases;
  execution.run->collect();
  return execution;
}

}  // namespace slicepool::report
