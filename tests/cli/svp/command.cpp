// `slicepool svp` as a user sees it: answers, keys of the record, exit codes, signals.
#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/basis_command.hpp"
#include "cli/command_runner.hpp"
#include "support/lattice/front.hpp"
#include "support/temporary_folder.hpp"

namespace {

using slicepool::test::commandHasFplll;
using slicepool::test::CommandResult;
using slicepool::test::contains;
using slicepool::test::latticePath;
using slicepool::test::onlyObject;
using slicepool::test::runCommand;
using slicepool::test::RunningCommand;
using slicepool::test::TemporaryFolder;

constexpr slicepool::test::BasisCommand svpCommand("svp");

}  // namespace

TEST_CASE("svp: the record has the documented keys, in each mode alike") {
  if (!commandHasFplll()) return;
  for (const char* mode : {"cpu", "emulated"}) {
    CAPTURE(mode);
    const auto json = svpCommand.record(latticePath("k45.txt"), {"--mode", mode});
    CHECK(json["workload"] == "svp");
    CHECK(json["dimension"] == 45);
    CHECK(json["status"] == "done");
    CHECK(json["squared_norm"] == 155031);
    CHECK(json["found"] == true);
    CHECK(json["proven"] == true);
    CHECK(json["target_squared_norm"].is_null());
    CHECK(json["vector"].size() == 46);
    for (const char* key :
         {"gh", "gh_ratio", "trials", "success_probability", "reduction_seconds", "search_seconds",
          "pruning_seconds", "nodes", "proof_nodes", "proof_seconds", "device_busy_share",
          "expected_proof_nodes", "expected_proof_seconds", "bkz_block_size", "inserted", "found_seconds"}) {
      CAPTURE(key);
      CHECK(json.contains(key));
    }
    CHECK(json["rates"] == "measured");
  }
}

TEST_CASE("svp: targets, found and proven to be empty") {
  if (!commandHasFplll()) return;
  const auto found = svpCommand.record(latticePath("k45.txt"), {"--target", "norm2:155031"});
  CHECK(found["found"] == true);
  CHECK(found["squared_norm"] == 155031);
  CHECK(svpCommand.record(latticePath("k45.txt"), {"--target", "norm2:310063/2"})["squared_norm"] == 155031);
  const auto none = svpCommand.record(latticePath("k45.txt"), {"--target", "norm2:155030"});
  CHECK(none["found"] == false);
  CHECK(none["proven"] == true);
  CHECK(none["target_squared_norm"] == "155030");
  const std::string reached =
      runCommand(svpCommand.words(latticePath("k45.txt"), {"--target", "norm2:1000000"})).out;
  CHECK(contains(reached, "trials            none\n"));
  CHECK(!contains(reached, "probability"));
  const auto near = svpCommand.record(latticePath("k40.txt"), {"--target", "gh:1.2"});
  CHECK(near["found"] == true);
  CHECK(near["gh_ratio"].get<double>() <= 1.2);
  CHECK(contains(runCommand(svpCommand.words(latticePath("k45.txt"), {"--target", "norm2:155030"})).out,
                 "no vector is within the target, proven"));
}

TEST_CASE("svp: bad input is refused with the field, the value and what is accepted") {
  if (!commandHasFplll()) return;
  const std::string good = latticePath("k40.txt");
  CHECK(contains(svpCommand.refusal(good, {"--target", "gh:zero"}), "target: got \"gh:zero\""));
  CHECK(contains(svpCommand.refusal(good, {"--target", "gh:-1"}), "target: got"));
  CHECK(contains(svpCommand.refusal(good, {"--target", "gh:1e999"}), "target: got"));
  CHECK(contains(svpCommand.refusal(good, {"--target", "norm2:"}), "target: got"));
  CHECK(contains(svpCommand.refusal(good, {"--target", "norm2:-5"}), "target: got"));
  CHECK(contains(svpCommand.refusal(good, {"--target", "shortest"}), "accepted: exact, gh:F"));
  CHECK(contains(svpCommand.refusal(good, {"--target", "gh:0"}), "F above 0"));
  CHECK(contains(svpCommand.refusal(good, {"--target", "norm2:1/0"}), "target: got"));
  CHECK(contains(svpCommand.refusal(good, {"--target", "norm2:1/0"}), "1234, 1234.5, 2/3 or 1e30"));
  CHECK(svpCommand.refusal(good, {"--target", "norm2:2." + std::string(9000, '3')}).size() < 1000);
  CHECK(contains(svpCommand.refusal(good, {"--target", "norm2:0"}), "from 1e-300 to 1e300"));
  for (const char* factor : {"1e200", "1e-200"})
    CHECK(contains(svpCommand.refusal(good, {"--target", std::string("gh:") + factor}),
                   "target: got gh:" + std::string(factor == std::string("1e200") ? "1e+200" : "1e-200")));
  CHECK(contains(svpCommand.refusal(good, {"--bkz", "1"}), "bkz_block_size: got 1"));
  CHECK(contains(svpCommand.refusal(good, {"--probability", "1"}),
                 "probability: got 1; accepted: a number between 0 and 1, both excluded"));
  CHECK(contains(svpCommand.refusal(good, {"--probability", "0"}), "probability: got"));
  CHECK(contains(svpCommand.refusal(good, {"--trial-probability", "1.5"}), "trial_probability: got"));
  CHECK(contains(svpCommand.refusal(good, {"--proof-limit", "-1"}), "proof_limit: got"));
  CHECK(contains(svpCommand.refusal(good, {"--rates", "slow"}), "rates"));
  CHECK(contains(svpCommand.refusal(good, {"--rates", "slow"}), "measured or fixed"));
  CHECK(contains(svpCommand.refusal("[[1 2] [2 4]]", {}), "basis"));
  CHECK(contains(svpCommand.refusal("/no/such/file", {}), "basis"));
  CHECK(contains(svpCommand.refusal(good, {"--trace", "t.json"}), "trace"));
}

