// A block of which fplll wants a short vector of the dual lattice, as a block of a lattice. Called by
// plugin.cpp.
#pragma once

#include <functional>
#include <vector>

#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::fplll_plugin {

/// The dual of the lattice of a block, with the basis that is dual to the rows b_i of the block, last row
/// first. Its Gram-Schmidt norms are 1 / |b*_i|^2, last row first as well. Rows are size-reduced, which
/// bounds the coefficients of the search.
///
/// The radius cannot be taken as it is. Where fplll keeps exponents of rows, as its BKZ does, the radius of a
/// dual block arrives multiplied by a power of 4 that is about |b*_last|^4 (seen in fplll 5.4.4). A vector of
/// squared norm 1 / |b*_last|^2 is known. So no more is searched than that, unless the caller turns out to
/// want more, and what is much less is left to fplll.
class DualBlock {
 public:
  /// O(d^3). `block`: mu below the diagonal, norms, pruning by levels of the tree of the dual, radius.
  explicit DualBlock(const lattice::ProblemSpec& block);

  [[nodiscard]] const lattice::ProblemSpec& spec() const { return spec_; }

  /// Whether the radius may be what the caller meant.
  [[nodiscard]] bool isPlausible() const;

  /// Hands a vector of spec() to fplll. Returns the new squared radius, 0 where the search is over.
  double process(double squaredNorm, double* coefficients,
                 const std::function<double(double, double*)>& given);

  /// Whether the caller wants vectors beyond what was searched: fplll has to enumerate the block.
  [[nodiscard]] bool wantsMore() const { return wantsMore_; }

 private:
  /// Coefficients over the rows of spec() become inner products with the rows of the block, in their order,
  /// which is what fplll takes. O(d^2).
  void toProducts(double* coefficients);

  lattice::ProblemSpec spec_;
  std::vector<double> rows_;  ///< rows of spec() over the dual basis, last row first: integers, d x d
  std::vector<double> products_;
  bool wantsMore_ = false;
};

}  // namespace slicepool::fplll_plugin
