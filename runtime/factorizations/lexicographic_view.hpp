// Host side of the lexicographic algorithms: precomputes a View from a specification. Used by the problem
// factories of `candidate` and `tabulated`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "runtime/core/log_gamma.hpp"
#include "slicepool/factorizations/problem_factory.hpp"
#include "slicepool/factorizations/steps/lexicographic.hpp"

namespace slicepool::factorizations {

/// Inverse of a modulo m for coprime a, m with 1 <= m < 2^63; 0 for m = 1. Extended Euclid, O(log m).
inline std::uint64_t inverseModulo(std::uint64_t a, std::uint64_t m) {
  if (m == 1) return 0;
  std::int64_t coefficient = 1;
  std::int64_t nextCoefficient = 0;
  auto value = static_cast<std::int64_t>(a % m);
  auto nextValue = static_cast<std::int64_t>(m);
  while (nextValue != 0) {
    const std::int64_t quotient = value / nextValue;
    coefficient = std::exchange(nextCoefficient, coefficient - quotient * nextCoefficient);
    value = std::exchange(nextValue, value - quotient * nextValue);
  }
  return coefficient < 0 ? static_cast<std::uint64_t>(coefficient + static_cast<std::int64_t>(m))
                         : static_cast<std::uint64_t>(coefficient);
}

template <class Word>
Jump<Word> makeJump(std::uint64_t generator, std::uint64_t modulus) {
  const std::uint64_t common = std::gcd(generator, modulus);
  const std::uint64_t period = modulus / common;
  Jump<Word> jump;
  jump.modulus = static_cast<Word>(modulus);
  jump.common = static_cast<Word>(common);
  jump.period = static_cast<Word>(period);
  jump.inverse = static_cast<Word>(inverseModulo(generator / common, period));
  jump.byPeriod = Divider<Word>::by(static_cast<Word>(period));
  return jump;
}

/// Scale and shift of the volume estimate: the points x >= 0 over generators k..depth-1 with sum x_l g_l <= r
/// number about (r + sum g_l / 2)^K / (K! prod g_l), K = depth - k.
template <int D, class Word>
void setVolumes(LexicographicView<D, Word>& view, const std::vector<std::uint64_t>& generators, int depth) {
  view.volumeDepth = depth;
  double logProduct = 0;
  double halfSum = 0;
  for (int k = depth - 1; k >= 0; --k) {
    const auto g = static_cast<double>(generators[static_cast<std::size_t>(k)]);
    const double dimension = depth - k;
    logProduct += std::log(g);
    halfSum += g / 2;
    view.volumeScale[k] = static_cast<float>(std::exp(-(logGamma(dimension + 1) + logProduct) / dimension));
    view.volumeShift[k] = static_cast<float>(halfSum);
  }
}

/// The same for steps with the modulo jump: it examines a candidate for each line along the last coordinate
/// but one, and about one for each solution on it, of which there is one among as many points as the last
/// generator has residues. Of the lines it meets only those whose rest the last two generators divide: one in
/// so many as their common divisor is times that of all generators from the first open one on. A little too
/// many, since an estimate that the search has passed says nothing any
/// more; how many is in tests/unit/factorizations/step_estimates.cpp.
template <int D, class Word>
void setVolumesOfLines(LexicographicView<D, Word>& view, const std::vector<std::uint64_t>& generators) {
  constexpr double kRatherMore = 1.1;
  const auto d = generators.size();
  setVolumes(view, generators, static_cast<int>(d) - 2);
  const auto last = static_cast<double>(generators[d - 2]);
  const std::uint64_t period = generators[d - 1] / std::gcd(generators[d - 2], generators[d - 1]);
  const auto residues = static_cast<double>(period);
  const auto element = static_cast<double>(view.element);
  const double perLine = element / (last * static_cast<double>(d - 1)) / residues;  // mean length of a line
  const double lastTwo = static_cast<double>(std::gcd(generators[d - 2], generators[d - 1]));
  std::uint64_t common = std::gcd(generators[d - 2], generators[d - 1]);
  for (int k = view.volumeDepth - 1; k >= 0; --k) {
    common = std::gcd(common, generators[static_cast<std::size_t>(k)]);
    const double met = static_cast<double>(common) / lastTwo;
    view.volumeScale[k] *=
        static_cast<float>(std::pow(kRatherMore * (1 + perLine) * met, 1.0 / (view.volumeDepth - k)));
  }
}

/// The View without table pointers. Precondition: the family <D, Word> fits the specification.
template <int D, class Word>
LexicographicView<D, Word> makeLexicographicView(const ProblemSpec& spec) {
  const std::vector<std::uint64_t>& g = spec.generators;
  const auto d = g.size();
  LexicographicView<D, Word> view{};
  for (std::size_t k = 0; k < d; ++k) {
    view.generators[k] = static_cast<Word>(g[k]);
    view.dividers[k] = Divider<Word>::by(static_cast<Word>(g[k]));
  }
  std::uint64_t modulus = 0;
  for (std::size_t k = d; k-- > 0;) {
    if (k + 1 < d) view.jumps[k] = makeJump<Word>(g[k], modulus);
    modulus = std::gcd(modulus, g[k]);
  }
  if (d >= 2) {
    const std::uint64_t step = g[d - 2] % g[d - 1];
    std::uint64_t offset = 0;
    for (auto& blockOffset : view.blockOffsets) {
      blockOffset = static_cast<Word>(offset);
      offset += step;
      if (offset >= g[d - 1]) offset -= g[d - 1];
    }
  }
  view.element = static_cast<Word>(spec.element);
  view.dimension = static_cast<std::int32_t>(d);
  view.moduloJump = spec.moduloJump ? 1 : 0;
  if (spec.moduloJump && d >= 3)
    setVolumesOfLines(view, g);
  else
    setVolumes(view, g, static_cast<int>(d) - 1);
  return view;
}

/// The first possible candidate (ceil(n / g_1), 0, .., 0) and no bound: the whole stream.
template <int D, class Word, bool kTabulated>
LexicographicSlice<D, Word, kTabulated> wholeStream(const LexicographicView<D, Word>& view) {
  LexicographicSlice<D, Word, kTabulated> slice{};
  if (view.element > 0) {
    slice.cursor[0] = view.solve(0, view.element);
    slice.excess = static_cast<Word>(slice.cursor[0] * view.generators[0] - view.element);
  }
  return slice;
}

}  // namespace slicepool::factorizations
