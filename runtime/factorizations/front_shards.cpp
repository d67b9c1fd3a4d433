// See front_shards.hpp.
#include "runtime/factorizations/front_shards.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "runtime/core/fingerprint_text.hpp"
#include "runtime/factorizations/front_access.hpp"
#include "runtime/factorizations/front_answers.hpp"
#include "runtime/factorizations/front_digest.hpp"
#include "runtime/factorizations/front_rank_values.hpp"
#include "runtime/factorizations/front_request.hpp"
#include "runtime/factorizations/invariants.hpp"
#include "runtime/factorizations/joined_rows.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "runtime/factorizations/stream_shape.hpp"
#include "runtime/io/output_guard.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

using factorizations::Algorithm;
using factorizations::Outcome;
using factorizations::OutputFormat;
using factorizations::parseRank;
using factorizations::Rank;
using factorizations::RankIndex;
using factorizations::RankInterval;
using factorizations::Request;
using factorizations::SinkKind;

struct Range {
  Rank begin;
  Rank end;
};

/// "plan-3" -> "plan-3.npy", with the suffix that says the format of the output.
std::string outputOf(const std::string& path, const std::string& stem) {
  for (const char* suffix : {".npy.zst", ".npy", ".csv"})
    if (path.ends_with(suffix)) return stem + suffix;
  return path;
}

/// The request of the whole search. Throws for what cannot be cut.
Request wholeRequest(const RunConfig& config) {
  refuseMembers(config.document, {"sample", "rank_of", "row_at"},
                "an enumeration, not an access to single rows");
  Request request = parseFactorizationsRequest(config, Strictness::single);
  const SinkKind kind = request.sink.kind;
  if (kind == SinkKind::first || kind == SinkKind::any || kind == SinkKind::all) {
    throw ConfigError(
        "sink", describeValue(config.document["sink"]) + " in a plan",
        "a sink that looks at all factorizations: this one may stop before the shards that follow");
  }
  if (kind == SinkKind::rows && (request.output.path.empty() || request.output.path == "-"))
    throw ConfigError("output.path",
                      request.output.path.empty() ? "nothing with sink rows in a plan" : "\"-\" in a plan",
                      "a file name that ends in .npy, .npy.zst or .csv");
  if (outputFormat(request.output) == OutputFormat::npyZstd && request.output.shardRows == 0) {
    throw ConfigError("output.shard_rows", "nothing with " + request.output.path + " in a plan",
                      "the rows of a file: frames of one compressed file do not begin where shards do");
  }
  checkRequest(request, config.engine);
  return request;
}

Rank totalOf(const Request& request, const RunConfig& config) {
  return RankIndex(request.generators, request.element, config.engine.memoryLimit).count();
}

Range wholeRange(const Request& request, const Rank& total) {
  if (!request.ranks) return {0, total};
  Range range{parseRank(request.ranks->begin, "rank_range"), parseRank(request.ranks->end, "rank_range")};
  if (range.end > total)
    throw ConfigError("rank_range", request.ranks->begin + ":" + request.ranks->end,
                      "ranks up to " + total.str() + ", the number of factorizations");
  return range;
}

void requirePieces(const Request& request, const Range& range, const Rank& pieces, std::uint64_t shards) {
  const std::uint64_t rows = request.output.shardRows;
  if (rows != 0 && pieces > factorizations::kMaximumShards) {
    throw ConfigError("output.shard_rows", std::to_string(rows),
                      fmt::format("more: {} rows would be more than {} files",
                                  Rank(range.end - range.begin).str(), factorizations::kMaximumShards));
  }
  if (pieces < shards) {
    throw ConfigError("--shards", std::to_string(shards),
                      fmt::format("1 to {}: there are no more {}", pieces.str(),
                                  rows != 0 ? "files of rows" : "factorizations"));
  }
  const Rank most = (Rank(1) << 63) - 1;
  const Rank longest = (range.end - range.begin + shards - 1) / shards;
  if (request.sink.kind != SinkKind::count && longest > most) {
    throw ConfigError("--shards", std::to_string(shards),
                      fmt::format("at least {}: a shard has at most 2^63-1 factorizations",
                                  Rank((range.end - range.begin + most - 1) / most).str()));
  }
}

