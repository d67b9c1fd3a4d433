// The sweep command: files it writes, resume after kill -9, skipped modes, mismatches, the shipped quick
// start.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "cli/command_runner.hpp"

using namespace slicepool::test;

namespace {

/// A line is whole with its end: a sweep that is killed may have written all but that, and runs the point
/// again.
std::vector<nlohmann::json> recordsIn(const std::string& directory) {
  std::vector<nlohmann::json> records;
  std::istringstream lines(contentOf(directory + "/results.jsonl"));
  for (std::string line; std::getline(lines, line) && !lines.eof();) {
    const auto record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_discarded()) records.push_back(record);
  }
  return records;
}

std::string writeSweep(const TemporaryFolder& folder, const std::string& text) {
  std::string path = folder.path("sweep.json");
  std::ofstream(path) << text;
  return path;
}

std::string shippedConfig(const std::string& name) {
  const char* source = std::getenv("SLICEPOOL_SOURCE_DIR");
  const std::filesystem::path root = source != nullptr
                                         ? std::filesystem::path(source)
                                         : std::filesystem::path(__FILE__).parent_path() / "../..";
  return (root / "configs" / name).string();
}

}  // namespace

TEST_CASE("the quick start runs, verifies every point and writes records, summary and page") {
  const TemporaryFolder folder;
  const auto result = runCommand(
      {"sweep", shippedConfig("quick-start.json"), "--output", folder.path("r"), "--repetitions", "1"});
  CAPTURE(result.err);
  CHECK(result.code == 0);
  CHECK(contains(result.out, "report: "));
  const auto records = recordsIn(folder.path("r"));
  CHECK(records.size() == 26);
  std::set<std::string> workloads;
  std::size_t unchecked = 0;
  for (const auto& record : records) {
    workloads.insert(record["workload"].get<std::string>());
    CHECK(record["status"] == "done");
    unchecked += record["verification"]["count"] == "unchecked" ? 1 : 0;
    CHECK(record["verification"]["count"] != "differs");
    CHECK(record["verification"]["fingerprint"] != "differs");
    CHECK(record.contains("machine"));
    CHECK(record.contains("build"));
  }
  CHECK(workloads.size() == 7);  // all but svp, which needs fplll
  CHECK(unchecked == 2);         // one solution of many, in two modes
  const std::string summary = contentOf(folder.path("r") + "/summary.csv");
  CHECK(std::count(summary.begin(), summary.end(), '\n') == 27);
  CHECK(contains(summary, "seconds_median"));
  CHECK(contains(contentOf(folder.path("r") + "/report.html"), "Chart.js v3"));
  CHECK(contains(contentOf(folder.path("r") + "/report.html"), "\"pictures\":[{"));
}

TEST_CASE("a file of several sweeps goes on after SIGKILL, and overrides reach each of them") {
  const TemporaryFolder folder;
  const std::string config = writeSweep(folder, R"({"sweeps": [
    {"workload": "three_in_line", "parameters": {"size": [6, 7]}},
    {"workload": "factorizations",
     "parameters": {"generators": [13, 37, 38, 40, 41], "element": [3000, 4000, 5000], "algorithm": "candidate",
                    "modulo": false, "sink": "fingerprint"},
     "engine": {"emulated": {"lanes": 16, "slowdown_ms": 30}}}],
    "measurement": {"repetitions": 3, "timeline": false}})");
  const std::vector<std::string> command = {"sweep",  config,         "--output",  folder.path("r"),
                                            "--mode", "cpu,emulated", "--threads", "1"};
  {
    RunningCommand running(command);
    waitUntil([&] { return recordsIn(folder.path("r")).size() >= 13; });
    running.signal(SIGKILL);
    CHECK(running.wait().code == 128 + SIGKILL);
  }
  const auto before = recordsIn(folder.path("r"));
  const auto result = runCommand(command);
  CAPTURE(result.err);
  CHECK(result.code == 0);
  const auto after = recordsIn(folder.path("r"));
  REQUIRE(after.size() == 30);
  for (std::size_t i = 0; i < before.size(); ++i) CHECK(after[i] == before[i]);
  std::set<int> cases;
  for (const auto& record : after) cases.insert(record["case"].get<int>());
  CHECK(cases == std::set<int>{0, 1, 2, 3, 4});
}

