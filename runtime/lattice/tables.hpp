// The host tables of a lattice search, in the layouts that the step functions read. Made by
// problem_factory.cpp, owned by the problem.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/lattice/short_dual.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/steps/search.hpp"

namespace slicepool::lattice {

/// mu by rows and by columns, norms and pruning factors; U and its inverse where the search is in another
/// basis. See SearchView.
class SearchTables {
 public:
  explicit SearchTables(const ProblemSpec& spec);

  /// From here on those of this basis, which helps.
  void change(const ShortDual& dual);

  /// In the order in which `viewOver` takes addresses.
  [[nodiscard]] std::vector<Table> tables() const;
  [[nodiscard]] SearchView viewOver(std::span<const void* const> addresses) const;
  /// Over the tables themselves.
  [[nodiscard]] SearchView view() const;

 private:
  SearchView view_{};  ///< without addresses
  void setMu(const std::vector<double>& mu);

  std::array<std::vector<double>, 4> data_;
  std::array<std::vector<std::int16_t>, 2> changes_;  ///< empty, or U and its inverse
};

}  // namespace slicepool::lattice
