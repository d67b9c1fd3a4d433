// `slicepool recount`: shards of every workload agree when they are computed again, in every mode. A result
// that was changed, with every hash made to fit, is found and named; what is damaged is refused before
// anything runs. Nothing beside the plan changes, and a recount that is stopped leaves nothing.
// One file, because all cases change the same plans.
#include <doctest/doctest.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "cli/command_runner.hpp"
#include "runtime/cluster/part.hpp"
#include "runtime/io/file_hash.hpp"
#include "runtime/io/sealed_json.hpp"

using namespace slicepool::test;
using slicepool::hashDigits;
using slicepool::cluster::Part;
using Words = std::vector<std::string>;

namespace {

constexpr const char* kPlanOfThree =
    R"({"workload": "three_in_line", "size": 8, "output": {"path": "s.rle"}})";
constexpr const char* kPlanOfCount =
    R"({"workload": "factorizations", "generators": [13, 37, 38, 40], "element": 2000, "sink": "lengths",
        "fingerprint": true})";
constexpr const char* kPlanOfRows =
    R"({"workload": "factorizations", "generators": [13, 37, 38, 40], "element": 2000, "sink": "rows",
        "output": {"path": "rows.npy"}})";
constexpr const char* kPlanOfText =
    R"({"workload": "factorizations", "generators": [13, 37, 38, 40], "element": 2000, "sink": "rows",
        "fingerprint": true, "output": {"path": "rows.csv", "header": true}})";
constexpr const char* kPlanOfFiles =
    R"({"workload": "factorizations", "generators": [13, 37, 38, 40], "element": 2000, "sink": "rows",
        "output": {"path": "rows.npy", "shard_rows": 300}})";
constexpr const char* kPlanOfPacked =
    R"({"workload": "factorizations", "generators": [13, 37, 38, 40], "element": 2000, "sink": "rows",
        "output": {"path": "rows.npy.zst", "shard_rows": 300}})";
// Z^4 has many vectors of one norm: whichever come first are the answer.
constexpr const char* kPlanOfLattice =
    R"({"workload": "lattice", "basis": "[[1 0 0 0][0 1 0 0][0 0 1 0][0 0 0 1]]", "fixed_radius": true,
        "squared_radius": 9, "solutions": 5})";
constexpr const char* kPlanOfVectors =
    R"({"workload": "lattice", "basis": "[[1 0 0 0][0 1 0 0][0 0 1 0][0 0 0 1]]", "fixed_radius": true,
        "squared_radius": 9, "solutions": "all", "output": {"path": "v.npy"}})";
constexpr const char* kPlanOfVectorText =
    R"({"workload": "lattice", "basis": "[[1 0 0 0][0 1 0 0][0 0 1 0][0 0 0 1]]", "fixed_radius": true,
        "squared_radius": 9, "solutions": "all", "output": {"path": "v.txt"}})";

