// What comes in while `slicepool serve` computes: a thread reads lines, signals, and whether a reader is left
// to answer. Requests wait in order; a cancel reaches the one that runs and those that wait.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "runtime/app/cli/serve_request.hpp"
#include "runtime/app/report/execute.hpp"

namespace slicepool::cli {

/// A request, or an error in its place.
struct ServeTicket {
  std::optional<std::uint64_t> id;  ///< empty: the line was none that has one
  ServeLine line;
  std::exception_ptr error;  ///< of the line
  std::shared_ptr<report::StopRequest> stop = std::make_shared<report::StopRequest>();
};

class ServeInbox {
 public:
  /// Lines come from the descriptor `in`; `out` is looked at only, for whether its reader has gone. SIGINT
  /// and SIGTERM must be blocked in all threads (blockServeSignals).
  ServeInbox(int in, int out);
  ~ServeInbox();
  ServeInbox(const ServeInbox&) = delete;
  ServeInbox& operator=(const ServeInbox&) = delete;

  /// Waits for the next request. Nothing: the input has ended and all is answered.
  [[nodiscard]] std::optional<ServeTicket> next();
  /// The answer to the last ticket is about to be written: its id is free again, cancels come too late.
  void answered();

 private:
  void read();
  void readSome();
  void readLine(const std::string& text);
  void takeSignal();
  void cancelAll();
  void add(ServeTicket ticket);
  void end();
  [[nodiscard]] bool isFull();
  void wakeReader() const;

  int in_;
  int out_;
  int signals_ = -1;
  int wake_ = -1;

  // The reader's own.
  std::string text_;       ///< of a line that is not yet whole
  bool skipping_ = false;  ///< the rest of a line that was too long
  bool reading_ = true;    ///< the input has not ended

  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<ServeTicket> waiting_;
  std::optional<std::uint64_t> runningId_;
  std::shared_ptr<report::StopRequest> running_;  ///< null: nothing runs
  bool ended_ = false;                            ///< nothing more will come
  bool closing_ = false;                          ///< the reader is to end
  std::thread reader_;
};

/// SIGINT and SIGTERM, of this thread and those that it starts from here on, for the inbox to read; and
/// SIGPIPE is ignored.
void blockServeSignals();

}  // namespace slicepool::cli
