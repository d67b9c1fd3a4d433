// `slicepool lattice` as a user sees it: answers, keys of the record, files, exit codes.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/command_runner.hpp"
#include "support/lattice/front.hpp"

namespace {

using slicepool::test::CommandResult;
using slicepool::test::contains;
using slicepool::test::latticePath;
using slicepool::test::npyRows;
using slicepool::test::onlyObject;
using slicepool::test::runCommand;
using slicepool::test::RunningCommand;
using slicepool::test::squaredNorm;
using slicepool::test::TemporaryFolder;

CommandResult lattice(const std::string& file, std::vector<std::string> more) {
  std::vector<std::string> words = {"lattice", "--basis", latticePath(file), "--progress", "none"};
  words.insert(words.end(), more.begin(), more.end());
  return runCommand(words);
}

nlohmann::json record(const std::string& file, std::vector<std::string> more) {
  more.push_back("--json");
  const CommandResult result = lattice(file, std::move(more));
  CAPTURE(result.err);
  REQUIRE(result.code == 0);
  return onlyObject(result.out);
}

/// A search of minutes, nearly all of which it sleeps: it can be stopped in its middle.
const std::vector<std::string> kSlowly = {
    "--mode",       "emulated", "--emulated-lanes",    "256", "--emulated-alone",
    "--gpu-budget", "2000",     "--emulated-slowdown", "50"};

std::string refusal(const std::string& file, const std::vector<std::string>& more) {
  const CommandResult result = lattice(file, more);
  CHECK(result.code == 2);
  CHECK(result.out.empty());
  return result.err;
}

}  // namespace

TEST_CASE("the record of a fixed radius has exact numbers under the documented keys, in each mode alike") {
  for (const char* mode : {"cpu", "emulated"}) {
    const auto json = record("leech.txt", {"--squared-radius", "32.3", "--fixed-radius", "--mode", mode});
    CHECK(json["workload"] == "lattice");
    CHECK(json["dimension"] == 24);
    CHECK(json["count"] == 98280);
    CHECK(json["solutions"] == 98280);
    CHECK(json["nodes"] == 2192509);
    CHECK(json["shortest_squared_norm"] == "32");
    CHECK(squaredNorm(json["shortest_vector"].get<std::vector<std::int64_t>>()) == 32);
    CHECK(json["shortest_coefficients"].size() == 24);
    CHECK(json["fixed_radius"] == true);
    CHECK(json["reduction"] == "none");
    std::uint64_t sum = 0;
    for (const auto& nodes : json["nodes_per_level"]) sum += nodes.get<std::uint64_t>();
    CHECK(json["nodes_per_level"].size() == 24);
    CHECK(sum == 2192509);
    CHECK(json["seconds"].get<double>() > 0);
    CHECK(!json["workers"].empty());
    CHECK(json["fingerprint"].get<std::string>().size() == 32);
  }
}

TEST_CASE("--shortest, no radius at all and a factor of the Gaussian heuristic end at the shortest norm") {
  const std::vector<std::vector<std::string>> ways = {
      {"--shortest"}, {}, {"--gh-factor", "1.2"}, {"--squared-radius", "600000"}, {"--mode", "emulated"}};
  for (const auto& way : ways) {
    const auto json = record("k40.txt", way);
    CHECK(json["shortest_squared_norm"] == "517649");
    CHECK(squaredNorm(json["shortest_vector"].get<std::vector<std::int64_t>>()) == 517649);
    CHECK(json["fixed_radius"] == false);
    CHECK(!json.contains("count"));  // what is found on the way is no property of the lattice
  }
}

TEST_CASE("the readable report says what was found") {
  const CommandResult result = lattice("e8.txt", {"--squared-radius", "8", "--fixed-radius"});
  CHECK(result.code == 0);
  CHECK(contains(result.out, "120 up to sign"));
  CHECK(contains(result.out, "dimension 8"));
  const CommandResult nothing = lattice("e8.txt", {"--squared-radius", "7", "--fixed-radius"});
  CHECK(nothing.code == 0);
  CHECK(contains(nothing.out, "nothing within the radius"));
  // The first balls have none.
  const CommandResult stopped = lattice("leech.txt", {"--step-limit", "1", "--threads", "1"});
  CHECK(contains(stopped.out, "none found yet"));
}

