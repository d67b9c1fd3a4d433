// See signals.hpp.
#include "runtime/app/cli/signals.hpp"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "runtime/app/cli/signal_times.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

std::atomic<int> writeEnd{-1};
std::atomic<int> received{0};
std::atomic<int> earlySignal{0};  ///< that came before a watcher was there
SignalTimes times;

std::int64_t monotonicNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // safe in a handler
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

extern "C" void onStopSignal(int number) {
  earlySignal = number;
  switch (times.note(monotonicNanoseconds())) {
    case SignalTimes::Signal::again: _exit(1);
    case SignalTimes::Signal::together: return;
    case SignalTimes::Signal::first: break;
  }
  received.fetch_add(1);
  const int pipe = writeEnd.load();
  if (pipe < 0) return;  // the watcher that comes looks at `received`
  const char byte = 1;
  const auto written = write(pipe, &byte, 1);
  (void)written;  // the pipe is empty before the first signal: it cannot be full
}

void install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

void EarlySignals::catchThem() { install(&onStopSignal); }

void EarlySignals::release() {
  install(SIG_DFL);
  if (received.load() > 0) raise(earlySignal.load());
}

SignalWatcher::SignalWatcher(report::StopRequest& stop) {
  if (pipe2(pipe_, O_CLOEXEC) != 0) throw Error("signals: no pipe could be made");
  writeEnd = pipe_[1];
  if (received.load() > 0) stop.request();
  const int readEnd = pipe_[0];
  thread_ = std::thread([readEnd, &stop] {
    char byte = 0;
    if (read(readEnd, &byte, 1) == 1 && byte == 1) stop.request();
  });
  install(&onStopSignal);
}

SignalWatcher::~SignalWatcher() {
  install(SIG_IGN);  // everything is printed: a signal has nothing to stop, and must not change the exit code
  writeEnd = -1;
  received = 0;
  times.forget();
  const char end = 0;
  const auto written = write(pipe_[1], &end, 1);
  (void)written;
  thread_.join();
  close(pipe_[0]);
  close(pipe_[1]);
}

}  // namespace slicepool::cli
