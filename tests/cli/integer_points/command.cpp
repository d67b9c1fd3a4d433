// `slicepool integer-points` as a user runs it: counts and lists in every mode, generators and matrices,
// files, stop and resume, configurations, bad input.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "cli/command_runner.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool::test;

namespace {

CommandResult integerPoints(std::vector<std::string> more) {
  more.insert(more.begin(), "integer-points");
  return runCommand(more);
}

nlohmann::json pointRecordOf(std::vector<std::string> more) {
  more.emplace_back("--json");
  const auto result = integerPoints(std::move(more));
  CAPTURE(result.err);
  REQUIRE(result.code == 0);
  return onlyObject(result.out);
}

/// n x n tables: rows, then columns.
std::string tableMatrix(int n) {
  std::string text;
  for (int line = 0; line < 2 * n; ++line) {
    if (line != 0) text += ";";
    for (int cell = 0; cell < n * n; ++cell) {
      const bool isIn = line < n ? cell / n == line : cell % n == line - n;
      text += std::string(cell == 0 ? "" : ",") + (isIn ? "1" : "0");
    }
  }
  return text;
}

}  // namespace

TEST_CASE("integer points: known counts in every mode") {
  for (const std::string mode : {"cpu", "emulated", "auto"}) {
    CAPTURE(mode);
    const std::vector<std::string> walk = {"--matrix", tableMatrix(4), "--right-side",
                                           "4",        "--algorithm",  "walk"};
    auto words = walk;
    words.insert(words.end(), {"--mode", mode});
    const auto record = pointRecordOf(words);
    CHECK(record["count"] == 10147);
    CHECK(record["counted_by_table"] == false);
    CHECK(record["steps"] == pointRecordOf(walk)["steps"]);
  }
  const auto record = pointRecordOf({"--matrix", tableMatrix(5), "--right-side", "10"});
  CHECK(record["count"] == 79'315'936'751);
  CHECK(record["counted_by_table"] == true);
}

TEST_CASE("integer points: generators and a matrix of the same columns are the same system") {
  const auto affine =
      pointRecordOf({"--generators", "1,2;3,1;1,1;2,5", "--element", "40,50", "--sink", "list"});
  const auto rows = pointRecordOf({"--matrix", "1,3,1,2;2,1,1,5", "--right-side", "40,50", "--sink", "list"});
  CHECK(affine["points"] == rows["points"]);
  CHECK(affine["count"] == rows["count"]);
  CHECK(affine["count"] == affine["points"].size());
  // One equation: those of factorizations, with the same fingerprint.
  const auto points = pointRecordOf({"--generators", "6;9;20", "--element", "300", "--fingerprint"});
  const auto result =
      runCommand({"factorizations", "--generators", "6,9,20", "--element", "300", "--fingerprint", "--json"});
  const auto factorizations = onlyObject(result.out);
  CHECK(points["count"] == factorizations["count"]);
  CHECK(points["fingerprint"] == factorizations["fingerprint"]);
}

TEST_CASE("integer points: files are the same in every mode, and negative numbers are what they are") {
  const TemporaryFolder folder;
  for (const std::string suffix : {".npy", ".txt"}) {
    std::string first;
    for (const std::string mode : {"cpu", "emulated", "auto"}) {
      const std::string path = folder.path(mode + suffix);
      const auto record =
          pointRecordOf({"--matrix", "1,1,1,1;1,-2,0,3", "--right-side", "9,1", "--lower", "-2,0,-1,-3",
                         "--upper", "none,7,none,9", "--mode", mode, "--output", path});
      CHECK(record["output"]["bytes"] == std::filesystem::file_size(path));
      if (first.empty()) first = contentOf(path);
      CHECK(contentOf(path) == first);
    }
    CHECK(first.size() > 100);
  }
  const auto text = integerPoints({"--matrix", "1,1", "--right-side", "2", "--lower", "-1", "--output", "-"});
  CHECK(text.out == "-1 3\n0 2\n1 1\n2 0\n3 -1\n");
}

TEST_CASE("integer points: a run that stops is resumed") {
  const TemporaryFolder folder;
  const std::string checkpoint = folder.path("points.ckpt");
  const std::vector<std::string> request = {"--matrix",      tableMatrix(4), "--right-side", "9",
                                            "--fingerprint", "--mode",       "cpu"};
  auto stopped = request;
  stopped.insert(stopped.end(), {"--threads", "1", "--cpu-budget", "1000", "--step-limit", "20000",
                                 "--checkpoint", checkpoint, "--json"});
  const auto result = integerPoints(stopped);
  CHECK(result.code == 5);
  CHECK_FALSE(onlyObject(result.out).contains("count"));
  CHECK(integerPoints({"--matrix", "1,1", "--right-side", "9", "--fingerprint", "--mode", "cpu", "--resume",
                       checkpoint})
            .code == 2);
  auto resumed = request;
  resumed.insert(resumed.end(), {"--checkpoint", checkpoint, "--resume", "auto"});
  const auto record = pointRecordOf(resumed);
  CHECK(record["count"] == pointRecordOf(request)["count"]);
  CHECK(record["fingerprint"] == pointRecordOf(request)["fingerprint"]);
}

TEST_CASE("integer points: shards of a plan are what one run finds, and are counted again") {
  const TemporaryFolder folder;
  struct Case {
    std::string name;
    nlohmann::ordered_json config;
    std::string output = {};
  };
  const auto system = [](std::string matrix, nlohmann::ordered_json right) {
    return nlohmann::ordered_json{{"matrix", std::move(matrix)}, {"right_side", std::move(right)}};
  };
  const auto with = [](nlohmann::ordered_json document, const nlohmann::ordered_json& more) {
    document.update(more);
    return document;
  };
  const auto tables = system(tableMatrix(4), 4);
  const auto signedOnes = with(system("2,-4,3", 5), {{"lower", -20}, {"upper", {20, 30, 11}}});
  for (const auto& shape :
       {Case{"by-table", tables}, Case{"lines", with(tables, {{"algorithm", "walk"}})},
        Case{"below-a-table",
             with(system("1000003,1000033,1000037,1,0,0,0,0,0,0;0,0,0,-1,1,1,1,1,1,2", {40001000, 0}),
                  {{"upper",
                    {nullptr, nullptr, nullptr, 1000, nullptr, nullptr, nullptr, nullptr, nullptr,
                     nullptr}}})},
        Case{"fingerprint", with(tables, {{"fingerprint", true}, {"where", "x1 = x6 or x2 > x3"}})},
        Case{"sums", with(system("3,5,7,9", 300), {{"sink", "sums"}})},
        Case{"kept", with(signedOnes, {{"sink", "list"}})},
        Case{"array", with(signedOnes, {{"output", {{"path", folder.path("array.npy")}}}}), "array.npy"},
        Case{"text", with(tables, {{"output", {{"path", folder.path("text.txt")}}}}), "text.txt"},
        Case{"larger", with(system(tableMatrix(5), 3), {{"output", {{"path", folder.path("larger.npy")}}}}),
             "larger.npy"},
        Case{"none", with(system("2,4", 5), {{"output", {{"path", folder.path("none.npy")}}}}),
             "none.npy"}}) {
    CAPTURE(shape.name);
    nlohmann::ordered_json document = {{"workload", "integer_points"}};
    document.update(shape.config);
    const std::string path = folder.path(shape.name + ".json");
    std::ofstream(path) << document.dump();
    const auto whole = runCommand({"run", path, "--json"});
    REQUIRE(whole.code == 0);
    const std::string list = shape.output.empty() ? "" : contentOf(folder.path(shape.output));
    if (!shape.output.empty()) std::filesystem::remove(folder.path(shape.output));
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
         {"count", "sums", "listed", "points", "fingerprint", "empty_because", "column_order",
          "visited_columns", "counted_by_table", "table_entries", "steps"}) {
      CAPTURE(member);
      CHECK(merged.contains(member) == expected.contains(member));
      if (expected.contains(member)) CHECK(merged[member] == expected[member]);
    }
    if (!shape.output.empty()) CHECK(contentOf(folder.path(shape.output)) == list);
    if (shape.name == "below-a-table") CHECK(expected.contains("table_entries"));
    const auto rule = nlohmann::json::parse(contentOf(plan))["rule"];
    if (shape.name == "lines" || shape.name == "larger") CHECK(rule["slices"] > 3);
  }
}

