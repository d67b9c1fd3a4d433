// How rows leave a run, decided from numbers alone.
#include "runtime/factorizations/row_plan.hpp"

#include <doctest/doctest.h>

#include <cstdint>

#include "slicepool/core/error.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

Request rowsTo(const std::string& path) {
  Request request;
  request.generators = {6, 9, 20};
  request.element = 1000;  // coordinates up to 166: one byte each
  request.sink.kind = SinkKind::rows;
  request.output.path = path;
  return request;
}

/// Counting tables that know of `rows` rows.
Plan tablesOf(std::uint64_t rows) {
  Plan plan;
  plan.memoryLimit = 64 * kMiB;
  plan.total = rows;
  plan.exactTotal = plan.results = std::to_string(rows);
  return plan;
}

Plan noTables() {
  Plan plan;
  plan.memoryLimit = 64 * kMiB;
  return plan;
}

}  // namespace

TEST_CASE("a sink without rows has nothing to plan") {
  Request request = rowsTo("");
  request.sink.kind = SinkKind::count;
  const RowPlan plan = planRows(request, tablesOf(5), {});
  CHECK_FALSE(plan.wanted);
  CHECK_FALSE(plan.placed);
  CHECK_FALSE(plan.inWindows());
  CHECK_FALSE(plan.diskBytes.has_value());
}

TEST_CASE("rows in memory are one window, as many as the limit holds, half of that with a checkpoint") {
  const std::uint64_t most = 64 * kMiB / 3;
  const RowPlan plan = planRows(rowsTo(""), tablesOf(most), {});
  CHECK(plan.rows == most);
  CHECK(plan.windowRows == most);
  CHECK(plan.rowBytes() == 3);
  CHECK_FALSE(plan.inWindows());
  CHECK(heldRows(plan, {}) == most);
  CHECK_THROWS_WITH_AS((void)planRows(rowsTo(""), tablesOf(most + 1), {}), doctest::Contains("memory limit"),
                       LimitError);
  RowLimits saved;
  saved.checkpoint = "run.checkpoint";
  CHECK_NOTHROW((void)planRows(rowsTo(""), tablesOf(most / 2), saved));
  CHECK_THROWS_WITH_AS((void)planRows(rowsTo(""), tablesOf(most / 2 + 2), saved),
                       doctest::Contains("twice that"), LimitError);
}

TEST_CASE("the caller's memory must hold all rows, whatever the limit") {
  Request request = rowsTo("");
  std::byte memory[3] = {};
  request.output.memory = memory;
  request.output.memoryBytes = 300;
  CHECK(planRows(request, tablesOf(100), {}).rows == 100);
  CHECK_THROWS_WITH_AS((void)planRows(request, tablesOf(101), {}), doctest::Contains("that were given"),
                       LimitError);
}

TEST_CASE("a device that holds fewer rows makes windows; rows in memory then have no checkpoint") {
  RowLimits limits;
  limits.device = true;
  limits.deviceRows = 10;
  const RowPlan plan = planRows(rowsTo("rows.npy"), tablesOf(25), limits);
  CHECK(plan.inWindows());
  CHECK(plan.windowRows == 10);
  limits.checkpoint = "run.checkpoint";
  CHECK(planRows(rowsTo("rows.npy"), tablesOf(25), limits).inWindows());
  CHECK_THROWS_WITH_AS((void)planRows(rowsTo(""), tablesOf(25), limits), doctest::Contains("in windows"),
                       ConfigError);
}

TEST_CASE("first:K wants no more than K rows") {
  Request request = rowsTo("");
  request.sink.kind = SinkKind::first;
  request.sink.firstCount = 7;
  CHECK(planRows(request, tablesOf(25), {}).rows == 7);
  CHECK(planRows(request, tablesOf(5), {}).rows == 5);
}

TEST_CASE(
    "the disk must hold a .npy file and the least that text can take; of a compressed one it is unknown") {
  CHECK(planRows(rowsTo("rows.npy"), tablesOf(100), {}).diskBytes == 300);
  CHECK(planRows(rowsTo("rows.csv"), tablesOf(100), {}).diskBytes == 600);
  CHECK(planRows(rowsTo("rows.npy.zst"), tablesOf(100), {}).diskBytes == 0);
}

TEST_CASE("text goes in windows of a quarter of the memory limit at most") {
  Plan tables = tablesOf(1'000'000);
  tables.memoryLimit = 1200;
  const RowPlan plan = planRows(rowsTo("rows.csv"), tables, {});
  CHECK(plan.inWindows());
  CHECK(plan.windowRows == 100);
  CHECK(heldRows(plan, {}) == 100);
}

TEST_CASE("a .npy file beyond the memory limit is streamed unless it is to be mapped") {
  Request request = rowsTo("rows.npy");
  const Plan tables = tablesOf(64 * kMiB);
  const RowPlan plan = planRows(request, tables, {});
  REQUIRE(plan.stream.has_value());
  CHECK(plan.windowRows == plan.stream->windowRows);
  CHECK(heldRows(plan, {}) == plan.stream->buffers * plan.stream->windowRows);
  request.output.writing = Writing::mapped;
  CHECK_FALSE(planRows(request, tables, {}).stream.has_value());
  request.output.writing = Writing::streamed;
  CHECK(planRows(request, tablesOf(1), {}).stream.has_value());
}

TEST_CASE("rows whose places are unknown are not counted; beyond 64 bits there is room for none") {
  const RowPlan plan = planRows(rowsTo("rows.npy"), noTables(), {});
  CHECK(plan.wanted);
  CHECK_FALSE(plan.placed);
  CHECK(plan.diskBytes == 0);
  Plan huge = noTables();
  huge.exactTotal = "18446744073709551616";
  CHECK_THROWS_WITH_AS((void)planRows(rowsTo("rows.npy"), huge, {}),
                       doctest::Contains("18446744073709551616 rows"), LimitError);
  Request first = rowsTo("");
  first.sink.kind = SinkKind::first;
  first.sink.firstCount = 7;
  CHECK_NOTHROW((void)planRows(first, huge, {}));
  RowLimits saved;
  saved.checkpoint = "run.checkpoint";
  CHECK_THROWS_WITH_AS((void)planRows(first, huge, saved), doctest::Contains("walked in order"), ConfigError);
}

TEST_CASE("a histogram for every worker fits the memory limit") {
  Request request = rowsTo("");
  request.sink.kind = SinkKind::lengths;  // of lengths 0 .. 166
  CHECK_NOTHROW(requireHistogramMemory(request, 167 * 8 * 6, 4));
  CHECK_THROWS_WITH_AS(requireHistogramMemory(request, 167 * 8 * 6 - 1, 4), doctest::Contains("lengths"),
                       LimitError);
}
