// Every documented exit code of the command, and the one-line form of its errors.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "cli/command_runner.hpp"

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
  for (const char* word : {"--help", "--version", "info", "man"}) CHECK(runCommand({word}).code == 0);
  for (const char* shell : {"bash", "zsh", "fish"})
    CHECK(contains(runCommand({"completion", shell}).out, "tabulated-dimension"));
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
  CHECK(unknown.code == 2);
  CHECK(unknown.err ==
        "slicepool: error: unknown option --elemnt; see slicepool factorizations --help (nearest: "
        "--element)\n");
  CHECK(runCommand({"factorisations"}).err ==
        "slicepool: error: unknown command factorisations; see slicepool --help (nearest: factorizations)\n");
  CHECK(runCommand({"semigroup", "--named", "full:3", "--output", "x"}).err ==
        "slicepool: error: unknown option --output; see slicepool semigroup --help\n");
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
  checkBadInput(result, path + ": engine.thraeds");
  CHECK(contains(result.err, "nearest known key \"threads\""));
  std::ofstream(path) << "{\"workload\": ";
  checkBadInput(runCommand({"run", path}), path);
  checkBadInput(runCommand({"run", folder.path("missing.json")}), folder.path("missing.json"));
}

TEST_CASE("exit 2: the record of a run is neither a run nor a sweep, and is called what it is") {
  const TemporaryFolder folder;
  const std::string path = folder.path("record.json");
  std::ofstream(path) << factorizations("6,9,20", "60", {"--json"}).out;
  const std::string message = path + ": got the record of a run";
  checkBadInput(runCommand({"run", path}), message);
  checkBadInput(runCommand({"sweep", path}), message);
  checkBadInput(runCommand({"plan", path, "--shards", "2", "--output", folder.path("plan.json")}), message);
}

