// `slicepool merge`: the records of the shards of a search -> what the whole search found.
#include <fmt/format.h>

#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/run_document.hpp"
#include "runtime/app/report/record.hpp"
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

config::Answers mergedAnswers(const MergeArguments& arguments, const ShardRecord& whole,
                              std::uint64_t outputBytes) {
  config::Answers answers;
  answers.record("workload", "three_in_line");
  answers.record("n", whole.size);
  answers.record("symmetry", groupName(whole.group));
  answers.record("shards", arguments.paths.size());
  const std::string group = groupDescription(whole.group);
  answers.line("search", fmt::format("n = {}{}{}, {} shards", whole.size, group.empty() ? "" : ", ", group,
                                     arguments.paths.size()));
  config::addFindings(answers, whole.findings, true);
  answers.add("seconds", whole.seconds, "time",
              report::shortSeconds(whole.seconds) + " enumeration, all shards together");
  if (!arguments.output.empty()) {
    answers.add("output", {{"path", arguments.output}, {"bytes", outputBytes}}, "output",
                config::outputText(arguments.output, outputBytes));
  }
  if (!arguments.record.empty()) answers.add("record", arguments.record, "record", arguments.record);
  return answers;
}

int runMerge(const MergeArguments& arguments) {
  OutputGuard guard;
  checkMerge(arguments, guard);
  const ShardRecord whole = three_in_line::mergeShardRecords(arguments.paths);
  const std::uint64_t outputBytes = writeMerged(arguments, whole);
  const config::Answers answers = mergedAnswers(arguments, whole, outputBytes);
  if (arguments.json) {
    Json record = Json::object();
    answers.addTo(record);
    writeOut(record.dump() + "\n");
    return kDone;
  }
  std::string text;
  for (const auto& [name, value] : answers.lines()) text += fmt::format("{:<17} {}\n", name, value);
  printReport(text, arguments.output);
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