TEST_CASE("a sweep killed with SIGKILL goes on: earlier records stay as they are and nothing is run twice") {
  const TemporaryFolder folder;
  const std::string config = writeSweep(folder, R"({
    "workload": "factorizations",
    "parameters": {"generators": [13, 37, 38, 40, 41], "element": [3000, 4000, 5000], "algorithm": "candidate", "modulo": false, "sink": "fingerprint"},
    "engine": {"mode": ["cpu", "emulated"], "threads": 1, "emulated": {"lanes": 16, "slowdown_ms": 30}},
    "measurement": {"repetitions": 3, "timeline": false}})");
  const std::vector<std::string> command = {"sweep", config, "--output", folder.path("r")};
  {
    RunningCommand running(command);
    waitUntil([&] { return recordsIn(folder.path("r")).size() >= 3; });
    running.signal(SIGKILL);
    CHECK(running.wait().code == 128 + SIGKILL);
  }
  const auto before = recordsIn(folder.path("r"));
  const auto result = runCommand(command);
  CHECK(result.code == 0);
  const auto after = recordsIn(folder.path("r"));
  CHECK(after.size() == 18);
  for (std::size_t i = 0; i < before.size() && i < after.size(); ++i) {
    CHECK(before[i]["started"] == after[i]["started"]);
    CHECK(before[i]["seconds"] == after[i]["seconds"]);
  }
  CHECK(contains(result.err, "going on with the rest"));
  const auto third = onlyObject(runCommand({"sweep", config, "--output", folder.path("r"), "--json"}).out);
  CHECK(third["kept"] == 18);
  CHECK(third["done"] == 0);
}

TEST_CASE("a wrong expected count ends a sweep with exit code 1 and a sentence") {
  const TemporaryFolder folder;
  const std::string config =
      writeSweep(folder, R"({"workload": "factorizations", "parameters": {"generators": [6, 9, 20]},
    "rows": [{"element": 60, "expected_count": 6}], "engine": {"mode": "cpu"}})");
  const auto result = runCommand({"sweep", config, "--output", folder.path("r")});
  CHECK(result.code == 1);
  CHECK(contains(result.err, "count 5, but 6 from the expected count"));
}

TEST_CASE(
    "modes without a device are skipped with the reason; a sweep of nothing else ends with exit code 3") {
  const NoGpus none;
  const TemporaryFolder folder;
  const std::string config = writeSweep(
      folder, R"({"workload": "factorizations", "parameters": {"generators": [6, 9, 20], "element": 60},
    "engine": {"mode": ["cpu", "gpu"]}})");
  CHECK(runCommand({"sweep", config, "--output", folder.path("r")}).code == 0);
  const auto records = recordsIn(folder.path("r"));
  REQUIRE(records.size() == 2);
  CHECK(records[1]["status"] == "skipped");
  CHECK_FALSE(records[1]["reason"].get<std::string>().empty());
  const auto nothing = runCommand({"sweep", config, "--output", folder.path("g"), "--mode", "gpu"});
  CHECK(nothing.code == 3);
  CHECK(contains(nothing.err, "slicepool: error: no point of the sweep could be run: 1 skipped, 0 refused"));
}

TEST_CASE("errors of a sweep configuration name the file and the JSON pointer, exit code 2") {
  const TemporaryFolder folder;
  const std::string config = writeSweep(
      folder, R"({"workload": "factorizations", "parameters": {"generators": [6, 9], "element": 60},
    "measurement": {"repetition": 3}})");
  const auto result = runCommand({"sweep", config, "--output", folder.path("r")});
  CHECK(result.code == 2);
  CHECK(contains(result.err, config + ": /measurement/repetition: got an unknown key"));
  CHECK(contains(result.err, "nearest known key \"repetitions\""));
}

TEST_CASE("the small rows of both published tables have their exact counts on the CPU") {
  for (const char* name : {"factorizations-streams-table-1.json", "factorizations-dynamic-table-1.json"}) {
    const TemporaryFolder folder;
    const auto result = runCommand({"sweep", shippedConfig(name), "--output", folder.path("r"), "--mode",
                                    "cpu", "--time-class", "small", "--repetitions", "1", "--warm-up", "0"});
    CAPTURE(result.err);
    CHECK(result.code == 0);
    for (const auto& record : recordsIn(folder.path("r")))
      CHECK(record["verification"]["count"] == "matches");
    CHECK(contains(result.out, "WRONG"));
  }
}

TEST_CASE("a sweep whose last point is bad ends before the first runs, with --list too") {
  const TemporaryFolder folder;
  const std::string path = folder.path("sweep.json");
  const auto refused = [&](const std::string& text, const std::string& part) {
    std::ofstream(path) << text;
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{"--list"}, {"--output", folder.path("out")}}) {
      std::vector<std::string> words = {"sweep", path};
      words.insert(words.end(), more.begin(), more.end());
      const auto result = runCommand(words);
      CAPTURE(result.err);
      CHECK(result.code == 2);
      CHECK(contains(result.err, path));
      CHECK(contains(result.err, part));
    }
    CHECK_FALSE(std::filesystem::exists(folder.path("out")));
  };
  refused(R"({"workload": "semigroup", "parameters": {"named": ["full:3", "CPU"]}})", "named: got \"CPU\"");
  refused(R"({"workload": "three_in_line", "parameters": {"size": [5, "9999999999999999999999999"]}})",
          "size: got");
  refused(R"({"workload": "lattice", "parameters": {"basis": ["[[1]]", "5"]}})", "basis: got \"5\"");
  refused(R"({"workload": ["semigroup", "lattice"], "parameters": {}})",
          "one workload, because its parameters are its own");
  refused(R"({"workload": "factorizations", "parameters": {"generators": [6, 9], "element": [5, 1e400]}})",
          "element");
}
