// Configurations: strict JSON, exact integers, unknown keys with suggestions, contradictions, the shipped
// files.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "runtime/app/config/run_config.hpp"
#include "runtime/app/config/schema.hpp"
#include "runtime/app/config/suggest.hpp"
#include "runtime/app/config/sweep_config.hpp"
#include "runtime/factorizations/front_request.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "slicepool/core/error.hpp"
#include "support/text.hpp"

using namespace slicepool;
using namespace slicepool::config;
using slicepool::test::contains;

namespace {

Json baseRun() { return {{"workload", "factorizations"}, {"generators", {6, 9, 20}}, {"element", 60}}; }

factorizations::Request checkedRequest(const RunConfig& config) {
  auto request = parseFactorizationsRequest(config, Strictness::single);
  factorizations::checkRequest(request, config.engine);
  return request;
}

/// The message of the ConfigError that a single run with one member changed ends in; empty when it is
/// accepted.
std::string refusal(const std::string& path, const Json& value) {
  Json document = baseRun();
  setMember(document, path, value);
  try {
    (void)checkedRequest(parseRunConfig(document, Strictness::single));
    return {};
  } catch (const ConfigError& error) {
    return error.what();
  }
}

std::filesystem::path configFolder() {
  const char* source = std::getenv("SLICEPOOL_SOURCE_DIR");
  const std::filesystem::path root =
      source != nullptr ? std::filesystem::path(source)
                        : std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  return root / "configs";
}

}  // namespace

TEST_CASE("edit distance counts insertions, deletions, replacements and swaps of neighbours") {
  CHECK(editDistance("", "abc") == 3);
  CHECK(editDistance("threads", "threads") == 0);
  CHECK(editDistance("thraeds", "threads") == 1);
  CHECK(editDistance("kitten", "sitting") == 3);
  CHECK(nearestWord("elemnt", {"algorithm", "element", "engine"}) == "element");
  CHECK(nearestWord("x", {}).empty());
}

TEST_CASE("a syntax error is named with its line and column, a duplicate key is refused") {
  CHECK_THROWS_WITH_AS((void)parseJson("{\n  \"a\": 1,\n  oops\n}", "f.json"),
                       "f.json: got a syntax error at line 3, column 3: \"oops\"; accepted: a key in double "
                       "quotes (no comma before })",
                       ConfigError);
  CHECK_THROWS_AS((void)parseJson("{\"a\": 1, \"a\": 2}", "f.json"), ConfigError);
  CHECK_NOTHROW((void)parseJson("{\"a\": {\"a\": 1}, \"b\": {\"a\": 1}}", "f.json"));
}

TEST_CASE(
    "integers are exact: fractions, exponents, signs, overflow and words are refused, digit strings taken") {
  CHECK(refusal("element", 0).empty());
  CHECK(refusal("element", "9223372036854775807").empty());
  CHECK(refusal("element", 9223372036854775807ULL).empty());
  for (const Json& bad : {Json(-1), Json(1.5), Json(60.0), Json(9223372036854775808ULL),
                          Json("9223372036854775808"), Json("18446744073709551616"), Json("1e3"), Json(" 5"),
                          Json("-5"), Json(""), Json(true), Json(nullptr), Json(Json::array({1}))}) {
    const std::string message = refusal("element", bad);
    CAPTURE(bad.dump());
    CHECK(contains(message, "element"));
    CHECK(contains(message, "; accepted: an integer from 0 to 2^63-1"));
  }
}

TEST_CASE("generators are 1 to 64 positive integers") {
  CHECK(refusal("generators", Json::array({1})).empty());
  CHECK(refusal("generators", Json(std::vector<int>(64, 7))).empty());
  CHECK(contains(refusal("generators", Json::array()), "generators: got []"));
  CHECK(contains(refusal("generators", Json(std::vector<int>(65, 7))), "accepted: a list of 1 to 64"));
  CHECK(contains(refusal("generators", Json::array({6, 0})), "generators[1]: got 0"));
  CHECK(contains(refusal("generators", Json::array({6, -9})), "generators[1]: got -9"));
  CHECK(contains(refusal("generators", Json::array({6.5})), "generators[0]: got 6.5"));
  CHECK(contains(refusal("generators", 6), "generators: got 6"));
}

TEST_CASE("an unknown key names itself and the nearest known one, at any depth") {
  CHECK(contains(refusal("elemnt", 5), "nearest known key \"element\""));
  CHECK(contains(refusal("engine.thraeds", 5), "engine.thraeds: got an unknown key \"thraeds\""));
  CHECK(contains(refusal("engine.thraeds", 5), "nearest known key \"threads\""));
  CHECK(contains(refusal("engine.emulated.lane", 5), "nearest known key \"lanes\""));
}

