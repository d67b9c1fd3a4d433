// See terminal.hpp.
#include "runtime/app/cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <spdlog/sinks/sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace slicepool::cli {
namespace {

constexpr std::size_t kUsualWidth = 80;

/// The coloured sink of spdlog, above the bar.
class LogSink final : public spdlog::sinks::sink {
 public:
  void log(const spdlog::details::log_msg& message) override {
    Terminal::standardError().above([&] { lines_.log(message); });
  }
  void flush() override { lines_.flush(); }
  void set_pattern(const std::string& pattern) override { lines_.set_pattern(pattern); }
  void set_formatter(std::unique_ptr<spdlog::formatter> formatter) override {
    lines_.set_formatter(std::move(formatter));
  }

 private:
  spdlog::sinks::stderr_color_sink_mt lines_;
};

}  // namespace

Terminal& Terminal::standardError() {
  static Terminal terminal;
  return terminal;
}

std::size_t Terminal::width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
  return known ? size.ws_col : kUsualWidth;
}

bool Terminal::isTerminal() { return isatty(STDERR_FILENO) != 0; }

void Terminal::show(std::string line) {
  const std::lock_guard lock(mutex_);
  bar_ = std::move(line);
  draw();
}

void Terminal::clear() {
  const std::lock_guard lock(mutex_);
  erase();
  bar_.clear();
}

void Terminal::above(const std::function<void()>& write) {
  const std::lock_guard lock(mutex_);
  erase();
  write();
  std::fflush(stderr);
  draw();
}

void Terminal::erase() {
  if (bar_.empty()) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

/// One write for the whole line, less than the width: the cursor stays on it.
void Terminal::draw() {
  if (bar_.empty()) return;
  fmt::print(stderr, "\r{}\033[K", std::string_view(bar_).substr(0, width() - 1));
  std::fflush(stderr);
}

void startLog() {
  auto log = std::make_shared<spdlog::logger>("slicepool", std::make_shared<LogSink>());
  log->set_pattern("slicepool: %^%l%$: %v");
  spdlog::set_default_logger(std::move(log));
}

}  // namespace slicepool::cli
