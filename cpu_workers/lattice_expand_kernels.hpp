// The search of many subtrees at once of lattice_walk.hpp, compiled for each instruction set with vectors.
// Included by lattice_walk_{avx2,avx512}.cpp, which define SLICEPOOL_KERNEL_NAMESPACE.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "cpu_workers/lattice_lanes.hpp"
#include "cpu_workers/lattice_walk.hpp"

namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE {

class LatticeExpansion {
 public:
  explicit LatticeExpansion(LatticeWalk& walk) : walk_(walk), lists_(*walk.lists) {}

  bool run(std::uint64_t limit) {
    const int top = lists_.levels() - 1;
    for (int k = 1;;) {
      // The deepest list that fills a vector, so that lists stay short; else the shallowest that is left,
      // whose children may fill vectors again.
      while (k <= top && lists_.at(k).count < Lanes::kCount) ++k;
      if (k > top) {
        for (k = top; k > 0 && lists_.at(k).count == 0;) --k;
        if (k == 0) return true;
      }
      if (!expandSome(k) || seen_ > limit) return false;
      k = std::max(1, k - 1);
    }
  }

 private:
  /// Tries the children of the last nodes of list k. False if one of their children is a complete vector.
  bool expandSome(int k) {
    LatticeList& list = lists_.at(k);
    LatticeList& below = lists_.at(k - 1);
    const std::size_t end = list.count;
    const std::size_t begin = end - std::min(end, LatticeLists::kChunk);
    const std::size_t first = below.count;
    std::uint64_t nodes = 0;
    const double* const mu = walk_.rows + k * walk_.stride;
    const Lanes muNext = Lanes::all(mu[k - 1]);
    const Lanes norm = Lanes::all(walk_.norms[k]);
    const Lanes bound = Lanes::all(walk_.bounds[k]);
    const Lanes normNext = Lanes::all(walk_.norms[k - 1]);
    const Lanes boundNext = Lanes::all(walk_.bounds[k - 1]);
    std::size_t last = first;
    for (std::size_t at = begin; at < end; at += Lanes::kCount) {
      const Lanes above = Lanes::load(list.norms + at);
      const Lanes centre = Lanes::load(list.centres + at);
      const Lanes next = Lanes::load(list.next + at);
      Lanes::Mask mask = Lanes::first(std::min(end - at, Lanes::kCount));
      Lanes x = Lanes::round(centre);
      Lanes sign = Lanes::signOf(centre - x);
      for (double step = 1;; ++step) {
        const Lanes distance = x - centre;
        const Lanes own = Lanes::multiplyAdd(distance * distance, norm, above);
        mask = Lanes::atMost(own, bound, mask);
        const unsigned accepted = Lanes::bits(mask);
        if (accepted == 0) break;
        nodes += static_cast<std::uint64_t>(std::popcount(accepted));
        // A child of its own, or it needs no place in a list.
        const Lanes centreNext = Lanes::multiplySubtract(x, muNext, next);
        const Lanes distanceNext = Lanes::round(centreNext) - centreNext;
        const Lanes ownNext = Lanes::multiplyAdd(distanceNext * distanceNext, normNext, own);
        const Lanes::Mask parents = Lanes::atMost(ownNext, boundNext, mask);
        const Lanes::Order order(parents);
        own.storeInOrder(below.norms + last, order);
        centreNext.storeInOrder(below.centres + last, order);
        x.storeInOrder(lists_.coefficients + last, order);
        Lanes::storeIndices(lists_.parents + last, static_cast<std::int64_t>(at), order);
        last += static_cast<std::size_t>(std::popcount(Lanes::bits(parents)));
        x = Lanes::multiplyAdd(sign, Lanes::all(step), x);
        sign = Lanes::negative(sign);
      }
    }
    walk_.nodes[k] += nodes;
    seen_ += nodes;
    list.count = begin;
    if (k == 1) return last == first;
    for (std::size_t i = first; i < last; ++i) {
      const double* const row = list.rows + static_cast<std::size_t>(lists_.parents[i]) * list.stride;
      extend(below.rows + i * below.stride, row, lists_.coefficients[i], mu, k - 1);
      below.next[i] = below.rows[i * below.stride + static_cast<std::size_t>(k) - 2];
    }
    below.count = last;
    return true;
  }

  /// row[j] = above[j] - x * mu[j] for j < count, and up to seven more.
  static void extend(double* row, const double* above, double x, const double* mu, int count) {
    const Lanes coefficient = Lanes::all(x);
    for (int j = 0; j < count; j += static_cast<int>(Lanes::kCount))
      Lanes::multiplySubtract(coefficient, Lanes::load(mu + j), Lanes::load(above + j)).store(row + j);
  }

  LatticeWalk& walk_;
  LatticeLists& lists_;
  std::uint64_t seen_ = 0;
};

inline bool expandLattice(LatticeWalk& walk, std::uint64_t limit) {
  const bool complete = LatticeExpansion(walk).run(limit);
  walk.lists->clear();
  return complete;
}

}  // namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE
