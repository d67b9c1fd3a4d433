// See figures.hpp.
#include "runtime/reduce/figures.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>

#include "runtime/lattice/gram_schmidt.hpp"

namespace slicepool::reduce {
namespace {

double meanOf(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

double hermiteFactor(const std::vector<double>& logNorms) {
  return std::exp((logNorms.front() - meanOf(logNorms)) / 2 / static_cast<double>(logNorms.size()));
}

double ghRatio(const std::vector<double>& logNorms) {
  const auto d = static_cast<int>(logNorms.size());
  const double logHeuristic = meanOf(logNorms) / 2 - lattice::logBallVolume(d) / d;
  return std::exp(logNorms.front() / 2 - logHeuristic);
}

double slope(const std::vector<double>& logNorms) {
  if (logNorms.size() < 2) return 0;
  const double mean = meanOf(logNorms);
  const double middle = static_cast<double>(logNorms.size() - 1) / 2;
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < logNorms.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    products += x * (logNorms[i] - mean);
    squares += x * x;
  }
  return products / squares;
}

double logPotential(const std::vector<double>& logNorms) {
  double sum = 0;
  for (std::size_t i = 0; i < logNorms.size(); ++i)
    sum += static_cast<double>(logNorms.size() - i) * logNorms[i];
  return sum;
}

}  // namespace slicepool::reduce
