// What the command prints and writes: one JSON object, the same bytes in every mode, checkpoint and resume,
// JSON configurations equal to flags.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "cli/command_runner.hpp"

using namespace slicepool::test;

TEST_CASE("--json prints exactly one object with the documented members, whatever else is printed") {
  const auto result = factorizations("13,37,38,40", "5000",
                                     {"--json", "--sink", "fingerprint", "--mode", "emulated",
                                      "--emulated-lanes", "64", "--progress", "jsonl", "--threads", "2"});
  CHECK(result.code == 0);
  const auto record = onlyObject(result.out);
  for (const char* key : {"workload",   "mode",          "algorithm", "algorithm_reason",
                          "parameters", "sink",          "count",     "counted_by_table",
                          "seconds",    "setup_seconds", "steps",     "splits",
                          "workers",    "fingerprint",   "memory",    "settings",
                          "warnings",   "machine",       "build",     "started"}) {
    CAPTURE(key);
    CHECK(record.contains(key));
  }
  CHECK(record["count"] == 29601);
  CHECK(record["mode"] == "emulated");
  CHECK(record["fingerprint"].get<std::string>().size() == 32);
  bool emulatedWorker = false;
  double share = 0;
  for (const auto& worker : record["workers"]) {
    emulatedWorker = emulatedWorker || worker["kind"] == "emulated";
    CHECK(worker["kind"] != "gpu");
    share += worker["share"].get<double>();
  }
  CHECK(emulatedWorker);
  CHECK(share == doctest::Approx(1.0));
}

TEST_CASE(
    "in mode auto the record and the report say what was chosen and why; other modes have nothing to say") {
  const NoGpus none;
  const std::string basis = std::string(std::getenv("SLICEPOOL_SOURCE_DIR")) + "/tests/data/lattices/e8.txt";
  const std::vector<std::vector<std::string>> runs = {
      {"factorizations", "--generators", "13,37,38,40", "--element", "5000", "--sink", "fingerprint"},
      {"factorizations", "--generators", "6,9,20", "--element", "60", "--sink", "rows"},
      {"three-in-line", "-n", "6"},
      {"lattice", "--basis", basis},
      {"semigroup", "--named", "full:3"},
      {"svp", "--basis", basis},
      {"reduce", "--basis", basis, "--bkz", "4"}};
  for (auto run : runs) {
    CAPTURE(run[0]);
    run.push_back("--json");
    const auto record = onlyObject(runCommand(run).out);
    CHECK(record["mode"] == "cpu");
    CHECK(record["auto"]["devices"] == false);
    CHECK(record["auto"]["reason"].get<std::string>().starts_with("there is no usable GPU: "));
    CHECK(record["auto"]["asked_seconds"].is_null());
    run.back() = "--threads=1";
    CHECK(contains(runCommand(run).out, "\nauto              CPU alone: there is no usable GPU: "));
    run.back() = "--mode=cpu";
    CHECK_FALSE(contains(runCommand(run).out, "\nauto "));
    run.push_back("--json");
    CHECK_FALSE(onlyObject(runCommand(run).out).contains("auto"));
  }
}

