// One step of a tour: blocks that have no row in common, all of whose trials are made side by side. Called by
// tours.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/reduce/block_search.hpp"
#include "runtime/reduce/engine_search.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/session.hpp"

namespace slicepool::reduce {

struct StepSettings {
  int threads = 1;
  std::chrono::steady_clock::time_point begun;  ///< the reduction, from which the moments of workers count
  std::shared_ptr<Session> session;
  EngineSearch* device = nullptr;  ///< null: cores search all trees
  double deviceNodes = 0;          ///< trees of at least so many expected nodes are for the device
  EngineSearch* cores = nullptr;   ///< all of them together; null: a core searches each tree
  double sharedNodes = 0;          ///< trees of at least so many expected nodes are for all cores
};

/// What becomes of a block.
struct BlockResult {
  int first = 0;
  Transformation transformation;
  bool found = false;  ///< a vector shorter than the first row
};

/// What the trials of a step did; times are of all threads together.
struct StepRecord {
  std::uint64_t nodes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t trials = 0;
  double reductionSeconds = 0;
  double searchSeconds = 0;  ///< on cores
  double deviceSeconds = 0;
};

/// The results in the order of `blocks`; none when it was stopped. `workers`, one for each thread, gets what
/// they did. Rethrows what a thread throws.
[[nodiscard]] std::vector<BlockResult> searchBlocks(std::vector<std::unique_ptr<BlockSearch>>& blocks,
                                                    const StepSettings& settings, const StopRequest& stop,
                                                    StepRecord& record, std::vector<WorkerReport>& workers);

}  // namespace slicepool::reduce
