// See front_shards.hpp.
#include "runtime/three_in_line/front_shards.hpp"

#include <fmt/format.h>

#include "runtime/app/config/frontier_shards.hpp"
#include "runtime/app/report/record.hpp"
#include "runtime/core/fingerprint_text.hpp"
#include "runtime/core/memory.hpp"
#include "runtime/io/output_guard.hpp"
#include "runtime/three_in_line/front_digest.hpp"
#include "runtime/three_in_line/front_request.hpp"
#include "runtime/three_in_line/request_check.hpp"
#include "runtime/three_in_line/shard_record.hpp"
#include "runtime/three_in_line/solution_files.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/three_in_line/problem_factory.hpp"

namespace slicepool::config {
namespace {

using three_in_line::Request;
using three_in_line::ShardRecord;

/// Boards of a frontier of `boards` that the deal gives to one shard.
std::uint64_t boardsOf(std::uint64_t boards, std::uint64_t shard, std::uint64_t shards) {
  return boards / shards + (shard < boards % shards ? 1 : 0);
}

CutSearch cut(const RunConfig& config, std::uint64_t shards) {
  refuseMembers(config.document, {"first", "shards", "shard"},
                "a search that goes to its end; --shards says into how many parts it is cut");
  const Request request = parseThreeInLineRequest(config);
  three_in_line::checkRequest(request, config.engine);
  three_in_line::ProblemSpec spec;
  spec.n = request.size;
  spec.group = request.group;
  CutSearch result;
  result.rule = {
      {"kind", "frontier"}, {"deal", "round robin"}, {"search_rules", three_in_line::kSearchRules}};
  // One shard is the whole search, which makes a frontier of its own or none.
  std::uint64_t boards = 0;
  if (shards > 1) {
    const std::size_t memory = hostMemoryLimit(config.engine.memoryLimit);
    boards = three_in_line::frontier(spec, three_in_line::kBoardsPerShard * shards, memory).roots.size();
    result.rule["boards"] = boards;
  }
  for (std::uint64_t shard = 0; shard < shards; ++shard)
    result.shares.push_back(shards > 1 ? Json{{"boards", boardsOf(boards, shard, shards)}} : Json::object());
  result.text = shards > 1 ? dealText(boards, "boards") : "the whole search";
  return result;
}

ShardConfig shardConfig(const ShardOf& part) {
  ShardConfig result;
  Json& document = result.document;
  document = part.config;
  if (document.contains("output")) document["solutions"] = true;
  document.erase("output");
  document["shards"] = part.shards;
  document["shard"] = part.shard;
  document["record"] = part.stem + ".found.json";
  result.outputs = {part.stem + ".found.json"};
  return result;
}

/// What the record of a run says must be what the record of its search says.
void requireAgreement(const DoneShard& shard, std::uint64_t index, const DoneShards& all,
                      const Request& request) {
  const ShardRecord found = three_in_line::readShardRecord(shard.outputs.at(0));
  const Json& record = shard.record;
  const bool sameSearch = found.size == request.size && found.group == request.group &&
                          found.shards == all.shards.size() && found.shard == index &&
                          found.rules == three_in_line::kSearchRules;
  if (!sameSearch)
    throw ConfigError(shard.outputs[0], "a record of another search or shard",
                      fmt::format("shard {} of the plan's", index));
  const bool sameNumbers =
      record.value("count", Json()) == exactNumber(found.findings.count) &&
      record.value("nodes", Json()) == exactNumber(found.findings.nodes) &&
      record.value("fingerprint", Json()) == Json(fingerprintText(found.findings.fingerprint));
  if (!sameNumbers)
    throw ConfigError(shard.path, "figures other than those of " + shard.outputs[0], "the same ones");
  if (shard.share.contains("boards") && shard.share["boards"] != exactNumber(found.boards))
    throw ConfigError(shard.outputs[0], fmt::format("{} boards", found.boards),
                      shard.share["boards"].dump() + ", as the plan deals them");
}

struct Whole {
  ShardRecord record;
  std::string outputPath;
  std::uint64_t outputBytes = 0;
};

/// Writes what was asked for.
Whole writeWhole(ShardRecord record, const std::string& outputPath, const std::string& recordPath) {
  Whole whole{std::move(record), outputPath, 0};
  if (!outputPath.empty() && !whole.record.hasSolutions) {
    throw ConfigError("output.path", "\"" + outputPath + "\" of records without solutions",
                      "an output only of shards that were run with --solutions");
  }
  if (!recordPath.empty()) writeShardRecord(recordPath, whole.record);
  if (!outputPath.empty())
    whole.outputBytes = three_in_line::writeSolutions(
        {whole.record.size, whole.record.solutions, groupDescription(whole.record.group)}, outputPath);
  return whole;
}

void addFiles(Answers& answers, const Whole& whole, const std::string& recordPath) {
  if (!whole.outputPath.empty()) {
    answers.add("output", {{"path", whole.outputPath}, {"bytes", whole.outputBytes}}, "output",
                outputText(whole.outputPath, whole.outputBytes));
  }
  if (!recordPath.empty()) answers.add("record", recordPath, "record", recordPath);
}

std::string searchText(const ShardRecord& record) {
  const std::string group = groupDescription(record.group);
  return fmt::format("n = {}{}{}", record.size, group.empty() ? "" : ", ", group);
}

Answers mergePlan(const DoneShards& all) {
  const Request request = parseThreeInLineRequest(all.config);
  three_in_line::checkRequest(request, all.config.engine);
  OutputGuard guard;
  guard.claim({{"output.path", request.outputPath, OutputNeed::text},
               {"record", request.recordPath, OutputNeed::text}});
  std::vector<std::string> paths;
  for (const auto& shard : all.shards) {
    requireAgreement(shard, paths.size(), all, request);
    paths.push_back(shard.outputs[0]);
  }
  const Whole whole =
      writeWhole(three_in_line::mergeShardRecords(paths), request.outputPath, request.recordPath);
  Answers answers;
  answers.record("n", request.size);
  answers.record("symmetry", groupName(request.group));
  answers.record("algorithm", algorithmName(request.algorithm));
  answers.line("search", searchText(whole.record));
  addFindings(answers, whole.record.findings, true);
  if (request.solutions && request.outputPath.empty())
    answers.record("solutions", solutionsToJson(whole.record.solutions, request.size));
  addFiles(answers, whole, request.recordPath);
  return answers;
}

/// Everything that can be refused is, before anything is read.
Answers mergeRecords(const RecordMerge::Request& request) {
  (void)three_in_line::solutionFormat(request.outputPath);
  if (request.json && request.outputPath == "-")
    throw ConfigError("--json", "--json together with --output -",
                      "one of the two: both write to standard output");
  std::vector<InputRole> inputs;
  for (const auto& path : request.paths) inputs.push_back({"merge", path});
  OutputGuard guard;
  guard.claim({{"output.path", request.outputPath, OutputNeed::text},
               {"record", request.recordPath, OutputNeed::text}},
              std::move(inputs));
  const Whole whole =
      writeWhole(three_in_line::mergeShardRecords(request.paths), request.outputPath, request.recordPath);
  Answers answers;
  answers.record("workload", "three_in_line");
  answers.record("n", whole.record.size);
  answers.record("symmetry", groupName(whole.record.group));
  answers.record("shards", request.paths.size());
  answers.line("search", fmt::format("{}, {} shards", searchText(whole.record), request.paths.size()));
  addFindings(answers, whole.record.findings, true);
  answers.add("seconds", whole.record.seconds, "time",
              report::shortSeconds(whole.record.seconds) + " enumeration, all shards together");
  addFiles(answers, whole, request.recordPath);
  return answers;
}

}  // namespace

ShardRule threeInLineShards() {
  return {.refusal = "",
          .cut = cut,
          .shardConfig = shardConfig,
          .verify = [](const ShardOf& part) { requireRules(part.rule, three_in_line::kSearchRules); },
          .merge = mergePlan,
          .results = {"n", "symmetry", "count", "total", "classes", "orbits", "nodes", "fingerprint"},
          .digest = threeInLineDigest};
}

RecordMerge threeInLineRecords() { return {.format = "slicepool-three-in-line", .merge = mergeRecords}; }

}  // namespace slicepool::config
