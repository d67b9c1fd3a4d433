// See progress.hpp.
#include "runtime/cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "runtime/config/json.hpp"
#include "runtime/report/record.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

constexpr double kPlainInterval = 5;  // seconds
constexpr int kBarWidth = 30;

double fraction(const Progress& progress) {
  return progress.totalSteps > 0 ? std::clamp(progress.steps / progress.totalSteps, 0.0, 1.0) : 0.0;
}

std::string timeLeft(double seconds) {
  if (seconds < 0) {
    return "";
  }
  // An exhaustive search may well take longer than integers of seconds reach.
  constexpr double kYear = 365.25 * 24 * 3600;
  if (seconds >= kYear) {
    return fmt::format(", {:.3g} years left", seconds / kYear);
  }
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  if (whole >= 3600) {
    return fmt::format(", {}h{:02}m left", whole / 3600, whole / 60 % 60);
  }
  return whole >= 60 ? fmt::format(", {}m{:02}s left", whole / 60, whole % 60)
                     : fmt::format(", {}s left", whole);
}

std::string figures(const Progress& progress) {
  return fmt::format("{} steps, {}/s, {} results{}", report::shortNumber(progress.steps),
                     report::shortNumber(progress.stepsPerSecond),
                     report::shortNumber(static_cast<double>(progress.results)),
                     timeLeft(progress.secondsLeft));
}

}  // namespace

ProgressStyle parseProgressStyle(const std::string& text) {
  if (text == "auto") {
    return isatty(STDERR_FILENO) != 0 ? ProgressStyle::bar : ProgressStyle::plain;
  }
  if (text == "bar") {
    return ProgressStyle::bar;
  }
  if (text == "plain") {
    return ProgressStyle::plain;
  }
  if (text == "jsonl") {
    return ProgressStyle::jsonl;
  }
  if (text == "none") {
    return ProgressStyle::none;
  }
  throw ConfigError("--progress", "\"" + text + "\"", "auto, bar, plain, jsonl or none");
}

void ProgressPrinter::show(const Progress& progress) {
  switch (style_) {
    case ProgressStyle::bar: showBar(progress); break;
    case ProgressStyle::plain: showPlain(progress); break;
    case ProgressStyle::jsonl: showJson(progress); break;
    case ProgressStyle::none: break;
  }
}

void ProgressPrinter::finish() {
  if (barShown_) {
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    barShown_ = false;
  }
}

void ProgressPrinter::showBar(const Progress& progress) {
  const int filled = static_cast<int>(fraction(progress) * kBarWidth);
  const std::string head =
      progress.totalSteps > 0
          ? fmt::format("[{}{}] {:5.1f} %", std::string(static_cast<std::size_t>(filled), '#'),
                        std::string(static_cast<std::size_t>(kBarWidth - filled), ' '),
                        fraction(progress) * 100)
          : fmt::format("{:.1f} s", progress.seconds);
  fmt::print(stderr, "\r{}  {}\033[K", head, figures(progress));
  std::fflush(stderr);
  barShown_ = true;
}

void ProgressPrinter::showPlain(const Progress& progress) {
  if (progress.seconds < nextPlain_) {
    return;
  }
  nextPlain_ = progress.seconds + kPlainInterval;
  const std::string done = progress.totalSteps > 0 ? fmt::format(" {:.1f} %", fraction(progress) * 100) : "";
  fmt::print(stderr, "slicepool: progress: {:.1f} s{}: {}\n", progress.seconds, done, figures(progress));
}

void ProgressPrinter::showJson(const Progress& progress) {
  config::Json line = {
      {"seconds", progress.seconds}, {"steps", progress.steps}, {"results", progress.results}};
  line["total_steps"] = progress.totalSteps > 0 ? config::Json(progress.totalSteps) : config::Json(nullptr);
  line["steps_per_second"] = progress.stepsPerSecond;
  line["seconds_left"] =
      progress.secondsLeft >= 0 ? config::Json(progress.secondsLeft) : config::Json(nullptr);
  line["pooled_slices"] = progress.pooledSlices;
  fmt::print(stderr, "{}\n", line.dump());
}

}  // namespace slicepool::cli
