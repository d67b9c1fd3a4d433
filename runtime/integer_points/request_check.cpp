// See request_check.hpp.
#include "runtime/integer_points/request_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/integer_points/bounded_system.hpp"
#include "runtime/integer_points/conditions.hpp"
#include "runtime/integer_points/point_files.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::integer_points {
namespace {

void checkSink(const Request& request) {
  const std::string sink = sinkName(request.sink);
  if (asks(request.sink) && request.condition.empty())
    throw ConfigError("sink", sink + " without a condition", sink + ":CONDITION");
  if (!asks(request.sink) && !request.condition.empty())
    throw ConfigError("sink", sink + " with a condition", "a condition only with any or all");
  if ((request.sink == SinkKind::first) != (request.firstCount != 0))
    throw ConfigError("sink", fmt::format("{} with {} points", sink, request.firstCount),
                      "first:K with K >= 1");
  if (request.fingerprint && (asks(request.sink) || request.sink == SinkKind::first))
    throw ConfigError("fingerprint", "with sink " + sink, "a sink that looks at every point");
}

void checkOutput(const Request& request, const EngineOptions& options) {
  if (pointFormat(request.outputPath) == PointFormat::none) return;
  if (request.sink != SinkKind::list && request.sink != SinkKind::first)
    throw ConfigError("output.path",
                      fmt::format("{} with sink {}", inQuotes(request.outputPath), sinkName(request.sink)),
                      "an output only with sink list or first:K");
  if (request.outputPath == "-" && !options.checkpointPath.empty())
    throw ConfigError("checkpoint", inQuotes(options.checkpointPath), "no checkpoint with output \"-\"");
}

}  // namespace

void checkRequest(const Request& request, const EngineOptions& options) {
  checkSizes(request.system);
  const std::size_t columns = request.system.matrix.front().size();
  (void)parseAlternatives(request.system.where, columns, "where");
  checkSink(request);
  (void)parseAlternatives(request.condition, columns, "sink");
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
  text += " sink " + sinkName(request.sink);
  if (request.firstCount != 0) text += fmt::format(":{}", request.firstCount);
  if (!request.condition.empty()) text += fmt::format(":\"{}\"", request.condition);
  if (request.fingerprint) text += " fingerprint";
  if (request.algorithm == Algorithm::walk) text += " walk";
  return text;
}

std::string sinkName(SinkKind kind) {
  switch (kind) {
    case SinkKind::count: return "count";
    case SinkKind::list: return "list";
    case SinkKind::first: return "first";
    case SinkKind::sums: return "sums";
    case SinkKind::any: return "any";
    case SinkKind::all: return "all";
  }
  return {};
}

}  // namespace slicepool::integer_points
