// See front_shards.hpp.
#include "runtime/numerical_semigroups/front_shards.hpp"

#include <algorithm>

#include "runtime/app/config/frontier_shards.hpp"
#include "runtime/core/memory.hpp"
#include "runtime/io/output_guard.hpp"
#include "runtime/numerical_semigroups/front_answers.hpp"
#include "runtime/numerical_semigroups/front_request.hpp"
#include "runtime/numerical_semigroups/request_check.hpp"
#include "runtime/numerical_semigroups/semigroup_files.hpp"
#include "runtime/numerical_semigroups/tree_frontier.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

using numerical_semigroups::Findings;
using numerical_semigroups::kSearchRules;
using numerical_semigroups::Outcome;
using numerical_semigroups::Request;
using numerical_semigroups::RowKind;
using numerical_semigroups::SinkKind;

/// The request of the whole search. Throws for what cannot be cut.
Request wholeRequest(const RunConfig& config) {
  refuseMembers(config.document, {"shards", "shard"}, "--shards says into how many parts it is cut");
  Request request = parseGenusRequest(config);
  checkRequest(request, config.engine);
  requireWholeSearch(sinkOf(request), "count or list");
  requireFileOfRows(request.outputPath);
  return request;
}

CutSearch cut(const RunConfig& config, std::uint64_t shards) {
  const Request request = wholeRequest(config);
  return cutFrontier(kSearchRules, shards, [&] {
    return frontierOf(specOf(request), numerical_semigroups::kSlicesPerShard * shards,
                      hostMemoryLimit(config.engine.memoryLimit))
        .slices.size();
  });
}

/// Shards write sets of gaps, whatever the output of the whole has.
ShardConfig shardConfig(const ShardOf& part) { return frontierShard(part, {{"rows", "gaps"}}); }

std::vector<std::uint64_t> numbersOf(const Json& list) {
  std::vector<std::uint64_t> numbers;
  for (const Json& number : list) numbers.push_back(exactUnsigned(number).value_or(0));
  return numbers;
}

numerical_semigroups::TwoWayTable tableOf(const Json& list) {
  numerical_semigroups::TwoWayTable table;
  for (const Json& row : list) table.push_back(numbersOf(row));
  return table;
}

Findings mergedCounts(const DoneShards& all, const Request& request, bool triangle) {
  RecordedSums counts("counts");
  RecordedSums histograms(triangle ? "triangle" : "histogram");
  for (const auto& shard : all.shards) {
    counts.add(shard);
    histograms.add(shard);
    requireSlices(shard);
  }
  Findings findings;
  (request.frobenius != 0 ? findings.byFrobenius : findings.byGenus) = numbersOf(counts.sum());
  const Json rows = triangle ? histograms.sum() : Json::array({histograms.sum()});
  for (const Json& row : rows)
    if (request.also)
      findings.tables.push_back(tableOf(row));
    else
      findings.triangle.push_back(numbersOf(row));
  return findings;
}

/// The list of a shard, which is what its record counted.
std::vector<numerical_semigroups::GapSet> listOf(const DoneShard& shard,
                                                 const numerical_semigroups::RowShape& shape) {
  std::vector<numerical_semigroups::GapSet> list;
  try {
    list = numerical_semigroups::readGaps(shard.outputs.at(0), shape);
  } catch (const Error& error) {
    throw ConfigError(shard.outputs.at(0), std::string("a file that ") + error.what(),
                      "the list of a shard of this search");
  }
  if (shard.record.value("listed", Json()) != exactNumber(list.size()) ||
      numerical_semigroups::fingerprintOf(list) != recordedFingerprint(shard))
    throw ConfigError(shard.path, "figures other than those of " + shard.outputs.at(0), "the same ones");
  return list;
}

void mergeLists(const DoneShards& all, const Request& request, Outcome& outcome) {
  numerical_semigroups::RowShape gaps = rowShapeOf(request);
  gaps.kind = RowKind::gaps;
  RecordedSums counts("counts");
  for (const auto& shard : all.shards) {
    counts.add(shard);
    const auto part = listOf(shard, gaps);
    outcome.semigroups.insert(outcome.semigroups.end(), part.begin(), part.end());
  }
  auto& semigroups = outcome.semigroups;
  std::sort(semigroups.begin(), semigroups.end(), numerical_semigroups::comesBefore);
  if (std::adjacent_find(semigroups.begin(), semigroups.end()) != semigroups.end())
    throw ConfigError("merge", "a semigroup in two places", "shards that have nothing in common");
  (request.frobenius != 0 ? outcome.findings.byFrobenius : outcome.findings.byGenus) =
      numbersOf(counts.sum());
  if (request.outputPath.empty()) return;
  OutputGuard guard;
  guard.claim({{"output.path", request.outputPath,
                request.outputPath.ends_with(".npy") ? OutputNeed::file : OutputNeed::text}});
  outcome.outputPath = request.outputPath;
  outcome.outputBytes = writeSemigroups(semigroups, rowShapeOf(request), request.outputPath);
}

Answers merge(const DoneShards& all) {
  const Request request = wholeRequest(all.config);
  const bool triangle = all.config.document.value("triangle", false);
  Outcome outcome;
  if (request.sink == SinkKind::list)
    mergeLists(all, request, outcome);
  else
    outcome.findings = mergedCounts(all, request, triangle);
  if (request.fingerprint || request.sink == SinkKind::list) outcome.fingerprint = recordedFingerprint(all);
  return genusAnswers(outcome, request, triangle, true);
}

}  // namespace

ShardRule genusShards() {
  return {.refusal = "",
          .cut = cut,
          .shardConfig = shardConfig,
          .verify = [](const ShardOf& part) { requireRules(part.rule, kSearchRules); },
          .merge = merge,
          .results = {"genus", "frobenius", "multiplicity", "count", "counts", "by", "histogram", "triangle",
                      "leaves", "listed", "fingerprint", "slices"}};
}

}  // namespace slicepool::config