TEST_CASE("counts above 2^53 are decimal strings") {
  const auto record =
      onlyObject(factorizations("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "10000", {"--json"}).out);
  REQUIRE(record["count"].is_string());
  CHECK(record["count"].get<std::string>().size() > 16);
  CHECK(record["count"].get<std::string>().find_first_not_of("0123456789") == std::string::npos);
}

TEST_CASE("CSV rows are the same bytes in every mode and algorithm, in decreasing lexicographic order") {
  const auto expected = factorizations("6,9,20", "60", {"--sink", "rows", "--output", "-", "--mode", "cpu"});
  CHECK(expected.out == "10,0,0\n7,2,0\n4,4,0\n1,6,0\n0,0,3\n");
  CHECK(factorizations("6,9,20", "60", {"--sink", "rows", "--output", "-", "--header"}).out ==
        "a1,a2,a3\n" + expected.out);
  const auto large =
      factorizations("13,37,38,40", "4000", {"--sink", "rows", "--output", "-", "--mode", "cpu"});
  CHECK(std::count(large.out.begin(), large.out.end(), '\n') > 10000);
  for (const char* algorithm : {"candidate", "tabulated", "ranked"}) {
    for (const char* mode : {"cpu", "emulated"}) {
      CAPTURE(algorithm);
      CAPTURE(mode);
      const auto rows =
          factorizations("13,37,38,40", "4000",
                         {"--sink", "rows", "--output", "-", "--mode", mode, "--algorithm", algorithm});
      CHECK(rows.code == 0);
      CHECK((rows.out == large.out));
    }
  }
}

TEST_CASE("sinks report what they are asked for") {
  const auto lengths = onlyObject(factorizations("6,9,20", "60", {"--sink", "lengths", "--json"}).out);
  CHECK(lengths["lengths"] == nlohmann::json::parse("[[3,1],[7,1],[8,1],[9,1],[10,1]]"));
  CHECK(lengths["delta_set"] == nlohmann::json::parse("[1,4]"));
  CHECK(lengths["elasticity"] == nlohmann::json::parse("[10,3]"));
  const auto extremes = onlyObject(factorizations("6,9,20", "60", {"--sink", "extremes", "--json"}).out);
  CHECK(extremes["minimum_length"] == 3);
  CHECK(extremes["maximum_length"] == 10);
  CHECK(onlyObject(factorizations("6,9,20", "60", {"--sink", "coordinate-maxima", "--json"})
                       .out)["coordinate_maxima"] == nlohmann::json::parse("[10,6,3]"));
  CHECK(onlyObject(factorizations("6,9,20", "60", {"--sink", "first:2", "--json"}).out)["rows"] ==
        nlohmann::json::parse("[[10,0,0],[7,2,0]]"));
  CHECK(onlyObject(
            factorizations("6,9,20", "60", {"--sink", "any:a3 >= 3", "--json"}).out)["predicate_holds"] ==
        true);
  CHECK(onlyObject(
            factorizations("6,9,20", "60", {"--sink", "all:length <= 9", "--json"}).out)["predicate_holds"] ==
        false);
}

TEST_CASE("a run that was stopped and resumed gives the count and fingerprint of one that was not") {
  const TemporaryFolder folder;
  const std::string generators = "13,37,38,40,41,42,43,44";
  const std::vector<std::string> request = {"--algorithm", "candidate", "--no-modulo", "--sink",
                                            "fingerprint", "--mode",    "cpu",         "--json"};
  auto whole = onlyObject(factorizations(generators, "1500", request).out);
  CHECK(whole["count"] == 2740729);

  auto saving = request;
  saving.insert(saving.end(),
                {"--checkpoint", folder.path("c.ckpt"), "--step-limit", "1000000", "--cpu-budget", "1000"});
  const auto stopped = factorizations(generators, "1500", saving);
  REQUIRE(stopped.code == 5);
  auto resuming = request;
  resuming.insert(resuming.end(), {"--resume", folder.path("c.ckpt")});
  const auto resumed = onlyObject(factorizations(generators, "1500", resuming).out);
  CHECK(resumed["count"] == whole["count"]);
  CHECK(resumed["fingerprint"] == whole["fingerprint"]);
}

TEST_CASE("a checkpoint of another request is refused") {
  const TemporaryFolder folder;
  const std::vector<std::string> request = {"--algorithm", "candidate", "--sink",
                                            "fingerprint", "--mode",    "cpu"};
  auto saving = request;
  saving.insert(saving.end(), {"--checkpoint", folder.path("c.ckpt"), "--step-limit", "1000000"});
  REQUIRE(factorizations("13,37,38,40,41,42,43,44", "3600", saving).code == 5);
  auto resuming = request;
  resuming.insert(resuming.end(), {"--resume", folder.path("c.ckpt")});
  CHECK(factorizations("13,37,38,40,41,42,43,44", "3599", resuming).code == 2);
}

TEST_CASE("a search whose answer cannot be printed keeps its checkpoint, and gives the answer from it") {
  const TemporaryFolder folder;
  const std::string path = folder.path("c");
  const std::vector<std::string> searches[] = {
      {"three-in-line", "-n", "8", "--threads", "1", "--step-limit", "1000"},
      {"semigroup", "--named", "full:5", "--threads", "1", "--step-limit", "100"}};
  for (const std::vector<std::string>& search : searches) {
    std::vector<std::string> words = search;
    words.insert(words.end(), {"--checkpoint", path, "--resume", "auto", "--json"});
    REQUIRE(runCommand(words).code == 5);
    std::vector<std::string> resumed(words);
    resumed.erase(std::find(resumed.begin(), resumed.end(), "--step-limit"));
    resumed.erase(std::find(resumed.begin(), resumed.end(), search.back()));
    REQUIRE(std::filesystem::exists(path));
    CHECK(runCommand(resumed, 20).code == 4);  // bytes of a file, as standard output is one
    CHECK(std::filesystem::exists(path));
    const auto found = runCommand(resumed);
    CHECK(found.code == 0);
    CHECK(onlyObject(found.out)["status"] == "done");
    CHECK_FALSE(std::filesystem::exists(path));
  }
}

TEST_CASE("a JSON configuration gives what the flags give, and flags and --set override it") {
  const TemporaryFolder folder;
  const std::string path = folder.path("run.json");
  std::ofstream(path)
      << R"({"workload": "factorizations", "generators": ["13", 37, 38, 40], "element": "5000",
                             "sink": "fingerprint", "engine": {"mode": "cpu", "threads": 2}})";
  const auto byFile = onlyObject(runCommand({"run", path, "--json"}).out);
  const auto byFlags =
      onlyObject(factorizations("13,37,38,40", "5000", {"--sink", "fingerprint", "--json"}).out);
  CHECK(byFile["count"] == byFlags["count"]);
  CHECK(byFile["fingerprint"] == byFlags["fingerprint"]);
  CHECK(onlyObject(runCommand({"run", path, "--json", "--set", "element=1000"}).out)["count"] == 274);
  CHECK(onlyObject(runCommand({"run", path, "--json", "--mode", "emulated"}).out)["mode"] == "emulated");
}

