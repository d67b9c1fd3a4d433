// The last columns of a list of points, where a table of completions says how many there are: points with the
// same residuals end alike, so that each ending is searched once and kept. Made by enumeration.cpp from the
// lines of the columns before; read by point_lines.cpp, point_files.cpp and line_rows.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/integer_points/completion_table.hpp"
#include "runtime/integer_points/problem_factory.hpp"

namespace slicepool::integer_points {

struct Lines;

/// The table for a list: of so few endings that they stay in a cache; nothing where lines of the last column
/// are as good.
[[nodiscard]] std::optional<CompletionTable> endingsTable(const PreparedSearch& search);

class Endings {
 public:
  /// `lines` were collected with `table`; their shape says how many coordinates they have.
  Endings(const PreparedSearch& search, const CompletionTable& table, const Lines& lines);

  /// The endings of a line: as many as it counts, from this number on, in order.
  [[nodiscard]] std::uint32_t beginOf(std::size_t line) const { return begins_[line]; }
  /// Values of the columns from the line's last one on.
  [[nodiscard]] std::span<const std::int64_t> values(std::uint32_t ending) const {
    return {values_.data() + std::size_t{ending} * columns_, columns_};
  }
  /// Of all endings: their part of the linear form that is hashed.
  [[nodiscard]] const std::uint64_t* linear() const { return linear_.data(); }
  /// Of all endings: rows of an array of the list, zero before the ending.
  [[nodiscard]] const std::byte* rows() const { return rows_.data(); }

 private:
  class Maker;

  std::size_t columns_ = 0;
  std::vector<std::uint32_t> begins_;
  std::vector<std::int64_t> values_;
  std::vector<std::uint64_t> linear_;
  std::vector<std::byte> rows_;
};

}  // namespace slicepool::integer_points
