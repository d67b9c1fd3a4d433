// What a job system says and is told: the shard of the environment, and the batch script of a Slurm array.
#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "runtime/cluster/environment.hpp"
#include "runtime/cluster/slurm_script.hpp"
#include "support/text.hpp"
#include "unit/cluster/support.hpp"

using namespace slicepool;
using namespace slicepool::cluster;
using namespace slicepool::test;

namespace {

using Environment = std::map<std::string, std::string>;

auto reader(const Environment& environment) {
  return [&environment](const char* name) -> const char* {
    const auto entry = environment.find(name);
    return entry == environment.end() ? nullptr : entry->second.c_str();
  };
}

int ranksIn(const Environment& environment) {
  const auto found = ranksOfEnvironment(reader(environment));
  return found ? found->ranks : 0;
}

std::string shardIn(const Environment& environment) {
  const auto found = shardOfEnvironment(reader(environment));
  return found ? found->variable + "=" + found->value : "";
}

SlurmRequest smallRequest() {
  SlurmRequest request;
  request.program = "slicepool";
  request.planPath = "plan.json";
  request.stem = "plan";
  request.shards = 8;
  request.time = "2:00:00";
  request.gpus = 1;
  return request;
}

/// Whether bash can read it.
bool parses(const std::string& script) {
  const TemporaryFolder folder;
  writeText(folder.path("script"), script);
  return std::system(("bash -n " + folder.path("script")).c_str()) == 0;
}

std::string goldenPath() {
  const char* source = std::getenv("SLICEPOOL_SOURCE_DIR");
  REQUIRE(source != nullptr);
  return std::string(source) + "/tests/data/cluster/plan.sbatch";
}

}  // namespace

TEST_CASE("a launcher says how many ranks it has started, the nearest one first") {
  CHECK(ranksIn({}) == 0);
  CHECK(ranksIn({{"OMPI_COMM_WORLD_SIZE", "4"}}) == 4);
  CHECK(ranksIn({{"PMI_SIZE", "3"}}) == 3);
  CHECK(ranksIn({{"MV2_COMM_WORLD_SIZE", "2"}}) == 2);
  CHECK(ranksIn({{"SLURM_STEP_NUM_TASKS", "8"}}) == 8);
  // One rank of mpirun inside a step of many tasks.
  CHECK(ranksIn({{"SLURM_STEP_NUM_TASKS", "8"}, {"OMPI_COMM_WORLD_SIZE", "1"}}) == 1);
  CHECK(ranksIn({{"PMI_SIZE", "many"}, {"SLURM_STEP_NUM_TASKS", "8"}}) == 8);
  CHECK(ranksIn({{"PMI_SIZE", ""}}) == 0);
}

TEST_CASE("an array index says which shard, before the rank of a process") {
  CHECK(shardIn({}).empty());
  CHECK(shardIn({{"SLURM_ARRAY_TASK_ID", "3"}}) == "SLURM_ARRAY_TASK_ID=3");
  CHECK(shardIn({{"PBS_ARRAY_INDEX", "4"}}) == "PBS_ARRAY_INDEX=4");
  CHECK(shardIn({{"OMPI_COMM_WORLD_RANK", "5"}}) == "OMPI_COMM_WORLD_RANK=5");
  CHECK(shardIn({{"OMPI_COMM_WORLD_RANK", "5"}, {"SLURM_ARRAY_TASK_ID", "3"}}) == "SLURM_ARRAY_TASK_ID=3");
  CHECK(shardIn({{"OMPI_COMM_WORLD_RANK", "5"}, {"PBS_ARRAY_INDEX", "4"}}) == "PBS_ARRAY_INDEX=4");
  // Some sites export the variable empty outside of arrays.
  CHECK(shardIn({{"SLURM_ARRAY_TASK_ID", ""}, {"PBS_ARRAY_INDEX", "4"}}) == "PBS_ARRAY_INDEX=4");
  CHECK(environmentNames() == "SLURM_ARRAY_TASK_ID, PBS_ARRAY_INDEX or OMPI_COMM_WORLD_RANK");
}

TEST_CASE("time limits are those of sbatch") {
  CHECK(slurmTime("90") == 5400);
  CHECK(slurmTime("90:30") == 5430);
  CHECK(slurmTime("2:00:00") == 7200);
  CHECK(slurmTime("1-0") == 86'400);
  CHECK(slurmTime("1-2:30") == 86'400 + 9000);
  CHECK(slurmTime("1-02:30:15") == 86'400 + 9015);
  for (const char* none : {"", "0", "-", "1-", "-1", "1:", ":1", "1:2:3:4", "1-2:3:4:5", "2h", "1.5", "1 0",
                           "UNLIMITED", "99999999"})
    CHECK_MESSAGE(slurmTime(none) == 0, none);
}

TEST_CASE("the script for a plan is the one that was tried") {
  CHECK(slurmScript(smallRequest()) == contentOf(goldenPath()));
}

TEST_CASE("the line of the merge is for sh, in any path") {
  SlurmRequest request = smallRequest();
  request.program = "/opt/slice pool's/bin/slicepool";
  request.planPath = "Pl\u00e4ne/my \"plan\" $HOME `x` \\ 'y'.json";
  const std::string script = slurmScript(request);
  const std::string before = "--wrap ";
  const std::size_t begin = script.find(before) + before.size();
  const std::size_t end = script.find(") || {", begin);
  REQUIRE(end != std::string::npos);
  // bash makes the line of this word, as for sbatch; sh makes words of the line, as in a job.
  const TemporaryFolder folder;
  writeText(folder.path("bash"), "printf %s " + script.substr(begin, end - begin));
  REQUIRE(std::system(("bash " + folder.path("bash") + " > " + folder.path("line")).c_str()) == 0);
  writeText(folder.path("sh"), "printf '%s\\n' " + contentOf(folder.path("line")));
  REQUIRE(std::system(("sh " + folder.path("sh") + " > " + folder.path("words")).c_str()) == 0);
  CHECK(contentOf(folder.path("words")) == request.program + "\nmerge\n" + request.planPath + "\n");
}

TEST_CASE("bash reads every script") {
  SlurmRequest request = smallRequest();
  CHECK(parses(slurmScript(request)));
  request.program = "/opt/slice pool's/bin/slicepool";
  request.planPath = "my \"plan\" $HOME `x`.json";
  request.cpus = 16;
  request.memory = "8G";
  request.partition = "gpu";
  request.account = "a-1";
  request.atOnce = 4;
  request.signalSeconds = 300;
  const std::string script = slurmScript(request);
  CHECK(parses(script));
  for (const char* line :
       {"#SBATCH --array=0-7%4\n", "#SBATCH --cpus-per-task=16\n", "#SBATCH --mem=8G\n",
        "#SBATCH --partition=gpu\n", "#SBATCH --account=a-1\n", "#SBATCH --signal=B:USR1@300\n",
        "#SBATCH --requeue\n", "#SBATCH --open-mode=append\n", " --threads 16 "})
    CHECK_MESSAGE(contains(script, line), line);
  CHECK(contains(script, "program='/opt/slice pool'\\''s/bin/slicepool'"));
  CHECK(contains(script, "checkpoint=plan-$shard.checkpoint\n"));
  request.planPath = "/data/my plans/plan.json";
  CHECK(contains(slurmScript(request), "checkpoint='/data/my plans/plan'-$shard.checkpoint\n"));
}
