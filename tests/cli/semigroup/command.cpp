// `slicepool semigroup` as a user runs it: JSON keys, files, answers, interruption and resume,
// configurations, sweeps, bad input.
#include <doctest/doctest.h>

#include <fstream>

#include "cli/command_runner.hpp"
#include "support/semigroup/known.hpp"

using namespace slicepool::test;

namespace {

CommandResult semigroup(std::vector<std::string> more) {
  more.insert(more.begin(), "semigroup");
  return runCommand(more);
}

nlohmann::json recordOf(std::vector<std::string> more) {
  more.emplace_back("--json");
  const auto result = semigroup(std::move(more));
  CAPTURE(result.err);
  REQUIRE(result.code == 0);
  return onlyObject(result.out);
}

void checkBadInput(const CommandResult& result, const std::string& start) {
  CAPTURE(result.err);
  CHECK(result.code == 2);
  CHECK(result.out.empty());
  CHECK(result.err.rfind("slicepool: error: " + start, 0) == 0);
}

}  // namespace

TEST_CASE("the record has size, stages, rules, idempotents, base, seconds, workers and peak bytes") {
  const auto record = recordOf({"--named", "bihecke:5", "--idempotents", "--mode", "cpu"});
  CHECK(record["size"] == 31103);
  CHECK(record["idempotents"] == 7859);
  CHECK(record["stages"] == nlohmann::json(kStagesBihecke5));
  CHECK(record["rules"] == 8272);
  CHECK(record["base"].size() > 4);
  CHECK(record["seconds"].is_number());
  CHECK(record["workers"].is_array());
  CHECK(record["peak_bytes"].get<std::uint64_t>() > 0);
  for (const char* algorithm : {"froidure-pin", "words"}) {
    const auto other = recordOf({"--named", "bihecke:4", "--algorithm", algorithm, "--mode", "cpu"});
    CHECK(other["size"] == 477);
    CHECK(other["rules"] == 268);
    CHECK_FALSE(other.contains("idempotents"));
  }
}

TEST_CASE("every mode and number of threads writes the same bytes") {
  TemporaryFolder folder;
  std::vector<std::string> texts;
  for (const auto& mode :
       std::vector<std::vector<std::string>>{{"--mode", "cpu", "--threads", "1"},
                                             {"--mode", "cpu", "--threads", "2"},
                                             {"--mode", "emulated", "--emulated-lanes", "64"},
                                             {"--mode", "emulated", "--emulated-fail-at", "1"}}) {
    std::vector<std::string> words = {"--named",
                                      "bihecke:5",
                                      "--words",
                                      folder.path("w"),
                                      "--rules",
                                      folder.path("r"),
                                      "--right-cayley-graph",
                                      folder.path("g.npy"),
                                      "--left-cayley-graph",
                                      folder.path("l.csv"),
                                      "--elements",
                                      folder.path("e.npy")};
    words.insert(words.end(), mode.begin(), mode.end());
    CHECK(semigroup(words).code == 0);
    std::string all;
    for (const char* name : {"w", "r", "g.npy", "l.csv", "e.npy"}) all += contentOf(folder.path(name));
    texts.push_back(all);
  }
  for (const auto& text : texts) CHECK(text == texts.front());
}

TEST_CASE("membership and words of elements given by number or images") {
  CHECK(recordOf({"--named", "full:4", "--contains", "3,3,0,1"})["contains"] == true);
  CHECK(recordOf({"--named", "catalan:4", "--contains", "0,0,0,0"})["contains"] == false);
  const auto word = recordOf({"--named", "full:4", "--word-of", "100"});
  CHECK(word["word_of_element"] == 100);
  CHECK(recordOf({"--named", "full:4", "--word-of", "0"})["word"] == nlohmann::json::array());
  CHECK(recordOf({"--named", "symmetric:4", "--word-of", "1,0,2,3"})["word"] == nlohmann::json::array({0}));
  CHECK(recordOf({"--named", "symmetric:4", "--word-of", "1,1,2,3"})["word"].is_null());
}

TEST_CASE("a stopped run is resumed, and a limited one too") {
  TemporaryFolder folder;
  const std::string checkpoint = folder.path("c");
  const auto stopped =
      semigroup({"--named", "bihecke:6", "--step-limit", "20000", "--checkpoint", checkpoint});
  CHECK(stopped.code == 5);
  const auto limited =
      recordOf({"--named", "bihecke:6", "--resume", checkpoint, "--max-stage", "8", "--mode", "cpu"});
  CHECK(limited["limited"] == true);
  CHECK(limited["partial_size"] == 1 + 10 + 56 + 240 + 850 + 2634 + 7270 + 17988 + 40490);
  CHECK_FALSE(limited.contains("size"));
  checkBadInput(semigroup({"--named", "bihecke:5", "--resume", checkpoint}), "checkpoint " + checkpoint);
}

