// See progress_view.hpp.
#include "runtime/app/report/progress_view.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/app/report/record.hpp"

namespace slicepool::report {
namespace {

constexpr std::size_t kWidestBar = 30;
constexpr std::size_t kNarrowestBar = 5;
constexpr std::size_t kPercent = 9;      // columns of "  41.2 %" and a blank
constexpr double kMaximumShown = 0.999;  // before the end

/// Rounded down: 100 % is for the end.
std::string percentText(double share) {
  return share < 0 ? "   ? %" : fmt::format("{:4.1f} %", std::floor(share * 1000 + 1e-6) / 10);
}

}  // namespace

std::string barLine(double share, const std::vector<std::string>& pieces, std::size_t width) {
  if (width < 2) return {};
  const std::size_t room = width - 1;
  const std::size_t bar = std::min({kWidestBar, width / 3, room > kPercent + 2 ? room - kPercent - 2 : 0});
  std::string line;
  if (bar >= kNarrowestBar) {
    const auto filled = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(bar));
    line = "[" + std::string(filled, '#') + std::string(bar - filled, ' ') + "] ";
  }
  line += percentText(share);
  for (const auto& piece : pieces) {
    if (piece.empty()) continue;
    if (line.size() + 2 + piece.size() > room) break;
    line += "  " + piece;
  }
  return line.substr(0, room);
}

std::string timeLeft(double seconds) {
  if (seconds < 0) return {};
  // An exhaustive search may well take longer than integers of seconds reach.
  constexpr double kYear = 365.25 * 24 * 3600;
  if (seconds >= kYear) return fmt::format("{:.3g} years left", seconds / kYear);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole >= 3600) return fmt::format("{}h{:02}m left", whole / 3600, whole / 60 % 60);
  return whole >= 60 ? fmt::format("{}m{:02}s left", whole / 60, whole % 60) : fmt::format("{}s left", whole);
}

config::Json progressJson(const Progress& progress) {
  const auto known = [](double value, bool isKnown) {
    return isKnown ? config::Json(value) : config::Json(nullptr);
  };
  config::Json line = {{"seconds", progress.seconds},
                       {"phase", phaseName(progress.phase)},
                       {"steps", progress.steps},
                       {"results", progress.results}};
  line["total_steps"] = known(progress.totalSteps, progress.totalSteps > 0);
  line["steps_per_second"] = progress.stepsPerSecond;
  line["done"] = known(progress.doneShare, progress.doneShare >= 0);
  line["seconds_left"] = known(progress.secondsLeft, progress.secondsLeft >= 0);
  line["pooled_slices"] = progress.pooledSlices;
  if (progress.rowsToWrite != 0) {
    line["rows_written"] = progress.rowsWritten;
    line["rows_to_write"] = progress.rowsToWrite;
  }
  return line;
}

void ProgressView::follow(const Progress& progress) {
  const bool known = progress.doneShare >= 0;
  passed_ = !known && share_ >= 0 && progress.phase == Phase::search;
  if (known) share_ = std::max(share_, std::min(progress.doneShare, kMaximumShown));
}

std::string ProgressView::ending(const Progress& progress) const {
  return passed_ ? "more than expected" : timeLeft(progress.secondsLeft);
}

/// A rate is of steps: it says nothing while none are taken.
std::vector<std::string> ProgressView::figures(const Progress& progress) const {
  std::vector<std::string> list;
  if (progress.steps > 0) list.push_back(shortNumber(progress.steps) + " steps");
  if (progress.steps > 0 && progress.phase == Phase::search)
    list.push_back(shortNumber(progress.stepsPerSecond) + "/s");
  if (progress.steps > 0) list.push_back(shortNumber(static_cast<double>(progress.results)) + " results");
  if (progress.rowsToWrite != 0) {
    list.push_back(fmt::format("{} of {} rows written",
                               shortNumber(static_cast<double>(progress.rowsWritten)),
                               shortNumber(static_cast<double>(progress.rowsToWrite))));
  }
  return list;
}

std::string ProgressView::bar(const Progress& progress, std::size_t width) {
  follow(progress);
  std::vector<std::string> pieces = {fmt::format("{:.0f} s", progress.seconds), ending(progress)};
  if (progress.phase != Phase::search) pieces.emplace_back(phaseText(progress.phase));
  const auto more = figures(progress);
  pieces.insert(pieces.end(), more.begin(), more.end());
  return barLine(share_, pieces, width);
}

std::string ProgressView::line(const Progress& progress) {
  follow(progress);
  std::string text = fmt::format("{:.1f} s", progress.seconds);
  if (share_ >= 0) text += " " + percentText(share_);
  if (progress.phase != Phase::search) text += std::string(", ") + phaseText(progress.phase);
  std::string separator = ": ";
  auto pieces = figures(progress);
  pieces.push_back(ending(progress));
  for (const auto& piece : pieces) {
    if (piece.empty()) continue;
    text += separator + piece;
    separator = ", ";
  }
  return text;
}

}  // namespace slicepool::report