TEST_CASE("svp: a search that a signal or the time limit stops goes on from its checkpoint") {
  if (!commandHasFplll()) return;
  const TemporaryFolder folder;
  const std::string checkpoint = folder.path("search.ckpt");
  // Far too weak trials: they find nothing in the time of this test. GPUs would prove that at once.
  std::vector<std::string> words =
      svpCommand.words(latticePath("k60.txt"),
                       {"--target", "gh:0.9", "--proof-limit", "0", "--bkz", "20", "--trial-probability",
                        "1e-5", "--checkpoint", checkpoint, "--json", "--mode", "cpu"});
  words.insert(words.end(), {"--checkpoint-interval", "0.05"});
  RunningCommand first(words);
  slicepool::test::waitUntil([&] { return std::filesystem::exists(checkpoint) || !first.running(); });
  first.signal(SIGKILL);
  CHECK(first.wait().code != 0);
  REQUIRE(std::filesystem::exists(checkpoint));

  words.insert(words.end(), {"--resume", "auto"});
  const auto written = std::filesystem::last_write_time(checkpoint);
  RunningCommand second(words);
  slicepool::test::waitUntil(
      [&] { return std::filesystem::last_write_time(checkpoint) != written || !second.running(); });
  second.signal(SIGINT);
  const CommandResult interrupted = second.wait();
  CAPTURE(interrupted.err);
  CHECK(interrupted.code == 5);
  CHECK(onlyObject(interrupted.out)["status"] == "stopped");

  const auto stopped = [&](const std::string& flag, const std::string& limit) {
    std::vector<std::string> limited = words;
    limited.insert(limited.end(), {flag, limit});
    const CommandResult result = runCommand(limited);
    CAPTURE(result.err);
    CHECK(result.code == 5);
    auto json = onlyObject(result.out);
    CHECK(json["status"] == "stopped");
    CHECK(json["found"] == false);
    return json["trials"].get<int>();
  };
  const int trials = stopped("--step-limit", "1");
  CHECK(trials >= 2);
  CHECK(stopped("--step-limit", "1") > trials);
  CHECK(stopped("--time-limit", "0.1") > trials);

  // With a target that is within reach it ends, from another checkpoint than its own not at all.
  const CommandResult other = runCommand(svpCommand.words(latticePath("k60.txt"), {"--resume", checkpoint}));
  CHECK(other.code == 2);
  CHECK(contains(other.err, "another"));
}

TEST_CASE("svp: strategies of fplll that cannot be read are an error that names variable and file") {
  if (!commandHasFplll()) return;
  const TemporaryFolder folder;
  const std::string damaged = folder.path("damaged.json");
  std::ofstream(damaged) << "[";
  const char* const before = std::getenv("SLICEPOOL_FPLLL_STRATEGIES");
  const std::string kept = before != nullptr ? before : "";
  for (const std::string& path : {folder.path("none.json"), damaged}) {
    CAPTURE(path);
    setenv("SLICEPOOL_FPLLL_STRATEGIES", path.c_str(), 1);
    const CommandResult result = runCommand(svpCommand.words(latticePath("k45.txt"), {}));
    CHECK(result.code == 2);
    CHECK(contains(result.err, "SLICEPOOL_FPLLL_STRATEGIES"));
    CHECK(contains(result.err, path));
    // `lattice` needs them for BKZ alone.
    const CommandResult bkz =
        runCommand({"lattice", "--basis", latticePath("k40.txt"), "--reduce", "bkz-20"});
    CHECK(bkz.code == 2);
    CHECK(contains(bkz.err, path));
    CHECK(runCommand({"lattice", "--basis", latticePath("k40.txt"), "--reduce", "lll"}).code == 0);
  }
  // Blocks that are larger than those of the file are searched without pruning.
  const std::string few = folder.path("few.json");
  std::ofstream(few) << R"([{"block_size": 0}, {"block_size": 1}, {"block_size": 2}])";
  setenv("SLICEPOOL_FPLLL_STRATEGIES", few.c_str(), 1);
  const CommandResult larger =
      runCommand({"lattice", "--basis", latticePath("k40.txt"), "--reduce", "bkz-20", "--json"});
  CHECK(larger.code == 0);
  CHECK(onlyObject(larger.out)["shortest_squared_norm"] == "517649");
  setenv("SLICEPOOL_FPLLL_STRATEGIES", kept.c_str(), 1);  // empty: as if it were not there
}

TEST_CASE("svp: a Gram matrix in place of a basis, and what is none") {
  if (!commandHasFplll()) return;
  const auto json = onlyObject(runCommand({"svp", "--gram", "[[10 17] [17 30]]", "--json"}).out);
  CHECK(json["input"] == "gram");
  CHECK(json["squared_norm"] == 2);
  CHECK(json["vector"] == nlohmann::json::array({-2, 1}));
  for (const auto& [gram, place] : {std::pair{"[[2 1] [0 2]]", "gram: row 2, column 1: got 0"},
                                    std::pair{"[[2 1 1] [1 2 -1] [1 -1 2]]", "gram: row 3: got 0"}}) {
    const auto refused = runCommand({"svp", "--gram", gram});
    CHECK(refused.code == 2);
    CHECK(refused.out.empty());
    CHECK(contains(refused.err, place));
  }
}
