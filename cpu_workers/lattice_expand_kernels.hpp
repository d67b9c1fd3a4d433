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
      k = std::max(1, k - 2);
    }
  }

 private:
  /// What is the same for all nodes whose children at one level are tried.
  struct Level {
    Level(const LatticeWalk& walk, int k)
        : mu(walk.rows + k * walk.stride),
          norm(Lanes::all(walk.norms[k])),
          bound(Lanes::all(walk.bounds[k])),
          normNext(Lanes::all(walk.norms[k - 1])),
          boundNext(Lanes::all(walk.bounds[k - 1])),
          muNext(Lanes::all(mu[k - 1])),
          muAfterNext(Lanes::all(k > 1 ? mu[k - 2] : 0)) {}
    const double* mu;
    Lanes norm, bound, normNext, boundNext, muNext, muAfterNext;
  };

  /// Searches two levels below the last nodes of list k. False if a complete vector is among what is found,
  /// or if there is no room.
  bool expandSome(int k) {
    LatticeList& list = lists_.at(k);
    const std::size_t end = list.count;
    const std::size_t begin = end - std::min(end, LatticeLists::kChunk);
    list.count = begin;
    const std::size_t children = tryChildren<true>(k, list.nodes, begin, end, lists_.children, 0);
    if (k == 1 || children > kRoom) return children == 0;
    LatticeList& below = lists_.at(k - 2);
    LatticeNodes target = below.nodes;
    target.coefficients = lists_.grandchildren.coefficients;
    target.parents = lists_.grandchildren.parents;
    const std::size_t first = below.count;
    const std::size_t last = tryChildren<false>(k - 1, lists_.children, 0, children, target, first);
    if (k == 2 || last > kRoom) return last == first;
    makeRows(k, list, below, first, last);
    below.count = last;
    return true;
  }

  /// Tries the children, at level k, of the nodes from `begin` to `end`, and counts those accepted. Those
  /// that have children go into `target`, from `last` on; returns the end of them, or more than kRoom if they
  /// are too many. kCarry: the partial centre sums of k - 2 as well.
  template <bool kCarry>
  std::size_t tryChildren(int k, const LatticeNodes& source, std::size_t begin, std::size_t end,
                          const LatticeNodes& target, std::size_t last) {
    const Level level(walk_, k);
    const LatticeNodes from = source;
    const LatticeNodes to = target;
    std::uint64_t nodes = 0;
    for (std::size_t at = begin; at < end; at += Lanes::kCount) {
      const Lanes above = Lanes::load(from.norms + at);
      const Lanes centre = Lanes::load(from.centres + at);
      const Lanes next = Lanes::load(from.next + at);
      const Lanes afterNext = kCarry ? Lanes::load(from.afterNext + at) : next;
      Lanes::Mask mask = Lanes::first(std::min(end - at, Lanes::kCount));
      Lanes x = Lanes::round(centre);
      Lanes sign = Lanes::signOf(centre - x);
      for (double step = 1; last <= kRoom; ++step) {
        const Lanes distance = x - centre;
        const Lanes own = Lanes::multiplyAdd(distance * distance, level.norm, above);
        mask = Lanes::atMost(own, level.bound, mask);
        const unsigned accepted = Lanes::bits(mask);
        if (accepted == 0) break;
        nodes += static_cast<std::uint64_t>(std::popcount(accepted));
        // A child of its own, or it needs no place in a list.
        const Lanes centreNext = Lanes::multiplySubtract(x, level.muNext, next);
        const Lanes distanceNext = Lanes::round(centreNext) - centreNext;
        const Lanes ownNext = Lanes::multiplyAdd(distanceNext * distanceNext, level.normNext, own);
        const Lanes::Mask parents = Lanes::atMost(ownNext, level.boundNext, mask);
        const Lanes::Order order(parents);
        own.storeInOrder(to.norms + last, order);
        centreNext.storeInOrder(to.centres + last, order);
        if (kCarry)
          Lanes::multiplySubtract(x, level.muAfterNext, afterNext).storeInOrder(to.next + last, order);
        x.storeInOrder(to.coefficients + last, order);
        Lanes::storeIndices(to.parents + last, static_cast<std::int64_t>(at), order);
        last += static_cast<std::size_t>(std::popcount(Lanes::bits(parents)));
        x = Lanes::multiplyAdd(sign, Lanes::all(step), x);
        sign = Lanes::negative(sign);
      }
    }
    walk_.nodes[k] += nodes;
    seen_ += nodes;
    return last;
  }

  /// The rows of grandchildren: that of the grandparent less both coefficients times theirs of mu.
  void makeRows(int k, const LatticeList& list, const LatticeList& below, std::size_t first,
                std::size_t last) const {
    const double* const mu = walk_.rows + k * walk_.stride;
    const double* const muBelow = mu - walk_.stride;
    const LatticeNodes children = lists_.children;
    const LatticeNodes own = lists_.grandchildren;
    const LatticeNodes to = below.nodes;
    const std::size_t stride = list.stride;
    const std::size_t strideBelow = below.stride;
    const auto width = static_cast<std::size_t>(k) - 2;
    const std::size_t afterNext = width > 1 ? width - 2 : 0;
    for (std::size_t i = first; i < last; ++i) {
      const auto child = static_cast<std::size_t>(own.parents[i]);
      const double* const above = list.rows + static_cast<std::size_t>(children.parents[child]) * stride;
      double* const row = below.rows + i * strideBelow;
      const Lanes x = Lanes::all(children.coefficients[child]);
      const Lanes y = Lanes::all(own.coefficients[i]);
      for (std::size_t j = 0; j < width; j += Lanes::kCount) {
        const Lanes partial = Lanes::multiplySubtract(x, Lanes::load(mu + j), Lanes::load(above + j));
        Lanes::multiplySubtract(y, Lanes::load(muBelow + j), partial).store(row + j);
      }
      to.next[i] = row[width - 1];
      to.afterNext[i] = row[afterNext];
    }
  }

  /// Nodes of a list after which there is still room for a vector.
  static constexpr std::size_t kRoom = LatticeLists::kCapacity - Lanes::kCount;

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
