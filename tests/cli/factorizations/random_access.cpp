// Random access from the command: ranges of ranks, samples, the rank of a row, the row of a rank; what they
// print and write, and every refusal.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "cli/command_runner.hpp"

using namespace slicepool::test;

namespace {

const std::string kWide = "20,19,18,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,2,1";  // n = 10000: 4.1e40
const std::string kTwoTo128 = "340282366920938463463374607431768211456";
const std::string kRowAtTwoTo128 = "112,27,49,10,12,23,0,80,48,1,17,50,2,175,72,95,132,82,47,395";

CommandResult small(std::vector<std::string> more) { return factorizations("6,9,20", "60", std::move(more)); }

nlohmann::json record(std::vector<std::string> more) {
  more.emplace_back("--json");
  const auto result = small(std::move(more));
  REQUIRE(result.code == 0);
  return onlyObject(result.out);
}

/// Exit code 2, one line that starts with the field and has `part`, nothing on standard output.
void checkRefused(const std::vector<std::string>& more, const std::string& field, const std::string& part) {
  const auto result = small(more);
  CAPTURE(result.err);
  CHECK(result.code == 2);
  CHECK(result.out.empty());
  CHECK(result.err.rfind("slicepool: error: " + field + ": got ", 0) == 0);
  CHECK(contains(result.err, part));
  CHECK(result.err.find('\n') == result.err.size() - 1);
}

}  // namespace

TEST_CASE("--rank-range restricts every sink, and the record says range and total") {
  CHECK(small({"--sink", "rows", "--rank-range", "1:4", "--output", "-"}).out == "7,2,0\n4,4,0\n1,6,0\n");
  const auto counted = record({"--rank-range", "1:4"});
  CHECK(counted["count"] == 3);
  CHECK(counted["total"] == 5);
  CHECK(counted["rank_range"] == nlohmann::json::parse("[1,4]"));
  CHECK(counted["counted_by_table"] == true);
  CHECK(record({"--rank-range", "1:4", "--sink", "lengths"})["lengths"] ==
        nlohmann::json::parse("[[7,1],[8,1],[9,1]]"));
  CHECK(record({"--rank-range", "1:4", "--sink", "first:1"})["rows"] == nlohmann::json::parse("[[7,2,0]]"));
  CHECK(record({"--rank-range", "1:4", "--sink", "any:a3 >= 1"})["predicate_holds"] == false);
  CHECK(record({"--rank-range", "5:5", "--sink", "rows"})["count"] == 0);
  CHECK(contains(small({"--rank-range", "1:4"}).out, "rank range        1:4 of 5"));
  CHECK_FALSE(record({}).contains("total"));
}

TEST_CASE("--rank-range beyond 64 bits: rows in a file, counts as strings") {
  const TemporaryFolder folder;
  const std::string end = "340282366920938463463374607431768211459";
  const auto result = factorizations(kWide, "10000",
                                     {"--sink", "rows", "--rank-range", kTwoTo128 + ":" + end, "--output",
                                      folder.path("rows.csv"), "--json", "--mode", "emulated"});
  CHECK(result.code == 0);
  const auto ranged = onlyObject(result.out);
  CHECK(ranged["count"] == 3);
  CHECK(ranged["rank_range"] == nlohmann::json::array({kTwoTo128, end}));
  CHECK(ranged["total"] == "41190479851662146872477432595261742813907");
  const std::string rows = contentOf(folder.path("rows.csv"));
  CHECK(rows.rfind(kRowAtTwoTo128 + "\n", 0) == 0);
  CHECK(std::count(rows.begin(), rows.end(), '\n') == 3);
}

TEST_CASE("--rank-of and --row-at are inverse, below and beyond 64 bits") {
  CHECK(record({"--rank-of", "4,4,0"})["rank"] == 2);
  const auto row = record({"--row-at", "2"});
  CHECK(row["row"] == nlohmann::json::parse("[4,4,0]"));
  CHECK(row["row_at"] == 2);
  CHECK(row["count"] == 5);
  CHECK(small({"--rank-of", "4,4,0"}).out.rfind("rank              2\n", 0) == 0);
  CHECK(small({"--row-at", "2"}).out.rfind("row               4,4,0\n", 0) == 0);
  const auto found = onlyObject(factorizations(kWide, "10000", {"--rank-of", kRowAtTwoTo128, "--json"}).out);
  CHECK(found["rank"] == kTwoTo128);
  CHECK(contains(factorizations(kWide, "10000", {"--row-at", kTwoTo128}).out, kRowAtTwoTo128 + "\n"));
}

