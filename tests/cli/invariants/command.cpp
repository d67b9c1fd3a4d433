// `slicepool numerical-semigroup` as a user runs it: published values in every mode, batches, witnesses,
// configurations, bad input.
#include <doctest/doctest.h>

#include <fstream>

#include "cli/command_runner.hpp"
#include "support/temporary_folder.hpp"

using namespace slicepool::test;
using Json = nlohmann::json;

namespace {

std::string joined(const Json& numbers) {
  std::string text;
  for (const auto& number : numbers) text += (text.empty() ? "" : ",") + number.dump();
  return text;
}

CommandResult numericalSemigroup(const std::vector<std::string>& words) {
  std::vector<std::string> command = {"numerical-semigroup"};
  command.insert(command.end(), words.begin(), words.end());
  return runCommand(command);
}

Json invariantsRecordOf(std::vector<std::string> words) {
  words.emplace_back("--json");
  const auto result = numericalSemigroup(words);
  CAPTURE(result.err);
  REQUIRE(result.code == 0);
  return onlyObject(result.out);
}

/// Every member of `known` but those that say what it is of.
void checkValues(const Json& known, const Json& found) {
  std::size_t compared = 0;
  for (const auto& member : known.items()) {
    const auto& name = member.key();
    const auto& value = member.value();
    if (name == "generators" || name == "element") continue;
    CAPTURE(name);
    CHECK(found.at(name) == value);
    ++compared;
  }
  CHECK(compared >= 9);
}

}  // namespace

TEST_CASE("invariants: the values of numericalsgps, in every mode") {
  std::ifstream file(dataFile("invariants.json"));
  const Json known = Json::parse(file);
  for (const std::string mode : {"cpu", "emulated", "auto"}) {
    CAPTURE(mode);
    for (const auto& one : known["elements"]) {
      CAPTURE(one.dump());
      checkValues(one, invariantsRecordOf({"--generators", joined(one["generators"]), "--element",
                                           one["element"].dump(), "--invariant", "all", "--mode",
                                           mode})["invariants"]);
    }
    for (const auto& one : known["semigroups"]) {
      CAPTURE(one.dump());
      checkValues(
          one, invariantsRecordOf({"--generators", joined(one["generators"]), "--mode", mode})["invariants"]);
    }
  }
}

TEST_CASE("invariants: batches give what single runs give; integers that are no elements are listed") {
  const std::vector<std::string> common = {"--generators", "6,9,20", "--invariant", "all", "--witness"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), common.begin(), common.end());
    return invariantsRecordOf(more);
  };
  const auto range = with({"--element", "38..64"});
  CHECK(range["not_elements"] == Json{43});
  CHECK(range["count"] == 26);
  const TemporaryFolder folder;
  const std::string path = folder.path("elements.txt");
  std::ofstream(path) << "38..42 44\n45 46..64\n";
  const auto fromFile = with({"--elements", path});
  CHECK(fromFile["elements"] == range["elements"]);
  std::ofstream(path) << "60";
  CHECK(with({"--elements", path})["elements"].size() == 1);
  for (const auto& one : range["elements"])
    CHECK(one["invariants"] == with({"--element", one["element"].dump()})["invariants"]);
}

TEST_CASE("invariants: witnesses, and numbers of factorizations of all integers") {
  const auto record = invariantsRecordOf({"--generators", "6,9,20", "--element", "60", "--invariant",
                                          "catenary_degree,r-classes,denumerants", "--witness"});
  const auto& found = record["invariants"];
  CHECK(found["catenary_degree"] == Json{{"value", 7}, {"witness", {{0, 0, 3}, {1, 6, 0}}}});
  CHECK(found["r_classes"] == Json{{"value", 2}, {"witness", {{1, 6, 0}, {0, 0, 3}}}});
  CHECK(found["denumerants"].size() == 61);
  CHECK(found["denumerants"][60] == 5);
  CHECK(found["denumerants"][43] == 0);
  const auto greatest =
      invariantsRecordOf({"--generators", "6,9,20", "--invariant", "catenary_degree", "--witness"});
  CHECK(greatest["invariants"]["catenary_degree"] == Json{{"value", 7}, {"witness", 60}});
}

