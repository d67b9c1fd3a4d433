// How a count is made - by a table, below one, or by lines - or a list, and the top of the search as slices
// for the shards of a plan. Called by enumeration.cpp and front_shards.cpp: both must come to the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/core/problem_frontier.hpp"
#include "runtime/integer_points/completion_table.hpp"
#include "runtime/integer_points/problem_factory.hpp"

namespace slicepool::integer_points {

struct Counting {
  /// Of Tally, where the count is known: by the table of all columns, or by a search that was soon over.
  std::optional<std::vector<std::uint64_t>> words = {};
  bool byTable = false;
  std::uint64_t steps = 0;                    ///< of that search
  std::optional<CompletionTable> table = {};  ///< below which nothing is visited
};
/// Of a list: the table of its endings, if it has one. `problem`: the search without a table. `stops`: asked
/// now and then.
[[nodiscard]] Counting countingOf(const Request& request, const PreparedSearch& search,
                                  const Problem& problem, const std::function<bool()>& stops = {});

/// As slicepool::frontierOf(); `search.slices` is ignored.
[[nodiscard]] Frontier frontierOf(const PreparedSearch& search, const CompletionTable* table,
                                  std::size_t atLeast, std::size_t memoryLimit);

}  // namespace slicepool::integer_points
