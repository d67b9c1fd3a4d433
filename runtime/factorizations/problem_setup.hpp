// From a request and its plan to the specification of the problem that engines run: what the sink reduces,
// and the tables of the algorithm. Called by enumeration.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/factorizations/algorithm_choice.hpp"
#include "runtime/factorizations/row_plan.hpp"
#include "slicepool/factorizations/problem_factory.hpp"

namespace slicepool::factorizations {

/// Without tables.
[[nodiscard]] ProblemSpec specOf(const Request& request, const Plan& plan);

/// What the tables of a run are.
struct FilledTables {
  unsigned tabulatedDimension = 0;  ///< coordinates in the table
  std::uint64_t rows = 0;
  double seconds = 0;      ///< of filling them
  bool ofDynamic = false;  ///< the rows are those of all lists Z(0..n)
};

/// The table of `tabulated` and `dynamic`, the stored tails of `ranked`: into `spec`, and a launch budget
/// that suits them into `options` where none is set. Throws LimitError where what was asked for outgrows its
/// memory.
[[nodiscard]] FilledTables fillTables(ProblemSpec& spec, const Request& request, const Plan& plan,
                                      const RowPlan& rows, EngineOptions& options, int threads);

}  // namespace slicepool::factorizations
