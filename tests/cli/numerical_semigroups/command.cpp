// `slicepool numerical-semigroups` as a user runs it: exact counts and lists in every mode, stop and resume,
// plans, the picture, configurations, bad input.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/command_runner.hpp"
#include "support/numerical_semigroups/oracle.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool::test;

namespace {

CommandResult numericalSemigroups(const std::string& genus, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"numerical-semigroups", "-g", genus};
  words.insert(words.end(), more.begin(), more.end());
  return runCommand(words);
}

nlohmann::json genusRecordOf(const std::string& genus, std::vector<std::string> more = {}) {
  more.emplace_back("--json");
  const auto result = numericalSemigroups(genus, std::move(more));
  CAPTURE(result.err);
  REQUIRE(result.code == 0);
  return onlyObject(result.out);
}

}  // namespace

TEST_CASE("numerical semigroups: the counts of all genera are A007323, in every mode") {
  const auto& published = publishedGenusCounts();
  for (const std::string mode : {"cpu", "emulated", "auto"}) {
    CAPTURE(mode);
    const auto record = genusRecordOf("21", {"--mode", mode, "--triangle"});
    CHECK(record["count"] == published.at(21));
    CHECK(record["counts"] ==
          nlohmann::json(std::vector<std::uint64_t>(published.begin(), published.begin() + 22)));
    CHECK(record["triangle"].size() == 22);
    CHECK(record["triangle"].back() == record["histogram"]);
    CHECK(record["steps"] == genusRecordOf("21")["steps"]);
  }
  CHECK(genusRecordOf("100", {"-m", "3"})["count"] == 34);
}

TEST_CASE("numerical semigroups: a run that stops is resumed") {
  const TemporaryFolder folder;
  const std::string checkpoint = folder.path("genus.ckpt");
  const auto stopped =
      numericalSemigroups("26", {"--mode", "cpu", "--threads", "1", "--cpu-budget", "1000", "--step-limit",
                                 "100000", "--checkpoint", checkpoint, "--json"});
  CHECK(stopped.code == 5);
  CHECK_FALSE(onlyObject(stopped.out).contains("count"));
  CHECK(numericalSemigroups("25", {"--mode", "cpu", "--resume", checkpoint}).code == 2);
  CHECK(genusRecordOf("26", {"--mode", "cpu", "--checkpoint", checkpoint, "--resume", "auto"})["count"] ==
        770832);
}

TEST_CASE("numerical semigroups: lists are the same files in every mode, and are the oracle's sets") {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& mode, std::vector<std::string> more) {
    more.insert(more.end(), {"--output", folder.path(name), "--mode", mode});
    const auto record = genusRecordOf("9", std::move(more));
    CHECK(record["output"]["bytes"] == std::filesystem::file_size(folder.path(name)));
    return contentOf(folder.path(name));
  };
  const GenusOracle oracle(9);
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--where", "t = 2 or e = 3"}, {"--exactly"}, {"--rows", "gaps"}}) {
    for (const std::string suffix : {".txt", ".npy"}) {
      const std::string file = write("a" + suffix, "cpu", more);
      CHECK(write("b" + suffix, "emulated", more) == file);
      CHECK(file.size() > 100);
    }
  }
  std::string expected;
  for (const Gaps& gaps : oracle.ofGenus(9)) {
    std::string line;
    for (const int gap : gaps) line += (line.empty() ? "" : " ") + std::to_string(gap);
    expected += line + "\n";
  }
  CHECK(write("gaps.txt", "cpu", {"--exactly", "--rows", "gaps"}) == expected);
  CHECK(numericalSemigroups("4", {"--output", "-", "--exactly", "-m", "3"}).out == "3 7 8\n3 5\n");
}

