// `slicepool run`: a file, and flags over it -> one JSON configuration -> a run. The file may be a plan, of
// which one shard is run.
#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/options.hpp"
#include "runtime/app/cli/plan_shard.hpp"
#include "runtime/app/cli/rank_run.hpp"
#include "runtime/app/cli/run_document.hpp"
#include "runtime/app/config/run_config.hpp"
#include "runtime/app/config/sweep_config.hpp"
#include "runtime/app/config/workloads.hpp"
#include "runtime/cluster/environment.hpp"
#include "runtime/cluster/plan.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

using config::Json;

/// Bad input that a file has brought.
class FileError : public Error {
 public:
  using Error::Error;
  [[nodiscard]] int exitCode() const noexcept override { return kBadInput; }
};

}  // namespace

Action addRunCommand(CLI::App& app) {
  struct State {
    OptionValues values;
    Display display;
    std::string path;
    std::vector<std::string> assignments;
    ShardRequest shard;
    CLI::Option* shardOption = nullptr;
    CLI::Option* leaseOption = nullptr;
  };
  auto state = std::make_shared<State>();
  app.add_option("CONFIG", state->path, "a run configuration, or a plan; docs/file-formats.md describes both")
      ->type_name("FILE")
      ->required();
  addAssignments(app, state->assignments, "overrides a member, such as engine.threads=4; may be repeated");
  state->shardOption =
      app.add_option("--shard", state->shard.shard,
                     "of a plan: the shard to run; any: the next one that is free; all: these, one after the "
                     "other (default: the environment's " +
                         cluster::environmentNames() + ")")
          ->type_name("I|any|all")
          ->group("Plan");
  state->leaseOption =
      app.add_option("--lease-limit", state->shard.leaseLimit,
                     "of a plan: another run may take the shard when this one was not seen for so long "
                     "(default 600)")
          ->type_name("SECONDS")
          ->group("Plan");
  state->values.add(app, optionsOfAll(config::workloads()));
  addCluster(app, state->display.cluster);
  addDisplay(app, state->display);
  app.footer(
      "Examples:\n"
      "  slicepool run request.json\n"
      "  slicepool run request.json --mode cpu --threads 4 --set element=30000 --json\n"
      "  slicepool run plan.json --shard 3");
  return [state] {
    Json document = config::readJsonFile(state->path);
    const auto apply = [state](Json& changed) {
      for (const auto& assignment : state->assignments) config::applyAssignment(changed, assignment);
      state->values.apply(changed);
    };
    if (cluster::looksLikePlan(document)) {
      if (state->display.cluster != "none")
        throw ConfigError("--cluster", "\"" + state->display.cluster + "\" with a plan",
                          "one of the two: the shards of a plan are searches of their own");
      state->shard.planPath = state->path;
      state->shard.settings = apply;
      return runShard(state->shard, state->display);
    }
    for (const CLI::Option* option : {state->shardOption, state->leaseOption}) {
      if (option->count() > 0)
        throw ConfigError(option->get_name(), "\"" + option->as<std::string>() + "\" without a plan",
                          "this only with a plan, as slicepool plan writes it");
    }
    config::refuseRecord(document, state->path);
    if (config::looksLikeSweep(document)) {
      throw ConfigError(state->path, "a sweep",
                        "a run configuration; for a sweep use: slicepool sweep " + state->path);
    }
    apply(document);
    try {
      return runDocument(document, state->display);
    } catch (const ConfigError& error) {
      throw FileError(state->path + ": " + error.what());
    }
  };
}

}  // namespace slicepool::cli