CutSearch cut(const RunConfig& config, std::uint64_t shards) {
  const Request request = wholeRequest(config);
  const Rank total = totalOf(request, config);
  const Range range = wholeRange(request, total);
  const Rank rows = range.end - range.begin;
  // Files of rows stay whole.
  const Rank unit = request.output.shardRows != 0 ? request.output.shardRows : 1;
  const Rank pieces = rows == 0 ? Rank(1) : Rank((rows + unit - 1) / unit);
  requirePieces(request, range, pieces, shards);
  CutSearch result;
  result.rule = {{"kind", "ranks"},
                 {"ranks", rankRangeRecord({range.begin.str(), range.end.str()})},
                 {"total", exactNumber(total.str())}};
  const auto bound = [&](std::uint64_t shard) {
    const Rank offset = pieces * shard / shards * unit;
    return Rank(range.begin + (offset < rows ? offset : rows));
  };
  for (std::uint64_t shard = 0; shard < shards; ++shard) {
    const Range share{bound(shard), bound(shard + 1)};
    result.shares.push_back({{"ranks", rankRangeRecord({share.begin.str(), share.end.str()})}});
    result.counts.push_back(Rank(share.end - share.begin).str());
  }
  result.text =
      fmt::format("the ranks {}:{} of {}, in ranges", range.begin.str(), range.end.str(), total.str());
  return result;
}

ShardConfig shardConfig(const ShardOf& part) {
  ShardConfig result;
  Json& document = result.document;
  document = part.config;
  document["rank_range"] = part.share.at("ranks");
  if (const Json* path = findMember(document, "output.path")) {
    const std::string own = outputOf(path->get<std::string>(), part.stem);
    document["output"]["path"] = own;
    factorizations::StreamShape shape;
    shape.path = own;
    result.outputs = {document["output"].contains("shard_rows") ? shape.manifestPath() : own};
  }
  return result;
}

Range rangeOf(const Json& share) {
  const RankInterval interval = parseRankRange(share.at("ranks"));
  return {Rank(interval.begin), Rank(interval.end)};
}

/// The ranges are those of the plan, follow one another, and together have what the counting table says.
void requireCover(const DoneShards& all, const Range& whole) {
  Rank next = whole.begin;
  for (const auto& shard : all.shards) {
    const Range range = rangeOf(shard.share);
    if (range.begin != next || range.end < range.begin)
      throw ConfigError(shard.path, "ranks from " + range.begin.str(), "ranks from " + next.str());
    next = range.end;
    if (!shard.record.contains("rank_range") || shard.record["rank_range"] != shard.share.at("ranks"))
      throw ConfigError(shard.path, "a record of other ranks", "those of its shard, " + shard.share.dump());
    const std::string count = shard.record.contains("count") ? decimalText(shard.record["count"]) : "none";
    if (count != Rank(range.end - range.begin).str())
      throw ConfigError(shard.path, "a count of " + count,
                        Rank(range.end - range.begin).str() + ", its ranks");
  }
  if (next != whole.end)
    throw ConfigError("merge", "ranks up to " + next.str(),
                      "up to " + whole.end.str() + ", by the counting table");
}

std::uint64_t numberIn(const Json& record, const char* key, const std::string& path) {
  const auto number = record.contains(key) ? exactUnsigned(record[key]) : std::nullopt;
  if (!number) throw ConfigError(path, std::string("no ") + key, "the record of a run with this sink");
  return *number;
}

/// Adds up what the sinks of the shards found.
class SinkSum {
 public:
  SinkSum(const Request& request, Outcome& outcome) : request_(request), outcome_(outcome) {}

  void add(const DoneShard& shard) {
    const Json& record = shard.record;
    if (request_.sink.fingerprint) addFingerprint(record, shard.path);
    if (record.contains("minimum_length")) addExtremes(record, shard.path);
    if (request_.sink.kind == SinkKind::lengths) addLengths(record, shard.path);
    if (request_.sink.kind == SinkKind::coordinateMaxima) addMaxima(record, shard.path);
  }

  void finish() {
    if (request_.sink.fingerprint) outcome_.fingerprint = fingerprint_;
    for (const auto& [length, count] : lengths_) outcome_.lengths.emplace_back(length, count);
    outcome_.deltaSet = factorizations::deltaSet(outcome_.lengths);
    if (outcome_.minimumLength)
      outcome_.elasticity = factorizations::elasticity(*outcome_.minimumLength, *outcome_.maximumLength);
  }

 private:
  void addFingerprint(const Json& record, const std::string& path) {
    if (!record.contains("fingerprint") || !record["fingerprint"].is_string())
      throw ConfigError(path, "no fingerprint", "the record of a run with this sink");
    const Fingerprint own = fingerprintFromText(record["fingerprint"].get<std::string>());
    fingerprint_.sum += own.sum;
    fingerprint_.exclusiveOr ^= own.exclusiveOr;
  }

