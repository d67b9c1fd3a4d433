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

void checkSink(const Request& request) {
  const GivenSink sink = sinkOf(request);
  (void)parseConditions(request.where, "where");
  sink.requireArgument("semigroups");
  (void)parseConditions(request.condition, "sink");
  if (request.sink != SinkKind::count && (request.by != Statistic::multiplicity || request.also))
    throw ConfigError("by", infoOf(request.by).name + (" with sink " + sink.name),
                      "a histogram only with sink count");
  if (request.fingerprint) sink.requireFingerprint("semigroup");
}

void checkStatistics(const Request& request) {
  for (const Statistic statistic : {request.by, request.also.value_or(request.by)})
    if (static_cast<int>(statistic) >= kCountedStatistics)
      throw ConfigError("by", infoOf(statistic).name, "a statistic that can be counted by");
  if (request.also == request.by)
    throw ConfigError("by", fmt::format("{0},{0}", infoOf(request.by).name), "two different statistics");
}

void checkOutput(const Request& request, const EngineOptions& options) {
  const SemigroupFormat format = semigroupFormat(request.outputPath);
  if (format == SemigroupFormat::none) {
    if (request.rows != RowKind::generators)
      throw ConfigError("output.rows", "gaps without an output", "rows only with an output");
    return;
  }
  sinkOf(request).requireOutput(request.outputPath, options.checkpointPath);
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
}

}  // namespace

GivenSink sinkOf(const Request& request) {
  const auto& sink = namedSink(kSinks, request.sink);
  return {sink.name, sink.argument, request.firstCount, request.condition};
}

void checkRequest(const Request& request, const EngineOptions& options) {
  (void)classesOf(
      {.genus = request.genus, .multiplicity = request.multiplicity, .frobenius = request.frobenius});
  checkStatistics(request);
  checkSink(request);
  sinkOf(request).requireShard(request.shard, request.shards, kMaximumShards);
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
  spec.classes = narrowChoice(spec);
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
  text += " sink " + sinkOf(request).canonicalText();
  if (request.shards > 1) text += fmt::format(" shard {} of {}", request.shard, request.shards);
  return text;
}

}  // namespace slicepool::numerical_semigroups
