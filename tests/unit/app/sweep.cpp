// Sweeps: expansion of axes, zip and rows; running with synthetic records; resume, verification, summary,
// page.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "runtime/app/config/sweep_config.hpp"
#include "runtime/app/report/page.hpp"
#include "runtime/app/report/summary.hpp"
#include "runtime/app/report/sweep.hpp"
#include "slicepool/core/error.hpp"
#include "support/damage.hpp"
#include "support/environment_variable.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool;
using namespace slicepool::config;
using namespace slicepool::report;
using slicepool::test::contains;

namespace {

Json smallSweep() {
  return parseJson(R"({
    "workload": "factorizations",
    "parameters": {"generators": [6, 9, 20], "element": [60, 120], "sink": "fingerprint"},
    "engine": {"mode": ["cpu", "emulated"], "threads": [1, 2]},
    "measurement": {"repetitions": 2}
  })",
                   "test");
}

std::string refusal(const Json& document) {
  try {
    (void)parseSweepConfig(document, TimeClass::large, "s.json");
    return {};
  } catch (const ConfigError& error) {
    return error.what();
  }
}

/// A runner without an engine: the count depends on the element only, the rate on mode and threads.
Json syntheticRecord(const SweepPoint& point) {
  const Json engine = point.document.value("engine", Json::object());
  const double rate = point.mode == "cpu" ? 100.0 : point.mode == "gpu" ? 300.0 : 360.0;
  Json record = {
      {"workload", "factorizations"}, {"status", "done"}, {"mode", point.mode}, {"algorithm", "candidate"}};
  record["count"] = point.document["element"];
  record["fingerprint"] = "00ff";
  record["counted_by_table"] = false;
  record["steps"] = 1000;
  record["seconds"] = 1000.0 / rate;
  record["wall_seconds"] = 2000.0 / rate;
  record["setup_seconds"] = 0.5;
  record["steps_per_second"] = rate;
  record["workers"] = {{{"name", "cpu0"}, {"kind", "cpu"}, {"device", ""}, {"share", 1.0}}};
  record["timeline"] = {
      {"interval_seconds", 0.01}, {"pool_depth", {4, 2, 0}}, {"utilisation", {{1.0, 0.5, 0.0}}}};
  return record;
}

std::vector<std::string> linesOf(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("the points of a sweep are the product of its axes, modes of one case together") {
  const SweepConfig sweep = parseSweepConfig(smallSweep());
  REQUIRE(sweep.points.size() == 8);
  std::set<std::string> hashes;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    hashes.insert(sweep.points[i].hash);
    CHECK(sweep.points[i].caseIndex == i / 2);
    CHECK(sweep.points[i].mode == (i % 2 == 0 ? "cpu" : "emulated"));
  }
  CHECK(hashes.size() == 8);
  CHECK(sweep.points[0].label == "n=60 threads=1");
  CHECK(sweep.points[7].document["element"] == 120);
  CHECK(sweep.points[7].document["engine"]["threads"] == 2);
}

TEST_CASE("zipped axes move together and must be equally long") {
  Json document = smallSweep();
  document["parameters"]["generators"] = parseJson("[[6,9,20],[2,3]]", "test");
  document["zip"] = parseJson(R"([["generators", "element"]])", "test");
  const SweepConfig sweep = parseSweepConfig(document);
  REQUIRE(sweep.points.size() == 8);
  CHECK(sweep.points[0].document["generators"].size() == 3);
  CHECK(sweep.points[7].document["generators"].size() == 2);
  CHECK(sweep.points[7].document["element"] == 120);

  document["parameters"]["element"] = {1, 2, 3};
  CHECK(contains(refusal(document), "s.json: /zip/0"));
  document["zip"] = parseJson(R"([["generators", "elment"]])", "test");
  CHECK(contains(refusal(document), "the name of an axis"));
}

