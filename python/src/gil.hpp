// How functions of the extension let other threads run, also at the end of the process. Included by those
// that wait or work for long.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include <nanobind/nanobind.h>

namespace slicepool::python {

/// Lets go of Python's lock while it lives.
///
/// Once Python ends, a thread that asks for the lock ends at that point, before Python 3.14, by
/// unwinding a stack that is not to be unwound: the process would abort. From end() on, such threads wait for
/// the end of the process instead.
class GilReleased {
 public:
  GilReleased() : state_(PyEval_SaveThread()) {}
  ~GilReleased() {
    ++returning_;
    if (ending_ && std::this_thread::get_id() != survivor_) {
      --returning_;
      while (true) std::this_thread::sleep_for(std::chrono::hours(1));
    }
    PyEval_RestoreThread(state_);
    --returning_;
  }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

  /// The calling thread, which has the lock, is the one that ends Python. Returns when no other thread is on
  /// its way to the lock, or after a second: a forked process counts threads that it does not have.
  static void end() {
    survivor_ = std::this_thread::get_id();
    ending_ = true;
    for (int waited = 0; returning_ != 0 && waited < 1000; ++waited) {
      PyThreadState* const state = PyEval_SaveThread();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      PyEval_RestoreThread(state);
    }
  }

 private:
  PyThreadState* state_;
  inline static std::atomic<int> returning_{0};
  inline static std::thread::id survivor_;  ///< set before ending_
  inline static std::atomic<bool> ending_{false};
};

}  // namespace slicepool::python
