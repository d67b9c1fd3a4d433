// See front_answers.hpp.
#include "runtime/numerical_semigroups/front_answers.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/numerical_semigroups/request_check.hpp"
#include "runtime/numerical_semigroups/semigroup_files.hpp"
#include "runtime/numerical_semigroups/statistic_names.hpp"

namespace slicepool::config {
namespace {

using numerical_semigroups::GapSet;
using numerical_semigroups::infoOf;
using numerical_semigroups::Outcome;
using numerical_semigroups::Request;
using numerical_semigroups::SinkKind;
using numerical_semigroups::Statistic;

constexpr int kShownBounds = 5;  ///< of smaller genera in the readable report

Json numbersToJson(const std::vector<std::uint64_t>& numbers) {
  Json list = Json::array();
  for (const std::uint64_t number : numbers) list.push_back(exactNumber(number));
  return list;
}

template <class Row, class Convert>
Json rowsToJson(const std::vector<Row>& rows, const Convert& convert) {
  Json list = Json::array();
  for (const auto& row : rows) {
    checkSetup();  // there may be millions
    list.push_back(convert(row));
  }
  return list;
}

Json tableToJson(const numerical_semigroups::TwoWayTable& table) { return rowsToJson(table, numbersToJson); }

class GenusAnswers {
 public:
  GenusAnswers(const Outcome& outcome, const Request& request, bool triangle, bool finished)
      : outcome_(outcome), request_(request), triangle_(triangle), finished_(finished) {}

  [[nodiscard]] Answers make() {
    const bool byFrobenius = request_.frobenius != 0;
    answers_.record(byFrobenius ? "frobenius" : "genus", bound());
    if (request_.multiplicity != 0)
      answers_.add("multiplicity", request_.multiplicity, "multiplicity",
                   std::to_string(request_.multiplicity));
    answers_.record("sink", sinkOf(request_).text());
    if (!request_.where.empty()) answers_.line("where", request_.where);
    answers_.addShard(request_.shard, request_.shards, "slices", outcome_.slices);
    if (!outcome_.findings.counts().empty()) addCounts();
    if (!finished_) return std::move(answers_);
    if (request_.sink == SinkKind::count) addHistogram();
    if (outcome_.holds) answers_.addHolds(sinkOf(request_).text(), *outcome_.holds);
    if (request_.sink != SinkKind::count) addSemigroups();
    if (outcome_.fingerprint) answers_.addFingerprint(*outcome_.fingerprint);
    answers_.addOutput(outcome_.outputPath, outcome_.outputBytes);
    return std::move(answers_);
  }

 private:
  [[nodiscard]] int bound() const { return request_.frobenius != 0 ? request_.frobenius : request_.genus; }

  void addCounts() {
    const auto& counts = outcome_.findings.counts();
    const std::string partial = finished_ ? "" : "partial ";
    const char* what = request_.frobenius != 0 ? "Frobenius number" : "genus";
    const char* trimmed = request_.trim ? " in the trimmed tree" : "";
    answers_.add(finished_ ? "count" : "partial_count", exactNumber(counts.back()), partial + "count",
                 fmt::format("{} of {} {}{}", counts.back(), what, bound(), trimmed));
    answers_.record(finished_ ? "counts" : "partial_counts", numbersToJson(counts));
    for (int b = bound() - 1; b >= std::max(0, bound() - kShownBounds); --b)
      answers_.line("", fmt::format("{} of {} {}", counts.at(static_cast<std::size_t>(b)), what, b));
  }

  /// Of the bound, from value 0 on; with `triangle`, of every genus.
  void addHistogram() {
    const auto& findings = outcome_.findings;
    std::string by = infoOf(request_.by).name;
    if (request_.also) by += "," + std::string(infoOf(*request_.also).name);
    answers_.record("by", by);
    if (request_.also) {
      answers_.record("histogram", tableToJson(findings.tables.back()));
      addMost(by, findings.tables.back());
      if (triangle_) answers_.record("triangle", rowsToJson(findings.tables, tableToJson));
      return;
    }
    const auto& last = findings.triangle.back();
    answers_.record("histogram", numbersToJson(last));
    const auto most = std::max_element(last.begin(), last.end());
    if (most != last.end() && (request_.multiplicity == 0 || request_.by != Statistic::multiplicity))
      answers_.line("by " + by, fmt::format("{} most often, {} times", most - last.begin(), *most));
    if (request_.by == Statistic::children) addLeaves();
    if (triangle_) answers_.record("triangle", rowsToJson(findings.triangle, numbersToJson));
  }

  void addMost(const std::string& by, const numerical_semigroups::TwoWayTable& table) {
    std::uint64_t most = 0;
    std::string values;
    for (std::size_t v = 0; v < table.size(); ++v) {
      for (std::size_t w = 0; w < table[v].size(); ++w) {
        if (table[v][w] <= most) continue;
        most = table[v][w];
        values = fmt::format("{},{}", v, w);
      }
    }
    if (most != 0) answers_.line("by " + by, fmt::format("{} most often, {} times", values, most));
  }

  /// Semigroups without children in the tree.
  void addLeaves() {
    const auto& last = outcome_.findings.triangle.back();
    if (last.empty()) return;
    const double fraction =
        static_cast<double>(last.front()) / static_cast<double>(outcome_.findings.counts().back());
    answers_.add("leaves", {{"count", exactNumber(last.front())}, {"fraction", fraction}}, "leaves",
                 fmt::format("{}, {:.4f} of all", last.front(), fraction));
  }

  /// Those that went to a file are not shown as well.
  void addSemigroups() {
    const auto& semigroups = outcome_.semigroups;
    if (request_.sink == SinkKind::list)
      answers_.add("listed", exactNumber(semigroups.size()), "listed",
                   fmt::format("{} semigroups", semigroups.size()));
    if (!outcome_.outputPath.empty()) return;
    answers_.record(
        "semigroups",
        rowsToJson(
            semigroups, [](const GapSet& gaps) { return Json(numerical_semigroups::generatorsOf(gaps)); }));
    answers_.showRows("generators", "semigroups", semigroups.size(), [&](std::size_t i) {
      return rowText(semigroups[i], numerical_semigroups::RowKind::generators);
    });
  }

  const Outcome& outcome_;
  const Request& request_;
  bool triangle_;
  bool finished_;
  Answers answers_;
};

}  // namespace

Answers genusAnswers(const Outcome& outcome, const Request& request, bool triangle, bool finished) {
  return GenusAnswers(outcome, request, triangle, finished).make();
}

}  // namespace slicepool::config