TEST_CASE("solutions go to files and to standard output, the report elsewhere") {
  const TemporaryFolder folder;
  const std::string path = folder.path("all.npy");
  const auto json = record("leech.txt", {"--squared-radius", "32", "--solutions", "all", "--output", path});
  CHECK(json["output"]["rows"] == 98280);
  CHECK(npyRows(path).size() == 98280);
  const CommandResult text =
      lattice("e8.txt", {"--squared-radius", "8", "--solutions", "all", "--output", "-"});
  CHECK(text.code == 0);
  CHECK(std::count(text.out.begin(), text.out.end(), '\n') == 120);
  CHECK(text.out[0] == '[');
  CHECK(contains(text.err, "120 up to sign"));
  const auto best = record("e8.txt", {"--squared-radius", "16", "--solutions", "3"});
  CHECK(best["vectors"].size() == 3);
  CHECK(best["vectors"][2]["squared_norm"] == "8");
}

TEST_CASE("a configuration file runs the same search, a matrix may stand in it") {
  const TemporaryFolder folder;
  const std::string path = folder.path("run.json");
  std::ofstream(path)
      << R"({"workload": "lattice", "basis": "[[1 3] [3 -2]]", "squared_radius": 10, "fixed_radius": true})";
  const CommandResult result = runCommand({"run", path, "--json", "--mode", "cpu"});
  CAPTURE(result.err);
  REQUIRE(result.code == 0);
  const auto json = onlyObject(result.out);
  CHECK(json["shortest_squared_norm"] == "10");
  CHECK(json["shortest_vector"] == nlohmann::json({1, 3}));
}

TEST_CASE("a squared radius is exact from the command line and from JSON, as a number and as a string") {
  const TemporaryFolder folder;
  const std::string basis = folder.path("basis.txt");
  std::ofstream(basis) << "[[1000000000000000 0]\n[0 1000000000000001]]\n";
  const std::string below = "999999999999999999999999999999";
  const std::string both = "1000000000000002000000000000001";
  const auto recordOf = [](const std::vector<std::string>& words) {
    const CommandResult result = runCommand(words);
    CAPTURE(result.err);
    REQUIRE(result.code == 0);
    return onlyObject(result.out);
  };
  for (const auto& entry : std::vector<std::pair<std::string, int>>{
           {below, 0}, {"1e30", 1}, {"1000000000000002000000000000000", 1}, {both, 2}}) {
    const auto& radius = entry.first;
    const auto& count = entry.second;
    for (const char* mode : {"cpu", "emulated"}) {
      CAPTURE(radius);
      CAPTURE(std::string(mode));
      const std::vector<std::string> words = {
          "lattice", "--basis",    basis,  "--squared-radius", radius, "--mode", mode,
          "--json",  "--progress", "none", "--fixed-radius"};
      const auto asOption = recordOf(words);
      CHECK(asOption["count"] == count);
      if (radius != "1e30") CHECK(asOption["squared_radius"] == radius);
      for (const std::string& literal : {radius, "\"" + radius + "\""}) {
        const std::string path = folder.path("run.json");
        std::ofstream(path) << R"({"workload": "lattice", "fixed_radius": true, "basis": ")" << basis
                            << R"(", "squared_radius": )" << literal << "}";
        const auto asJson = recordOf({"run", path, "--json", "--mode", mode, "--progress", "none"});
        CHECK(asJson["count"] == count);
        CHECK(asJson["squared_radius"] == asOption["squared_radius"]);
        CHECK(asJson["fingerprint"] == asOption["fingerprint"]);
      }
    }
  }
  const CommandResult report =
      runCommand({"lattice", "--basis", basis, "--squared-radius", both, "--solutions", "all", "--output",
                  "-", "--mode", "cpu", "--progress", "none"});
  CHECK(contains(report.err, "squared radius    " + both + ","));
  CHECK(std::count(report.out.begin(), report.out.end(), '\n') == 2);
}

