// `slicepool merge`: the parts of a plan, or the records that shards of a search wrote without one -> what
// the whole search found.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/plan_shard.hpp"
#include "runtime/app/cli/run_document.hpp"
#include "runtime/app/config/workloads.hpp"
#include "runtime/app/report/digest_log.hpp"
#include "runtime/app/report/file_format.hpp"
#include "runtime/app/report/machine.hpp"
#include "runtime/app/report/record.hpp"
#include "runtime/app/report/shard_results.hpp"
#include "runtime/cluster/part.hpp"
#include "runtime/cluster/plan.hpp"
#include "runtime/io/durable_file.hpp"
#include "runtime/io/output_guard.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

using cluster::FoundPart;
using cluster::Plan;
using cluster::PlanFiles;
using config::Answers;
using config::Json;

struct MergeArguments : config::RecordMerge::Request {
  std::string digestsPath;  ///< of a plan: the log of digests; empty: none
};

void printAnswers(const Answers& answers, const std::string& outputPath) {
  std::string text;
  for (const auto& [name, value] : answers.lines()) text += fmt::format("{:<17} {}\n", name, value);
  printReport(text, outputPath == "-");
}

/// The machines and modes of the parts: each once.
void addOrigins(const std::vector<FoundPart>& parts, Json& record) {
  std::set<std::string> seen;
  Json machines = Json::array();
  std::set<std::string> modes;
  for (const auto& found : parts) {
    if (const Json& run = found.part.record;
        run.contains("machine") && seen.insert(run["machine"].dump()).second)
      machines.push_back(run["machine"]);
    if (found.part.record.contains("mode")) modes.insert(found.part.record["mode"].dump());
  }
  Json names = Json::array();
  for (const auto& mode : modes) names.push_back(Json::parse(mode));
  record["modes"] = std::move(names);
  record["machines"] = std::move(machines);
}

struct Sums {
  double seconds = 0;
  std::uint64_t steps = 0;
};

Sums sumsOf(const std::vector<FoundPart>& parts) {
  Sums sums;
  for (const auto& found : parts) {
    const Json& run = found.part.record;
    sums.seconds += cluster::secondsInAll(run);
    if (run.contains("steps")) sums.steps += exactUnsigned(run["steps"]).value_or(0);
  }
  return sums;
}

Json mergedRecord(const Plan& plan, const std::string& planPath, const std::vector<FoundPart>& parts,
                  const Answers& answers) {
  const Sums sums = sumsOf(parts);
  Json record = {{"workload", plan.workload}, {"status", "done"}};
  answers.addTo(record);
  record["parameters"] = plan.config;
  record["parameters"].erase("workload");
  record["plan"] = {{"path", planPath},
                    {"xxh3", plan.hash},
                    {"program", plan.program},
                    {"shards", plan.shards.size()},
                    {"rule", plan.rule}};
  record["seconds"] = sums.seconds;
  record["steps"] = exactNumber(sums.steps);
  addOrigins(parts, record);
  record["build"] = report::buildRecord();
  return record;
}

/// What the command line says about outputs goes before what the plan says.
config::RunConfig configOf(const Plan& plan, const MergeArguments& arguments) {
  Json document = plan.config;
  if (!arguments.outputPath.empty()) config::setMember(document, "output.path", arguments.outputPath);
  return config::parseRunConfig(document, config::Strictness::single);
}

void writeDigests(const std::string& path, const Plan& plan, const std::vector<FoundPart>& parts) {
  report::DigestLog log{plan, {}};
  const config::ShardRule& rule = config::requireWorkload(plan.config).shards;
  for (const auto& found : parts)
    log.shards.push_back(report::resultsOf(rule, found.part.record, found.outputPaths()));
  report::writeDigestLog(path, log);
}

