// See front_request.hpp.
#include "runtime/three_in_line/front_request.hpp"

#include <map>

#include <fmt/format.h>

#include "runtime/app/config/shard_rule.hpp"
#include "runtime/core/fingerprint_text.hpp"
#include "runtime/three_in_line/points.hpp"
#include "runtime/three_in_line/request_check.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {

using three_in_line::Findings;
using three_in_line::kClasses;
using three_in_line::Request;

Request parseThreeInLineRequest(const RunConfig& config) {
  const Json& document = config.document;
  Request request;
  request.size =
      static_cast<int>(requireUnsigned(document.at("size"), "size", 1, three_in_line::kMaximumSize));
  request.group = three_in_line::parseGroup(document.value("symmetry", std::string("none")));
  request.algorithm = three_in_line::parseAlgorithm(document.value("algorithm", std::string("auto")));
  if (document.contains("first"))
    request.first = requireUnsigned(document["first"], "first", 1, kMaximumInteger);
  request.solutions = document.value("solutions", false);
  const ShardChoice choice = shardChoice(document, three_in_line::kMaximumShards);
  request.shards = choice.shards;
  request.shard = choice.shard;
  request.outputPath = config.outputPath;
  request.recordPath = document.value("record", std::string{});
  if (request.recordPath.empty() && request.shards > 1)
    request.recordPath = three_in_line::defaultRecordPath(request);
  return request;
}

void addFindings(Answers& answers, const Findings& findings, bool finished) {
  answers.add(finished ? "count" : "partial_count", exactNumber(findings.count),
              finished ? "count" : "partial count", fmt::format("{} up to symmetry", findings.count));
  answers.add(finished ? "total" : "partial_total", exactNumber(findings.total),
              finished ? "total" : "partial total", std::to_string(findings.total));
  Json classes = Json::object();
  std::map<unsigned, std::uint64_t> orbits{{1, 0}, {2, 0}, {4, 0}, {8, 0}};
  for (std::size_t i = 0; i < kClasses.size(); ++i) {
    const auto& info = kClasses.at(i);
    const std::uint64_t number = findings.classes.at(i);
    classes[info.name] = exactNumber(number);
    orbits[info.orbit] += number;
    if (number == 0) continue;
    answers.line(std::string("  ") + info.name, fmt::format("{:>8} x {} = {:<9} {}", number, info.orbit,
                                                            number * info.orbit, info.description));
  }
  Json sizes = Json::object();
  for (const auto& [size, number] : orbits) sizes[std::to_string(size)] = exactNumber(number);
  answers.record("orbits", std::move(sizes));
  answers.record("classes", std::move(classes));
  answers.add("nodes", exactNumber(findings.nodes), "nodes", std::to_string(findings.nodes));
  if (finished) answers.addFingerprint(findings.fingerprint);
}

}  // namespace slicepool::config
