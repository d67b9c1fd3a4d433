// See progress.hpp.
#include "runtime/app/cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "runtime/app/cli/terminal.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool::cli {
namespace {

constexpr std::chrono::milliseconds kTick{200};
constexpr double kFirstPlain = 2;  // seconds: short runs stay silent
constexpr double kPlainInterval = 5;

}  // namespace

ProgressStyle parseProgressStyle(const std::string& text, const std::string& outputPath) {
  if (text == "auto") {
    if (!Terminal::isTerminal()) return ProgressStyle::plain;
    return outputPath == "-" && isatty(STDOUT_FILENO) != 0 ? ProgressStyle::none : ProgressStyle::bar;
  }
  if (text == "bar") return ProgressStyle::bar;
  if (text == "plain") return ProgressStyle::plain;
  if (text == "jsonl") return ProgressStyle::jsonl;
  if (text == "none") return ProgressStyle::none;
  throw ConfigError("--progress", "\"" + text + "\"", "auto, bar, plain, jsonl or none");
}

// ---- Ticker ---------------------------------------------------------------------------------------------

Ticker::Ticker(std::function<void()> tick) : tick_(std::move(tick)) {
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(
        lock, kTick, [this] { return done_; })) {
      lock.unlock();
      tick_();
      lock.lock();
    }
  });
}

void Ticker::stop() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// ---- one run --------------------------------------------------------------------------------------------

ProgressPrinter::ProgressPrinter(ProgressStyle style, std::shared_ptr<PhaseClock> clock)
    : style_(style), clock_(std::move(clock)), nextPlain_(kFirstPlain) {
  if (style_ != ProgressStyle::none) ticker_ = std::make_unique<Ticker>([this] { tick(); });
}

void ProgressPrinter::watch(const config::WorkloadRun* run) {
  const std::lock_guard lock(mutex_);
  run_ = run;
}

void ProgressPrinter::finish() {
  if (ticker_ == nullptr) return;
  ticker_->stop();
  ticker_.reset();
  if (style_ == ProgressStyle::bar) Terminal::standardError().clear();
}

void ProgressPrinter::tick() {
  Progress progress;
  {
    const std::lock_guard lock(mutex_);
    if (run_ != nullptr) {
      progress = run_->progress();
    } else {
      const PhaseClock::Reading time = clock_->read();
      progress.seconds = time.seconds;
      progress.phase = time.phase;
      progress.secondsLeft = -1;
    }
  }
  switch (style_) {
    case ProgressStyle::bar: Terminal::standardError().show(view_.bar(progress, Terminal::width())); break;
    case ProgressStyle::plain: showPlain(progress); break;
    case ProgressStyle::jsonl:
      Terminal::standardError().above(
          [&] { fmt::print(stderr, "{}\n", report::progressJson(progress).dump()); });
      break;
    case ProgressStyle::none: break;
  }
}

void ProgressPrinter::showPlain(const Progress& progress) {
  if (progress.seconds < nextPlain_) return;
  nextPlain_ = progress.seconds + kPlainInterval;
  Terminal::standardError().above(
      [&] { fmt::print(stderr, "slicepool: progress: {}\n", view_.line(progress)); });
}

// ---- a sweep --------------------------------------------------------------------------------------------

SweepBar::SweepBar() {
  if (Terminal::isTerminal()) ticker_ = std::make_unique<Ticker>([this] { draw(); });
}

void SweepBar::show(const report::SweepStatus& status) {
  {
    const std::lock_guard lock(mutex_);
    status_ = status;
    secondsDone_ = secondsSince(begin_);
  }
  if (ticker_ != nullptr) draw();
}

void SweepBar::finish() {
  if (ticker_ == nullptr) return;
  ticker_->stop();
  ticker_.reset();
  Terminal::standardError().clear();
}

void SweepBar::draw() {
  const std::lock_guard lock(mutex_);
  if (status_.total == 0) return;
  const double now = secondsSince(begin_);
  Terminal::standardError().show(report::sweepBar(status_, now, secondsDone_, Terminal::width()));
}

}  // namespace slicepool::cli
