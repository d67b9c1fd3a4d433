// `slicepool slurm`: a plan -> the batch script that runs it as a job array.
#include <algorithm>
#include <filesystem>

#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/options.hpp"
#include "runtime/app/config/json.hpp"
#include "runtime/cluster/plan.hpp"
#include "runtime/cluster/slurm_script.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

using cluster::SlurmRequest;

struct SlurmArguments {
  std::string planPath, time, memory, partition, account;
  std::string gpus = "0", cpus = "0", atOnce = "0", signalSeconds = "120";
  std::string program = "slicepool";
};

std::uint64_t numberOf(const std::string& text, const std::string& option, std::uint64_t low,
                       std::uint64_t high) {
  return config::requireUnsigned(integerValue(text), option, low, high);
}

/// These stand in a line of #SBATCH, where a blank would begin another option.
std::string plainWord(const std::string& text, const std::string& field) {
  const auto harmless = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == ',';
  };
  if (!text.empty() && !std::all_of(text.begin(), text.end(), harmless))
    throw ConfigError(field, config::describeValue(config::Json(text)),
                      "letters, digits, and any of _ - . ,");
  return text;
}

SlurmRequest requestOf(const SlurmArguments& arguments) {
  const cluster::Plan plan = cluster::readPlan(arguments.planPath);
  cluster::requireProgram(plan, arguments.planPath);
  constexpr std::uint64_t kMaximum = 1U << 20U;
  SlurmRequest request;
  request.program = arguments.program;
  if (request.program.empty()) throw ConfigError("--program", "\"\"", "the name or path of slicepool");
  // The script gives it to the program, which must not take it for an option.
  request.planPath = (arguments.planPath.starts_with('-') ? "./" : "") + arguments.planPath;
  request.stem = plainWord(plan.stem, "the name of the plan");
  request.shards = plan.shards.size();
  request.time = arguments.time;
  const std::uint64_t seconds = cluster::slurmTime(request.time);
  if (seconds == 0) {
    throw ConfigError("--time", config::describeValue(config::Json(request.time)),
                      "a time limit above 0 as sbatch takes it: M, M:S, H:M:S, D-H, D-H:M or D-H:M:S");
  }
  request.gpus = numberOf(arguments.gpus, "--gpus", 0, kMaximum);
  request.cpus = numberOf(arguments.cpus, "--cpus", 0, 4096);
  request.atOnce = numberOf(arguments.atOnce, "--at-once", 0, kMaximum);
  constexpr std::uint64_t kMaximumSignal = 65'535;  // sbatch takes no more
  request.signalSeconds = numberOf(arguments.signalSeconds, "--signal-seconds", 1, kMaximumSignal);
  // Slurm may send the signal a minute early; a task must have time to get on.
  const std::uint64_t mostOfLimit = std::max<std::uint64_t>(seconds / 2, 1);
  if (request.signalSeconds > mostOfLimit) {
    throw ConfigError("--signal-seconds",
                      arguments.signalSeconds + " with a time limit of " + std::to_string(seconds) + " s",
                      "1 to " + std::to_string(mostOfLimit) + ", half of the time limit");
  }
  request.memory = plainWord(arguments.memory, "--memory");
  request.partition = plainWord(arguments.partition, "--partition");
  request.account = plainWord(arguments.account, "--account");
  return request;
}

}  // namespace

Action addSlurmCommand(CLI::App& app) {
  auto arguments = std::make_shared<SlurmArguments>();
  auto& a = *arguments;
  app.add_option("PLAN", a.planPath, "a plan, as slicepool plan writes it")->type_name("FILE")->required();
  app.add_option("--time", a.time, "time limit of a task; a shard that needs more goes on in the next one")
      ->type_name("H:M:S")
      ->required();
  app.add_option("--gpus", a.gpus, "GPUs of a task (default 0)")->type_name("N");
  app.add_option("--cpus", a.cpus, "CPUs of a task (default: what the site gives)")->type_name("N");
  app.add_option("--memory", a.memory, "memory of a task (default: what the site gives)")->type_name("SIZE");
  app.add_option("--partition", a.partition, "partition (default: the site's)")->type_name("NAME");
  app.add_option("--account", a.account, "account (default: the site's)")->type_name("NAME");
  app.add_option("--at-once", a.atOnce, "tasks that run at the same time (default: no bound)")
      ->type_name("N");
  app.add_option("--signal-seconds", a.signalSeconds,
                 "time between the signal to save and the time limit, at most half of it (default 120)")
      ->type_name("N");
  app.add_option("--program", a.program, "slicepool on the nodes (default slicepool)")->type_name("FILE");
  app.footer(
      "bash SCRIPT submits the array and the merge that waits for it; sbatch SCRIPT the array alone.\n"
      "Example:\n"
      "  slicepool slurm plan.json --time 2:00:00 --gpus 1 > plan.sbatch\n"
      "  bash plan.sbatch");
  return [arguments] {
    writeOut(cluster::slurmScript(requestOf(*arguments)));
    return static_cast<int>(kDone);
  };
}

}  // namespace slicepool::cli
