// The shared lock-free pool of slices: a slab of fixed-size entries, with the indices of ready and of free
// entries in Boost.Lockfree containers. SlabPool holds opaque bytes.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/stack.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/core/options.hpp"

namespace slicepool {

/// A lock-free container of indices, stack or queue, for `nodes` entries. Up to 65,534 nodes Boost.Lockfree
/// takes them from one array with 16-bit links, which is quick to make; beyond that every node is allocated
/// alone.
template <template <class, class...> class Container>
class IndexContainer {
 public:
  explicit IndexContainer(std::size_t nodes) {
    if (nodes <= kMaximumArrayNodes)
      array_ = std::make_unique<Container<std::uint32_t, boost::lockfree::fixed_sized<true>>>(nodes);
    else
      linked_ = std::make_unique<Container<std::uint32_t>>(nodes);
  }
  bool push(std::uint32_t index) {
    return array_ ? array_->bounded_push(index) : linked_->bounded_push(index);
  }
  bool pop(std::uint32_t& index) { return array_ ? array_->pop(index) : linked_->pop(index); }

 private:
  static constexpr std::size_t kMaximumArrayNodes = 65'534;
  std::unique_ptr<Container<std::uint32_t, boost::lockfree::fixed_sized<true>>> array_;
  std::unique_ptr<Container<std::uint32_t>> linked_;
};

/// Bounded lock-free pool of entries of `entryBytes` each. All members are safe from any thread.
/// Push and pop cost O(entryBytes) plus two lock-free operations on indices; nothing allocates after
/// construction. Memory of entries is touched when they are used for the first time: a run of milliseconds
/// must not pay for a pool of thousands.
class SlabPool {
 public:
  /// `capacity` entries. Throws ConfigError for a capacity of 0 or of 2^31 and more, std::bad_alloc.
  SlabPool(std::size_t entryBytes, std::size_t capacity, PoolOrder order)
      : entryBytes_(entryBytes),
        stride_((entryBytes + kAlignment - 1) / kAlignment * kAlignment),
        capacity_(capacity),
        order_(order),
        free_(checkedNodes(capacity)),
        newest_(order == PoolOrder::lifo ? capacity + kSpareNodes : 1),
        oldest_(order == PoolOrder::fifo ? capacity + kSpareNodes : 1),
        slab_(new std::byte[stride_ * capacity]) {}

  /// False when the pool is full; the caller keeps the slice.
  bool tryPush(const std::byte* entry) {
    std::uint32_t index = 0;
    if (!free_.pop(index) && !takeUnused(index)) return false;
    std::memcpy(slab_.get() + stride_ * index, entry, entryBytes_);
    size_.value.fetch_add(1, std::memory_order_seq_cst);
    if (order_ == PoolOrder::lifo)
      insist([&] { return newest_.push(index); });
    else
      insist([&] { return oldest_.push(index); });
    return true;
  }

  /// False when no slice is ready.
  bool tryPop(std::byte* entry) {
    std::uint32_t index = 0;
    const bool popped = order_ == PoolOrder::lifo ? newest_.pop(index) : oldest_.pop(index);
    if (!popped) return false;
    size_.value.fetch_sub(1, std::memory_order_seq_cst);
    std::memcpy(entry, slab_.get() + stride_ * index, entryBytes_);
    insist([&] { return free_.push(index); });
    return true;
  }

  /// Pops up to `maximum` slices into consecutive entries; returns how many.
  std::size_t tryPopBulk(std::byte* entries, std::size_t maximum) {
    std::size_t count = 0;
    while (count < maximum && tryPop(entries + count * entryBytes_)) ++count;
    return count;
  }

  /// Appends all entries to `entries`; they stay, in their order. Only while no thread pushes or pops.
  void copyTo(std::vector<std::byte>& entries) {
    std::vector<std::uint32_t> order;
    const bool newestFirst = order_ == PoolOrder::lifo;
    for (std::uint32_t index = 0; newestFirst ? newest_.pop(index) : oldest_.pop(index);) {
      order.push_back(index);
      const std::byte* const entry = slab_.get() + stride_ * index;
      entries.insert(entries.end(), entry, entry + entryBytes_);
    }
    if (newestFirst) std::reverse(order.begin(), order.end());
    for (const std::uint32_t index : order)
      insist([&] { return newestFirst ? newest_.push(index) : oldest_.push(index); });
  }

  /// Exact while no push or pop is in progress; never less than what a completed push made visible.
  [[nodiscard]] std::size_t approximateSize() const noexcept {
    const auto size = size_.value.load(std::memory_order_seq_cst);
    return size > 0 ? static_cast<std::size_t>(size) : 0;
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t memoryBytes() const noexcept { return stride_ * capacity_; }

 private:
  static constexpr std::size_t kAlignment = 64;
  // A node may be on its way back to the container's own free list while a push looks for one.
  static constexpr std::size_t kSpareNodes = 256;

  static std::size_t checkedNodes(std::size_t capacity) {
    if (capacity == 0 || capacity >= (std::size_t{1} << 31))
      throw ConfigError("pool_capacity", std::to_string(capacity), "1 .. 2^31-1 slices");
    return capacity + kSpareNodes;
  }
  /// An entry that was never used; false when there are none left. The counter stops at the capacity.
  bool takeUnused(std::uint32_t& index) {
    std::size_t next = used_.load(std::memory_order_relaxed);
    while (next < capacity_) {
      if (used_.compare_exchange_weak(next, next + 1, std::memory_order_relaxed)) {
        index = static_cast<std::uint32_t>(next);
        return true;
      }
    }
    return false;
  }
  /// Retries an operation that can fail only while another thread is between two of its own steps.
  template <class Operation>
  static void insist(Operation&& operation) {
    while (!operation()) std::this_thread::yield();
  }

  struct alignas(kAlignment) PaddedCounter {
    std::atomic<std::int64_t> value{0};
  };

  std::size_t entryBytes_;
  std::size_t stride_;
  std::size_t capacity_;
  PoolOrder order_;
  IndexContainer<boost::lockfree::stack> free_;  ///< entries that were used and given back
  std::atomic<std::size_t> used_{0};             ///< entries that were used at least once
  IndexContainer<boost::lockfree::stack> newest_;
  IndexContainer<boost::lockfree::queue> oldest_;
  PaddedCounter size_;
  std::unique_ptr<std::byte[]> slab_;
};

}  // namespace slicepool
