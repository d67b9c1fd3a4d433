// What a search for a shortest vector knows and has done: what its checkpoint keeps. Called by
// enumeration.cpp and trials.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/lattice/integer_basis.hpp"
#include "runtime/svp/best_vector.hpp"

namespace slicepool::svp {

/// Not thread-safe: guarded by its owner.
struct SearchState {
  lattice::IntegerBasis start;    ///< that trials rerandomise
  lattice::IntegerBasis reduced;  ///< of those made so far the one with the smallest unpruned tree
  KnownVector best;
  bool uncapped = false;                                 ///< nothing was found within the sufficient radius
  double failure = 1;                                    ///< prod(1 - p_i) of the trials with this radius
  std::vector<std::pair<std::uint64_t, double>> trials;  ///< those that are complete: number and p_i
  std::uint64_t inserted = 0;
  std::uint64_t nodes = 0;
  double foundSeconds = 0;
  double reductionSeconds = 0;
  double pruningSeconds = 0;
  double searchSeconds = 0;
  double seconds = 0;  ///< of the runs so far

  /// The least number from `from` on that no complete trial has.
  [[nodiscard]] std::uint64_t nextTrial(std::uint64_t from) const;
};

[[nodiscard]] std::vector<std::byte> packState(const SearchState& state);
/// Throws CheckpointError for bytes that packState() does not make.
[[nodiscard]] SearchState unpackState(const std::vector<std::byte>& bytes);

}  // namespace slicepool::svp