TEST_CASE(
    "numerical semigroups: two statistics, leaves, conditions, sinks and Frobenius numbers in a record") {
  const auto both = genusRecordOf("12", {"--by", "type,depth", "--triangle"});
  const auto one = genusRecordOf("12", {"--by", "type"});
  std::uint64_t sum = 0;
  for (std::size_t v = 0; v < both["histogram"].size(); ++v) {
    std::uint64_t row = 0;
    for (const auto& number : both["histogram"][v]) row += number.get<std::uint64_t>();
    CHECK(row == one["histogram"][v]);
    sum += row;
  }
  CHECK(sum == 592);
  CHECK(both["triangle"].back() == both["histogram"]);
  const auto children = genusRecordOf("12", {"--by", "children"});
  CHECK(children["leaves"]["count"] == children["histogram"][0]);
  CHECK(genusRecordOf("12", {"--sink", "all:wilf >= 0"})["predicate_holds"] == true);
  const auto any = genusRecordOf("12", {"--sink", "any:t = 11", "--mode", "emulated"});
  CHECK(any["predicate_holds"] == true);
  CHECK(any["semigroups"].size() == 1);
  CHECK_FALSE(any.contains("count"));
  const auto first = genusRecordOf("12", {"--sink", "first:2", "--where", "e = 2"});
  CHECK(first["semigroups"].size() == 2);
  const auto frobenius = runCommand({"numerical-semigroups", "--frobenius", "16", "--by", "genus", "--json"});
  CHECK(onlyObject(frobenius.out)["count"] == 205);
}

TEST_CASE("numerical semigroups: a list that stops is resumed, and its file is that of one run") {
  const TemporaryFolder folder;
  const std::vector<std::string> asked = {"--where", "d >= 4", "--rows", "gaps"};
  const auto with = [&](const std::string& name, std::vector<std::string> more) {
    more.insert(more.end(), asked.begin(), asked.end());
    more.insert(more.end(), {"--output", folder.path(name)});
    return numericalSemigroups("19", std::move(more));
  };
  REQUIRE(with("whole.npy", {}).code == 0);
  CHECK(with("parts.npy", {"--mode", "cpu", "--threads", "1", "--cpu-budget", "1000", "--step-limit", "20000",
                           "--checkpoint", folder.path("c.ckpt")})
            .code == 5);
  CHECK_FALSE(std::filesystem::exists(folder.path("parts.npy")));
  CHECK(with("parts.npy", {"--mode", "emulated", "--checkpoint", folder.path("c.ckpt"), "--resume", "auto"})
            .code == 0);
  CHECK(contentOf(folder.path("parts.npy")) == contentOf(folder.path("whole.npy")));
}

TEST_CASE("numerical semigroups: shards of a plan are what one run finds, and are counted again") {
  const TemporaryFolder folder;
  struct Case {
    std::string name;
    nlohmann::ordered_json config;
  };
  for (const auto& shape :
       {Case{"counts", {{"genus", 18}, {"triangle", true}}},
        Case{"pairs",
             {{"genus", 15}, {"by", "embedding-dimension,type"}, {"where", "d >= 3"}, {"fingerprint", true}}},
        Case{"frobenius", {{"frobenius", 20}, {"by", "genus"}}},
        Case{"list", {{"genus", 14}, {"where", "t = 3"}, {"output", {{"path", folder.path("list.txt")}}}}}}) {
    CAPTURE(shape.name);
    nlohmann::ordered_json document = {{"workload", "numerical_semigroups"}};
    document.update(shape.config);
    const std::string path = folder.path(shape.name + ".json");
    std::ofstream(path) << document.dump();
    const auto whole = runCommand({"run", path, "--json"});
    REQUIRE(whole.code == 0);
    const std::string list = shape.name == "list" ? contentOf(folder.path("list.txt")) : "";
    const std::string plan = folder.path(shape.name + "-plan.json");
    REQUIRE(runCommand({"plan", path, "--shards", "4", "--output", plan}).code == 0);
    REQUIRE(runCommand({"run", plan, "--shard", "all", "--mode", "cpu"}).code == 0);
    const auto recount = runCommand({"recount", plan, "--shards", "2", "--mode", "emulated", "--json"});
    CAPTURE(recount.err);
    CHECK(recount.code == 0);
    REQUIRE(runCommand({"merge", plan}).code == 0);
    const auto merged = nlohmann::json::parse(contentOf(folder.path(shape.name + "-plan.record.json")));
    const auto expected = onlyObject(whole.out);
    for (const char* member :
         {"count", "counts", "by", "histogram", "triangle", "listed", "fingerprint", "steps"}) {
      CAPTURE(member);
      CHECK(merged.contains(member) == expected.contains(member));
      if (expected.contains(member)) CHECK(merged[member] == expected[member]);
    }
    if (shape.name == "list") CHECK(contentOf(folder.path("list.txt")) == list);
  }
}

