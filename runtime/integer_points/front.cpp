// The integer_points workload for the command and the sweeps: its registration.
#include "runtime/app/config/front.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/integer_points/front_answers.hpp"
#include "runtime/integer_points/front_request.hpp"
#include "runtime/integer_points/front_shards.hpp"
#include "runtime/integer_points/problem_factory.hpp"
#include "runtime/integer_points/request_check.hpp"
#include "slicepool/integer_points/enumeration.hpp"

namespace slicepool::config {
namespace {

using integer_points::Enumeration;
using integer_points::Request;
using integer_points::SinkKind;

class IntegerPointsRun final : public EnumerationRun<Enumeration> {
 public:
  IntegerPointsRun(const Request& request, const RunConfig& config)
      : EnumerationRun(request, config), request_(request) {}

  [[nodiscard]] Answers answers() const override { return pointAnswers(outcome_, request_, finished()); }

  /// Numbers without a sign alone.
  [[nodiscard]] bool keepsRows() const noexcept override {
    const bool lists = request_.sink == SinkKind::list || request_.sink == SinkKind::first;
    const auto& lower = request_.system.lower;
    return lists && request_.outputPath.empty() &&
           std::all_of(lower.begin(), lower.end(), [](std::int64_t bound) { return bound >= 0; });
  }
  [[nodiscard]] RowsInMemory rows() const override {
    const auto& points = outcome_.points;
    std::int64_t most = 0;
    for (const auto& point : points) most = std::max(most, *std::max_element(point.begin(), point.end()));
    const unsigned bytes = most < 1 << 8 ? 1 : most < 1 << 16 ? 2 : most < std::int64_t{1} << 32 ? 4 : 8;
    const std::size_t columns = request_.system.matrix.front().size();
    rows_.resize(points.size() * columns * bytes);
    std::byte* to = rows_.data();
    for (const auto& point : points)
      for (const std::int64_t value : point)
        to = std::copy_n(std::as_bytes(std::span(&value, 1)).data(), bytes, to);
    return {rows_.data(), points.size(), static_cast<unsigned>(columns), bytes};
  }

 private:
  Request request_;
  mutable std::vector<std::byte> rows_;  ///< made when they are asked for
};

std::unique_ptr<WorkloadRun> preparePoints(const RunConfig& config, Strictness) {
  return std::make_unique<IntegerPointsRun>(parsePointRequest(config), config);
}

void checkPoints(const RunConfig& config, Strictness) {
  const Request request = parsePointRequest(config);
  checkRequest(request, config.engine);
  (void)prepareSearch(request);
}

/// What a count depends on.
Json pointIdentity(const Json& document) {
  Json identity = {{"workload", document.at("workload")}};
  for (const char* member : {"matrix", "right_side", "generators", "element", "lower", "upper", "where"})
    if (document.contains(member)) identity[member] = document[member];
  return identity;
}

bool countsEveryPoint(const Json& document) {
  const std::string sink = document.value("sink", std::string("count"));
  if (document.contains("shards") && document["shards"] != Json(1)) return false;
  return sink == "count" || sink == "list" || sink == "sums";
}

}  // namespace
}  // namespace slicepool::config

namespace slicepool::integer_points {

config::Front front() {
  return {
      .name = "integer_points",
      .title = "All integer points x of a bounded system of linear equations: A x = b, lower <= x <= upper.",
      .summary = "integer points of bounded linear systems, factorizations in affine semigroups",
      .step =
          "A step looks at one value of a column; points on a line, or below a table, are counted at once.",
      .parameters = config::pointParameters(),
      .outputs = "an object with the path of the points",
      .notes =
          "Generators and an element are a matrix by columns and its right side: the points are the "
          "factorizations of the element. Counts, lists and steps are the same in every mode.",
      .examples = {"--matrix \"1,1,1\" --right-side 4", "--generators \"1,2;3,1;1,1\" --element 20,30",
                   "--matrix \"1,1,0,0;0,0,1,1;1,0,1,0\" --right-side 5 --output tables.npy",
                   "--matrix \"3,5,7\" --right-side 100 --where \"x1 >= x2 and sum <= 20\" --sink sums",
                   "--generators \"6;10;15\" --element 300 --sink \"any:x1 = x2\""},
      .firstExample = "--generators \"1,2;3,1;1,1\" --element 20,30",
      .shortcut = {.member = "counted_by_table", .text = "by table"},
      .prepare = config::preparePoints,
      .check = config::checkPoints,
      .identity = config::pointIdentity,
      .countsEverything = config::countsEveryPoint,
      .shards = config::pointShards()};
}

}  // namespace slicepool::integer_points
