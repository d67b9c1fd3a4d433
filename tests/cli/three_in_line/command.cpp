// `slicepool three-in-line` and `slicepool merge` as a user runs them: exact counts and classes, outputs that
// the checker accepts, symmetry groups, early stops, kill and resume, shards, configurations and sweeps.
#include <doctest/doctest.h>

#include "cli/command_runner.hpp"
#include "support/three_in_line/files.hpp"
#include "support/three_in_line/known.hpp"
#include "support/three_in_line/oracle.hpp"

using namespace slicepool::test;

namespace {

CommandResult threeInLine(const std::string& size, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"three-in-line", "-n", size};
  words.insert(words.end(), more.begin(), more.end());
  return runCommand(words);
}

nlohmann::json recordOf(const std::string& size, std::vector<std::string> more = {}) {
  more.emplace_back("--json");
  const auto result = threeInLine(size, std::move(more));
  CAPTURE(result.err);
  REQUIRE(result.code == 0);
  return onlyObject(result.out);
}

/// What must be the same whatever was done to the search on the way.
nlohmann::json foundIn(const nlohmann::json& record) {
  nlohmann::json found;
  for (const char* key : {"n", "symmetry", "count", "total", "orbits", "classes", "nodes", "fingerprint"})
    found[key] = record.at(key);
  return found;
}

void checkBadInput(const CommandResult& result, const std::string& start) {
  CAPTURE(result.err);
  CHECK(result.code == 2);
  CHECK(result.out.empty());
  CHECK(result.err.rfind("slicepool: error: " + start, 0) == 0);
  CHECK(result.err.find('\n') == result.err.size() - 1);
}

}  // namespace

TEST_CASE("counts, totals and classes are the published ones, and the nodes are the same in every mode") {
  for (const auto& known : kThreeInLine) {
    if (known.size > 10) continue;
    CAPTURE(known.size);
    const auto record = recordOf(std::to_string(known.size), {"--mode", "cpu"});
    CHECK(record["count"] == known.count);
    CHECK(record["total"] == known.total);
    CHECK(record["classes"] == classesJson(known));
    CHECK(record["orbits"] == orbitsJson(known));
    CHECK(record["nodes"] == record["steps"]);
    CHECK(record["seconds"].is_number());
    CHECK(record["workers"].is_array());
    const auto emulated = recordOf(
        std::to_string(known.size),
        {"--mode", "emulated", "--emulated-lanes", "64", "--emulated-fail-at", "3", "--threads", "2"});
    CHECK(foundIn(emulated) == foundIn(record));
    CHECK(foundIn(recordOf(std::to_string(known.size), {"--algorithm", "posts"})) == foundIn(record));
  }
}

TEST_CASE("outputs hold the oracle's solutions and are the same bytes in every mode") {
  const TemporaryFolder folder;
  for (const int size : {2, 5, 8}) {
    CAPTURE(size);
    const ThreeInLineOracle oracle(size);
    const auto check = [&](const GridSolutions& solutions) {
      std::set<GridPoints> all;
      for (const auto& points : solutions) {
        CHECK_FALSE(ThreeInLineOracle::threeInLine(points));
        for (const auto& image : ThreeInLineOracle::imagesOf(points, size)) all.insert(image);
      }
      CHECK((all == oracle.all()));
      CHECK(solutions.size() == oracle.representatives().size());
    };
    for (const std::string suffix : {"json", "txt", "rle", "svg"}) {
      CAPTURE(suffix);
      const std::string path = folder.path("cpu." + suffix);
      const std::string other = folder.path("emulated." + suffix);
      CHECK(threeInLine(std::to_string(size), {"--mode", "cpu", "--output", path}).code == 0);
      CHECK(threeInLine(std::to_string(size),
                        {"--mode", "emulated", "--emulated-lanes", "32", "--output", other})
                .code == 0);
      const std::string text = contentOf(path);
      CHECK((text == contentOf(other)));
      check(suffix == "json"  ? solutionsOfJson(text)
            : suffix == "txt" ? solutionsOfPictures(text)
            : suffix == "rle" ? solutionsOfRle(text, size)
                              : solutionsOfSvg(text, size));
      CHECK_FALSE(std::filesystem::exists(path + ".tmp"));
    }
    const auto printed = threeInLine(std::to_string(size), {"--output", "-"});
    CHECK((printed.out == contentOf(folder.path("cpu.txt"))));
    CHECK(contains(printed.err, "nodes"));
  }
  CHECK(nlohmann::json::parse(contentOf(folder.path("cpu.json")))["n"] == 8);
}

TEST_CASE("--symmetry finds the published numbers of solutions with fourfold rotation") {
  for (const auto& known : kFourfoldRotation) {
    const auto& size = known.first;
    const auto& number = known.second;
    if (size > 16) continue;
    CAPTURE(size);
    const auto record = recordOf(std::to_string(size), {"--symmetry", "c4"});
    CHECK(record["classes"]["rot4"] == number);
    CHECK(record["count"] == number + (size == 10 ? 1 : 0));  // one has all symmetries
  }
}

