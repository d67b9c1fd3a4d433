// From a bounded system to the tables of its search (slicepool/integer_points/steps/search_plan.hpp). Called
// by problem_factory.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/integer_points/bounded_system.hpp"
#include "runtime/integer_points/completion_table.hpp"
#include "slicepool/integer_points/steps/search_plan.hpp"

namespace slicepool::integer_points {

/// A row of the search, by level. Its residual after all columns is from 0 to `slack`.
struct PlanRow {
  std::vector<std::int64_t> coefficients;
  std::int64_t rightSide = 0;
  std::int64_t slack = 0;  ///< 0: an equation
  /// At the leaf this row says all about a column below it, or about an inequality.
  bool atLeaf = false;
  std::size_t tailOf = 0;  ///< the column below the leaf that it determines; 0: none
  friend bool operator==(const PlanRow&, const PlanRow&) = default;
};

/// A system in the order of its levels.
struct OrderedSystem {
  std::vector<std::size_t> order;  ///< of each level: the column of the system
  std::vector<std::int64_t> lower;
  std::vector<std::int64_t> upper;
  std::vector<PlanRow> given;    ///< those of the system
  std::vector<PlanRow> derived;  ///< those that follow, without doubles
  std::size_t leaf = 0;          ///< columns below are determined by those above
  bool isEmpty = false;          ///< rows contradict each other

  [[nodiscard]] std::size_t columns() const { return lower.size(); }
};

[[nodiscard]] OrderedSystem orderedSystem(const BoundedSystem& system, const std::vector<std::size_t>& order);

/// A condition on a point, by column of the system.
struct ColumnCondition {
  std::vector<std::int64_t> coefficients;
  std::int64_t bound = 0;
  int relation = 0;
  bool alternative = false;
};

/// The tables, owned.
template <class Int>
struct PlanTables {
  std::vector<Level<Int>> levels;
  std::vector<Term<Int>> terms;
  std::vector<Congruence<Int>> congruences;
  std::vector<Entry<Int>> entries;
  std::vector<Int> rightSides;
  std::vector<Tail<Int>> tails;
  std::vector<std::uint64_t> completions;
  std::vector<Digit> digits;
  std::vector<PointCondition> conditions;
  SearchPlan<Int> plan{};  ///< without addresses
};

/// Nothing where numbers are too large for Int. `table`: of the completions below a level; null: there is
/// none. `piece`: SearchPlan::piece where there are no conditions.
template <class Int>
[[nodiscard]] std::optional<PlanTables<Int>> planTables(const OrderedSystem& system,
                                                        const CompletionTable* table,
                                                        const std::vector<ColumnCondition>& conditions,
                                                        std::uint64_t piece);

extern template std::optional<PlanTables<std::int32_t>> planTables(const OrderedSystem&,
                                                                   const CompletionTable*,
                                                                   const std::vector<ColumnCondition>&,
                                                                   std::uint64_t);
extern template std::optional<PlanTables<std::int64_t>> planTables(const OrderedSystem&,
                                                                   const CompletionTable*,
                                                                   const std::vector<ColumnCondition>&,
                                                                   std::uint64_t);

}  // namespace slicepool::integer_points