TEST_CASE(
    "integer points: a merge refuses a list that its record does not describe, and a point in two places") {
  const TemporaryFolder folder;
  std::ofstream(folder.path("list.json")) << R"({"workload": "integer_points", "matrix": [[1, 2, 3]],
    "right_side": 60, "output": {"path": ")"
                                          << folder.path("list.txt") << "\"}}";
  const std::string plan = folder.path("plan.json");
  REQUIRE(runCommand({"plan", folder.path("list.json"), "--shards", "3", "--output", plan}).code == 0);
  REQUIRE(runCommand({"run", plan, "--shard", "all", "--mode", "cpu"}).code == 0);
  // A shard that is another one: the hashes are those of its record.
  for (const std::string suffix : {".npy", ".record.json"})
    std::filesystem::copy_file(folder.path("plan-0" + suffix), folder.path("kept" + suffix));
  std::filesystem::copy_file(folder.path("plan-1.npy"), folder.path("plan-0.npy"),
                             std::filesystem::copy_options::overwrite_existing);
  const auto damaged = runCommand({"merge", plan});
  CHECK(damaged.code == 2);
  CHECK(damaged.err.find("plan-0") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path("list.txt")));
  const auto refused = runCommand({"plan", folder.path("list.json"), "--shards", "3", "--output",
                                   folder.path("other.json"), "--set", "output.path=-"});
  CHECK(refused.code == 2);
}

