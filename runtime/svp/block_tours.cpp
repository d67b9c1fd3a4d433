// See block_tours.hpp.
#include "runtime/svp/block_tours.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <numbers>
#include <utility>

#include "runtime/core/log_gamma.hpp"
#include "runtime/svp/block_strategy.hpp"
#include "runtime/svp/thread_search.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::svp {
namespace {

/// What is found is shorter than the first row by this factor of squares, as LLL's delta.
constexpr double kShorterBy = 0.99;
/// Blocks of more rows are searched within this multiple of the squared Gaussian heuristic at most.
constexpr int kOwnRadius = 30;
constexpr double kHeuristicFactor = 1.1;
/// From so many rows on a block has nodes enough for the tables of a lattice problem.
constexpr int kLeastProblem = 36;
/// Blocks at the end of a preprocessing tour that have fewer rows gain nothing for the search that follows.
constexpr int kLeastPreprocessed = 20;

std::optional<std::vector<std::int64_t>> shortestByProblem(const SmallBlock& block) {
  const int n = static_cast<int>(block.norms.size());
  lattice::ProblemSpec spec;
  spec.dimension = n;
  spec.mu = block.mu;
  spec.norms = block.norms;
  spec.pruning = block.pruning;
  spec.squaredRadius = block.squaredRadius;
  spec.shrinking = true;
  spec.findsLower = false;
  spec.collect = true;
  double radius = block.squaredRadius;
  std::optional<std::vector<std::int64_t>> best;
  const auto take = [&](const std::byte* result) {
    double norm = 0;
    std::memcpy(&norm, result, sizeof norm);
    if (!(norm < radius) && best) return;
    radius = std::min(radius, norm);
    best.emplace();
    for (int i = 0; i < n; ++i) {
      std::int16_t value = 0;
      std::memcpy(&value, result + sizeof norm + static_cast<std::size_t>(i) * sizeof value, sizeof value);
      best->push_back(value);
    }
  };
  const auto problem = lattice::makeProblem(spec);
  (void)searchOnThisThread(
      *problem, n, [&] { return radius; }, take, [] { return false; });
  return best;
}

/// The squared Gaussian heuristic. Millions of blocks ask: lattice::gaussianSquaredRadius() has more digits.
double squaredHeuristic(const std::vector<double>& norms) {
  const auto n = static_cast<double>(norms.size());
  double logarithms = 0;
  for (const double norm : norms) logarithms += std::log(norm);
  return std::exp((2 * logGamma(n / 2 + 1) + logarithms) / n) / std::numbers::pi;
}

class BlockReducer {
 public:
  explicit BlockReducer(ShortRows& rows) : rows_(rows) {}

  void reduce(int first, int size) {
    const int end = first + size;
    rows_.reduce(first, end);
    if (size < 2) return;
    for (const int smaller : strategyOf(size, 1).preprocessing)
      for (int i = first; i + kLeastPreprocessed <= end; ++i) reduce(i, std::min(smaller, end - i));
    SmallBlock block = blockOf(first, size);
    const double heuristic = squaredHeuristic(block.norms);
    block.squaredRadius = kShorterBy * block.norms.front();
    block.pruning = strategyOf(size, block.squaredRadius / kShorterBy / heuristic).pruning.coefficients;
    if (size > kOwnRadius) block.squaredRadius = std::min(block.squaredRadius, kHeuristicFactor * heuristic);
    const auto found = size < kLeastProblem ? shortestOf(block) : shortestByProblem(block);
    if (!found) return;
    rows_.insert(first, *found);
    rows_.reduce(first, end);
  }

 private:
  [[nodiscard]] SmallBlock blockOf(int first, int size) const {
    const auto n = static_cast<std::size_t>(size);
    SmallBlock block;
    block.mu.resize(n * n);
    for (int i = 0; i < size; ++i) {
      block.norms.push_back(rows_.norm(first + i));
      for (int j = 0; j < i; ++j)
        block.mu[static_cast<std::size_t>(i) * n + static_cast<std::size_t>(j)] =
            rows_.mu(first + i, first + j);
    }
    return block;
  }

  ShortRows& rows_;
};

}  // namespace

std::optional<std::vector<std::int64_t>> shortestOf(const SmallBlock& block) {
  const std::size_t n = block.norms.size();
  double radius = block.squaredRadius;
  const auto bound = [&](std::size_t k) {
    return block.pruning.empty() ? radius : block.pruning[k] * radius;
  };
  // Of level k: coefficient, centre, the norm of levels k and above, and how far from the first coefficient.
  std::vector<double> x(n, 0), centre(n, 0), length(n + 1, 0), step(n, 0);
  std::optional<std::vector<std::int64_t>> best;
  const auto next = [&](std::size_t k) {  // the next nearest integer to the centre
    x[k] += step[k];
    step[k] = step[k] > 0 ? -step[k] - 1 : -step[k] + 1;
  };
  std::size_t last = 0;  // the highest level with a coefficient other than 0, which is positive
  std::size_t k = 0;
  x[0] = 1;
  for (;;) {
    const double distance = x[k] - centre[k];
    length[k] = length[k + 1] + distance * distance * block.norms[k];
    if (length[k] <= bound(k)) {
      if (k != 0) {
        --k;
        double sum = 0;
        for (std::size_t i = k + 1; i <= last; ++i) sum -= x[i] * block.mu[i * n + k];
        centre[k] = sum;
        x[k] = std::rint(sum);
        step[k] = sum > x[k] ? 1 : -1;
        continue;
      }
      if (length[0] > 0) {
        radius = length[0];
        best.emplace();
        for (const double value : x) best->push_back(static_cast<std::int64_t>(value));
      }
    } else {
      if (++k == n) return best;
      last = std::max(last, k);
    }
    if (k == last)
      x[k] += 1;  // half of the vectors, up to sign: above the last coefficient all are 0
    else
      next(k);
  }
}

bool tourOf(ShortRows& rows, int size, const std::function<bool()>& stop) {
  BlockReducer reducer(rows);
  const int d = rows.dimension();
  for (int first = 0; first + 1 < d; ++first) {
    if (stop && stop()) return false;
    reducer.reduce(first, std::min(size, d - first));
  }
  return true;
}

}  // namespace slicepool::svp