TEST_CASE("missing and unknown workloads are refused by name") {
  CHECK_THROWS_WITH_AS(
      (void)parseRunConfig(Json::object(), Strictness::single),
      "workload: got nothing; accepted: factorizations, integer_points, invariants, lattice, "
      "numerical_semigroups, reduce, semigroup, svp, three_in_line",
      ConfigError);
  CHECK(contains(refusal("workload", "factorisations"), "nearest: factorizations"));
  Json document = baseRun();
  document.erase("element");
  CHECK_THROWS_WITH_AS((void)parseRunConfig(document, Strictness::single),
                       "element: got nothing; accepted: an integer from 0 to 2^63-1", ConfigError);
}

TEST_CASE("settings that contradict each other are refused in a single run") {
  CHECK(contains(refusal("engine", {{"cpu_budget", 5}, {"cpu_turn_ms", 3}}), "engine.cpu_budget"));
  CHECK(contains(refusal("engine", {{"gpu_profile", "low"}, {"gpu_turn_ms", 3}}), "engine.gpu_profile"));
  CHECK(contains(refusal("engine", {{"mode", "cpu"}, {"emulated", {{"lanes", 8}}}}),
                 "only with mode emulated"));
  Json document = baseRun();
  document["algorithm"] = "candidate";
  document["tabulated_dimension"] = 2;
  const auto single = parseRunConfig(document, Strictness::single);
  CHECK_THROWS_AS((void)checkedRequest(single), ConfigError);
  CHECK_FALSE(parseFactorizationsRequest(single, Strictness::sweepPoint).tabulatedDimension.has_value());
  document["algorithm"] = "ranked";
  const auto ranked = parseRunConfig(document, Strictness::single);
  CHECK(parseFactorizationsRequest(ranked, Strictness::single).tabulatedDimension == 2);
  document["tabulated_dimension"] = 1;  // means something to `tabulated` only
  const auto point = parseRunConfig(document, Strictness::sweepPoint);
  CHECK_FALSE(parseFactorizationsRequest(point, Strictness::sweepPoint).tabulatedDimension.has_value());
  CHECK(contains(refusal("tabulated_dimension", 4), "an integer from 1 to 3"));
  CHECK(contains(refusal("output", {{"path", "x.csv"}}), "only with sink rows or first:K"));
  CHECK(contains(refusal("engine.block_size", 33), "a multiple of 32"));
  CHECK(contains(refusal("engine.gpu_granularity", "block"), "auto, thread or warp"));
}

TEST_CASE("engine settings arrive in EngineOptions") {
  Json document = baseRun();
  document["engine"] = {{"mode", "emulated"},        {"threads", 3},
                        {"pool_order", "fifo"},      {"gpu_profile", "high"},
                        {"memory_limit", "1.5GiB"},  {"device", 1},
                        {"gpu_granularity", "warp"}, {"emulated", {{"lanes", 7}, {"fail_at_launch", 2}}}};
  document["time_limit_seconds"] = 2.5;
  const RunConfig config = parseRunConfig(document, Strictness::single);
  CHECK(config.engine.mode == Mode::emulated);
  CHECK(config.engine.threads == 3);
  CHECK(config.engine.poolOrder == PoolOrder::fifo);
  CHECK(config.engine.gpuTurnMilliseconds == 96.0);
  CHECK(config.engine.memoryLimit == 3ULL << 29);
  CHECK(config.engine.device.deviceIndex == 1);
  CHECK(config.engine.device.granularity == Granularity::warp);
  CHECK(config.engine.emulator.lanes == 7);
  CHECK(config.engine.emulator.failAtLaunch == 2);
  CHECK(config.timeLimitSeconds == 2.5);
  CHECK(parseRunConfig(baseRun(), Strictness::single).engine.mode == Mode::automatic);
}

