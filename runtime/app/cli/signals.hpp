// SIGINT and SIGTERM become a StopRequest: the handler only writes to a pipe, a thread reads it.
// A second signal ends the process at once with exit code 1. Called by the commands that run something.
#pragma once

#include <thread>

#include "runtime/app/report/execute.hpp"

namespace slicepool::cli {

/// From the first line of main() until a SignalWatcher takes over: a signal that comes before is not lost.
class EarlySignals {
 public:
  static void catchThem();
  /// For commands without anything to stop: signals end the process again, one that has come does so now.
  static void release();
};

class SignalWatcher {
 public:
  /// At most one at a time. `stop` must outlive it.
  explicit SignalWatcher(report::StopRequest& stop);
  ~SignalWatcher();
  SignalWatcher(const SignalWatcher&) = delete;
  SignalWatcher& operator=(const SignalWatcher&) = delete;

 private:
  int pipe_[2] = {-1, -1};
  std::thread thread_;
};

}  // namespace slicepool::cli
