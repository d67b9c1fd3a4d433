// See subsolutions.hpp.
#include "plugins/fplll/subsolutions.hpp"

#include <algorithm>
#include <cstddef>

namespace slicepool::fplll_plugin {
namespace {

constexpr double kLess = 1 - 1e-9;  ///< b*_k itself, whose norm is added up in another order, is not within

}  // namespace

void Shortest::offer(double squaredNormOfOther, const double* others) {
  if (squaredNorm != 0 && squaredNorm <= squaredNormOfOther) return;
  squaredNorm = squaredNormOfOther;
  std::copy_n(others, coefficients.size(), coefficients.begin());
}

lattice::ProblemSpec subsolutionSpec(const lattice::ProblemSpec& block, int offset) {
  const auto d = static_cast<std::size_t>(block.dimension);
  const auto first = static_cast<std::size_t>(offset);
  lattice::ProblemSpec spec = block;
  const std::size_t rest = d - first;
  spec.dimension = static_cast<int>(rest);
  spec.norms.erase(spec.norms.begin(), spec.norms.begin() + offset);
  for (std::size_t i = 0; i < rest; ++i)
    for (std::size_t j = 0; j < i; ++j) spec.mu[i * rest + j] = block.mu[(first + i) * d + first + j];
  spec.mu.resize(rest * rest);
  spec.squaredRadius = std::min(block.squaredRadius, block.norms[first] * kLess);
  return spec;
}

void findSubsolutions(const lattice::ProblemSpec& block, const Shortest& solution, const SearchTree& search,
                      const ProcessSubsolution& process, std::vector<std::uint64_t>& levels) {
  const auto report = [&](const Shortest& found, int offset) {
    if (found.squaredNorm == 0) return;
    std::vector<double> coefficients(static_cast<std::size_t>(offset), 0);
    coefficients.insert(coefficients.end(), found.coefficients.begin(), found.coefficients.end());
    process(found.squaredNorm, coefficients.data(), offset);
  };
  for (int offset = block.dimension - 2; offset > 0; --offset) {
    const lattice::ProblemSpec spec = subsolutionSpec(block, offset);
    Shortest shortest(spec.dimension);
    const ProcessSolution keep = [&](double squaredNorm, double* coefficients) {
      shortest.offer(squaredNorm, coefficients);
      return squaredNorm * kLess;  // only what is shorter still counts
    };
    SolutionGate gate(spec.dimension, spec.squaredRadius, keep);
    const std::vector<std::uint64_t> nodes = search(spec, gate);
    for (std::size_t k = 0; k < nodes.size(); ++k) levels[k + static_cast<std::size_t>(offset)] += nodes[k];
    report(shortest, offset);
  }
  if (solution.squaredNorm < block.norms[0] * kLess) report(solution, 0);
}

}  // namespace slicepool::fplll_plugin
