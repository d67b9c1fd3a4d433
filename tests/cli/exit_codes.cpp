// Every documented exit code of the command, and the one-line form of its errors.
#include <doctest/doctest.h>

#include "command_runner.hpp"

using namespace slicepool::test;

namespace {

/// One line "slicepool: error: FIELD: got VALUE; accepted: ..." and nothing on standard output.
void checkBadInput(const CommandResult& result, const std::string& field) {
  CAPTURE(result.err);
  CHECK(result.code == 2);
  CHECK(result.out.empty());
  CHECK(result.err.rfind("slicepool: error: " + field, 0) == 0);
  CHECK(contains(result.err, ": got "));
  CHECK(contains(result.err, "; accepted: "));
  CHECK(result.err.find('\n') == result.err.size() - 1);
}

const std::string kBig = "13,37,38,40,41,42,43,44";  // with n = 3600: minutes on a few cores

}  // namespace

TEST_CASE("exit 0: counts, an unreachable element and n = 0") {
  CHECK(factorizations("6,9,20", "60").code == 0);
  const auto unreachable = factorizations("6,9,20", "43", {"--json"});
  CHECK(unreachable.code == 0);
  CHECK(onlyObject(unreachable.out)["count"] == 0);
  CHECK(onlyObject(factorizations("6,9,20", "0", {"--json"}).out)["count"] == 1);
  CHECK(onlyObject(factorizations("13,37,38,40", "20000", {"--json"}).out)["count"] == 1841247);
  for (const char* word : {"--help", "--version", "info", "man"}) {
    CHECK(runCommand({word}).code == 0);
  }
  for (const char* shell : {"bash", "zsh", "fish"}) {
    CHECK(contains(runCommand({"completion", shell}).out, "tabulated-dimension"));
  }
}

TEST_CASE("exit 2: bad numbers name the field") {
  checkBadInput(factorizations("6,9,20", "-5"), "element");
  checkBadInput(factorizations("6,9,20", "1.5"), "element");
  checkBadInput(factorizations("6,9,20", "abc"), "element");
  checkBadInput(factorizations("6,9,20", "9223372036854775808"), "element");
  checkBadInput(factorizations("6,9,20", "99999999999999999999999"), "element");
  checkBadInput(factorizations("6,0,20", "60"), "generators[1]");
  checkBadInput(factorizations("6,-9,20", "60"), "generators[1]");
  checkBadInput(factorizations("6,,20", "60"), "generators[1]");
  checkBadInput(factorizations("", "60"), "generators");
  checkBadInput(factorizations("6,9223372036854775808", "60"), "generators[1]");
  checkBadInput(runCommand({"factorizations", "--element", "60"}), "generators");
  checkBadInput(factorizations("6,9", "60", {"--threads", "-1"}), "engine.threads");
  checkBadInput(factorizations("6,9", "60", {"--block-size", "33"}), "engine.block_size");
  checkBadInput(factorizations("6,9", "60", {"--memory-limit", "much"}), "engine.memory_limit");
  checkBadInput(factorizations("6,9", "60", {"--time-limit", "0"}), "time_limit_seconds");
  checkBadInput(factorizations("6,9", "60", {"--step-limit", "0"}), "engine.step_limit");
  checkBadInput(factorizations("6,9", "60", {"--tabulated-dimension", "3"}), "tabulated_dimension");
}

TEST_CASE("exit 2: unknown words and contradictions") {
  const auto unknown = factorizations("6,9", "60", {"--elemnt", "7"});
  checkBadInput(unknown, "--elemnt");
  CHECK(contains(unknown.err, "nearest: --element"));
  checkBadInput(runCommand({"factorisations"}), "factorisations");
  checkBadInput(runCommand({}), "command");
  checkBadInput(factorizations("6,9", "60", {"--mode", "fast"}), "engine.mode");
  checkBadInput(factorizations("6,9", "60", {"--sink", "first:0"}), "sink");
  checkBadInput(factorizations("6,9", "60", {"--sink", "any:a3 >= 1"}), "sink");
  checkBadInput(factorizations("6,9", "60", {"--sink", "rows", "--output", "-", "--json"}), "--json");
  checkBadInput(factorizations("6,9", "60", {"--sink", "rows", "--output", "x.txt"}), "output");
  checkBadInput(factorizations("6,9", "60", {"--output", "x.csv"}), "output");
  checkBadInput(factorizations("6,9", "60", {"--gpu-profile", "low", "--gpu-budget", "5"}),
                "engine.gpu_budget");
  checkBadInput(factorizations("6,9", "60", {"--mode", "cpu", "--emulated-lanes", "5"}), "engine.emulated");
  checkBadInput(factorizations("6,9", "60", {"--algorithm", "ranked", "--tabulated-dimension", "1"}),
                "tabulated_dimension");
}

