// `slicepool run PLAN --shard I`: one shard of a plan, from its lease to its record. Called by `slicepool
// run`; `slicepool plan` and `slicepool recount` use the configuration of a shard.
#pragma once

#include <functional>
#include <string>

#include "runtime/app/cli/run_document.hpp"
#include "runtime/app/config/shard_rule.hpp"
#include "runtime/cluster/plan.hpp"

namespace slicepool::cli {

/// Refers to the plan, which must outlive it.
[[nodiscard]] config::ShardOf shardOf(const cluster::Plan& plan, const cluster::PlanFiles& files,
                                      std::uint64_t shard);

/// The configuration of one shard, without how it runs (threads, checkpoint).
[[nodiscard]] config::ShardConfig shardConfigOf(const cluster::Plan& plan, const cluster::PlanFiles& files,
                                                std::uint64_t shard);

/// Throws ConfigError when a text in the document is a name that files of the plan have: an output there
/// would replace the plan, a record or the output of a shard. `prefix`: of the names of members.
void refuseNamesOfPlan(const config::Json& document, const std::string& prefix, const std::string& stem);

struct ShardRequest {
  std::string planPath;
  std::string shard;       ///< a number, "any", "all", or empty: from the environment
  std::string leaseLimit;  ///< seconds, as text; empty: the default
  /// Options and --set: applied to the configuration of the shard. They may say how it runs, not what.
  std::function<void(config::Json&)> settings;
};

/// Claims, runs and records one shard, or, one after the other, all that are free; returns the exit code.
/// Throws ConfigError: no such shard, another run has it, a setting that changes what is searched.
[[nodiscard]] int runShard(const ShardRequest& request, const Display& display);

}  // namespace slicepool::cli
