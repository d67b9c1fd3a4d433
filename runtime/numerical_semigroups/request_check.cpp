// See request_check.hpp.
#include "runtime/numerical_semigroups/request_check.hpp"

#include <fmt/format.h>

#include "runtime/io/shown.hpp"
#include "runtime/numerical_semigroups/conditions.hpp"
#include "runtime/numerical_semigroups/semigroup_files.hpp"
#include "runtime/numerical_semigroups/statistic_names.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/numerical_semigroups/steps/statistics.hpp"

namespace slicepool::numerical_semigroups {
namespace {

/// All nonnegative integers: genus 0, Frobenius number -1, one generator.
Values rootValues() {
  Values values{};
  const auto set = [&](Statistic statistic, int value) { values.of[static_cast<int>(statistic)] = value; };
  set(Statistic::multiplicity, 1);
  set(Statistic::embeddingDimension, 1);
  set(Statistic::type, 1);
  set(Statistic::frobenius, -1);
  set(Statistic::second, 2);
  set(Statistic::children, 1);
  return values;
}

bool asks(SinkKind sink) { return sink == SinkKind::any || sink == SinkKind::all; }

void checkSink(const Request& request) {
  const std::string sink = sinkName(request.sink);
  (void)parseConditions(request.where, "where");
  if (asks(request.sink) && request.condition.empty())
    throw ConfigError("sink", sink + " without a condition", sink + ":CONDITION");
  if (!asks(request.sink) && !request.condition.empty())
    throw ConfigError("sink", sink + " with a condition", "a condition only with any or all");
  (void)parseConditions(request.condition, "sink");
  if ((request.sink == SinkKind::first) != (request.firstCount != 0))
    throw ConfigError("sink", fmt::format("{} with {} semigroups", sink, request.firstCount),
                      "first:K with K >= 1");
  const bool counts = request.sink == SinkKind::count;
  if (!counts && (request.by != Statistic::multiplicity || request.also))
    throw ConfigError("by", infoOf(request.by).name + (" with sink " + sink),
                      "a histogram only with sink count");
  if (request.fingerprint && request.sink != SinkKind::count && request.sink != SinkKind::list)
    throw ConfigError("fingerprint", "with sink " + sink, "a sink that looks at every semigroup");
}

void checkStatistics(const Request& request) {
  for (const Statistic statistic : {request.by, request.also.value_or(request.by)})
    if (static_cast<int>(statistic) >= kCountedStatistics)
      throw ConfigError("by", infoOf(statistic).name, "a statistic that can be counted by");
  if (request.also == request.by)
    throw ConfigError("by", fmt::format("{0},{0}", infoOf(request.by).name), "two different statistics");
}

void checkShards(const Request& request) {
  if (request.shards < 1 || request.shards > kMaximumShards)
    throw ConfigError("shards", std::to_string(request.shards), fmt::format("1 to {}", kMaximumShards));
  if (request.shard >= request.shards)
    throw ConfigError("shard", std::to_string(request.shard), fmt::format("0 to {}", request.shards - 1));
  if (request.shards == 1 || request.sink == SinkKind::count || request.sink == SinkKind::list) return;
  throw ConfigError("shards", fmt::format("{} with sink {}", request.shards, sinkName(request.sink)),
                    "sink count or list: a search that goes to its end");
}

void checkOutput(const Request& request, const EngineOptions& options) {
  const SemigroupFormat format = semigroupFormat(request.outputPath);
  if (format == SemigroupFormat::none) {
    if (request.rows != RowKind::generators)
      throw ConfigError("output.rows", "gaps without an output", "rows only with an output");
    return;
  }
  const bool lists = request.sink == SinkKind::list || request.sink == SinkKind::first;
  if (!lists)
    throw ConfigError("output.path",
                      fmt::format("{} with sink {}", inQuotes(request.outputPath), sinkName(request.sink)),
                      "an output only with sink list or first:K");
  if (format == SemigroupFormat::svg) {
    const bool whole = request.sink == SinkKind::list && request.where.empty() && !request.exactly &&
                       request.frobenius == 0 && request.multiplicity == 0 && request.shards == 1;
    if (!whole || request.genus > kMaximumPicture)
      throw ConfigError(
          "output.path", inQuotes(request.outputPath),
          fmt::format("a picture only of the whole tree, to genus {} at most: sink list without "
                      "conditions",
                      kMaximumPicture));
  }
  if (request.outputPath == "-" && !options.checkpointPath.empty())
    throw ConfigError("checkpoint", inQuotes(options.checkpointPath), "no checkpoint with output \"-\"");
}

}  // namespace

void checkRequest(const Request& request, const EngineOptions& options) {
  (void)classesOf(
      {.genus = request.genus, .multiplicity = request.multiplicity, .frobenius = request.frobenius});
  checkStatistics(request);
  checkSink(request);
  checkShards(request);
  checkOutput(request, options);
}

bool collects(const Request& request) { return request.sink != SinkKind::count; }

ProblemSpec specOf(const Request& request) {
  ProblemSpec spec;
  spec.genus = request.genus;
  spec.multiplicity = request.multiplicity;
  spec.by = request.by;
  spec.also = request.also;
  spec.frobenius = request.frobenius;
  spec.where = parseConditions(request.where, "where");
  spec.asked = parseConditions(request.condition, "sink");
  spec.negated = request.sink == SinkKind::all;
  spec.exactly = request.exactly;
  spec.trimmed = request.trim;
  spec.fingerprint = request.fingerprint;
  spec.collect = collects(request);
  return spec;
}

bool selectsRoot(const Request& request) {
  if (request.multiplicity != 0 || request.frobenius != 0 || request.exactly || request.shard != 0)
    return false;
  const Values values = rootValues();
  const Conditions asked = parseConditions(request.condition, "sink");
  if (asked.count != 0 && holds(asked, values) == (request.sink == SinkKind::all)) return false;
  return holds(parseConditions(request.where, "where"), values);
}

std::string canonicalText(const Request& request) {
  std::string text =
      fmt::format("numerical_semigroups rules {} genus {} frobenius {} multiplicity {} by {}", kSearchRules,
                  request.genus, request.frobenius, request.multiplicity, infoOf(request.by).name);
  if (request.also) text += fmt::format(",{}", infoOf(*request.also).name);
  if (request.exactly) text += " exactly";
  if (request.trim) text += " trim";
  if (request.fingerprint) text += " fingerprint";
  if (!request.where.empty()) text += fmt::format(" where \"{}\"", request.where);
  text += " sink " + sinkName(request.sink);
  if (request.firstCount != 0) text += fmt::format(":{}", request.firstCount);
  if (!request.condition.empty()) text += fmt::format(":\"{}\"", request.condition);
  if (request.shards > 1) text += fmt::format(" shard {} of {}", request.shard, request.shards);
  return text;
}

std::string sinkName(SinkKind kind) {
  switch (kind) {
    case SinkKind::count: return "count";
    case SinkKind::list: return "list";
    case SinkKind::first: return "first";
    case SinkKind::any: return "any";
    case SinkKind::all: return "all";
  }
  return {};
}

}  // namespace slicepool::numerical_semigroups
