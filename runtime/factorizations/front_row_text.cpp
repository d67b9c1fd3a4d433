// See front_row_text.hpp.
#include "runtime/factorizations/front_row_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slicepool::config {
namespace {

constexpr std::uint64_t kShownRows = 20;

std::vector<std::uint64_t> rowOf(const factorizations::RowMatrix& rows, std::uint64_t index) {
  std::vector<std::uint64_t> row;
  for (unsigned c = 0; c < rows.dimension(); ++c) row.push_back(rows.at(index, c));
  return row;
}

}  // namespace

Json rowRecord(const std::vector<std::uint64_t>& row) {
  Json list = Json::array();
  for (const std::uint64_t a : row) list.push_back(exactNumber(a));
  return list;
}

Json rowsRecord(const factorizations::RowMatrix& rows) {
  Json list = Json::array();
  for (std::uint64_t r = 0; r < rows.rows(); ++r) list.push_back(rowRecord(rowOf(rows, r)));
  return list;
}

std::string rowText(const std::vector<std::uint64_t>& row) { return fmt::format("{}", fmt::join(row, ",")); }

void addRowLines(const factorizations::RowMatrix& rows, Answers& answers) {
  const std::uint64_t shown = std::min(rows.rows(), kShownRows);
  for (std::uint64_t r = 0; r < shown; ++r) answers.line(r == 0 ? "rows" : "", rowText(rowOf(rows, r)));
  if (rows.rows() > shown)
    answers.line("", fmt::format(".. {} more; write all with --output FILE", rows.rows() - shown));
}

}  // namespace slicepool::config