TEST_CASE("rows set parameters together, carry their notes, and are chosen by time class") {
  Json document = smallSweep();
  document["parameters"].erase("element");
  document["rows"] = parseJson(R"([{"element": 60, "expected_count": 5, "label": "first"},
                                   {"element": 120, "time_class": "large", "engine": {"cpu_budget": 7}}])",
                               "test");
  const SweepConfig all = parseSweepConfig(document);
  REQUIRE(all.points.size() == 8);
  CHECK(all.points[0].label == "first threads=1");
  CHECK(all.points[0].row["expected_count"] == 5);
  CHECK(all.points[7].document["engine"]["cpu_budget"] == 7);
  CHECK(parseSweepConfig(document, TimeClass::medium).points.size() == 4);
}

TEST_CASE("errors of a sweep name the JSON pointer") {
  Json document = smallSweep();
  document["parameters"]["elemnt"] = 5;
  CHECK(contains(refusal(document), "s.json: /parameters/elemnt: got an unknown key"));
  document = smallSweep();
  document["engine"]["threads"] = {1, "x"};
  CHECK(contains(refusal(document), "s.json: /engine/threads"));
  document = smallSweep();
  document["measurement"]["repetitions"] = 0;
  CHECK(contains(refusal(document), "s.json: /measurement/repetitions: got 0"));
  document = smallSweep();
  document["rows"] = parseJson(R"([{"element": 60}])", "test");
  CHECK(contains(refusal(document), "/rows/0/element"));
  document["parameters"].erase("element");
  document["rows"][0]["element"] = -4;
  CHECK(contains(refusal(document), "/rows/0"));
  document["rows"] = parseJson(R"([{"element": 60, "engine": {"threads": 1, "mode": "cpu"}}])", "test");
  CHECK(contains(refusal(document), "s.json: /rows/0/engine/threads: got 1 while /engine/threads is set"));
  document["engine"].erase("threads");
  CHECK(contains(refusal(document), "s.json: /rows/0/engine/mode: got \"cpu\" while /engine/mode is set"));
  document["engine"].erase("mode");
  CHECK(refusal(document).empty());
  document["rows"][0]["engine"]["emulated"]["lanes"] = 16;
  document["engine"]["emulated"]["cpu_workers"] = true;
  CHECK_FALSE(contains(refusal(document), "while"));
  document["engine"]["emulated"]["lanes"] = 32;
  CHECK(contains(refusal(document),
                 "/rows/0/engine/emulated/lanes: got 16 while /engine/emulated/lanes is set"));
  document["engine"].erase("emulated");
  document["rows"][0]["expected_count"] = "022";
  CHECK(contains(refusal(document),
                 "/rows/0/expected_count: got \"022\"; accepted: an integer or a string of "
                 "its digits"));
}

TEST_CASE("errors of a sweep's values say what a value may be, as an axis too") {
  for (const auto& [value, got] :
       {std::pair{R"(33)", "33"}, {R"("x")", "\"x\""}, {R"([])", "[]"}, {R"(9.0)", "9.0"}}) {
    const Json document = parseJson(
        std::string(R"({"workload": "three_in_line", "parameters": {"size": )") + value + "}}", "test");
    CHECK(refusal(document) ==
          std::string("s.json: /parameters/size: got ") + got +
              "; accepted: an integer from 1 to 32, or as an axis a list of at least one of these");
  }
  Json document = smallSweep();
  document["engine"]["memory_limit"] = "1GIB";
  const std::string text = refusal(document);
  CHECK(contains(text, "/engine/memory_limit: got \"1GIB\"; accepted: a size such as 500MB or 4GiB"));
  CHECK(contains(text, "or as an axis a list of at least one of these"));
}

TEST_CASE("a size of a sweep that its symmetry does not have is refused before anything runs") {
  const Json document = parseJson(R"({"workload": "three_in_line",
    "parameters": {"size": [6, 7], "symmetry": "c4"}})",
                                  "test");
  CHECK(contains(refusal(document), "size: got 7; accepted: even sizes, for this symmetry"));
}

