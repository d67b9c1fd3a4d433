// What one turn on a slice is allowed to do, and how it ended. Used by every step function.
#pragma once

#include <cstdint>

namespace slicepool {

/// How a call of `advance` ended. Only `exhausted` means that the slice is finished.
enum class Turn : std::uint8_t {
  exhausted,    ///< nothing is left in the slice
  budgetSpent,  ///< the step budget is used up; the slice is resumable
  sinkFull      ///< the sink refused a result; that result will be emitted again by the next turn
};

/// Steps that a turn may still take. `advance` counts `left` down by the steps it takes and returns
/// `Turn::budgetSpent` at zero; it may overshoot by at most one indivisible step.
struct Budget {
  std::uint64_t left;
};

}  // namespace slicepool
