// What a sweep's figures say of themselves: ratios whose ranges overlap are marked in table, CSV and page;
// the page has the phases of each point and the words of its workload.
#include <doctest/doctest.h>

#include <sstream>

#include "runtime/app/config/sweep_config.hpp"
#include "runtime/app/report/page.hpp"
#include "runtime/app/report/summary.hpp"
#include "support/text.hpp"

using namespace slicepool;
using namespace slicepool::config;
using namespace slicepool::report;
using slicepool::test::contains;

namespace {

SweepConfig sweepOf(const std::string& workload) {
  const std::string parameters = workload == "lattice"     ? R"("basis": ["[[3 1][1 4]]", "[[5 1][1 6]]"])"
                                 : workload == "semigroup" ? R"("named": ["full:3", "full:4"])"
                                 : workload == "three_in_line"
                                     ? R"("size": [4, 5])"
                                     : R"("generators": [6, 9, 20], "element": [60, 120])";
  return parseSweepConfig(parseJson(R"({"workload": ")" + workload + R"(", "parameters": {)" + parameters +
                                        R"(}, "engine": {"mode": ["cpu", "emulated"]},
                                            "measurement": {"repetitions": 2}})",
                                    "test"));
}

/// Two repetitions of each point: cpu takes 10 to 20 ms, emulated as long as `seconds` says for its case.
std::vector<Json> recordsOf(const SweepConfig& sweep, const std::vector<std::vector<double>>& seconds) {
  std::vector<Json> records;
  for (const auto& point : sweep.points) {
    for (int repetition = 0; repetition < 2; ++repetition) {
      const auto at = static_cast<std::size_t>(repetition);
      const double took = point.mode == "cpu" ? 0.01 * (1 + repetition) : seconds.at(point.caseIndex).at(at);
      records.push_back({{"status", "done"},
                         {"point", point.hash},
                         {"seconds", took},
                         {"wall_seconds", took + 0.5},
                         {"steps", 1000},
                         {"steps_per_second", 1000 / took},
                         {"phases", {{"start", 0.125}, {"search", took}, {"writing", 0.375}}}});
    }
  }
  return records;
}

/// The first line that has both.
std::string lineOf(const std::string& text, const std::string& label, const std::string& mode) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (contains(line, label) && contains(line, mode)) return line;
  return {};
}

}  // namespace

TEST_CASE("a ratio whose ranges overlap is marked in the table and in summary.csv, another one is not") {
  const SweepConfig sweep = sweepOf("factorizations");
  const Summary summary = summarize(sweep, recordsOf(sweep, {{0.019, 0.05}, {0.021, 0.05}}));
  REQUIRE(summary.rows.size() == 4);
  CHECK_FALSE(summary.rows[0].speedUncertain);  // cpu over itself
  CHECK(summary.rows[1].speedUncertain);
  CHECK_FALSE(summary.rows[3].speedUncertain);
  const std::string table = summaryText(summary);
  CHECK(contains(lineOf(table, "n=60 ", "emulated"), "~0.435"));
  CHECK(contains(table, "~: the ranges of the two overlap"));
  const std::string csv = summaryCsv(summary);
  CHECK(contains(csv, "speed_over_cpu,speed_over_cpu_overlaps,"));
  CHECK(contains(lineOf(csv, "n=60,", "emulated"), ",yes,"));
  CHECK(contains(lineOf(csv, "n=120,", "emulated"), ",no,"));
}

TEST_CASE("the page says what a step of its workload is and where the time of each point went") {
  for (const auto& entry : {std::pair{"factorizations", "one candidate or one row"},
                            std::pair{"three_in_line", "one visited board"}, std::pair{"lattice", "one node"},
                            std::pair{"semigroup", "one product"}}) {
    const auto& workload = entry.first;
    const auto& words = entry.second;
    CAPTURE(workload);
    const SweepConfig sweep = sweepOf(workload);
    const auto records = recordsOf(sweep, {{0.019, 0.05}, {0.021, 0.05}});
    const std::string page = reportPage(sweep, summarize(sweep, records), records, {});
    CHECK(contains(page, words));
    const bool others = std::string(workload) == "factorizations";
    CHECK(contains(page, "one candidate or one row") == others);
    CHECK(contains(page, R"("phases":[0.125,0.0,0.0,0.0,0.01,0.375,0.0])"));
    CHECK(contains(page, "\"waiting for a GPU\""));
  }
}