void putFile(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// A plan of `shards` shards in a folder of its own, all of them run.
class FinishedPlan {
 public:
  explicit FinishedPlan(const char* config, int shards = 3) {
    putFile(folder_.path("config.json"), config);
    const auto plan = runCommand(
        {"plan", folder_.path("config.json"), "--shards", std::to_string(shards), "--output", path()});
    REQUIRE_MESSAGE(plan.code == 0, plan.err);
    for (int shard = 0; shard < shards; ++shard) {
      const auto run = runCommand(
          {"run", path(), "--shard", std::to_string(shard), "--mode", "cpu", "--progress", "none"});
      REQUIRE_MESSAGE(run.code == 0, run.err);
    }
  }
  [[nodiscard]] std::string path() const { return folder_.path("plan.json"); }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.path(name); }
  [[nodiscard]] std::string recordPath(int shard) const {
    return folder_.path("plan-" + std::to_string(shard) + ".record.json");
  }

  [[nodiscard]] CommandResult recount(Words more) const {
    Words words = {"recount", path(), "--progress", "none"};
    words.insert(words.end(), more.begin(), more.end());
    return runCommand(words);
  }
  /// All shards, and the record that --json prints.
  [[nodiscard]] nlohmann::json recountAll(int code, Words more = {"--mode", "cpu"}) const {
    more.insert(more.end(), {"--fraction", "1", "--json"});
    const auto run = recount(more);
    REQUIRE_MESSAGE(run.code == code, run.err);
    return onlyObject(run.out);
  }

  /// Changes the record of a shard, as a person who knows its hash would.
  void change(int shard, const std::function<void(Part&)>& edit) const {
    Part part = slicepool::cluster::readPart(recordPath(shard));
    edit(part);
    slicepool::cluster::writePart(recordPath(shard), part);
  }
  /// Replaces an output, and its size and hash in the record.
  void replaceOutput(int shard, const std::string& content) const {
    change(
        shard,
        [&](Part& part) {
          auto& output = part.outputs.at(0);
          putFile(folder_.path(output.name), content);
          output.bytes = content.size();
          output.hash = hashDigits(content);
        });
  }
  [[nodiscard]] std::string output(int shard) const {
    return contentOf(folder_.path(slicepool::cluster::readPart(recordPath(shard)).outputs.at(0).name));
  }

  [[nodiscard]] std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path(".")))
      files[entry.path().filename().string()] =
          entry.is_regular_file() ? contentOf(entry.path().string()) : "";
    return files;
  }

 private:
  TemporaryFolder folder_;
};

/// The one shard that differs, and in what.
void requireOnly(const nlohmann::json& record, int shard, const std::set<std::string>& members) {
  CHECK(record["status"] == "differs");
  REQUIRE(record["differ"].size() == 1);
  const auto& one = record["differ"][0];
  CHECK(one["shard"] == shard);
  std::set<std::string> found;
  for (const auto& difference : one["differences"]) found.insert(difference["what"].get<std::string>());
  CHECK(found == members);
}

std::string flipped(std::string content) {
  content.back() = static_cast<char>(content.back() ^ 1);
  return content;
}

}  // namespace

TEST_CASE("shards of every workload agree when they are computed again") {
  const Words modes[] = {{"--mode", "cpu", "--threads", "1"},
                         {"--mode", "cpu", "--threads", "2"},
                         {"--mode", "emulated", "--threads", "2"}};
  std::vector<const char*> configs = {kPlanOfThree, kPlanOfCount,   kPlanOfRows,    kPlanOfText,
                                      kPlanOfFiles, kPlanOfLattice, kPlanOfVectors, kPlanOfVectorText};
  if (writesZstd()) configs.push_back(kPlanOfPacked);
  for (const char* config : configs) {
    CAPTURE(config);
    const FinishedPlan plan(config);
    const auto before = plan.content();
    for (const auto& mode : modes) {
      const TemporaryFolder scratch;
      Words words = mode;
      words.insert(words.end(), {"--scratch", scratch.path(".")});
      const auto record = plan.recountAll(0, words);
      CHECK(record["status"] == "agrees");
      CHECK(record["recounted"] == nlohmann::json({0, 1, 2}));
      CHECK(record["agree"] == 3);
      CHECK(record["modes"] == nlohmann::json::array({mode[1]}));
      CHECK(std::filesystem::is_empty(scratch.path(".")));
    }
    CHECK(plan.content() == before);
  }
}

