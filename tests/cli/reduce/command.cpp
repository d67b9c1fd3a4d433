// `slicepool reduce` as a user sees it: answers, keys of the record, the basis, exit codes, signals.
#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/basis_command.hpp"
#include "cli/command_runner.hpp"
#include "runtime/lattice/integer_basis.hpp"
#include "support/lattice/front.hpp"
#include "support/reduce/checks.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

namespace {

using slicepool::test::commandHasFplll;
using slicepool::test::CommandResult;
using slicepool::test::contains;
using slicepool::test::contentOf;
using slicepool::test::latticePath;
using slicepool::test::onlyObject;
using slicepool::test::runCommand;
using slicepool::test::RunningCommand;
using slicepool::test::TemporaryFolder;

constexpr slicepool::test::BasisCommand reduceCommand("reduce");

}  // namespace

TEST_CASE("reduce: the record has the documented keys, and the output is a basis of the lattice") {
  if (!commandHasFplll()) return;
  const TemporaryFolder folder;
  const std::string output = folder.path("reduced.txt");
  for (const char* mode : {"cpu", "emulated"}) {
    CAPTURE(mode);
    const auto json = reduceCommand.record(
        latticePath("k45.txt"), {"--bkz", "36", "--tours", "1", "--mode", mode, "--output", output});
    CHECK(json["workload"] == "reduce");
    CHECK(json["dimension"] == 45);
    CHECK(json["columns"] == 46);
    CHECK(json["status"] == "done");
    CHECK(json["squared_norm"].get<std::uint64_t>() >= 155031);
    CHECK(json["log2_norms"].size() == 45);
    REQUIRE(json["tours"].size() == 3);
    CHECK(json["tours"][2]["bkz_block_size"] == 36);
    CHECK(json["output"]["path"] == output);
    CHECK(json["output"]["bytes"] == std::filesystem::file_size(output));
    for (const char* key :
         {"hermite_factor", "lll_hermite_factor", "gh_ratio", "slope", "log_potential", "unchanged", "blocks",
          "trials", "inserted", "nodes", "lll_seconds", "preprocessing_seconds", "search_seconds",
          "device_seconds", "size_reduction_seconds"}) {
      CAPTURE(key);
      CHECK(json.contains(key));
    }
    const auto rows = slicepool::lattice::parseBasis(contentOf(output), "output");
    CHECK(slicepool::test::sameLattice(rows, slicepool::lattice::readBasis(latticePath("k45.txt"))));
  }
}

TEST_CASE("reduce: a basis on standard output alone, and LLL without blocks") {
  if (!commandHasFplll()) return;
  const CommandResult result =
      runCommand(reduceCommand.words("[[1 0 331] [0 1 301] [0 0 409]]", {"--output", "-"}));
  CHECK(result.code == 0);
  const auto rows = slicepool::lattice::parseBasis(result.out, "output");
  CHECK(slicepool::lattice::leastSquaredNorm(rows) == 57);
  CHECK(reduceCommand.record("[[1 0 331] [0 1 301] [0 0 409]]", {})["tours"].empty());
}

TEST_CASE("reduce: LLL alone needs no strategies for blocks") {
  if (!commandHasFplll()) return;
  const char* const kVariable = "SLICEPOOL_FPLLL_STRATEGIES";
  const char* const before = std::getenv(kVariable);
  const std::string restored = before != nullptr ? before : "";
  setenv(kVariable, "/no/such/file", 1);
  const CommandResult alone = runCommand(reduceCommand.words("[[1 0 331] [0 1 301] [0 0 409]]", {}));
  const CommandResult tours =
      runCommand(reduceCommand.words("[[1 0 331] [0 1 301] [0 0 409]]", {"--bkz", "2"}));
  if (before != nullptr)
    setenv(kVariable, restored.c_str(), 1);
  else
    unsetenv(kVariable);
  CHECK(alone.code == 0);
  CHECK(tours.code == 2);
  CHECK(contains(tours.err, kVariable));
}

TEST_CASE("reduce: bad input is refused with the field, the value and what is accepted") {
  if (!commandHasFplll()) return;
  const std::string good = latticePath("k40.txt");
  CHECK(contains(reduceCommand.refusal(good, {"--bkz", "1"}),
                 "bkz_block_size: got 1; accepted: an integer from 2"));
  CHECK(contains(reduceCommand.refusal(good, {"--bkz", "101"}), "bkz_block_size: got 101"));
  CHECK(contains(reduceCommand.refusal(good, {"--tours", "0"}), "tours: got 0; accepted: an integer from 1"));
  CHECK(contains(reduceCommand.refusal(good, {"--trials", "0"}), "trials: got 0"));
  CHECK(contains(reduceCommand.refusal(good, {"--seed", "-1"}), "seed: got -1"));
  CHECK(contains(reduceCommand.refusal(good, {"--output", "/no/such/folder/b.txt"}), "output"));
  CHECK(contains(reduceCommand.refusal(good, {"--output", good}), "basis"));
  CHECK(contains(reduceCommand.refusal("[[1 2] [2 4]]", {}), "basis: got row 2"));
  CHECK(contains(reduceCommand.refusal("[[1 2] [x 4]]", {}), "line 1, column 9"));
  CHECK(contains(reduceCommand.refusal("/no/such/file", {}), "basis"));
  CHECK(contains(reduceCommand.refusal(good, {"--trace", "t.json"}), "trace"));
}