TEST_CASE(
    "a file of several sweeps has the points of each, its errors name the sweep, and what is common stands "
    "once") {
  const auto sweep = parseSweepConfig(parseJson(R"({"sweeps": [
    {"workload": "three_in_line", "parameters": {"size": [4, 5]}, "engine": {"mode": ["cpu", "emulated"]}},
    {"workload": "factorizations", "parameters": {"generators": [6, 9, 20], "element": 60}}],
    "measurement": {"repetitions": 2}})",
                                                "f.json"));
  REQUIRE(sweep.points.size() == 5);
  CHECK(sweep.points[3].caseIndex == 1);
  CHECK(sweep.points[4].caseIndex == 2);
  CHECK(sweep.points[4].document["workload"] == "factorizations");
  CHECK(sweep.workloads == std::vector<std::string>{"three_in_line", "factorizations"});
  CHECK(sweep.measurement.repetitions == 2);

  const auto message = [](const char* text) {
    try {
      (void)parseSweepConfig(parseJson(text, "f.json"), TimeClass::large, "f.json");
    } catch (const slicepool::Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(message(R"({"sweeps": [{"workload": "three_in_line", "parameters": {"size": 40}}]})")
            .rfind("f.json: /sweeps/0", 0) == 0);
  CHECK(message(R"({"sweeps": [{"workload": "three_in_line", "measurement": {}}]})")
            .rfind("f.json: /sweeps/0/measurement", 0) == 0);
  CHECK(message(R"({"sweeps": [{}]})").rfind("f.json: /sweeps/0", 0) == 0);
  CHECK(message(R"({"sweeps": []})").rfind("f.json: /sweeps:", 0) == 0);
  CHECK(message(R"({"sweeps": [3]})").rfind("f.json: /sweeps/0:", 0) == 0);
  CHECK(message(R"({"sweeps": [{"workload": "semigroup"}], "engine": {}})").rfind("f.json: /engine:", 0) ==
        0);
}

TEST_CASE("a sweep records every repetition once, interleaved over the modes") {
  const test::TemporaryFolder folder;
  const SweepConfig sweep = parseSweepConfig(smallSweep());
  std::vector<std::string> order;
  const StopRequest stop;
  const auto outcome = runSweep(
      sweep, {folder.path("out"), false, {}},
      [&](const SweepPoint& point, const Measurement&) {
        order.push_back(point.mode);
        return syntheticRecord(point);
      },
      stop);
  CHECK(outcome.done == 16);
  CHECK(outcome.exitCode() == 0);
  CHECK(order[0] == "cpu");
  CHECK(order[1] == "emulated");
  CHECK(order[2] == "cpu");
  const auto lines = linesOf(folder.path("out/results.jsonl"));
  REQUIRE(lines.size() == 16);
  const Json last = parseJson(lines.back(), "line");
  CHECK(last["verification"]["count"] == "matches");
  CHECK(last["verification"]["fingerprint"] == "matches");
  CHECK(last.contains("machine"));
  CHECK(last.contains("build"));
}

TEST_CASE("a killed sweep goes on: kept records are not run again and a torn last line is dropped") {
  const test::TemporaryFolder folder;
  const SweepConfig sweep = parseSweepConfig(smallSweep());
  const SweepSettings settings{folder.path("out"), false, {}};
  const StopRequest never;
  std::size_t runs = 0;
  StopRequest stop;
  const auto first = runSweep(
      sweep, settings,
      [&](const SweepPoint& point, const Measurement&) {
        if (++runs == 5) stop.request();
        return syntheticRecord(point);
      },
      stop);
  CHECK(first.stopped);
  CHECK(first.exitCode() == 5);
  std::ofstream(folder.path("out/results.jsonl"), std::ios::app) << "{\"status\": \"done\", \"poi";

  runs = 0;
  const auto second = runSweep(
      sweep, settings,
      [&](const SweepPoint& point, const Measurement&) {
        ++runs;
        return syntheticRecord(point);
      },
      never);
  CHECK(second.kept == 5);
  CHECK(runs == 11);
  CHECK(second.records.size() == 16);
  CHECK(linesOf(folder.path("out/results.jsonl")).size() == 16);

  const auto restarted = runSweep(
      sweep, {folder.path("out"), true, {}},
      [&](const SweepPoint& point, const Measurement&) { return syntheticRecord(point); }, never);
  CHECK(restarted.kept == 0);
  CHECK(restarted.done == 16);
}

TEST_CASE("a sweep with more time repeats what a shorter limit had stopped, and with less keeps all") {
  const test::TemporaryFolder folder;
  const SweepSettings settings{folder.path("out"), false, {}};
  const StopRequest never;
  // Elements of 120 take 5 s, 60 less than any limit here.
  const auto sweptWithin = [&](std::optional<double> limit) {
    SweepConfig sweep = parseSweepConfig(smallSweep());
    sweep.measurement.timeLimitSeconds = limit;
    return runSweep(
        sweep, settings,
        [](const SweepPoint& point, const Measurement& measurement) {
          Json record = syntheticRecord(point);
          if (record["count"] == 120 && measurement.timeLimitSeconds.value_or(5) < 5) {
            record["status"] = "stopped";
            record["stop_reason"] = "time_limit";
            record["time_limit_seconds"] = *measurement.timeLimitSeconds;
          }
          return record;
        },
        never);
  };
  struct Expected {
    std::optional<double> limit;
    std::size_t kept, run;
  };
  for (const auto& [limit, kept, run] :
       {Expected{1, 0, 16}, Expected{1, 16, 0}, Expected{0.5, 16, 0}, Expected{2, 8, 8}, Expected{1, 16, 0},
        Expected{{}, 8, 8}, Expected{{}, 16, 0}}) {
    CAPTURE(limit.value_or(0));
    const SweepOutcome outcome = sweptWithin(limit);
    CHECK(outcome.kept == kept);
    CHECK(outcome.done == run);
    CHECK(outcome.records.size() == 16);
    CHECK(linesOf(folder.path("out/results.jsonl")).size() == 16);
  }
}

TEST_CASE("a record of a file's old content is not one of its new content") {
  const test::TemporaryFolder folder;
  const SweepSettings settings{folder.path("out"), false, {}};
  const StopRequest never;
  const std::string basis = folder.path("basis.txt");
  const auto sweptWith = [&](const char* content) {
    std::ofstream(basis) << content;
    Json document = parseJson(
        R"({"workload": "lattice", "parameters": {"squared_radius": 9, "fixed_radius": true}})", "test");
    document["parameters"]["basis"] = Json::array({basis, "[[1 0] [0 3]]"});
    return runSweep(
        parseSweepConfig(document), settings,
        [&](const SweepPoint& point, const Measurement&) {
          Json record = {{"workload", "lattice"}, {"status", "done"}, {"mode", point.mode}};
          record["count"] = point.document["basis"] == basis ? std::string(content).size() : 1;
          return record;
        },
        never);
  };
  CHECK(sweptWith("[[1 0] [0 2]]").done == 2);
  CHECK(sweptWith("[[1 0] [0 2]]").kept == 2);
  const SweepOutcome changed = sweptWith("[[13 0] [0 2]]");
  CHECK(changed.kept == 1);
  CHECK(changed.done == 1);
  CHECK(changed.mismatches.empty());
  CHECK(sweptWith("[[1 0] [0 2]]").kept == 2);
  // What makes runs slower or faster is part of what a record is of.
  const test::WithEnvironment portable("SLICEPOOL_SIMD", "portable");
  CHECK(sweptWith("[[1 0] [0 2]]").kept == 0);
  CHECK(sweptWith("[[1 0] [0 2]]").kept == 2);
}

TEST_CASE("every change of a sweep's results is refused by line, or only repeats a run that was cut off") {
  const test::TemporaryFolder folder;
  Json document = smallSweep();
  document["parameters"]["element"] = 60;
  document["engine"]["threads"] = 1;
  const SweepConfig sweep = parseSweepConfig(document);
  const SweepSettings settings{folder.path("out"), false, {}};
  const StopRequest never;
  const std::string path = folder.path("out/results.jsonl");
  const auto runner = [](const SweepPoint& point, const Measurement&) { return syntheticRecord(point); };
  CHECK(runSweep(sweep, settings, runner, never).done == 4);
  const std::string good = test::contentOf(path);
  int refused = 0;
  test::forEachDamage(good, test::scaled(100) == 100 ? 37 : 400, 77,
                      [&](const std::string& bad, const std::string& what) {
                        CAPTURE(what);
                        test::writeFile(path, bad);
                        try {
                          const auto outcome = runSweep(sweep, settings, runner, never);
                          CHECK(outcome.exitCode() == 0);
                          CHECK(outcome.kept + outcome.done == 4);
                          for (const auto& record : outcome.records) CHECK(record["count"] == 60);
                        } catch (const ConfigError& error) {
                          ++refused;
                          CHECK(contains(error.what(), path + ": line "));
                          CHECK((test::contentOf(path) == bad));
                        }
                      });
  CHECK(refused >= static_cast<int>(test::scaled(50)));
  // All repetitions changed alike.
  std::string alike = good;
  for (auto at = alike.find("\"count\":60"); at != std::string::npos; at = alike.find("\"count\":60", at))
    alike.replace(at, 10, "\"count\":61");
  test::writeFile(path, alike);
  CHECK_THROWS_AS((void)runSweep(sweep, settings, runner, never), ConfigError);
  // A version that wrote no hashes.
  test::writeFile(path, "{\"status\":\"done\",\"count\":60}\n");
  CHECK_THROWS_AS((void)runSweep(sweep, settings, runner, never), ConfigError);
  CHECK(runSweep(sweep, {folder.path("out"), true, {}}, runner, never).done == 4);
}

TEST_CASE("a count or a fingerprint that differs ends the sweep with exit code 1 and says what differs") {
  const test::TemporaryFolder folder;
  const SweepConfig sweep = parseSweepConfig(smallSweep());
  const StopRequest stop;
  const auto outcome = runSweep(
      sweep, {folder.path("out"), true, {}},
      [](const SweepPoint& point, const Measurement&) {
        Json record = syntheticRecord(point);
        if (point.mode == "emulated" && point.document["element"] == 120) record["fingerprint"] = "00fe";
        return record;
      },
      stop);
  CHECK(outcome.exitCode() == 1);
  REQUIRE_FALSE(outcome.mismatches.empty());
  CHECK(contains(outcome.mismatches[0], "fingerprint 00fe, but 00ff from"));

  Json document = smallSweep();
  document["parameters"].erase("element");
  document["rows"] = parseJson(R"([{"element": 60, "expected_count": 61}])", "test");
  const test::TemporaryFolder other;
  const auto wrong = runSweep(
      parseSweepConfig(document), {other.path("out"), false, {}},
      [](const SweepPoint& point, const Measurement&) { return syntheticRecord(point); }, stop);
  CHECK(wrong.exitCode() == 1);
  CHECK(contains(wrong.mismatches.at(0), "count 60, but 61 from the expected count"));
}

TEST_CASE("what a row expects is compared also where another row of the same search came first") {
  const StopRequest stop;
  const auto mismatchesOf = [&](const char* rows) {
    const test::TemporaryFolder folder;
    Json document = smallSweep();
    document["parameters"].erase("element");
    document["rows"] = parseJson(rows, "test");
    return runSweep(
               parseSweepConfig(document), {folder.path("out"), false, {}},
               [](const SweepPoint& point, const Measurement&) { return syntheticRecord(point); }, stop)
        .mismatches;
  };
  // One search, by two algorithms.
  const auto wrong = mismatchesOf(
      R"([{"element": 60, "algorithm": "candidate"}, {"element": 60, "algorithm": "tabulated", "expected_count": 61}])");
  REQUIRE_FALSE(wrong.empty());
  CHECK(contains(wrong[0], "count 60, but 61 from the expected count"));
  CHECK(
      mismatchesOf(
          R"([{"element": 60, "algorithm": "candidate"}, {"element": 60, "algorithm": "tabulated", "expected_count": 60}])")
          .empty());
  Json document = smallSweep();
  document["parameters"].erase("element");
  document["rows"] =
      parseJson(R"([{"element": 60, "expected_count": 60}, {"element": 60, "expected_count": 61}])", "test");
  CHECK(
      contains(refusal(document),
               "/rows/1/expected_count: got 61; accepted: 60, which an earlier row expects of the same run"));
  // Of several sweeps in one file: where the second one stands.
  document.erase("measurement");
  Json first = document, second = document;
  first["rows"].erase(1);
  second["rows"].erase(0);
  const Json both = {{"sweeps", {first, second}}};
  CHECK(contains(refusal(both), "/sweeps/1/rows/0/expected_count: got 61; accepted: 60"));
}

TEST_CASE("points without a device are skipped, points over the limits refused, and the sweep goes on") {
  const SweepConfig sweep = parseSweepConfig(smallSweep());
  const StopRequest stop;
  const test::TemporaryFolder folder;
  const auto partly = runSweep(
      sweep, {folder.path("out"), false, {}},
      [](const SweepPoint& point, const Measurement&) {
        if (point.mode == "emulated") throw DeviceError("no device");
        return syntheticRecord(point);
      },
      stop);
  CHECK(partly.skipped == 4);
  CHECK(partly.done == 8);
  CHECK(partly.exitCode() == 0);
  const auto nobody = [](const SweepPoint&, const Measurement&) -> Json { throw DeviceError("no device"); };
  CHECK(runSweep(sweep, {folder.path("out"), true, {}}, nobody, stop).exitCode() == 3);
  const auto refused = [](const SweepPoint&, const Measurement&) -> Json {
    throw LimitError("short of memory");
  };
  CHECK(runSweep(sweep, {folder.path("out"), true, {}}, refused, stop).exitCode() == 4);
  const auto broken = [](const SweepPoint&, const Measurement&) -> Json { throw Error("broken"); };
  CHECK(runSweep(sweep, {folder.path("out"), true, {}}, broken, stop).exitCode() == 1);
}

TEST_CASE("median and spread") {
  CHECK(spreadOf({3, 1, 2}).median == 2);
  CHECK(spreadOf({4, 1, 2, 3}).median == 2.5);
  CHECK(spreadOf({4, 1, 2, 3}).smallest == 1);
  CHECK(spreadOf({4, 1, 2, 3}).largest == 4);
}

TEST_CASE("the summary has the hybrid figure, ratios, comparisons and the mark of a wrong published count") {
  Json document = smallSweep();
  document["engine"] = parseJson(R"({"mode": ["cpu", "gpu", "hybrid"]})", "test");
  document["parameters"].erase("element");
  document["rows"] = parseJson(R"([{"element": 60, "expected_count": 60, "label": "a, \"b\"",
    "published": {"count": 59, "seconds": {"cuda": 40}}, "reference": {"seconds": {"other": null}}}])",
                               "test");
  document["report"] = {{"compare_with", "published.cuda"}};
  const SweepConfig sweep = parseSweepConfig(document);
  std::vector<Json> records;
  for (const auto& point : sweep.points) {
    Json record = syntheticRecord(point);
    record["point"] = point.hash;
    record["verification"] = {{"count", "matches"}, {"count_compared_with", "the expected count"}};
    records.push_back(record);
  }
  const Summary summary = summarize(sweep, records);
  REQUIRE(summary.rows.size() == 3);
  CHECK(summary.rows[2].hybridFigure.value() == doctest::Approx(360.0 / 400.0));
  CHECK(summary.rows[1].speedOverCpu.value() == doctest::Approx(3.0));
  CHECK(summary.rows[0].publishedCountWrong);
  CHECK(summary.rows[0].verification == "expected count");
  CHECK(summary.rows[0].speedOverCompared.value() == doctest::Approx(2.0));
  CHECK(contains(summaryText(summary), "59 WRONG"));
  CHECK(contains(summaryCsv(summary), "\"a, \"\"b\"\"\""));
  CHECK(contains(summaryCsv(summary), "published_cuda_seconds"));
}

TEST_CASE("the report page is one file without references to others, and its data cannot end the script") {
  Json document = smallSweep();
  document["description"] = "</script><b>";
  const SweepConfig sweep = parseSweepConfig(document);
  std::vector<Json> records;
  for (const auto& point : sweep.points) {
    records.push_back(syntheticRecord(point));
    records.back()["point"] = point.hash;
  }
  const std::string page = reportPage(sweep, summarize(sweep, records), records, {"something <differs>"});
  CHECK(page.size() > 200'000);  // the chart library is inside
  CHECK_FALSE(contains(page, "</script><b>"));
  CHECK_FALSE(contains(page, "<script src"));
  CHECK_FALSE(contains(page, "<link"));
  CHECK_FALSE(contains(page, "{{"));
  CHECK(contains(page, "Chart.js v3"));
}
