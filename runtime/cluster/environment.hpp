// What a job system or a launcher of MPI has told this process: which shard of a plan it is to run
// (`slicepool run PLAN`), and how many ranks were started (`--cluster mpi`).
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

struct EnvironmentRanks {
  std::string variable;  ///< "PMI_SIZE"
  int ranks = 0;
};

/// How many ranks mpirun or srun has started, where it says so: OMPI_COMM_WORLD_SIZE (Open MPI), PMI_SIZE
/// (MPICH, Intel MPI), MV2_COMM_WORLD_SIZE (MVAPICH) or SLURM_STEP_NUM_TASKS (srun). An MPI that sees fewer
/// is another one than theirs. The first that is a number.
[[nodiscard]] std::optional<EnvironmentRanks> ranksOfEnvironment(
    const std::function<const char*(const char*)>& get);

}  // namespace slicepool::cluster
