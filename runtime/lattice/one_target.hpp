// One target of many, on the calling thread: a closest vector of its lattice, or all vectors within a radius.
// Called by many_lattices.cpp and tests.
#pragma once

#include <atomic>
#include <memory>

#include "runtime/lattice/one_lattice.hpp"
#include "runtime/lattice/target_lattice.hpp"
#include "slicepool/lattice/many_lattices.hpp"

namespace slicepool::lattice {

/// Whether vectors close to a target are asked for, or short ones.
[[nodiscard]] inline bool hasTarget(const GivenLattice& given) {
  return !given.target.empty() || !given.targetText.empty();
}
[[nodiscard]] inline bool hasMatrix(const GivenLattice& given) {
  return given.rows != 0 || !given.text.empty();
}
/// "[1 5]", "[1/2 5]".
[[nodiscard]] std::string targetText(const GivenLattice& given);

/// Has the memory that searches need. One object a thread.
class OneTarget {
 public:
  /// `shared`: of targets without a lattice of their own; may be null. `stop` as in OneLattice.
  OneTarget(std::shared_ptr<const TargetLattice> shared, const std::atomic<bool>& stop,
            const CoreWays& ways = {});
  ~OneTarget();
  OneTarget(OneTarget&&) noexcept;

  /// Throws ConfigError and LimitError for a target or a lattice that is none, or a radius that is
  /// impossible.
  Way search(const GivenLattice& given, const ManyWanted& wanted, LatticeAnswer& answer);
  /// As OneLattice::takePrepared().
  [[nodiscard]] PreparedSearch takePrepared();
  /// Appends the search of the closest vector to a group for a device, where the target is one of the shared
  /// lattice, which has as many columns as rows, and not more than `mostNodes` are expected. False where it
  /// is one for this core: search() has the answer or the error then.
  bool prepare(const GivenLattice& given, const ManyWanted& wanted, double mostNodes, SearcherGroup& group);
  /// The answer to what prepare() appended, as OneLattice::finish().
  bool finish(const GivenLattice& given, const SearcherItem& item, const std::int16_t* coefficients,
              LatticeAnswer& answer);

  /// Of an answer that was found elsewhere.
  void addCoefficients(const GivenLattice& given, LatticeAnswer& answer) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace slicepool::lattice
