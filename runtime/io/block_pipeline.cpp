// See block_pipeline.hpp.
#include "runtime/io/block_pipeline.hpp"

#include <utility>

namespace slicepool {

BlockPipeline::BlockPipeline(std::size_t blocks, int threads, BlockActions actions)
    : maximumThreads_(threads), actions_(std::move(actions)) {
  // The last one given back is lent first: few blocks are touched while the producer is the slower one.
  for (std::size_t block = blocks; block-- > 0;) free_.push_back(block);
}

BlockPipeline::~BlockPipeline() {
  abandon();
  threads_.clear();  // joins
}

void BlockPipeline::abandon() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    waiting_.clear();
  }
  work_.notify_all();
}

std::size_t BlockPipeline::acquire() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return !free_.empty() || failure_ != nullptr; });
  rethrow();
  const std::size_t block = free_.back();
  free_.pop_back();
  return block;
}

void BlockPipeline::submit(std::size_t block) {
  {
    const std::lock_guard lock(mutex_);
    rethrow();
    waiting_.push_back({block, submitted_++});
    if (waiting_.size() > idle_ && threads_.size() < static_cast<std::size_t>(maximumThreads_)) {
      const int thread = static_cast<int>(threads_.size());
      threads_.emplace_back([this, thread] { work(thread); });
    }
  }
  work_.notify_one();
}

void BlockPipeline::drain() {
  std::unique_lock lock(mutex_);
  while (!waiting_.empty() && failure_ == nullptr) processOldest(lock, maximumThreads_);
  done_.wait(lock, [this] { return busy_ == 0 || failure_ != nullptr; });
  rethrow();
}

void BlockPipeline::work(int thread) {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    work_.wait(lock, [this] { return !waiting_.empty() || closing_ || failure_ != nullptr; });
    --idle_;
    if (waiting_.empty() || failure_ != nullptr) return;
    processOldest(lock, thread);
  }
}

void BlockPipeline::processOldest(std::unique_lock<std::mutex>& lock, int thread) {
  const Entry entry = waiting_.front();
  waiting_.pop_front();
  ++busy_;
  lock.unlock();
  try {
    process(entry, thread);
  } catch (...) {
    fail(std::current_exception());
  }
  lock.lock();
  --busy_;
  free_.push_back(entry.block);
  done_.notify_all();
}

/// Blocks are taken in order, so the thread with the oldest one never waits for its turn.
void BlockPipeline::process(const Entry& entry, int thread) {
  actions_.convert(entry.block, thread);
  {
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return placed_ == entry.sequence || failure_ != nullptr; });
    if (failure_ != nullptr) return;
  }
  actions_.place(entry.block);
  {
    const std::lock_guard lock(mutex_);
    ++placed_;
  }
  turn_.notify_all();
  actions_.write(entry.block);
}

void BlockPipeline::fail(std::exception_ptr error) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr) failure_ = std::move(error);
  }
  for (auto* condition : {&work_, &turn_, &done_}) condition->notify_all();
}

}  // namespace slicepool
