// Table 1 of Barron 2024b: every row from command to result in process, against the time of the paper's
// own program with its bugs repaired. Called by main.cpp for --table.
#pragma once

#include <string>
#include <vector>

#include "bench/rows/measurement.hpp"
#include "bench/rows/settings.hpp"
#include "bench/support/instances.hpp"
#include "runtime/app/config/json.hpp"

namespace slicepool::bench {

struct TableRow {
  std::string label;
  Instance instance;
  std::uint64_t count = 0;          ///< by dynamic programming
  unsigned tabulatedDimension = 0;  ///< of the paper's run; used with algorithm tabulated
  double referenceMilliseconds = 0;
};

/// Reads the rows of a sweep configuration (configs/factorizations-dynamic-table-1.json): label, generators,
/// element, expected_count, tabulated_dimension and reference.seconds.repaired_on_h200. Throws ConfigError
/// naming file and field.
[[nodiscard]] std::vector<TableRow> readTable(const std::string& path);

struct TableFigures {
  TableRow row;
  std::vector<Measured> measured;  ///< one per mode, named by it
};

/// Rows into memory of the run's own, by each mode of the settings, verified by the plain recursion.
[[nodiscard]] TableFigures measureTableRow(const TableRow& row, const Settings& settings);

/// Heading of the table, a line of it, and least and geometric mean of the factors below it.
[[nodiscard]] std::string tableHeading(const Settings& settings);
[[nodiscard]] std::string tableLine(const TableFigures& figures);
[[nodiscard]] std::string tableMeans(const std::vector<TableFigures>& rows);
[[nodiscard]] config::Json tableJson(const std::vector<TableFigures>& rows);

}  // namespace slicepool::bench
