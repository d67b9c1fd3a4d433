// `slicepool plan`: a run configuration -> a plan, whose shards `slicepool run` runs.
#include <fmt/format.h>

#include <filesystem>

#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/options.hpp"
#include "runtime/app/cli/plan_shard.hpp"
#include "runtime/app/config/sweep_config.hpp"
#include "runtime/app/config/workloads.hpp"
#include "runtime/cluster/plan.hpp"
#include "runtime/io/output_guard.hpp"
#include "slicepool/build_info.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

using cluster::Plan;
using cluster::PlanFiles;
using config::Json;

struct PlanArguments {
  std::string configPath;
  std::vector<std::string> assignments;
  std::string shards;
  std::string output;
  bool json = false;
};

std::uint64_t shardsOf(const PlanArguments& arguments) {
  return config::requireUnsigned(integerValue(arguments.shards), "--shards", 1, cluster::kMaximumShards);
}

Json configOf(const PlanArguments& arguments) {
  Json document = config::readJsonFile(arguments.configPath);
  config::refuseRecord(document, arguments.configPath);
  if (config::looksLikeSweep(document))
    throw ConfigError(arguments.configPath, "a sweep", "the configuration of one run");
  if (cluster::looksLikePlan(document))
    throw ConfigError(arguments.configPath, "a plan", "the configuration of one run");
  for (const auto& assignment : arguments.assignments) config::applyAssignment(document, assignment);
  return document;
}

/// Shards must not find out one by one what is wrong with all of them.
void checkShards(const Plan& plan, const PlanFiles& files) {
  for (const std::uint64_t shard : {std::uint64_t{0}, static_cast<std::uint64_t>(plan.shards.size()) - 1}) {
    const auto run =
        config::parseRunConfig(shardConfigOf(plan, files, shard).document, config::Strictness::single);
    config::requireWorkload(plan.config).check(run, config::Strictness::single);
  }
}

/// Names of shards end in numbers, so that two plans must not meet in them.
void checkNames(const PlanArguments& arguments) {
  const std::string stem = cluster::stemOf(arguments.output);
  const std::size_t digits = stem.find_last_not_of("0123456789");
  if (digits + 1 != stem.size() && digits != std::string::npos && stem[digits] == '-') {
    throw ConfigError("--output", config::describeValue(Json(arguments.output)),
                      "a name that does not end in - and a number: the files of shards are named so");
  }
  const auto left = cluster::leftovers(arguments.output, stem);
  if (left.empty()) return;
  throw ConfigError(
      "--output",
      fmt::format("\"{}\", beside which an earlier plan has left {}{}", arguments.output, left.front(),
                  left.size() == 1 ? "" : fmt::format(" and {} more", left.size() - 1)),
      "a new name, or remove what the earlier plan has left");
}

Plan makePlan(const PlanArguments& arguments, std::string* text) {
  checkNames(arguments);
  const Json document = configOf(arguments);
  const config::RunConfig run = config::parseRunConfig(document, config::Strictness::single);
  const config::Front& front = config::requireWorkload(run.document);
  if (!front.shards.refusal.empty())
    throw ConfigError("workload", "\"" + front.name + "\" in a plan",
                      "a workload that can be cut into shards; of this one not: " + front.shards.refusal);
  config::refuseMembers(run.document, {"checkpoint", "resume", "trace"},
                        "this only with slicepool run PLAN; each shard has a checkpoint of its own");
  config::CutSearch cut = front.shards.cut(run, shardsOf(arguments));
  Plan plan;
  plan.program = build::kVersion;
  plan.workload = front.name;
  plan.stem = cluster::stemOf(arguments.output);
  plan.identity = front.identity(run.document);
  plan.rule = std::move(cut.rule);
  plan.config = run.document;
  for (std::size_t i = 0; i < cut.shares.size(); ++i)
    plan.shards.push_back({cut.shares[i], cut.counts.empty() ? "" : cut.counts[i], {}});
  refuseNamesOfPlan(plan.config, "", plan.stem);
  const PlanFiles files(arguments.output, plan.stem);
  for (std::uint64_t shard = 0; shard < plan.shards.size(); ++shard)
    for (const auto& path : shardConfigOf(plan, files, shard).outputs)
      plan.shards[shard].outputs.push_back(std::filesystem::path(path).filename().string());
  checkShards(plan, files);
  *text = std::move(cut.text);
  return plan;
}

int runPlan(const PlanArguments& arguments) {
  if (arguments.output.empty() || arguments.output == "-" || !arguments.output.ends_with(".json"))
    throw ConfigError("--output", "\"" + arguments.output + "\"", "a file name that ends in .json");
  OutputGuard guard;
  guard.claim({{"--output", arguments.output, OutputNeed::file}}, {{"CONFIG", arguments.configPath}});
  std::string text;
  Plan plan = makePlan(arguments, &text);
  cluster::writePlan(arguments.output, plan);
  const std::string problem = config::problemLabel(config::requireWorkload(plan.config), plan.config);
  if (arguments.json) {
    const Json record = {{"plan", arguments.output},  {"hash", plan.hash}, {"workload", plan.workload},
                         {"identity", plan.identity}, {"rule", plan.rule}, {"shards", plan.shards.size()},
                         {"program", plan.program}};
    writeOut(record.dump() + "\n");
    return kDone;
  }
  writeOut(fmt::format("{:<17} {}\n{:<17} {} {}\n{:<17} {}: {}\n{:<17} slicepool run {} --shard I\n", "plan",
                       arguments.output, "search", plan.workload, problem, "shards", plan.shards.size(), text,
                       "run", arguments.output));
  return kDone;
}

}  // namespace

Action addPlanCommand(CLI::App& app) {
  auto arguments = std::make_shared<PlanArguments>();
  app.add_option("CONFIG", arguments->configPath, "the run configuration of the whole search")
      ->type_name("FILE")
      ->required();
  app.add_option("--shards", arguments->shards, "parts to cut the search into, 1 to 100000")
      ->type_name("N")
      ->required();
  app.add_option("--output", arguments->output, "the plan; the files of its shards lie beside it")
      ->type_name("FILE")
      ->required();
  addAssignments(app, arguments->assignments,
                 "overrides a member of the configuration, such as element=3000; may be repeated");
  app.add_flag("--json", arguments->json, "print exactly one JSON object instead of a few lines");
  app.footer(
      "Examples:\n"
      "  slicepool plan search.json --shards 8 --output plan.json\n"
      "  slicepool run plan.json --shard 3\n"
      "  slicepool status plan.json\n"
      "  slicepool merge plan.json");
  return [arguments] { return runPlan(*arguments); };
}

}  // namespace slicepool::cli