TEST_CASE("what fpylll prints is a basis, in a file and on the command line") {
  const TemporaryFolder folder;
  const std::string basis = folder.path("basis.txt");
  std::ofstream(basis) << "[ 1 3 ]\n[ 3 -2 ]";
  for (const std::string& given : {basis, std::string("[ 1 3 ]\n[ 3 -2 ]")}) {
    const CommandResult result = runCommand({"lattice", "--basis", given, "--json", "--mode", "cpu"});
    CAPTURE(result.err);
    REQUIRE(result.code == 0);
    CHECK(onlyObject(result.out)["shortest_squared_norm"] == "10");
  }
}

TEST_CASE("bad input is refused by field, value and what is accepted, with exit code 2 and nothing written") {
  const TemporaryFolder folder;
  const std::string bad = folder.path("bad.txt");
  std::ofstream(bad) << "[[1 2]\n[3 four]]\n";
  const CommandResult syntax = runCommand({"lattice", "--basis", bad});
  CHECK(syntax.code == 2);
  CHECK(contains(syntax.err, bad + ": line 2, column 4: got \"four\"; accepted: integers"));
  CHECK(contains(runCommand({"lattice"}).err, "basis"));
  CHECK(contains(refusal("nowhere.txt", {}), "a file that can be read"));
  CHECK(contains(refusal("e8.txt", {"--squared-radius", "x"}),
                 "squared_radius: got \"x\"; accepted: a number above 0"));
  CHECK(contains(refusal("e8.txt", {"--squared-radius", "0"}), "squared_radius: got 0"));
  for (const std::string radius : {"1e500", "nan", "inf", "-3", "1e-400", "12x", "1.2.3", "0.0"}) {
    CAPTURE(radius);
    const std::string message = refusal("e8.txt", {"--squared-radius=" + radius});
    CHECK(contains(message, "squared_radius: got "));
    CHECK(contains(message,
                   "; accepted: a number above 0, from 1e-300 to 1e300, of up to 4096 characters (1234, "
                   "1234.5, 2/3 or 1e30)"));
  }
  CHECK(contains(refusal("e8.txt", {"--squared-radius", std::string(600, '7')}), "(600 characters)"));
  for (const char* factor : {"0", "-1", "nan", "inf", "x"})
    CHECK(contains(refusal("e8.txt", {std::string("--gh-factor=") + factor}), "gh_factor: got "));
  CHECK(contains(refusal("e8.txt", {"--gh-factor", "1e200"}),
                 "a factor that gives an R^2 from 1e-300 to 1e300"));
  const std::string large = folder.path("large.txt");
  std::ofstream(large) << "[[1" << std::string(300, '0') << "]]";
  CHECK(contains(runCommand({"lattice", "--basis", large}).err,
                 large + ": got a reduced basis whose row 1 has the squared Gram-Schmidt norm 1.000e+600; "
                         "accepted: norms"));
  CHECK(contains(refusal("e8.txt", {"--gh-factor", "1", "--squared-radius", "8"}),
                 "gh_factor: got 1 together"));
  CHECK(contains(refusal("e8.txt", {"--shortest", "--squared-radius", "8"}),
                 "shortest: got true together with squared_radius"));
  CHECK(contains(refusal("e8.txt", {"--shortest", "--fixed-radius"}), "fixed_radius"));
  CHECK(contains(refusal("e8.txt", {"--squared-radius", "8", "--solutions", "some"}),
                 "solutions: got \"some\""));
  CHECK(contains(refusal("e8.txt", {"--squared-radius", "8", "--solutions", "all"}),
                 "solutions: got all without an output"));
  CHECK(contains(refusal("e8.txt", {"--algorithm", "fast"}), "auto or compacted"));
  CHECK(contains(refusal("e8.txt", {"--reduce", "bkz-1000"}), "bkz-B with a block size B from 2 to 160"));
  CHECK(contains(refusal("e8.txt", {"--pruning", "fplll:0"}), "pruning: got \"fplll:0\""));
  const std::string pruning = folder.path("pruning.txt");
  std::ofstream(pruning) << "1\n1\n1\n0.9\n0.95\n1\n1\n1\n";
  CHECK(contains(refusal("e8.txt", {"--pruning", pruning}), pruning + ": line 5: got 0.95 after 0.9"));
}

