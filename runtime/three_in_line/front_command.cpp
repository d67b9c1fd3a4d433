// `slicepool merge`: the records of the shards of a search -> what the whole search found.
#include <fmt/format.h>

#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/run_document.hpp"
#include "runtime/app/report/record.hpp"
#include "runtime/factorizations/front_row_text.hpp"
#include "runtime/io/output_guard.hpp"
#include "runtime/three_in_line/front_request.hpp"
#include "runtime/three_in_line/request_check.hpp"
#include "runtime/three_in_line/shard_record.hpp"
#include "runtime/three_in_line/solution_files.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

using config::Json;
using three_in_line::ShardRecord;

struct MergeArguments {
  std::vector<std::string> paths;
  std::string output;
  std::string record;
  bool json = false;
};

/// Everything that can be refused, before anything is read.
void checkMerge(const MergeArguments& arguments, OutputGuard& guard) {
  (void)three_in_line::solutionFormat(arguments.output);
  refuseJsonBesideOutput(arguments.json, arguments.output);
  std::vector<InputRole> inputs;
  for (const auto& path : arguments.paths) inputs.push_back({"merge", path});
  guard.claim(
      {{"output.path", arguments.output, OutputNeed::text}, {"record", arguments.record, OutputNeed::text}},
      std::move(inputs));
}

std::uint64_t writeMerged(const MergeArguments& arguments, const ShardRecord& whole) {
  if (!arguments.output.empty() && !whole.hasSolutions) {
    throw ConfigError("output.path", "\"" + arguments.output + "\" of records without solutions",
                      "an output only of shards that were run with --solutions");
  }
  if (!arguments.record.empty()) writeShardRecord(arguments.record, whole);
  if (arguments.output.empty()) return 0;
  return three_in_line::writeSolutions({whole.size, whole.solutions, groupDescription(whole.group)},
                                       arguments.output);
}

Json mergedJson(const MergeArguments& arguments, const ShardRecord& whole, std::uint64_t outputBytes) {
  Json json = {{"workload", "three_in_line"},
               {"n", whole.size},
               {"symmetry", groupName(whole.group)},
               {"shards", arguments.paths.size()}};
  config::addFindings(json, whole.findings, true);
  json["seconds"] = whole.seconds;
  if (!arguments.output.empty()) json["output"] = {{"path", arguments.output}, {"bytes", outputBytes}};
  if (!arguments.record.empty()) json["record"] = arguments.record;
  return json;
}

std::string mergedText(const MergeArguments& arguments, const ShardRecord& whole, std::uint64_t outputBytes) {
  std::vector<std::pair<std::string, std::string>> lines;
  const std::string group = groupDescription(whole.group);
  lines.emplace_back("search", fmt::format("n = {}{}{}, {} shards", whole.size, group.empty() ? "" : ", ",
                                           group, arguments.paths.size()));
  config::addFindingLines(lines, whole.findings, true);
  lines.emplace_back("time", report::shortSeconds(whole.seconds) + " enumeration, all shards together");
  if (!arguments.output.empty())
    lines.emplace_back("output", config::outputText(arguments.output, outputBytes));
  if (!arguments.record.empty()) lines.emplace_back("record", arguments.record);
  std::string text;
  for (const auto& [name, value] : lines) text += fmt::format("{:<17} {}\n", name, value);
  return text;
}

int runMerge(const MergeArguments& arguments) {
  OutputGuard guard;
  checkMerge(arguments, guard);
  const ShardRecord whole = three_in_line::mergeShardRecords(arguments.paths);
  const std::uint64_t outputBytes = writeMerged(arguments, whole);
  if (arguments.json) {
    writeOut(mergedJson(arguments, whole, outputBytes).dump() + "\n");
    return kDone;
  }
  printReport(mergedText(arguments, whole, outputBytes), arguments.output);
  return kDone;
}

Action addMergeCommand(CLI::App& app) {
  auto arguments = std::make_shared<MergeArguments>();
  auto& a = *arguments;
  app.add_option("FILES", a.paths, "records of all shards of one search, in any order")
      ->type_name("FILE")
      ->required();
  app.add_option("--output", a.output,
                 "the solutions, if the records have them: FILE.rle, FILE.txt, FILE.json, FILE.svg, or -")
      ->type_name("FILE");
  app.add_option("--record", a.record, "the record of the whole search")->type_name("FILE");
  app.add_flag("--json", a.json, "print exactly one JSON object instead of the readable report");
  app.footer(
      "Shards that are missing, given twice or of another search are errors (exit code 2) that name them.\n"
      "Example:\n"
      "  slicepool merge three-in-line-15-shard-*-of-64.json --record three-in-line-15.json");
  return [arguments] { return runMerge(*arguments); };
}

}  // namespace
}  // namespace slicepool::cli

namespace slicepool::three_in_line {

cli::Subcommand frontCommand() {
  return {"merge", "Adds up the records of the shards of a search.", cli::addMergeCommand};
}

}  // namespace slicepool::three_in_line