TEST_CASE("--sample: the same seed gives the same rows in every format, on any number of threads") {
  const TemporaryFolder folder;
  const auto drawn = record({"--sample", "4", "--seed", "7"});
  CHECK(drawn["rows"] == nlohmann::json::parse("[[4,4,0],[0,0,3],[7,2,0],[7,2,0]]"));
  CHECK(drawn["sample"] == nlohmann::json::parse(R"({"rows": 4, "seed": 7})"));
  CHECK(drawn["count"] == 5);
  const std::string csv = "4,4,0\n0,0,3\n7,2,0\n7,2,0\n";
  CHECK(small({"--sample", "4", "--seed", "7", "--output", "-", "--threads", "3"}).out == csv);
  CHECK(small({"--sample", "4", "--seed", "7", "--output", "-", "--header", "--sink", "rows"}).out ==
        "a1,a2,a3\n" + csv);
  const auto written = record({"--sample", "4", "--seed", "7", "--output", folder.path("s.npy")});
  CHECK(written["output"]["bytes"] == 140);
  const std::string npy = contentOf(folder.path("s.npy"));
  CHECK(npy.substr(npy.size() - 12) == std::string("\4\4\0\0\0\3\7\2\0\7\2\0", 12));
  CHECK(contains(small({"--sample", "4"}).out, "4 rows with replacement, seed 0"));

  const auto ranged = record({"--sample", "50", "--rank-range", "1:3"});
  CHECK(ranged["count"] == 2);
  CHECK(ranged["total"] == 5);
  for (const auto& row : ranged["rows"])
    CHECK((row == nlohmann::json::parse("[7,2,0]") || row == nlohmann::json::parse("[4,4,0]")));
}

TEST_CASE("a JSON configuration gives what the flags give") {
  const TemporaryFolder folder;
  const std::string path = folder.path("run.json");
  const auto run = [&](const std::string& members) {
    std::ofstream(path) << R"({"workload": "factorizations", "generators": [6, 9, 20], "element": 60, )" +
                               members + "}";
    const auto result = runCommand({"run", path, "--json"});
    CAPTURE(result.err);
    REQUIRE(result.code == 0);
    return onlyObject(result.out);
  };
  CHECK(run(R"("rank_range": [1, "4"])")["count"] == 3);
  CHECK(run(R"("rank_range": "1:4")")["count"] == 3);
  CHECK(run(R"("sample": 4, "seed": "7")")["rows"][0] == nlohmann::json::parse("[4,4,0]"));
  CHECK(run(R"("rank_of": [4, 4, 0])")["rank"] == 2);
  CHECK(run(R"("row_at": "2")")["row"] == nlohmann::json::parse("[4,4,0]"));
}

TEST_CASE("sweeps: a range of ranks is a parameter, ranges are not compared with each other") {
  const TemporaryFolder folder;
  std::ofstream(folder.path("sweep.json")) << R"({"workload": "factorizations",
    "parameters": {"sink": "fingerprint", "algorithm": ["ranked", "candidate"], "rank_range": ["0:100", "100:250"]},
    "rows": [{"generators": [13, 37, 38, 40], "element": 1000}], "engine": {"mode": "cpu"}})";
  const auto result = runCommand({"sweep", folder.path("sweep.json"), "--output", folder.path("out")});
  CAPTURE(result.err);
  CHECK(result.code == 0);
  const std::string records = contentOf(folder.path("out/results.jsonl"));
  CHECK(std::count(records.begin(), records.end(), '\n') == 4);
  CHECK(contains(records, "\"count\":100,"));
  CHECK(contains(records, "\"count\":150,"));
  CHECK_FALSE(contains(records, "differs"));
}

