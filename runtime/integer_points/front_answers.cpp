// See front_answers.hpp.
#include "runtime/integer_points/front_answers.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/integer_points/request_check.hpp"

namespace slicepool::config {
namespace {

using integer_points::Outcome;
using integer_points::Point;
using integer_points::Request;
using integer_points::SinkKind;

constexpr std::size_t kShownSums = 12;

class PointAnswers {
 public:
  PointAnswers(const Outcome& outcome, const Request& request, bool finished)
      : outcome_(outcome), request_(request), finished_(finished) {}

  [[nodiscard]] Answers make() {
    answers_.record("sink", sinkOf(request_).text());
    answers_.record("equations", request_.system.matrix.size());
    answers_.record("columns", request_.system.matrix.front().size());
    if (!request_.system.where.empty()) answers_.line("where", request_.system.where);
    answers_.addShard(request_.shard, request_.shards, "slices", outcome_.slices);
    addCount();
    addShape();
    if (!finished_) return std::move(answers_);
    if (request_.sink == SinkKind::sums) addSums();
    if (outcome_.holds) answers_.addHolds(sinkOf(request_).text(), *outcome_.holds);
    if (integer_points::collects(request_.sink)) addPoints();
    if (outcome_.fingerprint) answers_.addFingerprint(*outcome_.fingerprint);
    answers_.addOutput(outcome_.outputPath, outcome_.outputBytes);
    return std::move(answers_);
  }

 private:
  /// Not of a search that stops at some points.
  void addCount() {
    if (!sinkOf(request_).seesAll()) {
      if (!outcome_.emptyBecause.empty())
        answers_.add("empty_because", outcome_.emptyBecause, "no point", outcome_.emptyBecause);
      return;
    }
    const std::string partial = finished_ ? "" : "partial ";
    std::string text = outcome_.count == "1" ? "1 integer point" : outcome_.count + " integer points";
    if (!outcome_.emptyBecause.empty()) text += ": " + outcome_.emptyBecause;
    answers_.add(finished_ ? "count" : "partial_count", exactNumber(outcome_.count), partial + "count", text);
    if (!outcome_.emptyBecause.empty()) answers_.record("empty_because", outcome_.emptyBecause);
  }

  void addShape() {
    const auto& shape = outcome_.shape;
    if (shape.order.empty()) return;
    std::vector<std::size_t> order;
    for (const std::size_t column : shape.order) order.push_back(column + 1);
    answers_.record("column_order", order);
    answers_.record("visited_columns", shape.visited);
    answers_.record("counted_by_table", shape.byTable);
    if (shape.tableEntries != 0) answers_.record("table_entries", exactNumber(shape.tableEntries));
    if (shape.byTable)
      answers_.line("algorithm", "table of all columns");
    else if (shape.tableEntries != 0)
      answers_.line("algorithm", fmt::format("{} of {} columns visited, the others by a table of {} entries",
                                             shape.visited, order.size(), shape.tableEntries));
    else
      answers_.line("algorithm", fmt::format("{} of {} columns visited", shape.visited, order.size()));
  }

  void addSums() {
    Json sums = Json::array();
    for (const auto& [sum, count] : outcome_.sums) sums.push_back({sum, exactNumber(count)});
    answers_.record("sums", sums);
    std::size_t shown = 0;
    for (const auto& [sum, count] : outcome_.sums) {
      if (++shown > kShownSums) {
        answers_.line("", fmt::format(".. ({} sums)", outcome_.sums.size()));
        break;
      }
      answers_.line(shown == 1 ? "sums" : "", fmt::format("{} with sum {}", count, sum));
    }
  }

  /// Those that went to a file are not shown as well.
  void addPoints() {
    const std::string text = outcome_.listed == 1 ? "1 point" : fmt::format("{} points", outcome_.listed);
    if (!sinkOf(request_).asks()) answers_.add("listed", exactNumber(outcome_.listed), "listed", text);
    if (!outcome_.outputPath.empty()) return;
    const auto& points = outcome_.points;
    Json list = Json::array();
    for (const Point& point : points) {
      checkSetup();  // there may be millions
      list.push_back(point);
    }
    answers_.record("points", std::move(list));
    answers_.showRows("points", "points", points.size(),
                      [&](std::size_t i) { return fmt::format("{}", fmt::join(points[i], " ")); });
  }

  const Outcome& outcome_;
  const Request& request_;
  bool finished_;
  Answers answers_;
};

}  // namespace

Answers pointAnswers(const Outcome& outcome, const Request& request, bool finished) {
  return PointAnswers(outcome, request, finished).make();
}

}  // namespace slicepool::config
