// One report from those of several windows.
#include "runtime/core/report_merge.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

using namespace slicepool;

namespace {

const WordLayout kLayout = {{{Merge::add, 1, 0}, {Merge::minimum, 1, 100}, {Merge::exclusiveOr, 1, 0}}};

WorkerReport worker(const std::string& name, std::uint64_t steps) {
  WorkerReport made;
  made.name = name;
  made.steps = steps;
  made.results = steps / 2;
  made.turns = 3;
  made.splits = 1;
  made.busySeconds = 0.25;
  made.readySeconds = 0.125;
  made.firstSeconds = 0.25;
  made.lastSeconds = 1.5;
  made.exchangeSeconds = 0.5;
  made.waitingSeconds = 1;
  return made;
}

RunReport window(std::uint64_t found, std::uint64_t least) {
  RunReport report;
  report.complete = true;
  report.words = {found, least, found};
  report.seconds = 2;
  report.setupSeconds = 0.5;
  report.steps = 40;
  report.splits = 7;
  report.checkpoints = 1;
  report.peakHostBytes = found;
  report.peakDeviceBytes = 1000 - found;
  report.workers = {worker("cpu0", 30), worker("gpu0", 10)};
  report.warnings = {"one", "two"};
  report.cpuBudget = 5;
  report.timeline.poolDepth = {1, 2};
  report.timeline.utilisation = {{0.5, 1}, {0, 1}};
  return report;
}

}  // namespace

TEST_CASE("sums are summed, peaks are maxima, words merge by their layout, shares are computed anew") {
  RunReport all;
  mergeReport(all, window(6, 9), kLayout, true);
  RunReport second = window(5, 12);
  second.workers = {worker("gpu0", 20), worker("cpu1", 20)};
  second.warnings = {"two", "three"};
  second.blockSize = 128;
  second.cpuBudget = 0;
  mergeReport(all, second, kLayout, true);
  CHECK(all.complete);
  CHECK(all.words == std::vector<std::uint64_t>{11, 9, 6 ^ 5});
  CHECK(all.seconds == 4);
  CHECK(all.setupSeconds == 1);
  CHECK(all.steps == 80);
  CHECK(all.splits == 14);
  CHECK(all.checkpoints == 2);
  CHECK(all.peakHostBytes == 6);
  CHECK(all.peakDeviceBytes == 995);
  CHECK(all.blockSize == 128);
  CHECK(all.cpuBudget == 5);  // of the last window that had one
  CHECK(all.warnings == std::vector<std::string>{"one", "two", "three"});
  REQUIRE(all.workers.size() == 3);
  CHECK(all.workers[1].name == "gpu0");
  CHECK(all.workers[1].steps == 30);
  CHECK(all.workers[1].results == 15);
  CHECK(all.workers[1].turns == 6);
  CHECK(all.workers[1].splits == 2);
  CHECK(all.workers[1].busySeconds == 0.5);
  CHECK(all.workers[1].readySeconds == 0.125);  // of the first window
  CHECK(all.workers[1].firstSeconds == 0.25);
  CHECK(all.workers[1].lastSeconds == 3.5);  // of the second, which began after 2 s
  CHECK(all.workers[1].exchangeSeconds == 1);
  CHECK(all.workers[1].waitingSeconds == 2);
  CHECK(all.workers[2].firstSeconds == 2.25);  // came with the second
  CHECK(all.workers[0].share == doctest::Approx(30.0 / 80));
  CHECK(all.workers[1].share == doctest::Approx(30.0 / 80));
  CHECK(all.workers[2].share == doctest::Approx(20.0 / 80));
  CHECK(all.timeline.poolDepth == std::vector<std::size_t>{1, 2, 1, 2});
  CHECK(all.timeline.utilisation[0] == std::vector<double>{0.5, 1, 0.5, 1});
}

TEST_CASE("the words of an unfinished window do not count, its time and steps do") {
  RunReport all;
  mergeReport(all, window(6, 9), kLayout, true);
  RunReport unfinished = window(100, 1);
  unfinished.complete = false;
  mergeReport(all, unfinished, kLayout, false);
  CHECK_FALSE(all.complete);
  CHECK(all.words == std::vector<std::uint64_t>{6, 9, 6});
  CHECK(all.steps == 80);
  CHECK(all.seconds == 4);
}

TEST_CASE("a part beside others has its moments where it began, and the seconds of the whole stay") {
  RunReport all;
  all.seconds = 9;
  addReportAt(all, window(6, 9), 3);
  CHECK(all.seconds == 9);
  CHECK(all.workers[0].readySeconds == 3.125);
  CHECK(all.workers[0].firstSeconds == 3.25);
  CHECK(all.workers[0].lastSeconds == 4.5);
  addReportAt(all, window(6, 9), 1);  // began earlier
  CHECK(all.workers[0].readySeconds == 1.125);
  CHECK(all.workers[0].firstSeconds == 1.25);
  CHECK(all.workers[0].lastSeconds == 4.5);
  CHECK(all.workers[0].busySeconds == 0.5);
}

TEST_CASE("who did nothing else has waited, and what was measured of a device stays") {
  RunReport report;
  report.workers = {worker("cpu0", 1), worker("gpu0", 1), worker("gpu1", 1)};
  report.workers[0].kind = "cpu";
  report.workers[0].exchangeSeconds.reset();
  for (int i : {1, 2}) report.workers[static_cast<std::size_t>(i)].kind = "gpu";
  report.workers[2].waitingSeconds.reset();
  computeWaiting(report, 4);
  CHECK(report.workers[0].waitingSeconds == 4 - 0.125 - 0.25);
  CHECK(report.workers[1].waitingSeconds == 1);
  CHECK(report.workers[2].waitingSeconds == 4 - 0.125 - 0.25 - 0.5);
  computeWaiting(report, 0.25);
  CHECK(report.workers[0].waitingSeconds == 0);
}

TEST_CASE("a turn moves the first moment of a worker back and the last one on") {
  WorkerReport made;
  noteTurn(made, 2, 3);
  CHECK(made.firstSeconds == 2);
  CHECK(made.lastSeconds == 3);
  noteTurn(made, 1, 2);
  noteTurn(made, 4, 5);
  CHECK(made.firstSeconds == 1);
  CHECK(made.lastSeconds == 5);
}

TEST_CASE("engines that ran in turn have moments by one clock, and wait between them") {
  ReportsInTurn turns;
  turns.beginAt(std::chrono::steady_clock::now() - std::chrono::seconds(100));
  turns.add(window(6, 9));  // of two seconds, which end now
  turns.beginAt(std::chrono::steady_clock::now() - std::chrono::seconds(200));
  turns.add(window(6, 9));
  const RunReport report = turns.report(300);
  CHECK(report.seconds == 4);
  CHECK(report.workers[0].readySeconds.value() >= 98.125);
  CHECK(report.workers[0].readySeconds.value() < 198);
  CHECK(report.workers[0].lastSeconds.value() >= 199.5);
  CHECK(report.workers[0].waitingSeconds.value() ==
        doctest::Approx(2 + 300 - report.workers[0].readySeconds.value() - 4));
}

TEST_CASE("timelines of other workers are not joined") {
  RunReport all;
  mergeReport(all, window(1, 1), kLayout, true);
  RunReport other = window(1, 1);
  other.timeline.utilisation.pop_back();
  mergeReport(all, other, kLayout, true);
  CHECK(all.timeline.poolDepth.size() == 2);
  CHECK(all.timeline.utilisation.size() == 2);
}
