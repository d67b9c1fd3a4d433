// What one core is to do with one lattice or target, made of what is asked of all of them, and what it leaves
// where that is too much. Used by one_lattice.cpp and one_target.cpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "runtime/lattice/core_walk.hpp"
#include "runtime/lattice/core_ways.hpp"
#include "runtime/lattice/exact_search.hpp"
#include "runtime/lattice/one_lattice.hpp"
#include "runtime/lattice/prepared_search.hpp"

namespace slicepool::lattice {

class CoreTask {
 public:
  CoreTask() = default;
  CoreTask(const GivenLattice& given, const ManyWanted& wanted, const CoreWays& ways)
      : radius_(given.squaredRadius.given() ? given.squaredRadius : wanted.squaredRadius),
        kept_(radius_.given() ? wanted.solutions : 1),
        first_(wanted.first),
        accept_(wanted.accept),
        mostNodes_(std::min(wanted.mostNodes, ways.maximumNodes)),
        leaveNodes_(wanted.leaveNodes),
        leave_(wanted.leave) {}

  /// None: the shortest or closest vector is searched.
  [[nodiscard]] const SquaredRadius& radius() const { return radius_; }
  [[nodiscard]] bool byRadius() const { return radius_.given(); }
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  [[nodiscard]] std::uint64_t first() const { return first_; }
  [[nodiscard]] const VectorTest& accept() const { return accept_; }

  /// Whether this core is not to begin.
  [[nodiscard]] bool isTooLarge(const SearchView& view, LastRow last) const {
    return lattice::isTooLarge(view, last, !byRadius(), mostNodes_);
  }
  /// Where it may end: with `maySpread` also when the lattice is left to others, who begin anew. Vectors
  /// within a radius may have been told to a test already.
  [[nodiscard]] CoreStop stop(const std::atomic<bool>& stop, const SearchView& view, LastRow last,
                              bool maySpread = true) const {
    const bool leaves =
        leave_ && maySpread && !byRadius() && lattice::isTooLarge(view, last, true, leaveNodes_);
    return {stop, leaves ? leave_ : nullptr};
  }
  /// By big integers. What is too large is left.
  Way searchExactly(PreparedSearch search, const std::atomic<bool>& stop, LatticeAnswer& answer) {
    const Way way = lattice::searchExactly(search, kept_, {stop, mostNodes_, first_}, answer, accept_);
    if (way == Way::tooLarge) leave(std::move(search));
    return way;
  }

  void leave(PreparedSearch search) { left_ = std::move(search); }
  /// Once.
  [[nodiscard]] PreparedSearch takeLeft() { return std::move(*std::exchange(left_, std::nullopt)); }

 private:
  SquaredRadius radius_;
  std::uint64_t kept_ = 1;
  std::uint64_t first_ = 0;
  VectorTest accept_;
  double mostNodes_ = kNodesOfCore;
  double leaveNodes_ = kNodesOfCore;
  std::function<bool()> leave_;
  std::optional<PreparedSearch> left_;
};

}  // namespace slicepool::lattice