TEST_CASE("a figure of a record that was changed is found and named") {
  const std::vector<std::pair<const char*, std::vector<std::string>>> cases = {
      {kPlanOfThree, {"count", "nodes", "fingerprint"}},
      {kPlanOfCount, {"count", "fingerprint", "minimum_length"}},
      {kPlanOfLattice, {"count", "nodes", "fingerprint"}}};
  for (const auto& [config, members] : cases) {
    const FinishedPlan plan(config);
    for (const auto& member : members) {
      CAPTURE(member);
      const std::string whole = contentOf(plan.recordPath(1));
      plan.change(1, [&](Part& part) {
        nlohmann::ordered_json& value = part.record[member];
        if (value.is_string())
          value = flipped(value.get<std::string>());
        else
          value = value.get<std::uint64_t>() + 1;
      });
      requireOnly(plan.recountAll(1), 1, {member});
      const auto text = plan.recount({"--fraction", "1", "--mode", "cpu"});
      CHECK(text.code == 1);
      CHECK(contains(text.err, "shard 1 differs from " + plan.recordPath(1) + ": " + member + ": expected "));
      CHECK(contains(text.out, "differ            1: 1\n"));
      putFile(plan.recordPath(1), whole);
    }
    plan.change(2, [](Part& part) { part.record.erase("fingerprint"); });
    requireOnly(plan.recountAll(1), 2, {"fingerprint"});
  }
}

TEST_CASE("an output that was changed, with hashes that fit, is found and named") {
  SUBCASE("rows") {
    for (const char* config : {kPlanOfRows, kPlanOfText}) {
      const FinishedPlan plan(config);
      plan.replaceOutput(0, flipped(plan.output(0)));
      requireOnly(plan.recountAll(1), 0, {config == kPlanOfRows ? "plan-0.npy" : "plan-0.csv"});
    }
  }
  SUBCASE("files of rows, under a manifest that was not changed") {
    const FinishedPlan plan(kPlanOfFiles);
    const std::string file = plan.file("plan-2-00000.npy");
    putFile(file, flipped(contentOf(file)));
    requireOnly(plan.recountAll(1), 2, {"plan-2.manifest.json"});
  }
  SUBCASE("files of rows, compressed") {
    if (!writesZstd()) return;
    const FinishedPlan plan(kPlanOfPacked);
    putFile(plan.file("plan-2-00000.npy.zst"), contentOf(plan.file("plan-1-00000.npy.zst")));
    requireOnly(plan.recountAll(1), 2, {"plan-2.manifest.json"});
    putFile(plan.file("plan-2-00000.npy.zst"), "no frame");
    requireOnly(plan.recountAll(1), 2, {"plan-2.manifest.json"});
  }
  SUBCASE("solutions") {
    const FinishedPlan plan(kPlanOfThree);
    nlohmann::ordered_json found = slicepool::openSealed(plan.output(1));
    REQUIRE(!found["solutions"].empty());
    found["solutions"][0][0][0] = (found["solutions"][0][0][0].get<int>() + 1) % 8;
    plan.replaceOutput(1, slicepool::sealJson(found.dump(1)));
    requireOnly(plan.recountAll(1), 1, {"plan-1.found.json"});
  }
  SUBCASE("vectors; their order is free") {
    const FinishedPlan plan(kPlanOfVectors);
    std::string content = plan.output(0);
    const std::size_t row = 4;  // bytes
    REQUIRE(content.size() > 128 + 2 * row);
    std::string swapped = content;
    for (std::size_t i = 0; i < row; ++i) std::swap(swapped[128 + i], swapped[swapped.size() - row + i]);
    REQUIRE(swapped != content);
    plan.replaceOutput(0, swapped);
    CHECK(plan.recountAll(0)["status"] == "agrees");
    plan.replaceOutput(0, flipped(content));
    requireOnly(plan.recountAll(1), 0, {"plan-0.npy"});
  }
}