TEST_CASE("--first stops at that many different solutions, which the record lists") {
  for (const int first : {1, 3}) {
    const auto record = recordOf("10", {"--first", std::to_string(first)});
    CHECK(record["count"] == first);
    REQUIRE(record["solutions"].size() == static_cast<std::size_t>(first));
    std::set<GridPoints> different;
    for (const auto& points : solutionsOfJson(record.dump())) {
      CHECK(points.size() == 20);
      CHECK_FALSE(ThreeInLineOracle::threeInLine(points));
      different.insert(ThreeInLineOracle::representative(points, 10));
    }
    CHECK(different.size() == static_cast<std::size_t>(first));
  }
  CHECK(contains(threeInLine("4", {"--first", "1"}).out, "solution 1        "));
}

TEST_CASE("a search killed with SIGKILL goes on from its checkpoint to the whole search, output included") {
  const TemporaryFolder folder;
  const std::string checkpoint = folder.path("c.ckpt");
  const std::string output = folder.path("o.json");
  const std::vector<std::string> command = {
      "three-in-line",         "-n",   "12",       "--threads", "1",        "--checkpoint", checkpoint,
      "--checkpoint-interval", "0.01", "--resume", "auto",      "--output", output,         "--json"};
  // Nearly all of the time these sleep: there are minutes to kill them in.
  std::vector<std::string> slow = command;
  slow.insert(slow.end(), {"--mode", "emulated", "--emulated-lanes", "16", "--gpu-budget", "50",
                           "--emulated-slowdown", "20", "--emulated-alone"});
  for (int kills = 0; kills < 3; ++kills) {
    const auto before = contentOf(checkpoint);
    RunningCommand running(slow);
    waitUntil([&] { return contentOf(checkpoint) != before; });
    running.signal(SIGKILL);
    CHECK(running.wait().code == 128 + SIGKILL);
    CHECK_FALSE(std::filesystem::exists(output));
  }
  std::vector<std::string> fast = command;
  fast.insert(fast.end(), {"--mode", "cpu"});
  const CommandResult result = runCommand(fast);
  CAPTURE(result.err);
  REQUIRE(result.code == 0);
  const auto record = onlyObject(result.out);
  const std::string whole = folder.path("whole.json");
  CHECK(foundIn(record) == foundIn(recordOf("12", {"--output", whole})));
  CHECK(record["count"] == 566);
  CHECK((contentOf(output) == contentOf(whole)));
  CHECK_FALSE(std::filesystem::exists(checkpoint));
}

TEST_CASE("exit 5 with a checkpoint, exit 1 without, and the figures are called partial") {
  const TemporaryFolder folder;
  const auto stopped = threeInLine("16", {"--step-limit", "100000", "--json"});
  CHECK(stopped.code == 1);
  const auto record = onlyObject(stopped.out);
  CHECK(record["status"] == "stopped");
  CHECK(record.contains("partial_count"));
  CHECK_FALSE(record.contains("count"));
  CHECK(threeInLine("16", {"--step-limit", "100000", "--checkpoint", folder.path("c")}).code == 5);
  checkBadInput(threeInLine("15", {"--resume", folder.path("c")}), "checkpoint " + folder.path("c"));
}

TEST_CASE("shards and their merge are the whole search") {
  const TemporaryFolder folder;
  const auto whole = recordOf("9", {"--output", folder.path("whole.rle")});
  std::vector<std::string> merge = {"merge"};
  for (int shard = 0; shard < 4; ++shard) {
    const std::string path = folder.path("shard-" + std::to_string(shard) + ".json");
    const auto record =
        recordOf("9", {"--shards", "4", "--shard", std::to_string(shard), "--solutions", "--record", path});
    CHECK(record["shard"] == shard);
    CHECK(record["boards"].get<int>() >= 64);
    merge.push_back(path);
  }
  auto command = merge;
  command.insert(command.end(),
                 {"--json", "--output", folder.path("merged.rle"), "--record", folder.path("merged.json")});
  const auto result = runCommand(command);
  CAPTURE(result.err);
  CHECK(result.code == 0);
  CHECK(foundIn(onlyObject(result.out)) == foundIn(whole));
  CHECK((contentOf(folder.path("merged.rle")) == contentOf(folder.path("whole.rle"))));
  const auto again = runCommand({"merge", folder.path("merged.json"), "--json"});
  CHECK(foundIn(onlyObject(again.out)) == foundIn(whole));
  CHECK(contains(runCommand(merge).out, "count             51 up to symmetry"));

  checkBadInput(runCommand({"merge", merge[1], merge[2]}), "merge: got 2 of 4 shards");
  checkBadInput(runCommand({"merge", merge[1], merge[2], merge[1]}),
                merge[1] + ": got shard 0 a second time");
  checkBadInput(runCommand({"merge", merge[1], folder.path("merged.json")}),
                folder.path("merged.json") + ": got a shard of another search");
  checkBadInput(runCommand({"merge", folder.path("whole.rle")}),
                folder.path("whole.rle") + ": got no record");
  checkBadInput(runCommand({"merge"}), "FILES: got nothing; accepted: see slicepool merge --help");
  std::ofstream(folder.path("list.json")) << "[1, 2]\n";
  const auto list = runCommand({"merge", folder.path("list.json")});
  checkBadInput(list, folder.path("list.json") + ": got no record");
  CHECK_FALSE(contains(list.err, "json.exception"));
  std::string changed = contentOf(merge[1]);
  const auto digit = changed.find("\"nodes\": ") + 9;
  changed[digit] = changed[digit] == '1' ? '2' : '1';
  std::ofstream(folder.path("changed.json")) << changed;
  checkBadInput(runCommand({"merge", folder.path("changed.json"), merge[2]}),
                folder.path("changed.json") + ": got no record: its content does not match its hash");
}

