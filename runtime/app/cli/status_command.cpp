// `slicepool status`: how far the shards of a plan are.
#include <fmt/format.h>
#include <boost/multiprecision/cpp_int.hpp>

#include "runtime/app/cli/commands.hpp"
#include "runtime/app/config/json.hpp"
#include "runtime/app/report/record.hpp"
#include "runtime/cluster/survey.hpp"
#include "runtime/io/shown.hpp"

namespace slicepool::cli {
namespace {

using cluster::Plan;
using cluster::ShardState;
using cluster::Survey;
using config::Json;

/// In the order of the report.
constexpr std::array<ShardState, cluster::kShardStates> kStates = {
    ShardState::done, ShardState::running, ShardState::interrupted, ShardState::missing, ShardState::damaged};

struct ShardSums {
  boost::multiprecision::cpp_int count;
  double seconds = 0;
};

ShardSums sumsOf(const Survey& survey) {
  ShardSums sums;
  for (const auto& shard : survey.shards) {
    if (!shard.count.empty()) sums.count += boost::multiprecision::cpp_int(shard.count);
    sums.seconds += shard.seconds;
  }
  return sums;
}

std::string jsonText(const std::string& path, const Plan& plan, const Survey& survey) {
  const ShardSums sums = sumsOf(survey);
  Json record = {{"plan", path}, {"workload", plan.workload}, {"shards", plan.shards.size()}};
  for (const ShardState state : kStates)
    record[cluster::stateName(state)] = survey.numbers.at(static_cast<std::size_t>(state));
  record["count_so_far"] = exactNumber(sums.count.str());
  record["seconds"] = sums.seconds;
  Json others = Json::array();
  for (std::size_t shard = 0; shard < survey.shards.size(); ++shard) {
    const auto& facts = survey.shards[shard];
    if (facts.state == ShardState::done) continue;
    others.push_back({{"shard", shard}, {"state", cluster::stateName(facts.state)}, {"why", facts.why}});
  }
  record["not_done"] = std::move(others);
  return record.dump() + "\n";
}

std::string readableText(const std::string& path, const Plan& plan, const Survey& survey) {
  const ShardSums sums = sumsOf(survey);
  std::string text = fmt::format("{:<17} {}, {} shards\n", path, plan.workload, plan.shards.size());
  for (const ShardState state : kStates) {
    const auto shards = survey.in(state);
    if (shards.empty()) continue;
    text += fmt::format("{:<17} {}", cluster::stateName(state), shards.size());
    if (state == ShardState::done) {
      text += fmt::format(", count so far {}, {} of enumeration", sums.count.str(),
                          report::shortSeconds(sums.seconds));
    } else {
      text += ": " + numberList(shards);
    }
    text += "\n";
    for (const auto shard : shards)
      if (state != ShardState::done && !survey.shards[shard].why.empty())
        text += fmt::format("  {:<15} {}\n", shard, survey.shards[shard].why);
  }
  return text;
}

}  // namespace

Action addStatusCommand(CLI::App& app) {
  struct State {
    std::string path;
    bool json = false;
  };
  auto state = std::make_shared<State>();
  app.add_option("PLAN", state->path, "a plan, as slicepool plan writes it")->type_name("FILE")->required();
  app.add_flag("--json", state->json, "print exactly one JSON object instead of a few lines");
  app.footer(
      "done: its record is there. running: a live process has its lease. interrupted: its checkpoint is "
      "there\n"
      "and no process works on it. Outputs are compared with their records by slicepool merge.\n"
      "Example:\n  slicepool status plan.json");
  return [state] {
    const Plan plan = cluster::readPlan(state->path);
    const Survey survey = cluster::surveyPlan(plan, cluster::PlanFiles(state->path, plan.stem));
    writeOut(state->json ? jsonText(state->path, plan, survey) : readableText(state->path, plan, survey));
    return static_cast<int>(kDone);
  };
}

}  // namespace slicepool::cli
