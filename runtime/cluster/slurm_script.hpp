// The batch script that runs a plan as a Slurm job array. Called by `slicepool slurm`.
#pragma once

#include <cstdint>
#include <string>

namespace slicepool::cluster {

struct SlurmRequest {
  std::string program;   ///< path of slicepool on the nodes
  std::string planPath;  ///< as the jobs see it
  std::string stem;      ///< names of the logs: STEM-0.log, ..
  std::uint64_t shards = 1;
  std::string time;                   ///< limit of a task: slurmTime() accepts it
  std::uint64_t gpus = 0;             ///< of a task
  std::uint64_t cpus = 0;             ///< of a task; 0: what the site gives
  std::string memory;                 ///< of a task, such as "16G"; empty: what the site gives
  std::string partition;              ///< empty: the default
  std::string account;                ///< empty: the default
  std::uint64_t atOnce = 0;           ///< tasks that run at the same time; 0: no bound
  std::uint64_t signalSeconds = 120;  ///< between the signal and the time limit
};

/// Seconds of a time limit as sbatch takes it (M, M:S, H:M:S, D-H, D-H:M, D-H:M:S); 0: it is none.
[[nodiscard]] std::uint64_t slurmTime(const std::string& text);

/// A bash script. `bash SCRIPT` submits it as an array and the merge that waits for all of its tasks; `sbatch
/// SCRIPT` submits the array alone. A task gets SIGUSR1 before its limit, saves, and is put into the queue
/// again; one whose node fails is requeued by Slurm and goes on from its last checkpoint. One that is
/// cancelled, or has saved nothing when the limit comes, is not.
[[nodiscard]] std::string slurmScript(const SlurmRequest& request);

}  // namespace slicepool::cluster