TEST_CASE("sizes have decimal and binary units and never a stray character") {
  CHECK(requireSize("4GiB", "s") == 4ULL << 30);
  CHECK(requireSize("4G", "s") == 4ULL << 30);
  CHECK(requireSize("500MB", "s") == 500'000'000);
  CHECK(requireSize(1234, "s") == 1234);
  for (const char* bad : {"", "0", "GiB", "4 GiB", "4GiBs", "-4G", "4gib", "1e3", "99999999T"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS((void)requireSize(bad, "s"), ConfigError);
  }
}

TEST_CASE("--set takes JSON values, falls back to strings, and refuses a missing key") {
  Json document = baseRun();
  applyAssignment(document, "engine.threads=4");
  applyAssignment(document, "sink=any:a1 + a2 = 7");
  applyAssignment(document, "generators=[2,3]");
  CHECK(document["engine"]["threads"] == 4);
  CHECK(document["sink"] == "any:a1 + a2 = 7");
  CHECK(document["generators"].size() == 2);
  CHECK_THROWS_AS(applyAssignment(document, "threads"), ConfigError);
  CHECK_THROWS_AS(applyAssignment(document, "element.x=1"), ConfigError);
}

TEST_CASE("integers of every documented width arrive exactly, from JSON and from the command line") {
  Json document = baseRun();
  document["sink"] = "rows";
  for (const char* seed : {"9223372036854775808", "18446744073709551615"}) {
    applyAssignment(document, "sample=2");
    applyAssignment(document, std::string("seed=") + seed);
    const RunConfig config = parseRunConfig(document, Strictness::single);
    CHECK(std::to_string(requireUnsigned(config.document["seed"], "seed", 0, UINT64_MAX)) == seed);
  }
  const std::string wide(500, '8');
  document = baseRun();
  applyAssignment(document, "rank_range=[18446744073709551616," + wide + "]");
  const auto ranks =
      parseFactorizationsRequest(parseRunConfig(document, Strictness::single), Strictness::single).ranks;
  CHECK(ranks->begin == "18446744073709551616");
  CHECK(ranks->end == wide);
  applyAssignment(document, "rank_range=[-99999999999999999999,5]");
  CHECK_THROWS_AS((void)parseRunConfig(document, Strictness::single), ConfigError);
}

TEST_CASE("numbers that no double holds are refused by field, and never as another value") {
  for (const std::string& literal : {std::string("1e400"), std::string(400, '9'), std::string("-1e400")}) {
    for (const char* field :
         {"element", "time_limit_seconds", "engine.threads", "engine.cpu_turn_ms", "engine.cpu_budget",
          "engine.memory_limit", "tabulated_dimension", "checkpoint"}) {
      Json document = baseRun();
      applyAssignment(document, std::string(field) + "=" + literal);
      std::string message;
      try {
        (void)parseFactorizationsRequest(parseRunConfig(document, Strictness::single), Strictness::single);
      } catch (const ConfigError& error) {
        message = error.what();
      }
      CAPTURE(literal);
      CAPTURE(field);
      CAPTURE(message);
      CHECK(message.starts_with(std::string(field) + ": got "));
      CHECK(contains(message, literal.substr(0, 5)));
      CHECK(message.size() < 250);
    }
  }
  CHECK(contains(refusal("time_limit_seconds", std::numeric_limits<double>::quiet_NaN()), "got nan;"));
  CHECK(contains(refusal("time_limit_seconds", std::numeric_limits<double>::infinity()), "got inf;"));
}

TEST_CASE("long texts and deep paths are refused or taken, at any length") {
  const std::string digits(30'000, '9');
  for (const char* field : {"element", "engine.memory_limit", "engine.cpu_budget"}) {
    const std::string message = refusal(field, digits);
    CHECK(contains(message, "(30000 characters)"));
    CHECK(message.size() < 250);
  }
  std::string predicate = "any:a1";
  for (int i = 0; i < 20'000; ++i) predicate += "+a1";
  CHECK(refusal("sink", predicate + " >= 5").empty());
  CHECK(contains(refusal("sink", predicate + " >= x"), "accepted: a linear predicate"));
  CHECK(refusal("sink", predicate + " >= x").size() < 400);
  Json document = baseRun();
  std::string path = "a";
  for (int i = 0; i < 100'000; ++i) path += ".a";
  CHECK_THROWS_AS(applyAssignment(document, path + "=1"), ConfigError);
  CHECK_NOTHROW(applyAssignment(document, "sink=" + std::string(100'000, '[')));
}

TEST_CASE("a zero byte in a key is shown, not the end of the message") {
  const std::string message = refusal(std::string("el\0ement", 8), 5);
  CHECK(contains(message, "an unknown key \"el\\x00ement\""));
}

TEST_CASE("canonical text and hash ignore the order of keys and nothing else") {
  const Json a = {{"x", 1}, {"y", {{"p", 1}, {"q", 2}}}};
  const Json b = {{"y", {{"q", 2}, {"p", 1}}}, {"x", 1}};
  CHECK(documentHash(a) == documentHash(b));
  CHECK(documentHash(a) != documentHash(Json{{"x", 2}, {"y", {{"p", 1}, {"q", 2}}}}));
}

TEST_CASE(
    "every shipped configuration is valid, expands, and its schema is what the tables of parameters make") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(configFolder())) {
    CAPTURE(entry.path().string());
    if (entry.path().filename() == "schema.json") {
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      CHECK(text.str() == schemaText());
      continue;
    }
    const SweepConfig sweep =
        parseSweepConfig(readJsonFile(entry.path().string()), TimeClass::large, entry.path().string());
    CHECK_FALSE(sweep.points.empty());
    CHECK_FALSE(sweep.description.empty());
    ++files;
  }
  CHECK(files >= 6);
}

TEST_CASE("the table sweeps hold every row of the papers and mark four wrong published counts") {
  std::size_t wrong = 0;
  for (const auto& [name, rows] : {std::pair{"factorizations-streams-table-1.json", 29U},
                                   std::pair{"factorizations-dynamic-table-1.json", 31U}}) {
    const Json document = readJsonFile((configFolder() / name).string());
    CHECK(document["rows"].size() == rows);
    const SweepConfig sweep = parseSweepConfig(document);
    CHECK(sweep.points.size() == 3 * rows);
    for (const auto& row : document["rows"])
      wrong += row["published"]["count"] != row["expected_count"] ? 1 : 0;
    CHECK(parseSweepConfig(document, TimeClass::small).points.size() < sweep.points.size());
  }
  CHECK(wrong == 4);
}