TEST_CASE("integer points: a configuration with lists, and no bound as null") {
  const TemporaryFolder folder;
  std::ofstream(folder.path("system.json"))
      << R"({"workload": "integer_points", "matrix": [[1, 2, 0], [0, 1, 1]],
    "right_side": [7, 5], "lower": 1, "upper": [null, 3, 4], "sink": "list"})";
  const auto result = runCommand({"run", folder.path("system.json"), "--json"});
  REQUIRE(result.code == 0);
  CHECK(onlyObject(result.out)["points"] == nlohmann::json({{1, 3, 2}, {3, 2, 3}, {5, 1, 4}}));
}

TEST_CASE("integer points: an element that is no sum of generators has no factorization") {
  const auto record = pointRecordOf({"--generators", "2,0;0,2", "--element", "3,4"});
  CHECK(record["count"] == 0);
  CHECK(record["empty_because"] == "the common divisor of a row does not divide its right side");
}

TEST_CASE("integer points: bad input is refused by name, with exit code 2") {
  struct Case {
    std::vector<std::string> words;
    std::string part;
  };
  const std::vector<Case> cases = {
      {{"--matrix", "1,-1", "--right-side", "0"}, "x and x + (1, 1) satisfy the same rows"},
      {{"--generators", "1,0;-1,0;0,1", "--element", "3,4"}, "pointed cone"},
      {{"--generators", "1,0;0,0", "--element", "3,4"}, "(0, 1)"},
      {{"--matrix", "1,2;3", "--right-side", "0"}, "matrix: got row 2 of 1 entries"},
      {{"--matrix", "1,2", "--right-side", "1,2"}, "right_side: got 2 numbers"},
      {{"--generators", "1,2;3", "--element", "1,2"}, "generators: got generator 2 of 1 entries"},
      {{"--generators", "1,2;3,4", "--element", "1,2,3"}, "element: got 3 entries"},
      {{"--matrix", "1,2"}, "right_side: got nothing"},
      {{"--matrix", "1,2", "--right-side", "3", "--element", "3"}, "right_side: got element as well"},
      {{"--matrix", "1,2", "--generators", "1;2", "--right-side", "3"}, "a matrix and generators"},
      {{"--right-side", "3"}, "matrix: got nothing"},
      {{"--matrix", "1,,2", "--right-side", "3"}, "matrix: got"},
      {{"--matrix", "1,2.5", "--right-side", "3"}, "matrix: got"},
      {{"--matrix", "1,2", "--right-side", "9223372036854775807"}, "right_side: got 9223372036854775807"},
      {{"--matrix", "1,99999999999999999999", "--right-side", "3"}, "matrix: got"},
      {{"--matrix", "1,2", "--right-side", "3", "--upper", "1,2,3"}, "upper: got 3 numbers"},
      {{"--matrix", "1,2", "--right-side", "3", "--upper", "much"}, "upper: got"},
      {{"--matrix", "1,2", "--right-side", "3", "--where", "x3 > 1"}, "columns are x1 .. x2"},
      {{"--matrix", "1,2", "--right-side", "3", "--sink", "any"}, "sink: got"},
      {{"--matrix", "1,2", "--right-side", "3", "--sink", "count", "--output", "a.npy"}, "output.path"},
      {{"--matrix", "1,2", "--right-side", "3", "--output", "a.csv"}, "output.path"}};
  for (const auto& bad : cases) {
    CAPTURE(bad.part);
    const auto result = integerPoints(bad.words);
    CHECK(result.code == 2);
    CHECK(result.err.find(bad.part) != std::string::npos);
    CHECK(result.out.empty());
  }
}