TEST_CASE("the draw: at least one, by the fraction or the number, the same by the same seed") {
  const FinishedPlan plan(kPlanOfCount, 20);
  const auto drawn = [&](Words words) {
    words.insert(words.end(), {"--json", "--mode", "cpu"});
    const auto run = plan.recount(words);
    REQUIRE_MESSAGE(run.code == 0, run.err);
    return onlyObject(run.out)["recounted"].get<std::vector<int>>();
  };
  CHECK(drawn({}).size() == 1);
  CHECK(drawn({"--fraction", "0.05"}).size() == 1);
  CHECK(drawn({"--fraction", "0.06"}).size() == 2);
  CHECK(drawn({"--shards", "20"}).size() == 20);
  CHECK(drawn({"--shards", "5", "--seed", "1"}) == drawn({"--shards", "5", "--seed", "1"}));
  std::set<std::vector<int>> draws;
  std::set<int> shards;
  for (int seed = 0; seed < 12; ++seed) {
    const auto one = drawn({"--shards", "5", "--seed", std::to_string(seed)});
    CHECK(std::set<int>(one.begin(), one.end()).size() == 5);
    draws.insert(one);
    shards.insert(one.begin(), one.end());
  }
  CHECK(draws.size() > 6);
  CHECK(shards.size() > 15);
  // Only finished shards are drawn.
  for (int shard = 0; shard < 18; ++shard) std::filesystem::remove(plan.recordPath(shard));
  CHECK(drawn({"--fraction", "1"}) == std::vector<int>{18, 19});
}

TEST_CASE("bad input is refused by name, with code 2") {
  const FinishedPlan plan(kPlanOfThree);
  const auto refused = [&](const Words& words, const std::string& says) {
    const auto run = plan.recount(words);
    CAPTURE(run.err);
    CHECK(run.code == 2);
    CHECK(contains(run.err, says));
    CHECK(run.out.empty());
  };
  refused({"--fraction", "0"}, "--fraction: got 0; accepted: a number above 0, and 1 at most");
  refused({"--fraction", "1.5"}, "--fraction: got 1.5; accepted: a number from 0 to 1");
  refused({"--fraction", "nan"}, "--fraction: got \"nan\"");
  refused({"--fraction", "-1"}, "--fraction: got -1");
  refused({"--shards", "0"}, "--shards: got 0; accepted: an integer from 1 to 3");
  refused({"--shards", "4"}, "--shards: got 4; accepted: an integer from 1 to 3");
  refused({"--shards", "2", "--fraction", "0.5"},
          "--shards: got \"2\" beside --fraction; accepted: one of the two");
  refused({"--seed", "x"}, "--seed: got \"x\"");
  refused({"--mode", "fast"}, "engine.mode: got \"fast\"");
  refused({"--scratch", plan.path()}, "--scratch: got");

  const std::string whole = contentOf(plan.recordPath(1));
  putFile(plan.recordPath(1), whole.substr(0, 100));
  refused({}, plan.recordPath(1) + ": got a record that cannot be used: it does not end with the hash");
  const FinishedPlan other(kPlanOfCount);
  putFile(plan.recordPath(1), contentOf(other.recordPath(1)));
  refused({}, "it is of another plan");
  putFile(plan.recordPath(1), whole);
  const std::string output = plan.output(1);
  putFile(plan.file("plan-1.found.json"), flipped(output));
  refused({"--fraction", "1"}, "its hash is not that of its record");
  std::filesystem::remove(plan.file("plan-1.found.json"));
  refused({}, "plan-1.found.json is missing");
  putFile(plan.file("plan-1.found.json"), output);
  CHECK(plan.recountAll(0)["agree"] == 3);

  for (int shard = 0; shard < 3; ++shard) std::filesystem::remove(plan.recordPath(shard));
  refused({}, plan.path() + ": got a plan of which no shard is done");
  const std::string text = contentOf(plan.path());
  putFile(plan.path(), text.substr(0, 20) + "x" + text.substr(21));
  refused({}, plan.path() + ": got no plan");
}

