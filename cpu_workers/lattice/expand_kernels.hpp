// The search of many subtrees at once of walk.hpp, compiled for each instruction set with vectors.
// Included by walk_kernels.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "cpu_workers/lattice/lanes.hpp"
#include "cpu_workers/lattice/walk.hpp"

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
      k = std::max(1, k - kLatticeDepth);
    }
  }

 private:
  /// What is the same for all nodes whose children at one level are tried.
  struct Level {
    Level(const LatticeWalk& walk, int k)
        // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): rows of at most 160 levels
        : mu(walk.rows + k * walk.stride),
          norm(Lanes::all(walk.norms[k])),
          bound(Lanes::all(walk.bounds[k])),
          normNext(Lanes::all(walk.norms[k - 1])),
          boundNext(Lanes::all(walk.bounds[k - 1])),
          muNext(Lanes::all(mu[k - 1])) {}
    const double* mu;
    Lanes norm, bound, normNext, boundNext, muNext;
  };

  /// Searches kLatticeDepth levels below the last nodes of list k. False if a complete vector is among what
  /// is found, or if there is no room.
  bool expandSome(int k) {
    LatticeList& list = lists_.at(k);
    const std::size_t end = list.count;
    const std::size_t begin = end - std::min(end, LatticeLists::kChunk);
    list.count = begin;
    return expandGeneration<0>(k, list.nodes, begin, end);
  }

  template <int kGeneration>
  bool expandGeneration(int k, const LatticeNodes& parents, std::size_t begin, std::size_t end) {
    constexpr int kCarried = kLatticeDepth - 1 - kGeneration;
    const int level = k - kGeneration;
    const LatticeNodes& generation = lists_.generations[kGeneration];
    // Those at level 1 that have a child are vectors.
    if (level == 1 || kCarried > 0) {
      const std::size_t last = tryChildren<kCarried>(level, parents, begin, end, generation, 0);
      if (level == 1 || last > kRoom) return last == 0;
      if constexpr (kCarried > 0) return expandGeneration<kGeneration + 1>(k, generation, 0, last);
    }
    LatticeList& below = lists_.at(k - kLatticeDepth);
    LatticeNodes target = below.nodes;
    target.coefficients = generation.coefficients;
    target.parents = generation.parents;
    const std::size_t first = below.count;
    const std::size_t last = tryChildren<0>(level, parents, begin, end, target, first);
    if (last > kRoom) return false;
    makeRows(k, lists_.at(k), below, first, last);
    below.count = last;
    return true;
  }

  /// Tries the children, at level k, of the nodes from `begin` to `end`, and counts those accepted. Those
  /// that have children go into `target`, from `last` on; returns the end of them, or more than kRoom if they
  /// are too many. kCarried: of how many levels after the next the
  /// partial centre sums are needed.
  template <int kCarried>
  std::size_t tryChildren(int k, const LatticeNodes& source, std::size_t begin, std::size_t end,
                          const LatticeNodes& target, std::size_t last) {
    const Level level(walk_, k);
    Lanes muAfter[kCarried + 1];
    for (int i = 0; i < kCarried; ++i) muAfter[i] = Lanes::all(k - 2 - i >= 0 ? level.mu[k - 2 - i] : 0);
    const LatticeNodes from = source;
    const LatticeNodes to = target;
    std::uint64_t nodes = 0;
    for (std::size_t at = begin; at < end; at += Lanes::kCount) {
      const Lanes above = Lanes::load(from.norms + at);
      const Lanes centre = Lanes::load(from.centres + at);
      const Lanes next = Lanes::load(from.sums[0] + at);
      Lanes after[kCarried + 1];
      for (int i = 0; i < kCarried; ++i) after[i] = Lanes::load(from.sums[i + 1] + at);
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
        for (int i = 0; i < kCarried; ++i)
          Lanes::multiplySubtract(x, muAfter[i], after[i]).storeInOrder(to.sums[i] + last, order);
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

  /// The rows of the last generation: that of the ancestor in `list` less the coefficients since times theirs
  /// of mu.
  void makeRows(int k, const LatticeList& list, const LatticeList& below, std::size_t first,
                std::size_t last) const {
    const LatticeNodes to = below.nodes;
    const std::size_t stride = list.stride;
    const std::size_t strideBelow = below.stride;
    const auto width = static_cast<std::size_t>(k - kLatticeDepth);
    const double* mu[kLatticeDepth];
    // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): rows of at most 160 levels
    for (int g = 0; g < kLatticeDepth; ++g) mu[g] = walk_.rows + (k - g) * walk_.stride;
    std::size_t sums[kLatticeDepth];  // where the sums of the next levels are; any place where there is none
    for (std::size_t i = 0; i < kLatticeDepth; ++i) sums[i] = width > i ? width - 1 - i : 0;
    for (std::size_t i = first; i < last; ++i) {
      Lanes x[kLatticeDepth];
      std::size_t place = i;
      for (int g = kLatticeDepth - 1; g >= 0; --g) {
        x[g] = Lanes::all(lists_.generations[g].coefficients[place]);
        place = static_cast<std::size_t>(lists_.generations[g].parents[place]);
      }
      const double* const above = list.rows + place * stride;
      double* const row = below.rows + i * strideBelow;
      for (std::size_t j = 0; j < width; j += Lanes::kCount) {
        Lanes sum = Lanes::load(above + j);
        for (int g = 0; g < kLatticeDepth; ++g)
          sum = Lanes::multiplySubtract(x[g], Lanes::load(mu[g] + j), sum);
        sum.store(row + j);
      }
      for (int g = 0; g < kLatticeDepth; ++g) to.sums[g][i] = row[sums[g]];
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
