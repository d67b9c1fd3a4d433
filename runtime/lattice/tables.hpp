// The host tables of a lattice search, in the layouts that the step functions read. Made by
// problem_factory.cpp, owned by the problem.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "slicepool/core/problem.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/steps/search.hpp"

namespace slicepool::lattice {

/// mu by rows and by columns, norms and pruning factors; see SearchView.
class SearchTables {
 public:
  explicit SearchTables(const ProblemSpec& spec);

  /// In the order in which `viewOver` takes addresses.
  [[nodiscard]] std::vector<Table> tables() const;
  [[nodiscard]] SearchView viewOver(std::span<const void* const> addresses) const;

 private:
  SearchView view_{};  ///< without addresses
  std::array<std::vector<double>, 4> data_;
};

}  // namespace slicepool::lattice
