// Reduction words of one batch on a device, in several replicas, so that hundreds of thousands of threads do
// not queue up at one address. Blocks pick a replica by their number; reading merges them (on the host when
// they are few, else on the device). Used by CudaDeviceBase.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device_buffer.cuh"
#include "pinned_ring.cuh"
#include "slicepool/core/words.hpp"

namespace slicepool::cuda {

/// How the replicas of one layout lie in memory; the same for all batches of a device.
class WordPlan {
 public:
  explicit WordPlan(const WordLayout& layout);
  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] std::uint32_t replicas() const { return replicas_; }
  [[nodiscard]] std::uint32_t stride() const { return stride_; }  ///< words
  [[nodiscard]] std::size_t bytes() const { return std::size_t{8} * stride_ * replicas_; }
  /// Device bytes of a WordReplicas.
  [[nodiscard]] std::size_t deviceBytes() const { return bytes() + 8 * words_ + 9 * words_; }
  /// So few that every launch may copy them: a read of their own takes as long as several such copies.
  [[nodiscard]] bool isSmall() const { return bytes() <= (std::size_t{64} << 10U); }
  [[nodiscard]] const WordLayout& layout() const { return layout_; }

 private:
  WordLayout layout_;
  std::size_t words_;
  std::uint32_t stride_;
  std::uint32_t replicas_;
};

class WordReplicas {
 public:
  /// Allocates and queues the neutral values on `stream`.
  WordReplicas(const WordPlan& plan, const Stream& stream);
  [[nodiscard]] std::uint64_t* data() const { return replicas_.as<std::uint64_t>(); }
  /// Merges the replicas after the work queued on `stream` and copies the words to the host.
  void read(std::uint64_t* words, PinnedRing& ring, const Stream& stream);
  /// Queues a copy of the replicas that readCaptured() merges once `stream` has come past it: a read that
  /// waits for no other copy. False, and nothing is queued, where they are too large for that.
  bool capture(const Stream& stream);
  void readCaptured(std::uint64_t* words) const;

 private:
  void mergeOnHost(std::uint64_t* words, const std::uint64_t* replicas) const;

  const WordPlan* plan_;
  DeviceBuffer replicas_;
  DeviceBuffer merged_;
  DeviceBuffer merges_;  ///< one Merge a word
  PinnedBuffer captured_;
};

}  // namespace slicepool::cuda