TEST_CASE("numerical semigroups: the picture of the documentation is the tree to genus 7") {
  const TemporaryFolder folder;
  REQUIRE(numericalSemigroups("7", {"--output", folder.path("tree.svg")}).code == 0);
  const std::string picture = contentOf(folder.path("tree.svg"));
  const char* source = std::getenv("SLICEPOOL_SOURCE_DIR");
  REQUIRE(source != nullptr);
  CHECK(picture == contentOf(std::string(source) + "/docs/pictures/numerical-semigroups.svg"));
  // 89 semigroups, 88 of which are children.
  const auto occurrences = [&](const std::string& text) {
    int number = 0;
    for (auto at = picture.find(text); at != std::string::npos; at = picture.find(text, at + 1)) ++number;
    return number;
  };
  CHECK(occurrences("<path ") == 88);
  CHECK(occurrences("<text x=") == 89);
  CHECK(picture.find(">7 <tspan class=\"removable\">9</tspan>") != std::string::npos);
}

TEST_CASE("numerical semigroups: bad input ends with exit code 2 and a sentence") {
  struct Bad {
    std::vector<std::string> words;
    std::string start;
  };
  for (const auto& [words, start] :
       {Bad{{"-g", "0"}, "genus: got 0; accepted: an integer from 1 to 127"},
        Bad{{"-g", "128"}, "genus: got 128; accepted: an integer from 1 to 127"},
        Bad{{"-g", "ten"}, "genus: got"},
        Bad{{"-g", "10", "-m", "1"}, "multiplicity: got 1"},
        Bad{{"-g", "10", "--by", "size"}, "by: got \"size\""},
        Bad{{"-g", "10", "--by", "type,type"}, "by: got type,type"},
        Bad{{"-g", "10", "--by", "type,wilf"}, "by: got \"type,wilf\""},
        Bad{{"-g", "10", "--frobenius", "9"}, "genus: got a genus and a Frobenius number"},
        Bad{{}, "genus: got nothing; accepted: one of genus and frobenius"},
        Bad{{"-g", "10", "--where", "wolf < 3"}, "where: got \"wolf < 3\" (at character 1: a name is"},
        Bad{{"-g", "10", "--sink", "any:t"}, "sink: got \"t\" (at character 2: expected one of"},
        Bad{{"-g", "10", "--sink", "first:0"}, "sink (first:K): got"},
        Bad{{"-g", "10", "--sink", "list", "--by", "type"}, "by: got type with sink list"},
        Bad{{"-g", "10", "--sink", "list", "--triangle"}, "triangle: got with sink list"},
        Bad{{"-g", "11", "--output", "tree.svg"},
            "output.path: got \"tree.svg\"; accepted: a picture only of"},
        Bad{{"-g", "10", "--output", "rows.csv"}, "output.path: got \"rows.csv\""},
        Bad{{"-g", "10", "--output", "rows.npy", "--sink", "count"},
            "output.path: got \"rows.npy\" with sink count"},
        Bad{{"-g", "10", "--output", "-", "--checkpoint", "x.ckpt"}, "checkpoint: got \"x.ckpt\""},
        Bad{{"-g", "10", "--shards", "2"}, "shard: got nothing with 2 shards"},
        Bad{{"-g", "10", "--shards", "2", "--shard", "2"}, "shard: got 2; accepted: 0 to 1"},
        Bad{{"-g", "10", "-m", "12"}, "multiplicity: got 12; accepted: 2 to 11"}}) {
    std::vector<std::string> command = {"numerical-semigroups"};
    command.insert(command.end(), words.begin(), words.end());
    const auto result = runCommand(command);
    CAPTURE(result.err);
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    CHECK(result.err.rfind("slicepool: error: " + start, 0) == 0);
  }
}
