// See plan_shard.hpp.
#include "runtime/app/cli/plan_shard.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "runtime/app/cli/hidden_gpus.hpp"
#include "runtime/app/cli/signals.hpp"
#include "runtime/app/cli/watched_run.hpp"
#include "runtime/app/config/workloads.hpp"
#include "runtime/cluster/environment.hpp"
#include "runtime/cluster/lease.hpp"
#include "runtime/cluster/part.hpp"
#include "runtime/cluster/survey.hpp"
#include "runtime/core/kept_values.hpp"
#include "runtime/io/durable_file.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/build_info.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

using cluster::Lease;
using cluster::LeaseView;
using cluster::Plan;
using cluster::PlanFiles;
using cluster::ShardFacts;
using cluster::ShardState;
using config::Json;

/// A shard that this process may run.
struct Claim {
  std::uint64_t shard = 0;
  std::unique_ptr<Lease> lease;
};

std::string acceptedShards(const Plan& plan) {
  return fmt::format("0 to {}, any, or all", plan.shards.size() - 1);
}

/// The number that was given, or that the environment has; nothing: any.
std::optional<std::uint64_t> askedShard(const Plan& plan, const std::string& given) {
  std::string field = "--shard";
  std::string text = given;
  if (text.empty()) {
    const auto found = cluster::shardOfEnvironment([](const char* name) { return std::getenv(name); });
    if (!found) {
      throw ConfigError("--shard", "nothing",
                        acceptedShards(plan) + "; without it " + cluster::environmentNames() + " says which");
    }
    field = found->variable;
    text = found->value;
  } else if (text == "any") {
    return std::nullopt;
  }
  const auto number = exactUnsigned(Json(text));
  if (!number || *number >= plan.shards.size())
    throw ConfigError(field, config::describeValue(Json(text)), acceptedShards(plan));
  if (given.empty()) spdlog::info("shard {}, as {} says", *number, field);
  return *number;
}

std::chrono::seconds limitOf(const std::string& text) {
  if (text.empty()) return Lease::kDefaultLimit;
  constexpr std::uint64_t kMaximum = 30ULL * 86'400;
  return std::chrono::seconds(config::requireUnsigned(Json(text), "--lease-limit", 1, kMaximum));
}

void tellOfTakeover(std::uint64_t shard, const LeaseView& view) {
  if (view.state == cluster::LeaseState::stale)
    spdlog::info("shard {} is taken over from {}, {}", shard, view.holder, view.why);
}

/// Throws ConfigError where another run has the shard.
std::unique_ptr<Lease> claimOne(const PlanFiles& files, std::uint64_t shard, std::chrono::seconds limit) {
  LeaseView view;
  auto lease = Lease::take(files.lease(shard), limit, &view);
  if (lease == nullptr) {
    throw ConfigError(
        "--shard", fmt::format("{}, which {} is running", shard, view.holder),
        fmt::format("a shard that no other run has; this one when that run has ended, or {} is stale",
                    files.lease(shard)));
  }
  tellOfTakeover(shard, view);
  return lease;
}

/// The first shard from `first` on that is neither done nor running. Nothing: there is none. Throws
/// ConfigError when only damaged ones are left.
std::optional<Claim> claimAny(const Plan& plan, const PlanFiles& files, std::chrono::seconds limit,
                              std::uint64_t first = 0) {
  std::vector<std::uint64_t> damaged;
  for (std::uint64_t shard = first; shard < plan.shards.size(); ++shard) {
    const ShardState state = cluster::lookAtShard(plan, files, shard).state;
    if (state == ShardState::damaged) damaged.push_back(shard);
    if (state == ShardState::done || state == ShardState::running || state == ShardState::damaged) continue;
    LeaseView view;
    auto lease = Lease::take(files.lease(shard), limit, &view);
    if (lease == nullptr) continue;
    // Its run may have ended between the look and the lease.
    if (cluster::lookAtShard(plan, files, shard).state == ShardState::done) continue;
    tellOfTakeover(shard, view);
    spdlog::info("shard {} of {}", shard, plan.shards.size());
    return Claim{shard, std::move(lease)};
  }
  if (!damaged.empty()) {
    throw ConfigError(
        "--shard", "any, and the records of shards " + numberList(damaged) + " cannot be used",
        "records of this plan (slicepool status says why they are not): remove these, and run the shards "
        "again");
  }
  return std::nullopt;
}

