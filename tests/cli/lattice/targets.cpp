// `slicepool lattice --batch` with targets as a user sees it: one basis and many targets, lattices of their
// own, errors in their places, the record, what is refused, and a stop in the middle.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/command_runner.hpp"
#include "cli/lattice/batch_command.hpp"
#include "support/json_lines.hpp"

namespace {
namespace targets_test {

using slicepool::test::CommandResult;
using slicepool::test::contains;
using slicepool::test::contentOf;
using slicepool::test::jsonLinesOf;
using slicepool::test::onlyObject;
using slicepool::test::runBatch;
using slicepool::test::TemporaryFolder;
using slicepool::test::writeText;

const std::string kBasis = "[[2 0] [1 2]]";
const std::string kGood = "{\"target\":[1,5],\"id\":\"a\"}\n";

TEST_CASE("targets have one line each on standard output, and errors in their places") {
  const TemporaryFolder folder;
  const std::string file = folder.path("in.jsonl");
  writeText(
      file,
      kGood +
          "{\"target\":[1,2,3]}\n{\"target\":[\"1/3\",-0.5],\"squared_radius\":2}\n{\"target\":[1,true]}\n" +
          "{\"target\":[\"one\",2]}\n{\"gram\":[[2,1],[1,2]],\"target\":[\"1/3\",\"1/3\"]}\n");
  const CommandResult result = runBatch(file, {"--basis", kBasis, "--output", "-", "--solutions", "2"});
  CHECK(result.code == 0);
  const auto lines = jsonLinesOf(result.out);
  REQUIRE(lines.size() == 6);
  CHECK(lines[0]["id"] == "a");
  CHECK(lines[0]["squared_distance"] == "1");
  CHECK(lines[0]["vector"] == nlohmann::json({1, 6}));
  CHECK(lines[0]["coefficients"] == nlohmann::json({-1, 3}));
  CHECK(lines[1]["field"] == "target");
  CHECK(contains(lines[1]["error"].get<std::string>(), "got 3 numbers; accepted: 2"));
  CHECK(lines[2]["count"] == 1);
  CHECK(lines[2]["vectors"][0]["squared_distance"] == "13/36");
  CHECK(lines[3]["field"] == "target: column 14");
  CHECK(lines[4]["field"] == "target: column 12");
  CHECK(lines[5]["squared_distance"] == "2/3");
  CHECK(!lines[5].contains("coefficients"));
}

TEST_CASE("targets are those of a basis in a file, and the record says what was done with it") {
  const TemporaryFolder folder;
  const std::string file = folder.path("in.jsonl");
  writeText(file, kGood + "x\n" + kGood);
  writeText(folder.path("basis.txt"), "[[100 1]\n[99 1]]\n");
  const CommandResult result =
      runBatch(file, {"--basis", folder.path("basis.txt"), "--output", folder.path("out.jsonl"), "--json"});
  CHECK(result.code == 0);
  const auto record = onlyObject(result.out);
  CHECK(record["input"] == "batch");
  CHECK(record["dimension"] == 2);
  CHECK(record["reduction"] == "lll");
  CHECK(record["targets"] == 3);
  CHECK(record["failed"] == 1);
  CHECK(!record.contains("lattices"));
  const auto lines = jsonLinesOf(contentOf(folder.path("out.jsonl")));
  REQUIRE(lines.size() == 3);
  CHECK(lines[0]["squared_distance"] == "0");  // the basis is that of all integers
  CHECK(lines[2]["line"] == 3);
}

TEST_CASE("an empty file of targets has no answers and is no error") {
  const TemporaryFolder folder;
  writeText(folder.path("in.jsonl"), "");
  const CommandResult result =
      runBatch(folder.path("in.jsonl"), {"--gram", "[[2 1] [1 2]]", "--output", folder.path("out.jsonl")});
  CHECK(result.code == 0);
  CHECK(contentOf(folder.path("out.jsonl")).empty());
  CHECK(contains(result.out, "targets"));
}

TEST_CASE("what a batch of targets cannot be is refused with the field, and nothing is written") {
  const TemporaryFolder folder;
  const std::string file = folder.path("in.jsonl");
  writeText(file, kGood);
  const std::string out = folder.path("out.jsonl");
  const auto refusal = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--output", out});
    const CommandResult result = runBatch(file, more);
    CHECK(result.code == 2);
    return result.err;
  };
  CHECK(contains(refusal({"--basis", "[[1 2] [2 4]]"}), "row 2"));
  CHECK(contains(refusal({"--basis", folder.path("none")}), "basis"));
  CHECK(contains(refusal({"--basis", kBasis, "--gram", "[[1]]"}), "gram"));
  CHECK(contains(refusal({"--basis", kBasis, "--target", "[1 1]"}), "target"));
  CHECK(contains(refusal({"--basis", kBasis, "--theta"}), "theta"));
  CHECK(contains(refusal({"--reduce", "lll"}), "reduction"));
  CHECK(!std::filesystem::exists(out));
  CHECK(contentOf(file) == kGood);
}

TEST_CASE("a batch of targets that is stopped says where its answers are") {
  const TemporaryFolder folder;
  const std::string file = folder.path("in.jsonl");
  const std::string far = "{\"target\":[0.9,0.9]}\n";
  writeText(file, far + far + far);
  const std::string out = folder.path("out.jsonl");
  const CommandResult result = runBatch(file, {"--basis", kBasis, "--output", out, "--step-limit", "1"});
  CHECK(result.code == 1);
  CHECK(contains(result.err, out + ".part has the answers of the first 1 targets"));
  CHECK(jsonLinesOf(contentOf(out + ".part")).size() == 1);
}

}  // namespace targets_test
}  // namespace
