// Memory for the slices of a batch on the host, and the loans of it that a checkpoint reads while the run
// goes on. Used by the batch driver.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "slicepool/detail/batch_device.hpp"

namespace slicepool {

/// Slices in memory that the device copies to and from fast; grows by whole replacement.
class SliceBuffer {
 public:
  SliceBuffer() = default;
  /// An empty one with room for `bytes` bytes.
  SliceBuffer(BatchDevice& device, std::size_t bytes) { reserve(device, bytes); }
  [[nodiscard]] std::byte* data() { return memory_.get(); }
  [[nodiscard]] const std::byte* data() const { return memory_.get(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Keeps the content.
  void resize(BatchDevice& device, std::size_t bytes) {
    // What was taken off the end of a loan would be overwritten.
    const bool overwrites = bytes > bytes_ && bytes_ < lentBytes_ && lent();
    if (bytes > capacity_ || overwrites) {
      const std::size_t capacity = bytes > capacity_ ? std::max({bytes, 2 * capacity_, kMinimum}) : capacity_;
      auto larger = device.hostMemory(capacity);
      if (bytes_ != 0) std::memcpy(larger.get(), memory_.get(), bytes_);
      memory_ = std::move(larger);
      readers_ = std::make_shared<std::atomic<int>>(0);
      lentBytes_ = 0;
      capacity_ = capacity;
    }
    bytes_ = bytes;
  }
  void shrink(std::size_t bytes) { bytes_ = bytes; }
  /// The content as it is stays while the pointer lives; a writer looks at lent() before.
  [[nodiscard]] std::shared_ptr<const void> lend() {
    struct Loan {
      explicit Loan(const SliceBuffer& buffer) : memory(buffer.memory_), readers(buffer.readers_) {
        readers->fetch_add(1, std::memory_order_relaxed);
      }
      ~Loan() { readers->fetch_sub(1, std::memory_order_release); }
      Loan(const Loan&) = delete;
      Loan& operator=(const Loan&) = delete;
      std::shared_ptr<std::byte[]> memory;
      std::shared_ptr<std::atomic<int>> readers;
    };
    lentBytes_ = lent() ? std::max(lentBytes_, bytes_) : bytes_;
    return std::make_shared<Loan>(*this);
  }
  [[nodiscard]] bool lent() const { return readers_ && readers_->load(std::memory_order_acquire) != 0; }
  /// The same without the content: nothing is copied when the memory is replaced.
  void renew(BatchDevice& device, std::size_t bytes) {
    bytes_ = 0;
    resize(device, bytes);
  }
  /// Room for `bytes` bytes; the content is lost.
  void reserve(BatchDevice& device, std::size_t bytes) {
    renew(device, bytes);
    bytes_ = 0;
  }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  /// The owner of the bytes: expires when there is no reader any more.
  [[nodiscard]] std::weak_ptr<const void> memory() const { return memory_; }

 private:
  static constexpr std::size_t kMinimum = 64U << 10;
  std::shared_ptr<std::byte[]> memory_;
  std::shared_ptr<std::atomic<int>> readers_;
  std::size_t bytes_ = 0;
  std::size_t capacity_ = 0;
  std::size_t lentBytes_ = 0;  ///< of the loans that are read
};

/// A buffer that is written to again and again. Memory that is still read is put aside, and taken
/// again later.
class StagingBuffer {
 public:
  /// The buffer, with room for `bytes` bytes, contents undefined, without a reader.
  SliceBuffer& renew(BatchDevice& device, std::size_t bytes) {
    if (buffer_.lent()) {
      spares_.push_back(std::exchange(buffer_, SliceBuffer{}));
      const auto spare = largestFree();
      if (spare != spares_.end()) {
        buffer_ = std::move(*spare);
        spares_.erase(spare);
      }
    }
    dropSpares();
    buffer_.renew(device, bytes);
    return buffer_;
  }
  /// Memory for a later renew().
  void add(SliceBuffer spare) { spares_.push_back(std::move(spare)); }
  /// As the last renew() left it; to be swapped with what it replaces.
  [[nodiscard]] SliceBuffer& buffer() { return buffer_; }
  /// Bytes that can be written without new memory once `buffer` is the one here.
  [[nodiscard]] std::size_t room(const SliceBuffer& buffer) const {
    if (!buffer.lent()) return buffer.capacity();
    std::size_t most = 0;
    for (const SliceBuffer& spare : spares_)
      if (!spare.lent()) most = std::max(most, spare.capacity());
    return most;
  }
  [[nodiscard]] std::size_t room() const { return room(buffer_); }

 private:
  /// Beside what is lent: one for each batch, and one more.
  static constexpr std::size_t kMaximumSpares = kBatchSlots + 1;

  std::vector<SliceBuffer>::iterator largestFree() {
    auto best = spares_.end();
    for (auto spare = spares_.begin(); spare != spares_.end(); ++spare)
      if (!spare->lent() && (best == spares_.end() || spare->capacity() > best->capacity())) best = spare;
    return best;
  }
  /// Many were lent at once and came back: the smallest go first.
  void dropSpares() {
    if (spares_.size() <= kMaximumSpares) return;
    std::sort(spares_.begin(), spares_.end(),
              [](const SliceBuffer& a, const SliceBuffer& b) { return a.capacity() > b.capacity(); });
    std::size_t kept = 0;
    std::erase_if(spares_,
                  [&](const SliceBuffer& spare) { return !spare.lent() && ++kept > kMaximumSpares; });
  }

  SliceBuffer buffer_;
  std::vector<SliceBuffer> spares_;
};

}  // namespace slicepool
