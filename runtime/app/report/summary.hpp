// The figures of a sweep: one row per point with median and spread, ratios between modes, and what was
// published. Called by the sweep command for the terminal table, summary.csv and the report page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/app/config/sweep_config.hpp"

namespace slicepool::report {

/// Median, smallest and largest of the repetitions. The median of an even number is the mean of the middle
/// two.
struct Spread {
  double median = 0;
  double smallest = 0;
  double largest = 0;
};
/// Of a non-empty list.
[[nodiscard]] Spread spreadOf(std::vector<double> values);

struct SummaryRow {
  std::size_t caseIndex = 0;
  std::string label;
  std::string mode;
  std::string status;     ///< done, stopped, skipped, refused, failed or missing
  std::string reason;     ///< why not done
  config::Json document;  ///< the run configuration
  int repetitions = 0;    ///< recorded
  std::string algorithm;
  std::string count;          ///< exact, decimal; empty: unknown
  std::string verification;   ///< "expected count", "other modes", "unchecked" or "DIFFERS"
  std::string insteadOfRate;  ///< nothing was enumerated, in words; a rate makes no sense
  double steps = 0;
  std::size_t cpuWorkers = 0;                       ///< that took part
  std::optional<Spread> seconds;                    ///< enumeration
  std::optional<Spread> wallSeconds;                ///< from configuration to answer
  std::optional<Spread> rate;                       ///< steps per second
  std::optional<double> setupSeconds;               ///< median
  std::vector<std::optional<double>> extraSeconds;  ///< medians, as in config::extraTimes()
  std::optional<double> speedOverCpu;               ///< seconds(cpu) / seconds of this mode, same case
  bool speedUncertain = false;         ///< the ranges of the two overlap: either may be the faster one
  std::optional<double> hybridFigure;  ///< rate(hybrid) / (rate(cpu) + rate(gpu)), only for mode hybrid
  config::Json published = config::Json::object();
  config::Json reference = config::Json::object();
  bool publishedCountWrong = false;
  std::optional<double> speedOverCompared;  ///< compared seconds / wall seconds of ours
  std::size_t medianRecord = 0;             ///< index of the record with the middle seconds
};

struct Summary {
  std::vector<SummaryRow> rows;
  std::string comparedWith;  ///< "reference.NAME" or "published.NAME"; empty: nothing to compare
  std::vector<std::pair<std::string, double>> geometricMeans;  ///< mode -> mean of speedOverCompared
};

/// A JSON string without its quotes, any other value as JSON.
[[nodiscard]] std::string plainText(const config::Json& value);
/// The seconds that the reference or the published results of a row give under `name`, "reference.NAME" or
/// "published.NAME".
[[nodiscard]] std::optional<double> comparedSeconds(const SummaryRow& row, const std::string& name);
[[nodiscard]] Summary summarize(const config::SweepConfig& sweep, const std::vector<config::Json>& records);
/// RFC 4180, first line column names; seconds in s, rates in steps/s.
[[nodiscard]] std::string summaryCsv(const Summary& summary);
/// A table for a terminal.
[[nodiscard]] std::string summaryText(const Summary& summary);

}  // namespace slicepool::report
