// See fixed_rates.hpp.
#include "runtime/svp/fixed_rates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace slicepool::svp {
namespace {

/// Seconds per row of a tour with blocks of 20, 30, .., 100 rows; docs/svp.md has the table.
constexpr std::array<double, 9> kSecondsPerRow = {6e-4, 6e-4, 8e-4, 4e-3, 1.5e-2, 5e-2, 0.2, 0.8, 3.5};
constexpr int kSmallest = 20;
constexpr int kStep = 10;

}  // namespace

double fixedTourSeconds(int size, int dimension) {
  const double place = std::clamp(static_cast<double>(size - kSmallest) / kStep, 0.0,
                                  static_cast<double>(kSecondsPerRow.size() - 1));
  const auto below = std::min(static_cast<std::size_t>(place), kSecondsPerRow.size() - 2);
  const double part = place - static_cast<double>(below);
  const double perRow =
      kSecondsPerRow[below] * std::pow(kSecondsPerRow[below + 1] / kSecondsPerRow[below], part);
  return perRow * dimension;
}

double fixedReductionSeconds(const Tours& tours, int dimension) {
  double seconds = 0;
  for (const int size : tours) seconds += fixedTourSeconds(size, dimension);
  return seconds;
}

}  // namespace slicepool::svp
