// Copies between ordinary host memory and a device through two pinned chunks in turn, so that the bus and
// the memcpy on the host work at the same time. Copies straight from pageable memory run at a third of the
// speed and block. Used by the devices of this folder for slices, tables, results and rows.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "device_buffer.cuh"

namespace slicepool::cuda {

/// A memcpy by several threads: one core moves 5-10 GB/s into fresh pages, the bus brings 55. The helpers
/// are started by the first large copy and sleep between copies. One caller at a time.
class CopyTeam {
 public:
  CopyTeam() = default;
  ~CopyTeam();
  CopyTeam(const CopyTeam&) = delete;
  CopyTeam& operator=(const CopyTeam&) = delete;
  void copy(std::byte* to, const std::byte* from, std::size_t bytes);

 private:
  struct Job {
    std::byte* to = nullptr;
    const std::byte* from = nullptr;
    std::size_t bytes = 0;
  };
  void start();
  void work(std::size_t index);
  [[nodiscard]] Job part(std::size_t index) const;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  Job job_;
  std::uint64_t generation_ = 0;
  std::size_t pending_ = 0;
  bool stop_ = false;
  std::vector<std::thread> helpers_;
};

/// The ring. Calls come from one thread; the streams may differ from call to call.
class PinnedRing {
 public:
  /// Copies `bytes` bytes to the device. Returns when `host` may be changed again; the last copies may still
  /// be on their way, in order on `stream`.
  void toDevice(void* device, const void* host, std::size_t bytes, const Stream& stream);
  /// A part of what is copied to the device at once.
  struct Piece {
    const void* host = nullptr;
    std::size_t bytes = 0;
    std::size_t offset = 0;  ///< from the address on the device; ascending
  };
  /// Copies small pieces in one copy, with what lay in the ring between them. Returns as the other.
  void toDevice(std::span<const Piece> pieces, const Stream& stream, std::byte* device);
  /// Copies `bytes` bytes to the host, after the work queued on `stream`. Returns when they are there.
  /// Memory that is pinned already is filled directly.
  void toHost(void* host, const void* device, std::size_t bytes, const Stream& stream);

  /// Pinned memory that it holds.
  [[nodiscard]] std::size_t bytes() const { return chunks_[0].buffer.bytes() + chunks_[1].buffer.bytes(); }

  /// Whether `bytes` bytes at `host` are page-locked, so that copies to them need no ring.
  [[nodiscard]] static bool isPinned(const void* host, std::size_t bytes);

 private:
  struct Chunk {
    PinnedBuffer buffer;
    Event free;  ///< recorded after the last copy that uses the buffer
    bool busy = false;
  };
  /// The next chunk in turn, at least `bytes` large, with no copy in flight.
  Chunk& acquire(std::size_t bytes);
  static void release(Chunk& chunk, const Stream& stream);

  std::array<Chunk, 2> chunks_;
  std::size_t next_ = 0;
  CopyTeam team_;
};

}  // namespace slicepool::cuda
