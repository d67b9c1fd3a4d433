// Lattice enumeration as plainly as possible, to compare with: a recursion over intervals, from the smallest
// coefficient to the greatest, with centres computed anew. Included by unit and property tests.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::test {

class LatticeOracle {
 public:
  using Vector = std::vector<int>;

  explicit LatticeOracle(const lattice::ProblemSpec& spec)
      : nodes(static_cast<std::size_t>(spec.dimension)), spec_(spec), x_(nodes.size()) {
    descend(nodes.size(), 0, true);
  }

  std::vector<std::uint64_t> nodes;  ///< of each level
  std::set<Vector> vectors;          ///< the last coefficient other than zero is positive

 private:
  /// Chooses x_{level-1}.
  void descend(std::size_t level, double above, bool zero) {
    const std::size_t d = nodes.size();
    if (level == 0) {
      if (!zero) vectors.insert(x_);
      return;
    }
    const std::size_t k = level - 1;
    double centre = 0;
    for (std::size_t j = level; j < d; ++j) centre -= x_[j] * spec_.mu[j * d + k];
    const double bound = spec_.squaredRadius * (spec_.pruning.empty() ? 1 : spec_.pruning[k]);
    if (above > bound) return;
    const double width = std::sqrt((bound - above) / spec_.norms[k]) + 1e-6;
    const int from = zero ? 0 : static_cast<int>(std::ceil(centre - width));
    for (int x = from; x <= static_cast<int>(std::floor(centre + width)); ++x) {
      const double norm = above + (x - centre) * (x - centre) * spec_.norms[k];
      if (norm > bound) continue;
      ++nodes[k];
      x_[k] = x;
      descend(k, norm, zero && x == 0);
    }
    x_[k] = 0;
  }

  const lattice::ProblemSpec& spec_;
  Vector x_;
};

}  // namespace slicepool::test
