// Which shard of a plan this process is to run, where the job system says so. Called by `slicepool run PLAN`.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace slicepool::cluster {

struct EnvironmentShard {
  std::string variable;  ///< "SLURM_ARRAY_TASK_ID"
  std::string value;     ///< as it stands there
};

/// The first of SLURM_ARRAY_TASK_ID, PBS_ARRAY_INDEX and OMPI_COMM_WORLD_RANK that is set and not empty.
/// `get` is std::getenv, or a test's.
[[nodiscard]] std::optional<EnvironmentShard> shardOfEnvironment(
    const std::function<const char*(const char*)>& get);

/// Their names, for messages.
[[nodiscard]] std::string environmentNames();

}  // namespace slicepool::cluster
