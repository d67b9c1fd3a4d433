// Makes the problem of nearest factorizations for a set of rows. Called by set_degrees.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/invariants/row_set.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/invariants/steps/nearest.hpp"

namespace slicepool::invariants {

/// Runs a problem to its end and returns its words. Throws SetupStopped when it is cancelled.
using RunProblem = std::function<std::vector<std::uint64_t>(const Problem&)>;

/// What one query found: the least distance, kNoDistance where it had no column, and the row of the first
/// column that has it.
struct NearestRow {
  std::uint32_t distance = kNoDistance;
  std::uint32_t row = 0;
};

/// For each query its nearest row. Columns are the rows `order[0]`, `order[1]`, .. of the set; queries speak
/// of columns. Few pairs are compared in this thread, more by `run`. O(pairs * dimension).
[[nodiscard]] std::vector<NearestRow> nearestRows(const RowSet& set, const std::vector<std::uint32_t>& order,
                                                  const std::vector<NearestQuery>& queries,
                                                  const RunProblem& run);

/// A problem with the tables that it looks at. `wide`: coordinates of 32 bits; else of 16, for lengths below
/// 2^16.
struct NearestTables;
struct OwnedProblem {
  std::shared_ptr<const NearestTables> tables;
  std::unique_ptr<const Problem> problem;
};
[[nodiscard]] OwnedProblem makeNearestProblem(const RowSet& set, const std::vector<std::uint32_t>& order,
                                              std::vector<NearestQuery> queries, bool wide);
/// Words of a problem that is advanced in this thread by its fastest turns.
[[nodiscard]] std::vector<std::uint64_t> advanceHere(const Problem& problem);

}  // namespace slicepool::invariants
