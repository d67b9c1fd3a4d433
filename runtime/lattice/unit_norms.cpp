// Which nodes of a lattice search are small enough to be searched at one go. Declared in fast_search.hpp.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <vector>

#include "runtime/lattice/fast_search.hpp"

namespace slicepool::lattice {
namespace {

/// Nodes expected below nodes of one level, as a function of their norm: the sum over the levels j below of
/// the volume of a ball with the square of its radius what is left of the bound of j, over that of the
/// lattice.
class Below {
 public:
  Below(const SearchView& view, double squaredRadius, int level) {
    double logFactor = 0;
    for (int j = level - 1; j >= 0; --j) {
      const double n = level - j;
      // V_n = V_{n-2} 2 pi / n needs two sequences; the gamma function needs none.
      logFactor += std::log(view.norms[j]) / 2;
      logFactors_.push_back(n / 2 * std::log(std::numbers::pi) - std::lgamma(n / 2 + 1) - logFactor);
      bounds_.push_back(view.pruning[j] * squaredRadius);
    }
  }
  [[nodiscard]] double operator()(double norm) const {
    double sum = 0;
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      if (bounds_[i] > norm)
        sum += std::exp(logFactors_[i] + static_cast<double>(i + 1) / 2 * std::log(bounds_[i] - norm));
    }
    return sum;
  }

 private:
  std::vector<double> logFactors_;
  std::vector<double> bounds_;
};

}  // namespace

std::vector<double> unitNorms(const SearchView& view, double squaredRadius, double nodes) {
  constexpr int kHalvings = 12;
  std::vector<double> norms(static_cast<std::size_t>(view.dimension),
                            std::numeric_limits<double>::infinity());
  for (int level = 0; level < view.dimension; ++level) {
    if (level >= 1) {
      const double most = 2 * std::sqrt(view.pruning[level - 1] * squaredRadius / view.norms[level - 1]) + 1;
      if (most > LatticeLists::kMostChildren) break;
    }
    // Lists begin with children at level 1.
    if (level < 2) continue;
    const Below below(view, squaredRadius, level);
    double low = 0;
    double high = view.pruning[level] * squaredRadius;
    if (below(high) > nodes) continue;
    if (below(low) <= nodes) high = low;
    for (int i = 0; i < kHalvings && high > low; ++i) {
      const double middle = (low + high) / 2;
      (below(middle) > nodes ? low : high) = middle;
    }
    norms[static_cast<std::size_t>(level)] = high;
  }
  return norms;
}

}  // namespace slicepool::lattice