int mergePlan(const MergeArguments& arguments) {
  const std::string& planPath = arguments.paths.front();
  const Plan plan = cluster::readPlan(planPath);
  cluster::requireProgram(plan, planPath);
  const PlanFiles files(planPath, plan.stem);
  const std::string recordPath = arguments.recordPath.empty() ? files.merged() : arguments.recordPath;
  const config::RunConfig run = configOf(plan, arguments);
  refuseJsonBesideOutput(arguments.json, run.standardOutput);
  refuseNamesOfPlan(run.document, "", plan.stem);
  if (recordPath != files.merged()) refuseNamesOfPlan({{"record", recordPath}}, "--", plan.stem);
  if (!arguments.digestsPath.empty())
    refuseNamesOfPlan({{"digests", arguments.digestsPath}}, "--", plan.stem);
  std::vector<InputRole> inputs = {{"merge", planPath}};
  const std::vector<std::string> given(arguments.paths.begin() + 1, arguments.paths.end());
  for (const auto& path : given) inputs.push_back({"merge", path});
  for (std::uint64_t shard = 0; given.empty() && shard < plan.shards.size(); ++shard)
    inputs.push_back({"merge", files.record(shard)});
  OutputGuard guard;
  guard.claim(
      {{"record", recordPath, OutputNeed::file}, {"--digests", arguments.digestsPath, OutputNeed::file}},
      std::move(inputs));
  const std::vector<FoundPart> parts = cluster::gatherParts(plan, files, given);

  config::DoneShards done{run, plan.rule, {}};
  for (const auto& found : parts)
    done.shards.push_back(
        {plan.shards[found.part.shard].share, found.part.record, found.outputPaths(), found.path});
  Answers answers = config::requireWorkload(plan.config).shards.merge(done);
  const Json record = mergedRecord(plan, planPath, parts, answers);
  if (!arguments.digestsPath.empty()) writeDigests(arguments.digestsPath, plan, parts);
  replaceFileOrThrow("record", recordPath, record.dump() + "\n");
  if (arguments.json) {
    writeOut(record.dump() + "\n");
    return kDone;
  }
  const Sums sums = sumsOf(parts);
  answers.line("shards", std::to_string(parts.size()));
  answers.line("time", report::shortSeconds(sums.seconds) + " enumeration, all shards together");
  if (sums.steps > 0) answers.line("steps", std::to_string(sums.steps));
  answers.line("record", recordPath);
  if (!arguments.digestsPath.empty()) answers.line("digests", arguments.digestsPath);
  printAnswers(answers, run.outputPath);
  return kDone;
}

/// What adds up records like this one: the workload of its format, else the first, which says what is wrong.
const config::Front& ownerOf(const std::string& path) {
  const config::Front* first = nullptr;
  for (const config::Front& front : config::workloads()) {
    if (front.records.format.empty()) continue;
    if (report::fileHasFormat(path, front.records.format)) return front;
    if (first == nullptr) first = &front;
  }
  if (first == nullptr) throw ConfigError(path, "no plan", "a plan, as slicepool plan wrote it");
  return *first;
}

int mergeRecords(const MergeArguments& arguments) {
  if (!arguments.digestsPath.empty())
    throw ConfigError("--digests", inQuotes(arguments.digestsPath) + " without a plan",
                      "this only with a plan, as slicepool plan writes it");
  const Answers answers = ownerOf(arguments.paths.front()).records.merge(arguments);
  if (arguments.json) {
    Json record = Json::object();
    answers.addTo(record);
    writeOut(record.dump() + "\n");
  } else {
    printAnswers(answers, arguments.outputPath);
  }
  return kDone;
}

}  // namespace

Action addMergeCommand(CLI::App& app) {
  auto arguments = std::make_shared<MergeArguments>();
  auto& a = *arguments;
  app.add_option(
         "FILES", a.paths,
         "a plan, and the records of its shards where they do not lie beside it; or the records of all "
         "shards of one search that were made without a plan, in any order")
      ->type_name("FILE")
      ->required();
  app.add_option("--output", a.outputPath,
                 "the output, instead of that of the plan; of records: their solutions")
      ->type_name("FILE");
  app.add_option("--record", a.recordPath,
                 "the record of the whole search (default, of a plan: NAME.record.json beside NAME.json)")
      ->type_name("FILE");
  app.add_option("--digests", a.digestsPath,
                 "of a plan: what each shard has found, without its files, for slicepool recount elsewhere")
      ->type_name("FILE");
  app.add_flag("--json", a.json, "print exactly one JSON object instead of the readable report");
  app.footer(
      "Shards that are missing, given twice, damaged or of another search are errors (exit code 2) that name "
      "them.\n"
      "Examples:\n"
      "  slicepool merge plan.json\n"
      "  slicepool merge search-shard-*-of-64.json --record search.json");
  return [arguments] {
    const bool isPlan = report::fileHasFormat(arguments->paths.front(), cluster::kPlanFormat);
    return isPlan ? mergePlan(*arguments) : mergeRecords(*arguments);
  };
}

}  // namespace slicepool::cli
