// `--cluster mpi`: the same command on several ranks. All of them read the same options; the first one shows
// progress and the report and has the files. Called by run_document.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "runtime/app/config/run_config.hpp"
#include "runtime/cluster/transport.hpp"

namespace slicepool::cli {

/// The option. `cluster` must outlive the parse.
void addCluster(CLI::App& app, std::string& cluster);
/// The ranks that the option names; null: none. Throws ConfigError for another name, and where there is no
/// MPI.
[[nodiscard]] std::shared_ptr<cluster::Transport> openCluster(const std::string& name);

/// Calls `body` on this rank and returns its exit code. `body` calls the function that it gets when its
/// search is prepared: it waits for the others and throws where one of them could not prepare its own. An
/// error before that is told by the first rank that has it, and all ranks end with its code. A later one ends
/// the processes of all ranks.
[[nodiscard]] int runOnRank(cluster::Transport& ranks,
                            const std::function<int(const std::function<void()>& prepared)>& body);

/// What the ranks of one machine share: threads, where none are asked for, are dealt among them, and so are
/// GPUs, before the driver starts. Ranks other than the first have no files and no time limit. Every rank
/// calls it.
void settle(config::RunConfig& config, const std::shared_ptr<cluster::Transport>& ranks);

}  // namespace slicepool::cli