TEST_CASE("records without solutions add up, and make no output") {
  const TemporaryFolder folder;
  std::vector<std::string> merge = {"merge"};
  for (int shard = 0; shard < 2; ++shard) {
    merge.push_back(folder.path(std::to_string(shard) + ".json"));
    CHECK(threeInLine("8", {"--shards", "2", "--shard", std::to_string(shard), "--record", merge.back()})
              .code == 0);
  }
  CHECK(contains(runCommand(merge).out, "total             380"));
  merge.insert(merge.end(), {"--output", folder.path("x.svg")});
  checkBadInput(runCommand(merge), "output.path: got ");
  CHECK_FALSE(std::filesystem::exists(folder.path("x.svg")));
}

TEST_CASE("bad input is refused in one line that names the field, before anything is written") {
  checkBadInput(threeInLine("0"), "size: got 0; accepted: an integer from 1 to 32");
  checkBadInput(threeInLine("33"), "size: got 33");
  checkBadInput(threeInLine("eight"), "size: got ");
  checkBadInput(runCommand({"three-in-line"}), "size: got nothing");
  checkBadInput(threeInLine("8", {"--symmetry", "c3"}), "symmetry: got ");
  checkBadInput(threeInLine("7", {"--symmetry", "c4"}), "size: got 7");
  checkBadInput(threeInLine("8", {"--output", "x.png"}), "output.path: got ");
  checkBadInput(threeInLine("8", {"--output", "-", "--json"}), "--json");
  checkBadInput(threeInLine("8", {"--shards", "3"}), "shard: got nothing");
  checkBadInput(threeInLine("8", {"--shards", "3", "--shard", "3"}), "shard: got 3 of 3");
  checkBadInput(threeInLine("8", {"--first", "0"}), "first: got 0");
  checkBadInput(threeInLine("8", {"--frist", "1"}), "unknown option --frist");
}

TEST_CASE("a JSON configuration and a sweep do what the flags do") {
  const TemporaryFolder folder;
  const std::string run = folder.path("run.json");
  std::ofstream(run)
      << R"({"workload": "three_in_line", "size": 8, "symmetry": "c2", "engine": {"mode": "cpu"},
                            "output": {"path": ")" +
             folder.path("a.txt") + "\"}}";
  const auto byFile = runCommand({"run", run, "--json"});
  CAPTURE(byFile.err);
  REQUIRE(byFile.code == 0);
  CHECK(foundIn(onlyObject(byFile.out)) == foundIn(recordOf("8", {"--symmetry", "c2"})));
  CHECK(solutionsOfPictures(contentOf(folder.path("a.txt"))).size() == 11);

  const std::string sweep = folder.path("sweep.json");
  std::ofstream(sweep) << R"({"workload": "three_in_line",
    "rows": [{"size": 6, "expected_count": 11}, {"size": 7, "expected_count": 22}],
    "parameters": {"algorithm": ["auto", "posts"]}, "engine": {"mode": ["cpu", "emulated"]}})";
  const auto swept = runCommand({"sweep", sweep, "--output", folder.path("r"), "--json"});
  CAPTURE(swept.err);
  CHECK(swept.code == 0);
  CHECK(onlyObject(swept.out)["done"] == 8);
  std::ofstream(sweep) << R"({"workload": "three_in_line", "rows": [{"size": 6, "expected_count": 12}]})";
  const auto wrong = runCommand({"sweep", sweep, "--output", folder.path("w")});
  CHECK(wrong.code == 1);
  CHECK(contains(wrong.err, "count 11, but 12 from the expected count"));
}

TEST_CASE("the man page and completions know both commands") {
  const auto man = runCommand({"man"}).out;
  CHECK(contains(man, "slicepool three\\-in\\-line"));
  CHECK(contains(man, "slicepool merge"));
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto text = runCommand({"completion", shell}).out;
    CHECK(contains(text, "three-in-line"));
    CHECK(contains(text, "orthogonals"));
    CHECK(contains(text, "merge"));
  }
}