TEST_CASE("a search that is stopped by a signal goes on from its checkpoint to the same numbers") {
  const TemporaryFolder folder;
  const std::string checkpoint = folder.path("checkpoint");
  const std::string path = folder.path("all.npy");
  const std::vector<std::string> words = {"lattice",
                                          "--basis",
                                          latticePath("leech.txt"),
                                          "--squared-radius",
                                          "48.3",
                                          "--solutions",
                                          "all",
                                          "--output",
                                          path,
                                          "--checkpoint",
                                          checkpoint,
                                          "--resume",
                                          "auto",
                                          "--json",
                                          "--progress",
                                          "none",
                                          "--checkpoint-interval",
                                          "0.2"};
  std::vector<std::string> slow = words;
  slow.insert(slow.end(), kSlowly.begin(), kSlowly.end());
  RunningCommand first(slow);
  slicepool::test::waitUntil([&] { return std::filesystem::exists(checkpoint); });
  first.signal(SIGINT);
  const CommandResult stopped = first.wait();
  CHECK(stopped.code == 5);
  CHECK(std::filesystem::exists(checkpoint));
  CHECK(!std::filesystem::exists(path));
  CHECK(onlyObject(stopped.out)["status"] == "stopped");
  std::vector<std::string> fast = words;
  fast.insert(fast.end(), {"--mode", "cpu"});
  const CommandResult second = runCommand(fast);
  CAPTURE(second.err);
  REQUIRE(second.code == 0);
  const auto json = onlyObject(second.out);
  CHECK(json["count"] == 8484840);
  CHECK(json["nodes"] == 76129998);
  CHECK(json["output"]["rows"] == 8484840);
  CHECK(std::filesystem::file_size(path) == 128 + 8484840ULL * 24);
  CHECK(!std::filesystem::exists(checkpoint));
}

TEST_CASE("vectors on standard output are complete up to where a signal stopped the search") {
  std::vector<std::string> words = {"lattice",
                                    "--basis",
                                    latticePath("leech.txt"),
                                    "--squared-radius",
                                    "48.3",
                                    "--solutions",
                                    "all",
                                    "--output",
                                    "-",
                                    "--progress",
                                    "none"};
  words.insert(words.end(), kSlowly.begin(), kSlowly.end());
  RunningCommand running(words);
  slicepool::test::waitUntil([&] { return running.hasOutput(); });
  running.signal(SIGINT);
  const CommandResult result = running.wait();
  CHECK(result.code == 1);  // stopped, without a checkpoint
  REQUIRE(!result.out.empty());
  CHECK(result.out.substr(result.out.size() - 2) == "]\n");
  const auto lines = std::count(result.out.begin(), result.out.end(), '\n');
  MESSAGE(lines << " vectors");
  CHECK(std::count(result.out.begin(), result.out.end(), '[') == lines);
  CAPTURE(result.err);
  CHECK(contains(result.err, std::to_string(lines) + " up to sign"));
  CHECK(contains(result.err, "with an output to a file, --checkpoint FILE"));
}

TEST_CASE("the sweep of the quick example finds the counts of the theta series") {
  const TemporaryFolder folder;
  const char* source = std::getenv("SLICEPOOL_SOURCE_DIR");
  const CommandResult result = runCommand({"sweep", std::string(source) + "/configs/lattice.json",
                                           "--time-class", "small", "--output", folder.path("results")});
  CAPTURE(result.err);
  CHECK(result.code == 0);
}

