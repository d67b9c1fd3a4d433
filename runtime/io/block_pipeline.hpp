// Blocks of work that several threads convert at the same time and that leave in the order in which they
// came: what a producer under a lock hands over so as not to do it there. Called by consumers of results
// (runtime/lattice/solution_consumer).
//
// The threads are its own. Those of oneTBB are the CPU workers while an engine runs, and these wait for the
// pipeline when it is full.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace slicepool {

/// What happens to a block. The caller owns what is in blocks 0 .. n-1.
struct BlockActions {
  /// Several blocks at a time, each on one thread; `thread` is from 0 to the number of threads, that included
  /// (the producer in drain()), and never the same at the same time.
  std::function<void(std::size_t block, int thread)> convert;
  /// One at a time, in the order of submit().
  std::function<void(std::size_t block)> place;
  /// Several at a time, after `place`.
  std::function<void(std::size_t block)> write;
};

/// One producer at a time calls acquire, submit and drain. These rethrow the first exception of an action,
/// after which nothing is done any more. Threads start when there is work for them.
class BlockPipeline {
 public:
  /// `blocks` >= 1, `threads` >= 1.
  BlockPipeline(std::size_t blocks, int threads, BlockActions actions);
  /// Gives up what waits; drain() before to have it done.
  ~BlockPipeline();
  BlockPipeline(const BlockPipeline&) = delete;
  BlockPipeline& operator=(const BlockPipeline&) = delete;

  /// A block that is not in use. Waits for one: this is how a slow disk slows its producers down.
  [[nodiscard]] std::size_t acquire();
  /// Hands an acquired block over.
  void submit(std::size_t block);
  /// What waits is given up, as when the pipeline goes: threads end with the block that they are at.
  void abandon();
  /// Everything submitted has gone through all actions. The producer works along, so that a few blocks need
  /// no thread.
  void drain();

 private:
  struct Entry {
    std::size_t block = 0;
    std::uint64_t sequence = 0;
  };

  void work(int thread);
  /// Takes the oldest block through all actions. With the lock, which it gives up meanwhile.
  void processOldest(std::unique_lock<std::mutex>& lock, int thread);
  void process(const Entry& entry, int thread);
  void fail(std::exception_ptr error);
  void rethrow() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

  int maximumThreads_;
  BlockActions actions_;

  std::mutex mutex_;  ///< of everything below
  std::condition_variable work_, turn_, done_;
  std::vector<std::size_t> free_;
  std::deque<Entry> waiting_;
  std::size_t busy_ = 0;  ///< blocks in an action
  std::size_t idle_ = 0;  ///< threads without work
  std::uint64_t submitted_ = 0;
  std::uint64_t placed_ = 0;
  bool closing_ = false;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;
};

}  // namespace slicepool
