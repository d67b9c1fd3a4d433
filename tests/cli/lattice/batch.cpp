// `slicepool lattice --batch` as a user sees it: answers in order, the record, files that are refused, pipes,
// and a stop in the middle.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/command_runner.hpp"
#include "cli/lattice/batch_command.hpp"
#include "support/json_lines.hpp"

namespace {
namespace batch_test {

using slicepool::test::CommandResult;
using slicepool::test::contains;
using slicepool::test::contentOf;
using slicepool::test::jsonLinesOf;
using slicepool::test::onlyObject;
using slicepool::test::runBatch;
using slicepool::test::RunningCommand;
using slicepool::test::TemporaryFolder;
using slicepool::test::writeText;

const std::string kGood = "{\"basis\":[[1,3],[3,-2]],\"id\":\"a\"}\n";

TEST_CASE("a batch has one line for each lattice on standard output, and errors in their places") {
  const TemporaryFolder folder;
  const std::string file = folder.path("in.jsonl");
  writeText(file, kGood + "{\"gram\":[[1,2],[2,1]]}\n{\"basis\":[[2,0],[0,2]],\"squared_radius\":8}\n");
  const CommandResult result = runBatch(file, {"--output", "-", "--solutions", "4"});
  CHECK(result.code == 0);
  const auto lines = jsonLinesOf(result.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0]["id"] == "a");
  CHECK(lines[0]["squared_norm"] == "10");
  CHECK(lines[0]["vector"] == nlohmann::json({1, 3}));
  CHECK(contains(lines[1]["error"].get<std::string>(), "positive definite"));
  CHECK(lines[2]["count"] == 4);
  CHECK(lines[2]["vectors"].size() == 4);
}

TEST_CASE("the record of a batch counts lattices and errors") {
  const TemporaryFolder folder;
  const std::string file = folder.path("in.jsonl");
  writeText(file, kGood + "x\n" + kGood);
  const CommandResult result = runBatch(file, {"--output", folder.path("out.jsonl"), "--json"});
  CHECK(result.code == 0);
  const auto record = onlyObject(result.out);
  CHECK(record["input"] == "batch");
  CHECK(record["lattices"] == 3);
  CHECK(record["failed"] == 1);
  CHECK(contains(record["first_error"].get<std::string>(), "line 2: line: column 1"));
  CHECK(record["output"]["rows"] == 3);
  CHECK(jsonLinesOf(contentOf(folder.path("out.jsonl"))).size() == 3);
}

TEST_CASE("an empty file has no answers and is no error") {
  const TemporaryFolder folder;
  writeText(folder.path("in.jsonl"), "");
  const CommandResult result = runBatch(folder.path("in.jsonl"), {"--output", folder.path("out.jsonl")});
  CHECK(result.code == 0);
  CHECK(contentOf(folder.path("out.jsonl")).empty());
}

TEST_CASE("what a batch cannot be is refused with the field, and nothing is written") {
  const TemporaryFolder folder;
  const std::string file = folder.path("in.jsonl");
  writeText(file, kGood);
  const std::string out = folder.path("out.jsonl");
  const auto refusal = [&](const std::string& path, const std::vector<std::string>& more) {
    const CommandResult result = runBatch(path, more);
    CHECK(result.code == 2);
    return result.err;
  };
  CHECK(contains(refusal(file, {}), "output.path"));
  CHECK(contains(refusal(folder.path("none"), {"--output", out}), "batch"));
  CHECK(contains(refusal(folder.path(""), {"--output", out}), "a folder"));
  CHECK(contains(refusal(file, {"--output", file}), "batch"));
  CHECK(contains(refusal(file, {"--output", out, "--basis", "[[1] [1]]"}), "basis"));
  CHECK(contains(refusal(file, {"--output", out, "--theta"}), "theta"));
  CHECK(contains(refusal(file, {"--output", out, "--theta"}), "solutions, first and accept beside a batch"));
  CHECK(contains(refusal(file, {"--output", out, "--fixed-radius"}), "fixed_radius"));
  CHECK(contains(refusal(file, {"--output", out, "--solutions", "all"}), "solutions"));
  CHECK(contains(refusal(file, {"--output", out, "--checkpoint", folder.path("a")}), "checkpoint"));
  CHECK(contains(refusal(file, {"--output", out, "--trace", folder.path("a")}), "trace"));
  CHECK(!std::filesystem::exists(out));
  CHECK(contentOf(file) == kGood);
}

TEST_CASE("a batch that is stopped says where its answers are, and of no checkpoint that it could have had") {
  const TemporaryFolder folder;
  const std::string file = folder.path("in.jsonl");
  writeText(file, kGood + kGood + kGood);
  const std::string out = folder.path("out.jsonl");
  const CommandResult result = runBatch(file, {"--output", out, "--step-limit", "1"});
  CHECK(result.code == 1);
  CHECK(contains(result.err, out + ".part has the answers of the first 1 lattices"));
  CHECK(!contains(result.err, "--checkpoint"));
  CHECK(jsonLinesOf(contentOf(out + ".part")).size() == 1);
  const CommandResult printed = runBatch(file, {"--output", "-", "--step-limit", "1"});
  CHECK(contains(printed.err, "standard output has the answers of the first 1 lattices"));
}

TEST_CASE("lattices come from a pipe and answers go into one while the run goes on") {
  const TemporaryFolder folder;
  const std::string in = folder.path("in");
  const std::string out = folder.path("out");
  REQUIRE(mkfifo(in.c_str(), 0600) == 0);
  REQUIRE(mkfifo(out.c_str(), 0600) == 0);
  RunningCommand command({"lattice", "--batch", in, "--output", out, "--progress", "none"});
  // Both ends of each, so that no open waits.
  const int to = open(in.c_str(), O_RDWR);
  const int from = open(out.c_str(), O_RDWR);
  for (int round = 0; round < 3; ++round) {
    REQUIRE(::write(to, kGood.data(), kGood.size()) == static_cast<ssize_t>(kGood.size()));
    std::string line;
    for (char c = 0; c != '\n';) {
      REQUIRE(read(from, &c, 1) == 1);
      line += c;
    }
    CHECK(nlohmann::json::parse(line)["line"] == round + 1);
  }
  SUBCASE("the end of the input is the end of the run") {
    close(to);
    CHECK(command.wait().code == 0);
  }
  SUBCASE("a signal ends the wait for more") {
    command.signal(SIGINT);
    CHECK(command.wait().code == 1);  // no checkpoint to go on from
    close(to);
  }
  close(from);
}

}  // namespace batch_test
}  // namespace
