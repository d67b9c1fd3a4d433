// How many ways there are to complete a point from a level on, by the residuals of the rows there: the table
// of the columns below, made from the last one up. Called by problem_factory.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace slicepool::integer_points {

struct OrderedSystem;

/// Residuals of some rows, each within a range, are the digits of a place.
struct CompletionTable {
  struct Axis {
    std::size_t row = 0;  ///< of OrderedSystem::given
    std::int64_t least = 0;
    std::int64_t size = 1;
    std::int64_t stride = 1;
  };
  std::size_t level = 0;  ///< the first column that is not yet taken
  std::vector<Axis> axes;
  std::vector<std::uint64_t> counts;
  double work = 0;  ///< of TableLimits::work, that it took
};

/// What a table may take.
struct TableLimits {
  double entries = 0;                                       ///< of one level
  double work = 0;                                          ///< sums of all levels
  double points = std::numeric_limits<double>::infinity();  ///< the sum of the counts of one level
  std::size_t highest = 0;                                  ///< a level above which no table is wanted
};

/// Entries of the tables of all levels, the first of which has the whole set; for comparing orders.
[[nodiscard]] double tableEntries(const OrderedSystem& system);

/// The table of the highest level that the limits allow, counts being below 2^63; a table of the level behind
/// the last column where they allow none. `stops`: asked now and then; true ends it at the level before.
[[nodiscard]] CompletionTable completionTable(const OrderedSystem& system, const TableLimits& limits,
                                              const std::function<bool()>& stops = {});

/// The number of all points below 2^124, by tables of 128 bits from `table`, which ended at some level, on.
/// Nothing where the limits of both together do not allow it, or `stops` says so.
[[nodiscard]] std::optional<unsigned __int128> wideCount(const OrderedSystem& system,
                                                         const CompletionTable& table,
                                                         const TableLimits& limits,
                                                         const std::function<bool()>& stops = {});

}  // namespace slicepool::integer_points
