// See block_pipeline.hpp.
#include "runtime/io/block_pipeline.hpp"

#include <utility>

namespace slicepool {

BlockPipeline::BlockPipeline(std::size_t blocks, int threads, BlockActions actions)
    : pipeline_(threads, {std::move(actions.convert), std::move(actions.place), std::move(actions.write),
                          [this](std::size_t block, Pipeline::Lock&) { free_.push_back(block); }}) {
  // The last one given back is lent first: few blocks are touched while the producer is the slower one.
  for (std::size_t block = blocks; block-- > 0;) free_.push_back(block);
}

std::size_t BlockPipeline::acquire() {
  auto lock = pipeline_.lock();
  pipeline_.wait(lock, [this] { return !free_.empty(); });
  const std::size_t block = free_.back();
  free_.pop_back();
  return block;
}

void BlockPipeline::submit(std::size_t block) {
  auto lock = pipeline_.lock();
  pipeline_.submit(lock, block);
}

void BlockPipeline::drain() {
  auto lock = pipeline_.lock();
  drain(lock);
}

void BlockPipeline::drainWith(std::size_t block) {
  auto lock = pipeline_.lock();
  pipeline_.put(lock, block);
  drain(lock);
}

std::size_t BlockPipeline::threads() {
  const auto lock = pipeline_.lock();
  return pipeline_.threads(lock);
}

void BlockPipeline::drain(Pipeline::Lock& lock) {
  pipeline_.help(lock);
  pipeline_.wait(lock, [&] { return pipeline_.idle(lock); });
}

}  // namespace slicepool
