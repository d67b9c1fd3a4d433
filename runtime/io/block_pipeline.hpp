// A fixed number of blocks through an ordered pipeline: what a producer under a lock hands over so as not to
// do it there, with bounded memory. Called by consumers of results (runtime/lattice/solution_consumer).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "runtime/io/ordered_pipeline.hpp"

namespace slicepool {

/// What happens to a block, see OrderedPipeline::Actions. The caller owns what is in blocks 0 .. n-1.
struct BlockActions {
  std::function<void(std::size_t block, int thread)> convert;
  std::function<void(std::size_t block)> place;
  std::function<void(std::size_t block)> write;
};

/// One producer at a time calls acquire, submit and drain. These rethrow the first exception of an action,
/// after which nothing is done any more.
class BlockPipeline {
 public:
  /// `blocks` >= 1, `threads` >= 1.
  BlockPipeline(std::size_t blocks, int threads, BlockActions actions);

  /// A block that is not in use. Waits for one: this is how a slow disk slows its producers down.
  [[nodiscard]] std::size_t acquire();
  /// Hands an acquired block over.
  void submit(std::size_t block);
  /// What waits is given up, as when the pipeline goes: threads end with the block that they are at.
  void abandon() { pipeline_.abandon(); }
  /// Everything submitted has gone through all actions. The producer works along.
  void drain();
  /// Submits the last block, and drains: no thread begins for it, which would take as long as many results.
  void drainWith(std::size_t block);
  /// Threads that have begun.
  [[nodiscard]] std::size_t threads();

 private:
  using Pipeline = OrderedPipeline<std::size_t>;

  void drain(Pipeline::Lock& lock);

  std::vector<std::size_t> free_;  ///< guarded by the pipeline's lock
  Pipeline pipeline_;              ///< last: its threads use the rest
};

}  // namespace slicepool