/// Settings may say how a shard runs. What it searches is the plan's.
void requireSameSearch(const Json& planned, const Json& given) {
  static const std::vector<std::string> kHow = {"engine", "checkpoint",         "resume",
                                                "trace",  "time_limit_seconds", "description"};
  for (const Json* document : {&planned, &given}) {
    for (const auto& [key, value] : document->items()) {
      if (std::find(kHow.begin(), kHow.end(), key) != kHow.end()) continue;
      const bool same = planned.contains(key) && given.contains(key) && planned[key] == given[key];
      if (same) continue;
      throw ConfigError(
          key, given.contains(key) ? config::describeValue(given[key]) : "nothing",
          "settings of how a shard runs (engine, checkpoint, resume, trace, time limit): what it "
          "searches and writes is in the plan");
    }
  }
}

/// Refuses what would make the shard one of another search, and lets it go on by itself.
Json documentOf(const Plan& plan, const PlanFiles& files, std::uint64_t shard, const ShardRequest& request) {
  const Json planned = shardConfigOf(plan, files, shard).document;
  Json document = planned;
  request.settings(document);
  requireSameSearch(planned, document);
  if (!document.contains("checkpoint")) document["checkpoint"] = files.checkpoint(shard);
  if (!document.contains("resume")) document["resume"] = "auto";
  return document;
}

/// It was stopped for so long that another run took the shard. Where that run is over, the result here
/// counts.
void requireLease(const PlanFiles& files, Claim& claim, std::chrono::seconds limit) {
  if (claim.lease->isOurs()) return;
  LeaseView view;
  claim.lease = Lease::take(files.lease(claim.shard), limit, &view);
  if (claim.lease != nullptr) return;
  throw Error(fmt::format("shard {} was stopped for so long that {} has taken it; no record was written",
                          claim.shard, view.holder));
}

/// Describes the outputs of a run that is over, which takes as long as reading them.
void complete(const Plan& plan, const PlanFiles& files, Claim& claim, std::chrono::seconds limit,
              cluster::Part& part) {
  part.outputs.clear();
  for (const auto& path : shardConfigOf(plan, files, claim.shard).outputs)
    part.outputs.push_back(cluster::describeOutput(path));
  requireLease(files, claim, limit);
  // By a change of its name: beside a record there is nothing from which it could be made again.
  cluster::writePart(files.ended(claim.shard), part);
  cluster::placeEndedPart(files, claim.shard);
}

void record(const Plan& plan, const PlanFiles& files, Claim& claim, std::chrono::seconds limit,
            const Json& runRecord) {
  cluster::Part part;
  part.plan = plan.hash;
  part.program = build::kVersion;
  part.shard = claim.shard;
  part.shards = plan.shards.size();
  part.record = runRecord;
  requireLease(files, claim, limit);
  // The checkpoint is gone. A process that is killed from here on has not searched in vain.
  cluster::writePart(files.ended(claim.shard), part);
  complete(plan, files, claim, limit, part);
}

/// Its record, where an earlier run of the shard had ended and did not come to write it.
std::optional<Json> recordEnded(const Plan& plan, const PlanFiles& files, Claim& claim,
                                std::chrono::seconds limit) {
  auto part = cluster::endedPart(plan, files, claim.shard);
  if (!part) return std::nullopt;
  spdlog::info("shard {} was searched by an earlier run; its record is written now", claim.shard);
  complete(plan, files, claim, limit, *part);
  return part->record;
}

/// What is said of a shard that needs no run; nothing: it needs one. Reads its outputs.
std::optional<int> alreadyDone(const Plan& plan, const PlanFiles& files, std::uint64_t shard, bool json) {
  const ShardFacts facts = cluster::lookAtShard(plan, files, shard);
  if (facts.state == ShardState::damaged) {
    throw ConfigError(files.record(shard), "a record that cannot be used: " + facts.why,
                      "the record of this shard, or none: remove it, and run the shard again");
  }
  if (facts.state != ShardState::done) return std::nullopt;
  const cluster::Part part = cluster::readPart(files.record(shard));
  for (const auto& output : part.outputs) {
    const std::string problem = cluster::problemOfOutput(folderOf(files.record(shard)), output);
    if (problem.empty()) continue;
    throw ConfigError(files.record(shard), "a record of outputs that have changed: " + problem,
                      "the record of outputs that are whole, or none: remove it, and run the shard again");
  }
  spdlog::info("shard {} is done: {}", shard, files.record(shard));
  if (json) writeOut(part.record.dump() + "\n");
  return kDone;
}

void verifyShard(const Plan& plan, const PlanFiles& files, std::uint64_t shard) {
  if (const auto& verify = config::requireWorkload(plan.config).shards.verify)
    verify(shardOf(plan, files, shard));
}