TEST_CASE("a log of digests repeats a shard where nothing else of the plan is") {
  std::vector<const char*> configs = {kPlanOfThree, kPlanOfCount,   kPlanOfRows,
                                      kPlanOfFiles, kPlanOfLattice, kPlanOfVectors};
  if (writesZstd()) configs.push_back(kPlanOfPacked);
  for (const char* config : configs) {
    CAPTURE(config);
    const TemporaryFolder elsewhere;
    const std::string log = elsewhere.path("log.json");
    {
      const FinishedPlan plan(config);
      Words words = {"merge", plan.path(), "--digests", log};
      const auto parsed = nlohmann::json::parse(config);
      if (parsed.contains("output"))
        words.insert(words.end(), {"--output", elsewhere.path(parsed["output"]["path"].get<std::string>())});
      const auto merge = runCommand(words);
      REQUIRE_MESSAGE(merge.code == 0, merge.err);
    }
    const auto recount = [&](const std::string& mode) {
      return runCommand({"recount", log, "--fraction", "1", "--mode", mode, "--json", "--progress", "none"});
    };
    for (const char* mode : {"cpu", "emulated"}) {
      const auto run = recount(mode);
      REQUIRE_MESSAGE(run.code == 0, run.err);
      CHECK(onlyObject(run.out)["agree"] == 3);
    }
    const std::string whole = contentOf(log);
    nlohmann::ordered_json document = slicepool::openSealed(whole);
    nlohmann::ordered_json& found = document["shards"][2]["found"]["count"];
    found = found.get<std::uint64_t>() + 1;
    putFile(log, slicepool::sealJson(document.dump(1)));
    const auto wrong = recount("cpu");
    CHECK(wrong.code == 1);
    requireOnly(onlyObject(wrong.out), 2, {"count"});
    found = found.get<std::uint64_t>() - 1;
    if (!document["shards"][1]["outputs"].empty()) {
      document["shards"][1]["outputs"].begin().value() = "0123456789abcdef";
      putFile(log, slicepool::sealJson(document.dump(1)));
      const auto other = recount("cpu");
      CHECK(other.code == 1);
      CHECK(onlyObject(other.out)["differ"][0]["differences"][0]["expected"] == "0123456789abcdef");
    }
    document["shards"][1]["outputs"] = {{"../x", "0123456789abcdef"}};
    putFile(log, slicepool::sealJson(document.dump(1)));
    const auto path = recount("cpu");
    CHECK(path.code == 2);
    CHECK(contains(path.err, log + ": got no log: name of an output is no name of a file"));
    putFile(log, whole.substr(0, whole.size() / 2));
    const auto cut = recount("cpu");
    CHECK(cut.code == 2);
    CHECK(contains(cut.err, log + ": got no log: it does not end with the hash of its content"));
  }
  const FinishedPlan plan(kPlanOfCount);
  const auto own = runCommand({"merge", plan.path(), "--digests", plan.recordPath(1)});
  CHECK(own.code == 2);
  CHECK(contains(own.err, "--digests: got"));
  const auto records = runCommand({"merge", plan.recordPath(0), "--digests", plan.file("log.json")});
  CHECK(records.code == 2);
  CHECK(contains(records.err, "without a plan"));
}

TEST_CASE("a recount that is stopped says so and leaves nothing") {
  const FinishedPlan plan(kPlanOfFiles);
  const auto before = plan.content();
  for (const int number : {SIGINT, SIGTERM}) {
    const TemporaryFolder scratch;
    // One step a launch, and a slow one: the first shard would take a minute.
    RunningCommand running({"recount",
                            plan.path(),
                            "--fraction",
                            "1",
                            "--seed",
                            "4",
                            "--mode",
                            "emulated",
                            "--emulated-alone",
                            "--emulated-slowdown",
                            "100",
                            "--emulated-lanes",
                            "1",
                            "--gpu-budget",
                            "1",
                            "--scratch",
                            scratch.path("."),
                            "--progress",
                            "none",
                            "--json"});
    waitUntil([&] { return !running.running() || !std::filesystem::is_empty(scratch.path(".")); });
    REQUIRE(running.running());
    running.signal(number);
    const auto result = running.wait();
    CAPTURE(result.err);
    CHECK(result.code == 1);
    CHECK(contains(result.err, "stopped by a signal after "));
    CHECK(contains(result.err, "--seed 4 draws the same ones again"));
    CHECK(onlyObject(result.out)["status"] == "stopped");
    CHECK(std::filesystem::is_empty(scratch.path(".")));
  }
  CHECK(plan.content() == before);
}