TEST_CASE("a loop of runs with a tiny time limit comes to an end") {
  TemporaryFolder folder;
  const std::string checkpoint = folder.path("c");
  int runs = 0;
  CommandResult result;
  do {
    REQUIRE(runs++ < 22);  // 18 stages, one that finds nothing, the first run, which may finish none
    result = semigroup({"--named", "bihecke:5", "--time-limit", "0.001", "--checkpoint", checkpoint,
                        "--resume", "auto", "--json", "--idempotents", "--mode", "cpu"});
  } while (result.code == 5);
  CAPTURE(result.err);
  REQUIRE(result.code == 0);
  const auto record = onlyObject(result.out);
  CHECK(record["size"] == 31103);
  CHECK(record["rules"] == 8272);
  CHECK(record["idempotents"] == 7859);
  CHECK_FALSE(std::filesystem::exists(checkpoint));
}

TEST_CASE("generators from a file, a configuration and a sweep") {
  TemporaryFolder folder;
  std::ofstream(folder.path("maps")) << "2 4 # T_4 without the collapsing map\n1 0 2 3\n1 2 3 0\n";
  CHECK(recordOf({"--generators", folder.path("maps")})["size"] == 24);
  std::ofstream(folder.path("run.json"))
      << R"({"workload": "semigroup", "generators": [[1, 0, 2], [1, 2, 0], [0, 0, 2]], "engine": {"mode": "cpu"}})";
  const auto run = runCommand({"run", folder.path("run.json"), "--json"});
  CHECK(onlyObject(run.out)["size"] == 27);
  std::ofstream(folder.path("sweep.json"))
      << R"({"workload": "semigroup", "rows": [{"named": "renner:4", "expected_count": 209}],
            "engine": {"mode": ["cpu"], "threads": [1, 2]}, "measurement": {"warm_up": 0, "repetitions": 1}})";
  const auto sweep = runCommand({"sweep", folder.path("sweep.json"), "--output", folder.path("out")});
  CAPTURE(sweep.err);
  CHECK(sweep.code == 0);
}

TEST_CASE("bad input is refused by name") {
  checkBadInput(semigroup({}), "generators: got nothing");
  checkBadInput(semigroup({"--named", "bihecke:0"}), "named: got \"bihecke:0\"");
  checkBadInput(semigroup({"--generators", "/no/such/file"}), "generators: got \"/no/such/file\"");
  checkBadInput(semigroup({"--generators", "/tmp"}), "generators: got \"/tmp\"");
  checkBadInput(semigroup({"--named", "full:3", "--algorithm", "fast"}), "algorithm: got \"fast\"");
  checkBadInput(semigroup({"--named", "full:3", "--max-elements", "0"}), "max_elements: got 0");
  checkBadInput(semigroup({"--named", "full:3", "--contains", "0,1,9"}), "contains: got 9");
  checkBadInput(semigroup({"--named", "full:3", "--elements", "x.csv"}), "output.elements: got ");
  CHECK(contains(semigroup({"--named", "full:3", "--trace", "t"}).err, "unknown option --trace"));
  CHECK(contains(semigroup({"--named", "full:3", "--nmaed", "t"}).err, "unknown option --nmaed"));
  CHECK_FALSE(contains(runCommand({"semigroup", "--help"}).out, "--trace"));
  CHECK_FALSE(contains(runCommand({"semigroup", "--help"}).out, "OUTPUT.checkpoint"));
}

TEST_CASE("generators may be given as lists, and say from where images count") {
  CHECK(semigroup({"--generators", "[[1,0,2],[1,2,0]]", "--json"}).code == 0);
  checkBadInput(semigroup({"--generators", "[[1,2,3],[2,3,1]]"}), "generators[0]: got 3");
  const TemporaryFolder folder;
  std::ofstream(folder.path("maps.txt")) << "2 3\n2 1 3\n2 3 1\n";
  const auto oneBased = semigroup({"--generators", folder.path("maps.txt")});
  checkBadInput(oneBased, folder.path("maps.txt") + ":2: got \"3\"");
  CHECK(contains(oneBased.err, "images count from 0"));
  std::ofstream(folder.path("maps.txt")) << "2 3\n1,0,2\n1,2,0\n";
  checkBadInput(semigroup({"--generators", folder.path("maps.txt")}),
                folder.path("maps.txt") + ":2: got \"1,0,2\"");
}

TEST_CASE("a fixed base that fails is bad input and gives no size") {
  const auto result =
      semigroup({"--named", "bihecke:5", "--base", "0,119,37,82", "--fixed-base", "--json", "--mode", "cpu"});
  checkBadInput(result, "base: got 0,119,37,82; accepted: points that separate the elements");
  CHECK(contains(result.err, "checks failed"));
}