TEST_CASE("exit 2: a JSON configuration with an unknown key names the nearest known one") {
  const TemporaryFolder folder;
  const std::string path = folder.path("run.json");
  std::ofstream(path)
      << R"({"workload": "factorizations", "generators": [6, 9], "element": 60, "engine": {"thraeds": 2}})";
  const auto result = runCommand({"run", path});
  checkBadInput(result, "engine.thraeds");
  CHECK(contains(result.err, "nearest known key \"threads\""));
  std::ofstream(path) << "{\"workload\": ";
  checkBadInput(runCommand({"run", path}), path);
  checkBadInput(runCommand({"run", folder.path("missing.json")}), folder.path("missing.json"));
}

TEST_CASE("exit 3: modes that need a GPU without one") {
  const NoGpus none;
  for (const char* mode : {"gpu", "hybrid"}) {
    const auto result = factorizations("6,9", "60", {"--mode", mode});
    CHECK(result.code == 3);
    CHECK(result.out.empty());
    CHECK(contains(result.err, "slicepool: error: "));
  }
}

TEST_CASE("exit 4: rows that do not fit the memory limit are refused with the sizes") {
  const auto result = factorizations("13,37,38,40", "45000", {"--sink", "rows", "--memory-limit", "1MB"});
  CHECK(result.code == 4);
  CHECK(result.out.empty());
  CHECK(contains(result.err, "1000000"));
}

TEST_CASE("exit 5 with a checkpoint, exit 1 without one, when the time or the steps are over") {
  const TemporaryFolder folder;
  const std::vector<std::string> request = {"--algorithm", "candidate", "--sink", "fingerprint",
                                            "--mode",      "cpu",       "--json"};
  auto timed = request;
  timed.insert(timed.end(), {"--time-limit", "0.2"});  // of minutes
  CHECK(contains(factorizations(kBig, "3600", timed).err, "stopped by the time limit"));
  auto options = request;
  options.insert(options.end(), {"--step-limit", "1000000"});
  const auto plain = factorizations(kBig, "3600", options);
  CHECK(contains(plain.err, "stopped by the step limit"));
  CHECK(plain.code == 1);
  const auto partial = onlyObject(plain.out);
  CHECK(partial["status"] == "stopped");
  CHECK(partial.contains("partial_count"));
  CHECK_FALSE(partial.contains("count"));
  CHECK(contains(plain.err, "partial"));

  auto saving = options;
  saving.insert(saving.end(), {"--checkpoint", folder.path("c.ckpt")});
  CHECK(factorizations(kBig, "3600", saving).code == 5);
  CHECK(std::filesystem::exists(folder.path("c.ckpt")));
}

TEST_CASE("exit 5 on SIGINT and SIGTERM, with a checkpoint") {
  for (const int number : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder;
    RunningCommand command({"factorizations", "--generators", kBig, "--element", "3600", "--algorithm",
                            "candidate", "--sink", "fingerprint", "--mode", "cpu", "--checkpoint",
                            folder.path("c.ckpt"), "--progress", "jsonl"});
    waitUntil([&] { return contains(command.errorsSoFar(), "\n"); });  // it runs once it reports progress
    command.signal(number);
    const auto result = command.wait();
    CHECK(result.code == 5);
    CHECK(std::filesystem::exists(folder.path("c.ckpt")));
    const auto firstLine = nlohmann::json::parse(result.err.substr(0, result.err.find('\n')));
    CHECK(firstLine.contains("steps_per_second"));
  }
}
