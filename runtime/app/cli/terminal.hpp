// Standard error as people see it: log lines and one bar below them, which never mix. Every line of the log
// goes through here (startLog); the bar is what progress printers show.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

namespace slicepool::cli {

/// All functions from any thread.
class Terminal {
 public:
  static Terminal& standardError();

  /// Columns now: windows change their size while a run goes on. 80 where that is unknown.
  [[nodiscard]] static std::size_t width();
  [[nodiscard]] static bool isTerminal();

  /// Shows `line`, which is cut to the width, in place of the bar until now.
  void show(std::string line);
  /// Takes the bar away. Idempotent.
  void clear();
  /// `write` prints whole lines to standard error, above the bar.
  void above(const std::function<void()>& write);

 private:
  void erase();
  void draw();

  std::mutex mutex_;
  std::string bar_;  ///< empty: none is shown
};

/// The default log: to standard error, above the bar.
void startLog();

}  // namespace slicepool::cli