TEST_CASE("invariants: generators as they are given, of any divisor") {
  // 40 over 4, 10, 20, 20: with two generators of the same value they are two.
  const auto record = invariantsRecordOf({"--generators", "20,4,10,20", "--as-given", "--element", "40",
                                          "--invariant", "denumerant,denumerants,catenary_degree"});
  CHECK(record["invariants"]["denumerant"] == 10);
  CHECK(record["invariants"]["denumerants"].size() == 41);
  CHECK(record["invariants"]["denumerants"][5] == 0);
  CHECK_FALSE(record.contains("minimal_generators"));
  CHECK(invariantsRecordOf({"--generators", "20,4,10,5", "--element", "40", "--invariant",
                            "denumerant"})["minimal_generators"] == Json{4, 5});
}

TEST_CASE("invariants: a configuration with lists") {
  const TemporaryFolder folder;
  const std::string path = folder.path("run.json");
  std::ofstream(path) << R"({"workload": "invariants", "generators": [5, 7], "elements": [70, "35"],
                             "invariants": ["catenary_degree", "length_set"]})";
  const auto result = runCommand({"run", path, "--json"});
  REQUIRE(result.code == 0);
  const auto record = onlyObject(result.out);
  CHECK(record["elements"][0] ==
        Json{{"element", 70}, {"invariants", {{"length_set", {10, 12, 14}}, {"catenary_degree", 7}}}});
  CHECK(record["elements"][1]["element"] == 35);
}

TEST_CASE("invariants: bad input ends with exit code 2 and a sentence, too large tables with 4") {
  struct Bad {
    std::vector<std::string> words;
    std::string start;
    int code = 2;
  };
  const TemporaryFolder folder;
  const std::string empty = folder.path("empty.txt");
  const std::string wrong = folder.path("wrong.txt");
  const std::ofstream made(empty);
  std::ofstream(wrong) << "5 x\n";
  for (const auto& [words, start, code] : {
           Bad{{"--generators", "6,9"}, "generators: got [6,9]; accepted: integers from 1 to 2^63-1 with"},
           Bad{{"--generators", "0,5"}, "generators[0]: got 0"},
           Bad{{"--generators", "5,9223372036854775808"}, "generators[1]: got"},
           Bad{{"--generators", "6,9,20", "--element", "43"}, "element: got 43; accepted: an element"},
           Bad{{"--generators", "6,9,20", "--element", "-1"}, "element: got -1"},
           Bad{{"--generators", "6,9,20", "--element", "7..5"}, "element: got \"7..5\""},
           Bad{{"--generators", "6,9,20", "--element", "7...9"}, "element: got \"7...9\""},
           Bad{{"--generators", "6,9,20", "--element", "0..1000000000"}, "element: got 0..1000000000"},
           Bad{{"--generators", "6,9,20", "--elements", empty}, "elements: got"},
           Bad{{"--generators", "6,9,20", "--elements", wrong},
               "elements: " + wrong + ", entry 2: got \"x\""},
           Bad{{"--generators", "6,9,20", "--elements", folder.path("none")}, "elements: got"},
           Bad{{"--generators", "6,9,20", "--element", "6", "--elements", wrong}, "elements: got"},
           Bad{{"--generators", "6,9,20", "--invariant", "gneus"}, "invariants: got \"gneus\""},
           Bad{{"--generators", "6,9,20", "--invariant", "denumerant"}, "invariants: got \"denumerant\""},
           Bad{{"--generators", "6,9,20", "--element", "1..9", "--invariant", "denumerants"},
               "invariants: got denumerants of 9 integers"},
           Bad{{"--generators", "6,9,20", "--as-given"}, "as_given: got true without an element"},
           Bad{{"--generators", "6,9,20", "--checkpoint", "c.ckpt"}, "checkpoint: got"},
           Bad{{"--generators", "6,9,20", "--element", "1000000000000"}, "denumerants: the table needs", 4},
           Bad{{"--generators", "1000000000000,1000000000001"}, "generators: the Apéry set", 4},
           Bad{{"--generators", "6,9,20", "--element", "9000", "--invariant", "catenary_degree",
                "--memory-limit", "1MB"},
               "the element 9000 has",
               4},
       }) {
    const auto result = numericalSemigroup(words);
    CAPTURE(result.err);
    CHECK(result.code == code);
    CHECK(result.out.empty());
    CHECK(result.err.rfind("slicepool: error: " + start, 0) == 0);
  }
}