/// False: it was stopped.
bool runQuietly(const Plan& plan, const PlanFiles& files, Claim& claim, std::chrono::seconds limit,
                const ShardRequest& request, const std::string& progress, const report::StopRequest& stop) {
  if (recordEnded(plan, files, claim, limit)) return true;
  verifyShard(plan, files, claim.shard);
  auto config =
      config::parseRunConfig(documentOf(plan, files, claim.shard, request), config::Strictness::single);
  hideOtherGpus(config.engine);
  const auto execution = executeWatched(config, progress, stop);
  if (!execution || !execution->run->finished()) return false;
  record(plan, files, claim, limit, recordOfRun(config, *execution));
  return true;
}

/// Every free shard, one after the other. Devices are started once, and the frontier is made once.
int runFreeShards(const Plan& plan, const PlanFiles& files, std::chrono::seconds limit,
                  const ShardRequest& request, const Display& display) {
  std::vector<std::uint64_t> ran;
  bool stopped = false;
  {
    report::StopRequest stop;
    const SignalWatcher signals(stop);
    const KeepValues kept;
    std::uint64_t next = 0;
    while (!stopped) {
      auto claim = claimAny(plan, files, limit, next);
      if (!claim) break;
      next = claim->shard + 1;
      stopped = stop.requested() || !runQuietly(plan, files, *claim, limit, request, display.progress, stop);
      if (!stopped) ran.push_back(claim->shard);
    }
  }
  const std::uint64_t done =
      cluster::surveyPlan(plan, files).numbers[static_cast<std::size_t>(ShardState::done)];
  const bool whole = done == plan.shards.size();
  if (display.json) {
    const char* status = whole ? "done" : stopped ? "stopped" : "others";
    const Json record = {{"status", status}, {"ran", ran}, {"done", done}, {"shards", plan.shards.size()}};
    writeOut(record.dump() + "\n");
  } else {
    writeOut(fmt::format("{:<17} {}{}\n{:<17} {} of {}\n", "ran", ran.size(),
                         ran.empty() ? "" : ": " + numberList(ran), "done", done, plan.shards.size()));
  }
  if (stopped) spdlog::info("stopped; the same command goes on");
  return stopped ? kStoppedWithCheckpoint : whole ? kDone : kNothingLeft;
}

}  // namespace

config::ShardOf shardOf(const Plan& plan, const PlanFiles& files, std::uint64_t shard) {
  return {plan.config, plan.rule, plan.shards[shard].share, shard, plan.shards.size(), files.of(shard)};
}

config::ShardConfig shardConfigOf(const Plan& plan, const PlanFiles& files, std::uint64_t shard) {
  return config::requireWorkload(plan.config).shards.shardConfig(shardOf(plan, files, shard));
}

void refuseNamesOfPlan(const Json& document, const std::string& prefix, const std::string& stem) {
  for (const auto& [key, value] : document.items()) {
    if (value.is_object()) refuseNamesOfPlan(value, prefix + key + ".", stem);
    if (!value.is_string() || !cluster::isOfPlan(value.get<std::string>(), stem)) continue;
    throw ConfigError(
        prefix + key, config::describeValue(value),
        fmt::format("a name that files of the plan do not have ({0}.json, {0}.record.json, {0}-0..)", stem));
  }
}

int runShard(const ShardRequest& request, const Display& display) {
  const Plan plan = cluster::readPlan(request.planPath);
  cluster::requireProgram(plan, request.planPath);
  const PlanFiles files(request.planPath, plan.stem);
  const auto limit = limitOf(request.leaseLimit);
  if (request.shard == "all") return runFreeShards(plan, files, limit, request, display);
  Claim claim;
  if (const auto asked = askedShard(plan, request.shard)) {
    claim.shard = *asked;
    if (const auto code = alreadyDone(plan, files, claim.shard, display.json)) return *code;
    claim.lease = claimOne(files, claim.shard, limit);
    if (const auto code = alreadyDone(plan, files, claim.shard, display.json)) return *code;
  } else {
    auto found = claimAny(plan, files, limit);
    if (!found) {
      spdlog::info("every shard of {} is done or running", request.planPath);
      if (display.json) writeOut("{\"status\":\"none\"}\n");
      return kNothingLeft;
    }
    claim = std::move(*found);
  }
  if (const auto ended = recordEnded(plan, files, claim, limit)) {
    if (display.json) writeOut(ended->dump() + "\n");
    return kDone;
  }
  verifyShard(plan, files, claim.shard);
  return runDocument(documentOf(plan, files, claim.shard, request), display,
                     [&](const Json& runRecord) { record(plan, files, claim, limit, runRecord); });
}

}  // namespace slicepool::cli