TEST_CASE("exit 2: input of any length and depth ends with a short message") {
  const TemporaryFolder folder;
  const std::string digits(30'000, '9');
  checkBadInput(factorizations("6,9,20", digits), "element");
  checkBadInput(factorizations("6,9,20", "60", {"--row-at", digits}), "row_at");
  checkBadInput(factorizations("6,9,20", "60", {"--rank-range", "0:" + digits}), "rank_range");
  checkBadInput(factorizations("6,9,20", "60", {"--memory-limit", digits}), "engine.memory_limit");
  checkBadInput(factorizations("6,9,20", "60", {"--cpu-budget", digits}), "engine.cpu_budget");
  std::string predicate = "any:a1";
  for (int i = 0; i < 10'000; ++i) predicate += "+a1";
  CHECK(factorizations("6,9,20", "60", {"--sink", predicate + ">=5"}).code == 0);
  const std::string path = folder.path("nest.json");
  std::ofstream(path) << R"({"workload": "factorizations", "generators": [6, 9], "element": )"
                      << std::string(48'000, '[') << std::string(48'000, ']') << "}";
  checkBadInput(runCommand({"run", path}), path);
  checkBadInput(runCommand({"sweep", path, "--list"}), path);
  checkBadInput(runCommand({"semigroup", "--generators", path}), path);
  std::ofstream(path) << R"({"workload": "factorizations", "generators": [6, 9], "element": 1e400})";
  checkBadInput(runCommand({"run", path}), path + ": element: got 1e400");
  checkBadInput(runCommand({"run", folder.path("")}), folder.path(""));
}

TEST_CASE("exit 2: an option with an empty value is named, and nothing is taken for its value") {
  const TemporaryFolder folder;
  checkBadInput(runCommand({"semigroup", "--named", "full:3", "--words=", folder.path("w")}), "--words");
  checkBadInput(runCommand({"three-in-line", "-n", "5", "--checkpoint=", "--threads", "1"}), "--checkpoint");
  CHECK_FALSE(std::filesystem::exists(folder.path("w")));
}

TEST_CASE("numbers are taken at their documented width") {
  for (const char* seed : {"9223372036854775808", "18446744073709551615"}) {
    const auto drawn = factorizations("6,9,20", "60", {"--sample", "2", "--seed", seed, "--json"});
    CHECK(drawn.code == 0);
    CHECK(onlyObject(drawn.out)["sample"]["seed"] == seed);
  }
  const TemporaryFolder folder;
  const std::string path = folder.path("run.json");
  std::ofstream(path)
      << R"({"workload": "factorizations", "element": 10000, "row_at": 340282366920938463463374607431,
    "generators": [20,19,18,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,2,1]})";
  const auto row = runCommand({"run", path, "--json"});
  CHECK(row.code == 0);
  CHECK(onlyObject(row.out)["row_at"] == "340282366920938463463374607431");
  checkBadInput(runCommand({"lattice", "--basis", "[[1]]", "--gh-factor", "nan"}), "gh_factor: got \"nan\"");
}

TEST_CASE("a signal or the time limit stops a set-up that would take minutes") {
  // 64 * 1048576 boards of the frontier of n = 32 are beyond every machine's patience or memory.
  const std::vector<std::string> command = {
      "three-in-line", "-n", "32", "--shards", "1048576", "--shard", "3", "--memory-limit", "100GiB"};
  auto talking = command;
  talking.insert(talking.end(), {"--progress", "jsonl"});
  RunningCommand running(talking);
  // Before it says where it is it may not catch signals yet.
  waitUntil([&] { return contains(running.errorsSoFar(), "\"phase\":\"cutting\""); });
  running.signal(SIGINT);
  const auto stopped = running.wait();
  CHECK(stopped.code == 1);
  CHECK(contains(stopped.err, "stopped by a signal while the search was set up; nothing was searched"));

  auto limited = command;
  limited.insert(limited.end(), {"--time-limit", "0.01"});
  const auto over = runCommand(limited);
  CHECK(over.code == 1);
  CHECK(contains(over.err, "stopped by the time limit while the search was set up"));
}

TEST_CASE(
    "exit 4: generators and frontiers that do not fit the memory limit are refused before they are made") {
  const auto renner = runCommand({"semigroup", "--named", "renner:10", "--memory-limit", "1GiB"});
  CHECK(renner.code == 4);
  CHECK(contains(renner.err, "named: the generators of renner:10 take 8951 MiB"));
  const auto shards = runCommand(
      {"three-in-line", "-n", "20", "--shards", "1048576", "--shard", "3", "--memory-limit", "1MiB"});
  CHECK(shards.code == 4);
  CHECK(contains(shards.err, "shards: "));
}

TEST_CASE("threads that the system does not grant are a limit, not an abort") {
  const TemporaryFolder folder;
  for (const char* threads : {"64", "1000", "4096"}) {
    const std::string command =
        "ulimit -v 4000000; '" + commandPath() +
        "' factorizations --generators 13,37,38,40 --element 20000 --algorithm candidate "
        "--sink fingerprint --threads " +
        threads + " > /dev/null 2> '" + folder.path("err") + "'";
    const int status = std::system(command.c_str());
    CAPTURE(contentOf(folder.path("err")));
    CHECK(WIFEXITED(status));
    CHECK((WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 4));
    if (WEXITSTATUS(status) == 4) CHECK(contains(contentOf(folder.path("err")), "threads: "));
  }
}

TEST_CASE("exit 2: a checkpoint of an output that is written in place, which no resume could continue") {
  const TemporaryFolder folder;
  for (const char* name : {"p.csv", "p.txt"}) {
    const std::string pipe = folder.path(name);
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const bool rows = pipe.ends_with(".csv");
    for (const std::string& output : {std::string("-"), pipe}) {
      std::vector<std::string> words = {"factorizations", "--generators", "6,9,20", "--element", "500",
                                        "--sink",         "rows"};
      if (!rows)
        words = {"lattice",          "--basis", "[[3 1][-2 3]]", "--reduce", "none",
                 "--squared-radius", "20",      "--solutions",   "all"};
      words.insert(words.end(), {"--output", output, "--checkpoint", folder.path("c")});
      const auto result = runCommand(words);
      CAPTURE(output);
      checkBadInput(result, "checkpoint");
      CHECK(contains(result.err, output == "-" ? "output" : "with an output that is written in place"));
    }
  }
  CHECK_FALSE(std::filesystem::exists(folder.path("c")));
}

TEST_CASE("exit 4: help and version that cannot be written") {
  CHECK(runCommand({"--help"}, 1).code == 4);
  CHECK(runCommand({"--version"}, 1).code == 4);
  CHECK(runCommand({"lattice", "--help"}, 1).code == 4);
}

TEST_CASE("help has the examples of its own command only") {
  CHECK(contains(runCommand({"--help"}).out, "slicepool three-in-line -n 8"));
  const auto info = runCommand({"info", "--help"});
  CHECK(contains(info.out, "Exit codes: 0 done"));
  CHECK_FALSE(contains(info.out, "Examples"));
  CHECK(contains(runCommand({"lattice", "--help"}).out, "Examples:\n  slicepool lattice "));
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
