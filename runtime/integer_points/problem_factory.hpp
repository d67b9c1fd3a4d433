// From a request to the problem that the engine runs. Called by enumeration.cpp and by tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/integer_points/search_plan.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/integer_points/enumeration.hpp"
#include "slicepool/integer_points/sinks.hpp"

namespace slicepool::integer_points {

/// A request, checked and in the order of its search.
struct PreparedSearch {
  OrderedSystem system;
  std::vector<ColumnCondition> conditions;  ///< that points are tested by; others are rows
  std::string emptyBecause;                 ///< not empty: there is no point
  SinkKind sink = SinkKind::count;
  bool fingerprint = false;
  std::optional<std::vector<std::byte>> slices = {};  ///< what is searched, instead of everything

  // Of the coordinate sums, for the sink `sums`.
  std::int64_t leastSum = 0;
  std::int32_t bins = 0;
};

/// Throws ConfigError.
[[nodiscard]] PreparedSearch prepareSearch(const Request& request);

/// `table`: of completions, for a count; null: lines are counted. `wide`: with integers of 64 bits also where
/// 32 are enough. Throws ConfigError where sums may overflow.
[[nodiscard]] std::unique_ptr<Problem> makeProblem(const PreparedSearch& search, const CompletionTable* table,
                                                   bool wide = false);

/// What a collected line is made of.
struct LineShape {
  std::vector<std::size_t> order;   ///< the column of each level
  std::vector<std::int64_t> lower;  ///< by level
  std::vector<std::int64_t> upper;
  std::vector<std::int64_t> increments;  ///< by level
  int width = 1;                         ///< bytes of a coordinate
  int recordBytes = 0;                   ///< of CollectLines
  std::size_t coordinates = 0;           ///< of a line; fewer than levels where endings follow
};
[[nodiscard]] LineShape lineShapeOf(const PreparedSearch& search);
/// Of no points, for their files.
[[nodiscard]] LineShape emptyShape(std::size_t columns);

}  // namespace slicepool::integer_points