  void addExtremes(const Json& record, const std::string& path) {
    const std::uint64_t least = numberIn(record, "minimum_length", path);
    const std::uint64_t most = numberIn(record, "maximum_length", path);
    outcome_.minimumLength = std::min(outcome_.minimumLength.value_or(least), least);
    outcome_.maximumLength = std::max(outcome_.maximumLength.value_or(most), most);
  }

  void addLengths(const Json& record, const std::string& path) {
    if (!record.contains("lengths") || !record["lengths"].is_array())
      throw ConfigError(path, "no lengths", "the record of a run with this sink");
    for (const auto& pair : record["lengths"]) {
      const bool isPair = pair.is_array() && pair.size() == 2;
      const auto length = isPair ? exactUnsigned(pair[0]) : std::nullopt;
      const auto count = isPair ? exactUnsigned(pair[1]) : std::nullopt;
      if (!length || !count)
        throw ConfigError(path, "lengths that are none", "the record of a run with this sink");
      if (__builtin_add_overflow(lengths_[*length], *count, &lengths_[*length]))
        throw ConfigError(path, "more than 2^64 factorizations of one length with those of other shards",
                          "numbers whose sum is below 2^64");
    }
  }

  void addMaxima(const Json& record, const std::string& path) {
    const Json maxima = record.value("coordinate_maxima", Json::array());
    auto& sum = outcome_.coordinateMaxima;
    if (maxima.empty()) return;
    if (maxima.size() != request_.generators.size())
      throw ConfigError(path, "coordinate_maxima " + describeValue(maxima), "one for each generator");
    sum.resize(maxima.size());
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const auto value = exactUnsigned(maxima[i]);
      if (!value)
        throw ConfigError(path, "coordinate_maxima " + describeValue(maxima), "one for each generator");
      sum[i] = std::max(sum[i], *value);
    }
  }

  const Request& request_;
  Outcome& outcome_;
  Fingerprint fingerprint_;
  std::map<std::uint64_t, std::uint64_t> lengths_;
};

/// That of all shards, or `automatic` where they differ.
Algorithm algorithmOf(const DoneShards& all) {
  const Json first = all.shards.front().record.value("algorithm", Json());
  for (const auto& shard : all.shards)
    if (shard.record.value("algorithm", Json()) != first) return Algorithm::automatic;
  for (const Algorithm algorithm :
       {Algorithm::candidate, Algorithm::tabulated, Algorithm::dynamic, Algorithm::ranked})
    if (first == Json(algorithmName(algorithm))) return algorithm;
  return Algorithm::automatic;
}

void writeRows(const DoneShards& all, const Request& request, Outcome& outcome) {
  OutputGuard guard;
  std::vector<InputRole> inputs;
  std::vector<factorizations::RowsPart> parts;
  for (const auto& shard : all.shards) {
    const Range range = rangeOf(shard.share);
    parts.push_back({shard.outputs.at(0), range.begin, range.end});
    inputs.push_back({"merge", shard.outputs[0]});
  }
  guard.claim({{"output.path", request.output.path, OutputNeed::file, request.output.shardRows != 0}},
              std::move(inputs));
  const factorizations::JoinedRows joined = joinRows(request, parts);
  outcome.outputPath = joined.path;
  outcome.outputBytes = joined.bytes;
  outcome.outputShards = joined.shards;
  outcome.outputStreamed = joined.shards != 0;
}

Answers merge(const DoneShards& all) {
  const Request request = wholeRequest(all.config);
  const Rank total = totalOf(request, all.config);
  const Range whole = wholeRange(request, total);
  requireCover(all, whole);
  Outcome outcome;
  outcome.algorithm = algorithmOf(all);
  outcome.algorithmReason = fmt::format("in {} shards", all.shards.size());
  outcome.count = Rank(whole.end - whole.begin).str();
  outcome.ranks = request.ranks;
  outcome.total = total.str();
  outcome.countedByTable = std::all_of(all.shards.begin(), all.shards.end(), [](const DoneShard& shard) {
    return shard.record.value("counted_by_table", false);
  });
  SinkSum sum(request, outcome);
  for (const auto& shard : all.shards) sum.add(shard);
  sum.finish();
  if (request.sink.kind == SinkKind::rows) writeRows(all, request, outcome);
  return factorizationsAnswers(outcome, request.sink, all.config.document.value("sink", std::string("count")),
                               true);
}

}  // namespace

ShardRule factorizationsShards() {
  return {.refusal = "",
          .cut = cut,
          .shardConfig = shardConfig,
          .merge = merge,
          .results = {"sink", "count", "rank_range", "total", "fingerprint", "lengths", "delta_set",
                      "minimum_length", "maximum_length", "elasticity", "coordinate_maxima"},
          .digest = factorizationsDigest};
}

}  // namespace slicepool::config
