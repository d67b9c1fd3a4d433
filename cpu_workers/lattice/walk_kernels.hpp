// The depth-first walk of walk.hpp, and what each instruction set has. Compiled once for each of them in
// instances.cmake: the name of the set is the namespace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu_workers/lattice/walk.hpp"
#include "slicepool/lattice/steps/search.hpp"

#if defined(__AVX2__)
#include "cpu_workers/lattice/expand_kernels.hpp"
#endif

namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE {

/// row[j] = above[j] - x * mu[j] for j < count; up to seven more, which are there, may be written.
inline void extendRow(double* row, const double* above, double x, const double* mu, int count) {
  for (int j = 0; j < count; j += 8)
    for (int i = j; i < j + 8; ++i) row[i] = above[i] - x * mu[i];
}

/// Puts a node at `level` aside, which has a child at this centre.
inline void putAside(LatticeWalk& walk, int level, double x, double norm, double centre) {
  const int parents = (level + 1) * walk.stride;
  const int own = level * walk.stride;
  const double* above = walk.sums + parents;
  LatticeList& list = walk.lists->at(level - 1);
  double* row = list.rows + list.count * list.stride;
  extendRow(row, above, x, walk.rows + own, level - 1);
  list.nodes.norms[list.count] = norm;
  list.nodes.centres[list.count] = centre;
  for (int i = 0; i < kLatticeDepth; ++i)
    list.nodes.sums[i][list.count] = level - 2 - i >= 0 ? row[level - 2 - i] : 0;
  ++list.count;
  --walk.unitsLeft;
  if (list.count == LatticeLists::kMaximumUnits) walk.unitsLeft = 0;
}

inline LatticeStop walkLattice(LatticeWalk& walk, bool taken) {
  int k = walk.level;
  double x = walk.x[k];
  double step = walk.step[k];
  double above = walk.above[k];
  double centre = walk.centre[k];
  const auto normOf = [&walk](double from, double coefficient, double middle, int level) {
    const double distance = coefficient - middle;
    return from + distance * distance * walk.norms[level];
  };
  const auto stop = [&](LatticeStop reason) {
    walk.level = k;
    walk.x[k] = x;
    walk.step[k] = step;
    return reason;
  };
  for (double norm = normOf(above, x, centre, k);;) {
    if (norm <= walk.bounds[k]) {
      if (walk.left == 0) return stop(LatticeStop::nodes);
      if (walk.unitsLeft == 0) return stop(LatticeStop::units);
      const bool zero = step == 0 && x == 0;
      if (k == 0 && !zero && !taken) {
        walk.norm = norm;
        return stop(LatticeStop::vector);
      }
      taken = false;
      --walk.left;
      ++walk.nodes[k];
      if (k != 0) {
        // Nearly half of the nodes have no children, and need no row.
        const int first = k * walk.stride;
        const double* const mu = walk.rows + first;
        double* const row = walk.sums + first;
        const double next = row[walk.stride + k - 1] - x * mu[k - 1];
        const double nearest = lattice::Choice::roundToInteger(next);
        const double nextNorm = normOf(norm, nearest, next, k - 1);
        if (nextNorm <= walk.bounds[k - 1]) {
          if (norm >= walk.unitFrom[k] && !zero) {
            putAside(walk, k, x, norm, next);
          } else {
            walk.x[k] = x;
            walk.step[k] = step;
            extendRow(row, row + walk.stride, x, mu, k);
            --k;
            walk.above[k] = above = norm;
            walk.centre[k] = centre = next;
            x = nearest;
            step = zero ? 0 : centre < x ? -1 : 1;
            norm = nextNorm;
            continue;
          }
        }
      }
      if (k > walk.top) return LatticeStop::exhausted;
    } else {
      if (++k > walk.top) return LatticeStop::exhausted;
      x = walk.x[k];
      step = walk.step[k];
      above = walk.above[k];
      centre = walk.centre[k];
    }
    x += step == 0 ? 1 : step;
    step = step > 0 ? -step - 1 : step < 0 ? -step + 1 : 0;
    norm = normOf(above, x, centre, k);
  }
}

LatticeKernels latticeKernels(const char* name) {
#if defined(__AVX2__)
  return {name, walkLattice, expandLattice};
#else
  return {name, walkLattice, nullptr};
#endif
}

}  // namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE
