// See front_shards.hpp.
#include "runtime/integer_points/front_shards.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>

#include "runtime/app/config/frontier_shards.hpp"
#include "runtime/core/memory.hpp"
#include "runtime/integer_points/exact_rows.hpp"
#include "runtime/integer_points/front_answers.hpp"
#include "runtime/integer_points/front_number_lists.hpp"
#include "runtime/integer_points/front_request.hpp"
#include "runtime/integer_points/merged_points.hpp"
#include "runtime/integer_points/point_files.hpp"
#include "runtime/integer_points/request_check.hpp"
#include "runtime/integer_points/search_frontier.hpp"
#include "runtime/io/output_guard.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

using integer_points::BigInteger;
using integer_points::kSearchRules;
using integer_points::Outcome;
using integer_points::Point;
using integer_points::PreparedSearch;
using integer_points::Request;
using integer_points::SinkKind;

/// The request of the whole search. Throws for what cannot be cut.
Request wholeRequest(const RunConfig& config) {
  refuseMembers(config.document, {"shards", "shard"}, "--shards says into how many parts it is cut");
  Request request = parsePointRequest(config);
  checkRequest(request, config.engine);
  requireWholeSearch(sinkOf(request), "count, list or sums");
  requireFileOfRows(request.outputPath);
  return request;
}

CutSearch cut(const RunConfig& config, std::uint64_t shards) {
  const Request request = wholeRequest(config);
  const PreparedSearch search = prepareSearch(request);
  return cutFrontier(kSearchRules, shards, [&]() -> std::uint64_t {
    if (!search.emptyBecause.empty()) return 0;
    const auto how = countingOf(request, search, *makeProblem(search, nullptr));
    if (how.words) return 0;
    return frontierOf(search, how.table ? &*how.table : nullptr, integer_points::kSlicesPerShard * shards,
                      hostMemoryLimit(config.engine.memoryLimit))
        .slices.size();
  });
}

/// Shards write arrays, whatever the output of the whole is.
ShardConfig shardConfig(const ShardOf& part) { return frontierShard(part, Json::object()); }

/// A count of any length.
BigInteger countIn(const Json& value, const std::string& what, const std::string& path) {
  const std::string digits = value.is_string() || value.is_number() ? decimalText(value) : "";
  const bool isCount = !digits.empty() && std::all_of(digits.begin(), digits.end(),
                                                      [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!isCount) throw ConfigError(path, what + " " + describeValue(value), kShardRecord);
  return BigInteger(digits);
}

void addSums(const DoneShard& shard, std::map<std::int64_t, BigInteger>& sums) {
  const Json recorded = shard.record.value("sums", Json());
  if (!recorded.is_array()) throw ConfigError(shard.path, "no sums", kShardRecord);
  for (const Json& pair : recorded) {
    if (!pair.is_array() || pair.size() != 2)
      throw ConfigError(shard.path, "sums " + describeValue(recorded), kShardRecord);
    sums[requireSigned(pair[0], shard.path)] += countIn(pair[1], "sums", shard.path);
  }
}

void mergeCounts(const DoneShards& all, const Request& request, Outcome& outcome) {
  BigInteger count = 0;
  std::map<std::int64_t, BigInteger> sums;
  for (const auto& shard : all.shards) {
    requireSlices(shard);
    count += countIn(shard.record.value("count", Json()), "count", shard.path);
    if (request.sink == SinkKind::sums) addSums(shard, sums);
  }
  outcome.count = count.str();
  for (const auto& [sum, number] : sums) {
    if (number > BigInteger(~std::uint64_t{0}))
      throw ConfigError("merge", "sums beyond 64 bits", "fewer points of one coordinate sum");
    outcome.sums[sum] = static_cast<std::uint64_t>(number);
  }
}

/// Of the files of all shards, which are what their records counted.
void mergeList(const DoneShards& all, const integer_points::LineShape& shape,
               const std::function<void(const Point&)>& take) {
  std::vector<std::string> paths;
  for (const auto& shard : all.shards) paths.push_back(shard.outputs.at(0));
  const auto listed = mergePoints(paths, shape, take);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const DoneShard& shard = all.shards[i];
    if (shard.record.value("listed", Json()) != exactNumber(listed[i].points) ||
        listed[i].fingerprint != recordedFingerprint(shard))
      throw ConfigError(shard.path, "figures other than those of " + paths[i], "the same ones");
  }
}

void mergeLists(const DoneShards& all, const Request& request, const PreparedSearch& search,
                Outcome& outcome) {
  for (const auto& shard : all.shards) {
    const auto listed = exactUnsigned(shard.record.value("listed", Json()));
    if (!listed) throw ConfigError(shard.path, "no number of points", kShardRecord);
    outcome.listed += *listed;
  }
  const auto shape = search.emptyBecause.empty()
                         ? lineShapeOf(search)
                         : integer_points::emptyShape(request.system.matrix.front().size());
  if (request.outputPath.empty()) {
    integer_points::requireRoomFor(outcome.listed, shape.order.size(),
                                   hostMemoryLimit(all.config.engine.memoryLimit));
    mergeList(all, shape, [&](const Point& point) { outcome.points.push_back(point); });
    return;
  }
  OutputGuard guard;
  guard.claim({{"output.path", request.outputPath,
                request.outputPath.ends_with(".npy") ? OutputNeed::file : OutputNeed::text}});
  outcome.outputPath = request.outputPath;
  outcome.outputBytes = writePoints(
      outcome.listed, [&](const auto& take) { mergeList(all, shape, take); }, shape, request.outputPath);
}

/// Columns, and how many of them were visited: as the first shard has it.
void setShape(const DoneShard& shard, const PreparedSearch& search, Outcome& outcome) {
  outcome.emptyBecause = search.emptyBecause;
  if (!search.emptyBecause.empty()) return;
  outcome.shape.order = search.system.order;
  outcome.shape.visited = exactUnsigned(shard.record.value("visited_columns", Json())).value_or(0);
  outcome.shape.tableEntries = exactUnsigned(shard.record.value("table_entries", Json())).value_or(0);
  outcome.shape.byTable = shard.record.value("counted_by_table", Json()) == Json(true);
}

Answers merge(const DoneShards& all) {
  requireRules(all.rule, kSearchRules);  // by earlier ones the counts of long lines were wrong
  const Request request = wholeRequest(all.config);
  const PreparedSearch search = prepareSearch(request);
  Outcome outcome;
  mergeCounts(all, request, outcome);
  if (request.sink == SinkKind::list) mergeLists(all, request, search, outcome);
  if (request.fingerprint || request.sink != SinkKind::count) outcome.fingerprint = recordedFingerprint(all);
  setShape(all.shards.front(), search, outcome);
  return pointAnswers(outcome, request, true);
}

}  // namespace

ShardRule pointShards() {
  return {.refusal = "",
          .cut = cut,
          .shardConfig = shardConfig,
          .verify = [](const ShardOf& part) { requireRules(part.rule, kSearchRules); },
          .merge = merge,
          .results = {"equations", "columns", "count", "empty_because", "column_order", "visited_columns",
                      "counted_by_table", "table_entries", "sums", "listed", "fingerprint", "slices"}};
}

}  // namespace slicepool::config
