// See rank_run.hpp.
#include "runtime/app/cli/rank_run.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string_view>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cpu_workers/core/cpu_workers.hpp"
#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/failure.hpp"
#include "runtime/cluster/mpi_module.hpp"
#include "runtime/cluster/placement.hpp"
#include "runtime/cluster/rank_search.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

/// Another rank could not prepare its search, and says so itself.
struct OtherRankFailed final : std::exception {
  explicit OtherRankFailed(int exitCode) : code(exitCode) {}
  [[nodiscard]] const char* what() const noexcept override { return "another rank failed"; }
  int code;
};

cpu_set_t affinity() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  (void)sched_getaffinity(0, sizeof mask, &mask);
  return mask;
}

std::uint64_t hashOfBytes(const void* bytes, std::size_t count) {
  return std::hash<std::string_view>{}({static_cast<const char*>(bytes), count});
}

void dealThreads(config::RunConfig& config, cluster::Transport& ranks, int neighbours) {
  const cpu_set_t mask = affinity();
  // Ranks that are bound have cores of their own; else all of them see the same ones.
  const bool same = ranks.sameOnMachine(hashOfBytes(&mask, sizeof mask));
  if (config.engine.threads != 0) return;
  const int cores = availableCores();
  config.engine.threads = std::max(1, same ? cores / neighbours : cores);
  const int machine = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const int used = same ? cores : cores * neighbours;
  if (ranks.rank() == 0 && used < machine) {
    spdlog::warn(
        "ranks are bound to {} of the {} cores of this machine: start them with --map-by ppr:1:node "
        "--bind-to none "
        "(Open MPI), --bind-to none (MPICH) or --cpus-per-task (srun)",
        used, machine);
  }
}

void dealGpus(const config::RunConfig& config, cluster::Transport& ranks,
              const cluster::Transport::Neighbours& near) {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string text = visible == nullptr ? "" : visible;
  // A job system may have given each rank its own.
  const bool same = ranks.sameOnMachine(hashOfBytes(text.data(), text.size()));
  const Mode mode = config.engine.mode;
  if (near.count == 1 || !same || config.engine.devices != 0 || mode == Mode::cpu || mode == Mode::emulated)
    return;
  const std::string own = cluster::gpusOfRank(cluster::gpusOfMachine(visible), near.count, near.place);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the threads of slicepool start with the run, later
  if (!own.empty()) setenv("CUDA_VISIBLE_DEVICES", own.c_str(), 1);
}

}  // namespace

void addCluster(CLI::App& app, std::string& cluster) {
  app.add_option(
         "--cluster", cluster,
         "mpi: the ranks that mpirun or srun has started share the search (default none: this process)")
      ->type_name("none|mpi")
      ->group("Workers");
}

std::shared_ptr<cluster::Transport> openCluster(const std::string& name) {
  if (name == "none") return nullptr;
  if (name != "mpi") throw ConfigError("--cluster", "\"" + name + "\"", "none, mpi");
  return cluster::openMpi();
}

namespace {

int exitCodeOfRank(cluster::Transport& ranks,
                   const std::function<int(const std::function<void()>& prepared)>& body) {
  const std::string who = ranks.rank() == 0 ? "" : fmt::format("rank {}: ", ranks.rank());
  bool agreed = false;
  int first = 0;
  const auto prepared = [&] {
    agreed = true;
    if (const int code = ranks.worst(kDone, first); code != kDone) throw OtherRankFailed(code);
  };
  try {
    const int code = body(prepared);
    return agreed ? code : ranks.worst(code, first);  // stopped before its search
  } catch (const OtherRankFailed& other) {
    return other.code;
  } catch (const cluster::LeadLost&) {
    const int code = reportFailure(std::current_exception(), who);
    // Every rank ends by itself: Open MPI 5.0 hangs now and then where several ranks abort a job. Where ranks
    // are not outlived, the end of each waits for all.
    if (!ranks.outlivesRanks()) ranks.abort(code);
    return code;
  } catch (...) {
    const auto error = std::current_exception();
    if (agreed) ranks.abort(reportFailure(error, who));
    const int code = ranks.worst(exitCodeOf(error), first);
    if (first == ranks.rank()) (void)reportFailure(error, who);
    return code;
  }
}

}  // namespace

int runOnRank(cluster::Transport& ranks,
              const std::function<int(const std::function<void()>& prepared)>& body) {
  if (ranks.rank() != 0) spdlog::set_level(spdlog::level::err);
  const int code = exitCodeOfRank(ranks, body);
  ranks.leave(code);
  return code;
}

void settle(config::RunConfig& config, const std::shared_ptr<cluster::Transport>& ranks) {
  config.engine.cluster = ranks;
  const cluster::Transport::Neighbours near = ranks->neighbours();
  dealThreads(config, *ranks, near.count);
  dealGpus(config, *ranks, near);
  if (ranks->rank() == 0) return;
  config.resumePath.clear();
  config.timeLimitSeconds.reset();
}

}  // namespace slicepool::cli