TEST_CASE("exit 2: ranges, rows and ranks that are none") {
  checkRefused({"--rank-range", "3:1"}, "rank_range", "3:1; accepted: A:B with A <= B");
  checkRefused({"--rank-range", "3:6"}, "rank_range", "A <= B <= 5, the number of factorizations");
  for (const char* text : {"5", "a:b", "1:2:3", ":4", "-1:3", "1.0:3", ""})
    checkRefused({"--rank-range", text}, "rank_range", "A:B or [A, B]");
  checkRefused({"--rank-range", "0:1", "--algorithm", "tabulated"}, "rank_range",
               "auto, ranked or candidate");
  checkRefused({"--rank-range", "0:1", "--algorithm", "dynamic"}, "rank_range", "auto, ranked or candidate");
  checkRefused({"--rank-range", "0:1", "--tabulated-dimension", "1"}, "rank_range",
               "without tabulated_dimension");
  checkRefused({"--rank-of", "4,4,1"}, "rank_of", "whose sum is 80");
  checkRefused({"--rank-of", "4,4"}, "rank_of", "has 2 coordinates");
  checkRefused({"--rank-of", "4,-4,0"}, "rank_of[1]", "an integer from 0");
  checkRefused({"--rank-of", "a,b,c"}, "rank_of[0]", "an integer from 0");
  checkRefused({"--rank-of", ""}, "rank_of", "one per generator");
  checkRefused({"--row-at", "5"}, "row_at", "number of factorizations, 5");
  checkRefused({"--row-at", kTwoTo128}, "row_at", "number of factorizations, 5");
  checkRefused({"--row-at=-1"}, "row_at", "an integer from 0");
  const auto wide =
      factorizations(kWide, "10000", {"--rank-range", "0:9223372036854775808", "--sink", "extremes"});
  CHECK(wide.code == 2);
  CHECK(contains(wide.err, "at most 2^63 - 1 ranks"));
}

TEST_CASE("exit 2: samples, and what contradicts random access") {
  checkRefused({"--sample", "0"}, "sample", "an integer from 1");
  checkRefused({"--sample", "many"}, "sample", "an integer from 1");
  checkRefused({"--sample", "3", "--seed", "18446744073709551616"}, "seed", "from 0 to 2^64-1");
  checkRefused({"--seed", "3"}, "seed", "only with sample");
  checkRefused({"--sample", "3", "--rank-range", "2:2"}, "sample", "at least one factorization");
  checkRefused({"--sample", "3", "--sink", "lengths"}, "sink", "no sink, or rows");
  checkRefused({"--sample", "3", "--mode", "emulated"}, "engine.mode", "cpu or auto");
  checkRefused({"--sample", "3", "--algorithm", "candidate"}, "algorithm", "auto or ranked");
  checkRefused({"--sample", "3", "--rank-of", "4,4,0"}, "rank_of", "one of sample, rank_of and row_at");
  checkRefused({"--sample", "3", "--checkpoint", "c"}, "checkpoint", "only with an enumeration");
  checkRefused({"--sample", "3", "--fingerprint"}, "fingerprint", "only with an enumeration");
  for (const char* path : {"x.txt", "x.npy.zst"})
    checkRefused({"--sample", "3", "--output", path}, "output.path", ".npy or .csv");
  for (const auto& [option, value] :
       {std::pair{"shard-rows", "5"}, {"writing", "streamed"}, {"writers", "2"}}) {
    std::string field = std::string("output.") + option;
    std::replace(field.begin(), field.end(), '-', '_');
    checkRefused({"--sample", "3", "--output", "x.npy", std::string("--") + option, value}, field,
                 "only with an enumeration");
  }
  checkRefused({"--row-at", "3", "--output", "x.csv"}, "output", "only with sample or an enumeration");
  checkRefused({"--row-at", "3", "--rank-range", "0:4"}, "rank_range", "only with sample or an enumeration");
  checkRefused({"--row-at", "3", "--sink", "rows"}, "sink", "no sink");
  const auto nothing = factorizations("6,9,20", "43", {"--sample", "1"});
  CHECK(nothing.code == 2);
  CHECK(contains(nothing.err, "without factorizations"));
}

TEST_CASE("exit 4: rank index and sampled rows state their sizes") {
  const auto index = small({"--row-at", "1", "--memory-limit", "1000"});
  CHECK(index.code == 4);
  CHECK(contains(index.err, "1464 bytes; 1000 allowed"));
  const TemporaryFolder folder;
  const auto rows = small({"--sample", "1000000", "--memory-limit", "1MB"});
  CHECK(rows.code == 4);
  CHECK(contains(rows.err, "1000000 rows of 3 bytes"));
  const auto disk = small({"--sample", "4000000000000000000", "--output", folder.path("s.npy")});
  CHECK(disk.code == 4);
  CHECK_FALSE(std::filesystem::exists(folder.path("s.npy.part")));
}

TEST_CASE("a sample that a limit stops leaves no file and says so") {
  const TemporaryFolder folder;
  const auto result = factorizations("13,37,38,40", "20000",
                                     {"--sample", "50000000", "--threads", "1", "--output",
                                      folder.path("s.csv"), "--step-limit", "1000000", "--json"});
  CHECK(result.code == 1);
  CHECK(onlyObject(result.out)["status"] == "stopped");
  CHECK_FALSE(std::filesystem::exists(folder.path("s.csv")));
  CHECK_FALSE(std::filesystem::exists(folder.path("s.csv.part")));
}