TEST_CASE(
    "reduce: a reduction that a signal or a limit stops writes its basis, and goes on from its checkpoint") {
  if (!commandHasFplll()) return;
  const TemporaryFolder folder;
  const std::string checkpoint = folder.path("tours.ckpt");
  const std::string output = folder.path("reduced.txt");
  // Steps of a part of a second, and far more of them than a test waits for.
  std::vector<std::string> words = reduceCommand.words(
      latticePath("k60.txt"), {"--bkz", "45", "--tours", "1000000", "--trials", "40", "--checkpoint",
                               checkpoint, "--output", output, "--json", "--checkpoint-interval", "0.05"});
  RunningCommand first(words);
  slicepool::test::waitUntil([&] { return std::filesystem::exists(checkpoint) || !first.running(); });
  first.signal(SIGKILL);
  CHECK(first.wait().code != 0);
  REQUIRE(std::filesystem::exists(checkpoint));
  CHECK_FALSE(std::filesystem::exists(output));

  words.insert(words.end(), {"--resume", "auto"});
  const auto written = std::filesystem::last_write_time(checkpoint);
  RunningCommand second(words);
  slicepool::test::waitUntil(
      [&] { return std::filesystem::last_write_time(checkpoint) != written || !second.running(); });
  second.signal(SIGINT);
  const CommandResult interrupted = second.wait();
  CAPTURE(interrupted.err);
  CHECK(interrupted.code == 5);
  const auto record = onlyObject(interrupted.out);
  CHECK(record["status"] == "stopped");
  const auto rows = slicepool::lattice::parseBasis(contentOf(output), "output");
  CHECK(slicepool::test::sameLattice(rows, slicepool::lattice::readBasis(latticePath("k60.txt"))));

  words.insert(words.end(), {"--step-limit", "1"});
  const CommandResult limited = runCommand(words);
  CHECK(limited.code == 5);
  CHECK(onlyObject(limited.out)["blocks"].get<std::uint64_t>() > record["blocks"].get<std::uint64_t>());

  const CommandResult other =
      runCommand(reduceCommand.words(latticePath("k60.txt"), {"--resume", checkpoint}));
  CHECK(other.code == 2);
  CHECK(contains(other.err, "another"));
}

TEST_CASE("reduce: a Gram matrix becomes a matrix and a transformation in files, or nothing is written") {
  if (!slicepool::test::commandHasFplll()) return;
  const slicepool::test::TemporaryFolder folder;
  const std::string matrix = folder.path("gram.txt");
  const std::string transformation = folder.path("t.txt");
  const auto words = [&](const std::string& gram) {
    return std::vector<std::string>{"reduce",           "--gram",       gram,    "--output", matrix,
                                    "--transformation", transformation, "--bkz", "2",        "--json"};
  };
  for (const auto& [gram, place] : {std::pair{"[[2 1] [0 2]]", "gram: row 2, column 1: got 0"},
                                    std::pair{"[[2 1 1] [1 2 -1] [1 -1 2]]", "gram: row 3: got 0"}}) {
    const auto refused = slicepool::test::runCommand(words(gram));
    CHECK(refused.code == 2);
    CHECK(slicepool::test::contains(refused.err, place));
    CHECK_FALSE(std::filesystem::exists(matrix));
    CHECK_FALSE(std::filesystem::exists(transformation));
  }
  const auto json = slicepool::test::onlyObject(slicepool::test::runCommand(words("[[10 17] [17 30]]")).out);
  CHECK(json["input"] == "gram");
  CHECK(json["squared_norm"] == 2);
  CHECK(json["output"]["bytes"] == std::filesystem::file_size(matrix));
  CHECK(json["transformation"]["bytes"] == std::filesystem::file_size(transformation));
  const auto both = slicepool::test::runCommand(
      {"reduce", "--gram", "[[10 17] [17 30]]", "--transformation", "-", "--json"});
  CHECK(both.code == 2);
  CHECK(slicepool::test::contains(both.err, "--json together with --transformation -"));
  CHECK(both.out.empty());
  const auto plain =
      slicepool::test::runCommand({"reduce", "--gram", "[[10 17] [17 30]]", "--transformation", "-"});
  CHECK(plain.out.starts_with("[["));
  CHECK(plain.err.find("squared norm") != std::string::npos);  // the report is not in its way
}
