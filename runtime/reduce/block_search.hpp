// The search for a short vector of one block: trials, each of which reduces the block further and searches a
// pruned tree, and what the best of them makes of the block. Called by block_step.cpp and tests.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/reduce/local_block.hpp"
#include "runtime/svp/trial_reduction.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::reduce {

/// Larger blocks are searched with pruning; up to here the vector that is found is a shortest one.
inline constexpr int kUnprunedBlock = 32;

/// How a block is searched. A function of the block and the request.
struct BlockPlan {
  double squaredRadius = 0;  ///< vectors beyond it are not worth their insertion
  svp::Tours preprocessing;
  std::vector<double> pruning;  ///< empty: none
  double probability = 1;       ///< of success, of one trial
  int trials = 1;
};

/// `trials`: of a pruned block; 0: as many as together have a probability of a half, by fplll's strategies.
[[nodiscard]] BlockPlan planOf(const ProjectedBlock& block, int trials);

/// Asked while a trial is under way; true: stop.
using svp::StopRequest;

/// What a trial did.
struct TrialRecord {
  std::uint64_t nodes = 0;
  double reductionSeconds = 0;
  double searchSeconds = 0;
};

/// One block. Trials are made by any threads side by side, each by one; finish() comes after all of them.
/// Trials know nothing of each other, so that what is found does not depend on who makes them when.
class BlockSearch {
 public:
  /// `seed`: of the rerandomisation of all trials but the first.
  BlockSearch(int first, ProjectedBlock block, BlockPlan plan, std::uint64_t seed);

  [[nodiscard]] int first() const { return first_; }
  [[nodiscard]] int size() const { return block_.size; }
  [[nodiscard]] int trials() const { return plan_.trials; }
  [[nodiscard]] bool isPruned() const { return !plan_.pruning.empty(); }

  /// Reduces the block for a trial. False: stopped.
  bool reduce(int trial, const StopRequest& stop);
  /// After reduce(): what a trial searches. Its radius shrinks only when the shared word is lowered.
  [[nodiscard]] lattice::ProblemSpec specOf(int trial) const;
  /// After reduce(): searches on this thread. False: stopped.
  bool search(int trial, const StopRequest& stop);
  /// A vector that a search of a trial has found: coefficients over the reduced rows of the trial. Any
  /// thread.
  void offer(int trial, const std::vector<std::int64_t>& coefficients);
  [[nodiscard]] TrialRecord& record(int trial) { return trials_[static_cast<std::size_t>(trial)].record; }

  /// What becomes of the block: the shortest vector in front, or the first trial's reduction alone.
  [[nodiscard]] Transformation finish() const;
  /// After finish(): whether a vector shorter than the first row was found.
  [[nodiscard]] bool found() const { return best_.has_value(); }

 private:
  struct Trial {
    std::unique_ptr<svp::ReducedBasis> basis;
    Transformation transformation;
    BlockData data;
    TrialRecord record;
  };
  struct Found {
    double squaredNorm = 0;
    int trial = 0;
    std::vector<std::int64_t> coefficients;  ///< over the rows of the block
  };

  int first_;
  ProjectedBlock block_;
  BlockPlan plan_;
  std::uint64_t seed_;
  std::once_flag begun_;  ///< of the two that follow, which the first trial makes
  lattice::IntegerBasis scaled_;
  std::unique_ptr<const svp::TrialReduction> reduction_;
  std::vector<Trial> trials_;
  std::mutex mutex_;  ///< of best_
  std::optional<Found> best_;
};

}  // namespace slicepool::reduce