TEST_CASE("Gram matrices, shells and targets: the documented keys, and code 2 with the place") {
  const auto search = [](std::vector<std::string> more) {
    std::vector<std::string> words = {"lattice", "--progress", "none", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return runCommand(words);
  };
  auto json = onlyObject(search({"--gram", "[[2 1] [1 2]]", "--shell", "6", "--both-signs"}).out);
  CHECK(json["input"] == "gram");
  CHECK(json["count"] == 6);
  CHECK(json["both_signs"] == true);
  CHECK(json["minimum_squared_norm"] == 6);
  json = onlyObject(search({"--basis", "[[1 0] [0 1]]", "--target", "[1/2 1/3]"}).out);
  CHECK_FALSE(json.contains("input"));
  CHECK(json["squared_distance"] == "13/36");
  CHECK(json["nearest_plane_squared_distance"] == "13/36");
  CHECK(json["closest_vector"].size() == 2);
  CHECK(!json.contains("shortest_vector"));
  CHECK(json["nodes_per_level"].size() == 2);
  const TemporaryFolder folder;
  std::ofstream(folder.path("g.txt")) << "[[2 1]\n[1 2]]\n";
  std::ofstream(folder.path("t.txt")) << "1/3 1/3\n";
  const std::vector<std::string> hole = {
      "--gram",  folder.path("g.txt"), "--target", folder.path("t.txt"), "--squared-radius", "0.7",
      "--theta", "--solutions",        "10"};
  json = onlyObject(search(hole).out);
  CHECK(json["theta_series"] == nlohmann::json::parse(R"([["2/3", 3]])"));
  CHECK(json["vectors"].size() == 3);
  CHECK(json["vectors"][0]["squared_distance"] == "2/3");
  const std::vector<std::string> around = {"--gram", folder.path("g.txt"), "--target", folder.path("t.txt")};
  for (const auto& [given, count] : {std::pair("2/3", 3), {"8/3", 3}, {"4/3", 0}}) {  // exact distances
    CAPTURE(std::string(given));
    std::vector<std::string> shell = around;
    shell.insert(shell.end(), {"--shell", given});
    json = onlyObject(search(shell).out);
    CHECK(json["count"] == count);
    CHECK(json["squared_radius"] == given);
    CHECK(json["minimum_squared_norm"] == given);
    const std::string path = folder.path("run.json");
    std::ofstream(path)
        << R"({"workload": "lattice", "gram": "[[2 1] [1 2]]", "target": "[1/3 1/3]", "shell": ")" << given
        << R"("})";
    const CommandResult document = runCommand({"run", path, "--json", "--progress", "none"});
    CHECK(onlyObject(document.out)["count"] == count);
  }
  // A series without a term is an answer, too.
  json = onlyObject(search({"--basis", "[[2 0] [1 2]]", "--shell", "7", "--theta"}).out);
  CHECK(json["theta_series"] == nlohmann::json::array());
  CHECK(json["kissing_number"].is_null());
  for (const auto& bad : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--gram", "[[2 1][0 2]]"}, "row 2, column 1"},
           {{"--gram", folder.path("none.txt")}, "gram"},
           {{"--gram", "[[2]]", "--shell", "2", "--squared-radius", "3"},
            "shell: got 2 together with squared_radius 3"},
           {{"--basis", "[[2]]", "--target", "[1 2]"}, "got 2 numbers; accepted: 1"},
           {{"--basis", "[[2]]", "--shell", "1/0"}, "shell: got \"1/0\"; accepted: a number above 0"},
           {{"--basis", "[[2]]", "--squared-radius", "4", "--minimum-squared-norm", "0/3"},
            "minimum_squared_norm: got \"0/3\"; accepted: a number above 0"},
           {{}, "basis: got nothing"}}) {
    const CommandResult result = search(bad.first);
    CAPTURE(bad.second);
    CAPTURE(result.err);
    CHECK(result.code == 2);
    CHECK(contains(result.err, bad.second));
  }
}
