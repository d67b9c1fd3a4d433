// A block that fplll asks its external enumerator for, as a problem of the lattice search. Included by the
// two such enumerators (runtime/svp/block_enumerator.cpp, plugins/fplll), in builds that have fplll.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include <fplll/fplll.h>

#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::lattice {

using NodeCounts = std::array<std::uint64_t, FPLLL_EXTENUM_MAX_EXTENUM_DIM>;

/// The answer that makes fplll enumerate the block itself.
[[nodiscard]] inline NodeCounts declinedBlock() {
  NodeCounts counts{};
  counts[0] = ~std::uint64_t{0};
  return counts;
}

/// What fplll says of the block. It writes neither the diagonal of mu nor the half above it; its numbers and
/// the radius share one scale, a power of two.
[[nodiscard]] inline ProblemSpec blockSpec(int dimension, double squaredRadius,
                                           const std::function<extenum_cb_set_config>& config) {
  const auto d = static_cast<std::size_t>(dimension);
  ProblemSpec spec;
  spec.dimension = dimension;
  spec.mu.assign(d * d, 0);
  spec.norms.assign(d, 0);
  spec.pruning.assign(d, 1);
  config(spec.mu.data(), d, false, spec.norms.data(), spec.pruning.data());
  if (std::all_of(spec.pruning.begin(), spec.pruning.end(), [](double bound) { return bound == 1; }))
    spec.pruning.clear();
  spec.squaredRadius = squaredRadius;
  spec.shrinking = true;
  spec.findsLower = false;
  spec.collect = true;
  return spec;
}

/// A buffered ShortVector of such a problem: its coefficients as fplll takes them; returns the squared norm.
[[nodiscard]] inline double readShortVector(const std::byte* result, std::vector<double>& coefficients) {
  double squaredNorm = 0;
  std::memcpy(&squaredNorm, result, sizeof squaredNorm);
  const std::byte* from = result + sizeof squaredNorm;
  for (double& coefficient : coefficients) {
    std::int16_t value = 0;
    std::memcpy(&value, from, sizeof value);
    from += sizeof value;
    coefficient = value;
  }
  return squaredNorm;
}

}  // namespace slicepool::lattice
