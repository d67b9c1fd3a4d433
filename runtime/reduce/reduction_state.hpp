// How far a block reduction is: what its checkpoint keeps. Called by reduction.cpp and tours.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/lattice/integer_basis.hpp"
#include "slicepool/reduce/reduction.hpp"

namespace slicepool::reduce {

/// As of the last step that is complete. Not thread-safe: guarded by its owner.
struct ReductionState {
  lattice::IntegerBasis basis;     ///< with a Gram matrix: of approximate rows (lattice/gram_reduction.hpp)
  lattice::IntegerBasis start;     ///< with a Gram matrix: the basis that these rows approximate; else empty
  std::size_t tour = 0;            ///< index of the next step's tour in the schedule
  int step = 0;                    ///< the next one of that tour
  bool changed = false;            ///< something has, in that tour
  double tourSeconds = 0;          ///< of that tour so far
  std::uint64_t tourInserted = 0;  ///< likewise
  bool unchanged = false;          ///< the last tour changed nothing: it is over
  double hermiteFactorBefore = 0;
  std::vector<Tour> tours;  ///< that are complete
  std::uint64_t blocks = 0;
  std::uint64_t inserted = 0;
  std::uint64_t trials = 0;
  std::uint64_t nodes = 0;
  double lllSeconds = 0;
  double preprocessingSeconds = 0;
  double searchSeconds = 0;
  double deviceSeconds = 0;
  double sizeReductionSeconds = 0;
  double seconds = 0;  ///< of the runs so far
};

/// Everything that determines what a step does.
[[nodiscard]] std::string reductionIdentity(const Request& request, const lattice::IntegerBasis& basis);

/// Returns its bytes. Throws as writeCheckpoint.
std::uint64_t writeReductionState(const std::string& path, const std::string& identity,
                                  const ReductionState& state);
/// Throws CheckpointError when the file cannot be read or belongs to another reduction.
[[nodiscard]] ReductionState readReductionState(const std::string& path, const std::string& identity);

}  // namespace slicepool::reduce
