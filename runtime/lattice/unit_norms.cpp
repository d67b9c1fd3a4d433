// Which nodes of a lattice search are small enough to be searched at one go. Declared in search.hpp.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "cpu_workers/lattice/search.hpp"
#include "runtime/lattice/gram_schmidt.hpp"

namespace slicepool::lattice {
namespace {

/// Nodes expected below nodes of one level, as a function of their norm: the sum over the levels below of the
/// volume of a ball over that of the lattice. One bound serves all levels below, that of three quarters of
/// the level, which was found by trying: with pruning it is rough, and how many nodes units turn out to have
/// is learned in any case.
class Below {
 public:
  /// `logBalls[n]`: logarithm of the volume of the unit ball in n dimensions.
  Below(const SearchView& view, double squaredRadius, int level, const std::vector<double>& logBalls)
      : bound_(view.pruning[3 * level / 4] * squaredRadius) {
    double logLattice = 0;
    for (int j = level - 1; j >= 0; --j) {
      logLattice += std::log(view.norms[j] / bound_) / 2;
      factors_.push_back(std::exp(logBalls[static_cast<std::size_t>(level - j)] - logLattice));
    }
  }
  [[nodiscard]] double operator()(double norm) const {
    if (norm >= bound_) return 0;
    const double radius = std::sqrt(1 - norm / bound_);
    double sum = 0;
    for (auto factor = factors_.rbegin(); factor != factors_.rend(); ++factor) sum = (sum + *factor) * radius;
    return sum;
  }

 private:
  double bound_;
  std::vector<double> factors_;  ///< of the powers of the radius, the first first
};

}  // namespace

std::vector<double> unitNorms(const SearchView& view, double squaredRadius, double nodes) {
  constexpr int kHalvings = 10;
  const auto d = static_cast<std::size_t>(view.dimension);
  std::vector<double> logBalls(d + 1, 0);
  for (std::size_t n = 1; n <= d; ++n) logBalls[n] = logBallVolume(static_cast<int>(n));
  std::vector<double> norms(d, std::numeric_limits<double>::infinity());
  // Lists begin with children at level 1.
  for (int level = 2; level < view.dimension; ++level) {
    const double room = view.pruning[level - 1] * squaredRadius / view.norms[level - 1];
    if (2 * std::sqrt(room) + 1 > LatticeLists::kMaximumChildren) break;
    const Below below(view, squaredRadius, level, logBalls);
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
