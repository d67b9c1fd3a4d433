// The tours of a block reduction: which blocks a step has, and what their results make of the basis. Called
// by reduction.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/reduce/basis_rows.hpp"
#include "runtime/reduce/block_step.hpp"
#include "runtime/reduce/reduction_state.hpp"

namespace slicepool::reduce {

/// Block sizes, one tour each: 20, 30, .. below B, then B as often as `tours` says. None is larger than
/// `dimension`; none at all for B = 0 or a single row.
[[nodiscard]] std::vector<int> scheduleOf(int blockSize, int tours, int dimension);

/// First rows of the blocks of a step, which are disjoint: every block of a tour is in one of its steps, of
/// which there are `blockSize`, or less where the basis is smaller.
[[nodiscard]] std::vector<int> firstRowsOf(int step, int blockSize, int dimension);
[[nodiscard]] int stepsOf(int blockSize, int dimension);

/// LLL with delta 0.99 by fplll, in double precision, and where that fails with more. `basis` is LLL-reduced,
/// if loosely. Throws Error when fplll fails.
[[nodiscard]] lattice::IntegerBasis lllReduced(const lattice::IntegerBasis& basis);

class TourDriver {
 public:
  /// `state` has an LLL-reduced basis; it and `workers` must outlive this.
  TourDriver(const Request& request, StepSettings settings, ReductionState& state,
             std::vector<WorkerReport>& workers);

  /// True: all tours are done, or one has changed nothing. False: stopped; `state` is as of the last complete
  /// step. `attend` is called after each step; `stop` is asked by all threads.
  bool run(const std::function<void()>& attend, const StopRequest& stop);
  [[nodiscard]] const BasisRows& rows() const { return rows_; }

 private:
  bool step(int blockSize, const StopRequest& stop);
  void endTour(int blockSize);

  const Request& request_;
  StepSettings settings_;
  ReductionState& state_;
  std::vector<WorkerReport>& workers_;
  std::vector<int> schedule_;
  BasisRows rows_;
};

}  // namespace slicepool::reduce
