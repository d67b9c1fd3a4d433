// See request_check.hpp.
#include "runtime/integer_points/request_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/integer_points/bounded_system.hpp"
#include "runtime/integer_points/conditions.hpp"
#include "runtime/integer_points/point_files.hpp"

namespace slicepool::integer_points {
namespace {

void checkOutput(const Request& request, const EngineOptions& options) {
  if (pointFormat(request.outputPath) == PointFormat::none) return;
  sinkOf(request).requireOutput(request.outputPath, options.checkpointPath);
}

}  // namespace

GivenSink sinkOf(const Request& request) {
  const auto& sink = namedSink(kSinks, request.sink);
  return {sink.name, sink.argument, request.firstCount, request.condition};
}

void checkRequest(const Request& request, const EngineOptions& options) {
  checkSizes(request.system);
  const std::size_t columns = request.system.matrix.front().size();
  (void)parseAlternatives(request.system.where, columns, "where");
  const GivenSink sink = sinkOf(request);
  sink.requireArgument("points");
  if (request.fingerprint) sink.requireFingerprint("point");
  (void)parseAlternatives(request.condition, columns, "sink");
  sink.requireShard(request.shard, request.shards, kMaximumShards);
  checkOutput(request, options);
}

std::string canonicalText(const Request& request) {
  const LinearSystem& system = request.system;
  std::string text = fmt::format("integer_points rules {} matrix", kSearchRules);
  for (const auto& row : system.matrix) text += fmt::format(" {};", fmt::join(row, ","));
  text += fmt::format(" right side {} lower {} upper", fmt::join(system.rightSide, ","),
                      fmt::join(system.lower, ","));
  for (const auto& upper : system.upper) text += upper ? fmt::format(" {}", *upper) : std::string(" none");
  if (!system.where.empty()) text += fmt::format(" where \"{}\"", system.where);
  text += " sink " + sinkOf(request).canonicalText();
  if (request.fingerprint) text += " fingerprint";
  if (request.algorithm == Algorithm::walk) text += " walk";
  if (request.shards > 1) text += fmt::format(" shard {} of {}", request.shard, request.shards);
  return text;
}

}  // namespace slicepool::integer_points