TEST_CASE("an injected launch failure is a warning, and the result stays right") {
  const auto result =
      factorizations("13,37,38,40", "5000",
                     {"--json", "--sink", "fingerprint", "--algorithm", "candidate", "--mode", "emulated",
                      "--emulated-lanes", "32", "--emulated-alone", "--emulated-fail-at", "0"});
  CHECK(result.code == 0);
  const auto record = onlyObject(result.out);
  CHECK(record["count"] == 29601);
  CHECK_FALSE(record["warnings"].empty());
  CHECK(contains(result.err, "warning"));
}

TEST_CASE("a trace is valid JSON with events") {
  const TemporaryFolder folder;
  REQUIRE(factorizations("13,37,38,40", "20000", {"--sink", "fingerprint", "--trace", folder.path("t.json")})
              .code == 0);
  const auto trace = nlohmann::json::parse(contentOf(folder.path("t.json")));
  const auto& events = trace.is_array() ? trace : trace["traceEvents"];
  CHECK_FALSE(events.empty());
}

TEST_CASE("a run with more threads than cores has nothing to say on standard error") {
  const unsigned threads = std::thread::hardware_concurrency() + 8;
  const auto result = runCommand({"three-in-line", "-n", "6", "--mode", "cpu", "--progress", "none",
                                  "--threads", std::to_string(threads)});
  CHECK(result.code == 0);
  CHECK(result.err.empty());
}
