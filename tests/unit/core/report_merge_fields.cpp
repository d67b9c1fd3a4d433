// Every figure of a report that is added up from several engines, on its own: report_merge.cpp has the rest.
#include <doctest/doctest.h>

#include "runtime/core/report_merge.hpp"

using namespace slicepool;

TEST_CASE("what was done before, and what checkpoints cost, is summed") {
  RunReport from;
  from.secondsBefore = 1.5;
  from.stepsBefore = 10;
  from.checkpointStallSeconds = 0.25;
  from.checkpointWriteSeconds = 0.75;
  RunReport into;
  addReport(into, from);
  addReport(into, from);
  CHECK(into.secondsBefore == 3);
  CHECK(into.stepsBefore == 20);
  CHECK(into.checkpointStallSeconds == 0.5);
  CHECK(into.checkpointWriteSeconds == 1.5);
}

TEST_CASE("figures of the last engine that has them stay when another has none") {
  RunReport from;
  from.checkpointBytes = 100;
  from.blockSize = 128;
  from.gpuBudget = 7;
  from.cpuBudget = 9;
  RunReport into;
  addReport(into, from);
  addReport(into, RunReport{});
  CHECK(into.checkpointBytes == 100);
  CHECK(into.blockSize == 128);
  CHECK(into.gpuBudget == 7);
  CHECK(into.cpuBudget == 9);
  from.checkpointBytes = 50;
  from.blockSize = 64;
  from.gpuBudget = 6;
  from.cpuBudget = 8;
  addReport(into, from);
  CHECK(into.checkpointBytes == 50);
  CHECK(into.blockSize == 64);
  CHECK(into.gpuBudget == 6);
  CHECK(into.cpuBudget == 8);
}

TEST_CASE("the last engine says whether the run is complete or decided") {
  RunReport into;
  RunReport from;
  from.complete = from.decided = true;
  addReport(into, from);
  CHECK(into.complete);
  CHECK(into.decided);
  addReport(into, RunReport{});
  CHECK_FALSE(into.complete);
  CHECK_FALSE(into.decided);
}
