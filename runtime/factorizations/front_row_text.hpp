// Rows in records and in readable reports. Called by what answers requests of the factorizations workload.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/app/config/answers.hpp"
#include "runtime/app/config/json.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::config {

/// [3, 0, 5]
[[nodiscard]] Json rowRecord(const std::vector<std::uint64_t>& row);
/// A list of such lists.
[[nodiscard]] Json rowsRecord(const factorizations::RowMatrix& rows);
/// "3,0,5"
[[nodiscard]] std::string rowText(const std::vector<std::uint64_t>& row);
/// Lines of the first rows, and how many more there are.
void addRowLines(const factorizations::RowMatrix& rows, Answers& answers);

}  // namespace slicepool::config
