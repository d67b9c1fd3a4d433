// Owners of CUDA resources: device memory, pinned host memory, streams and events. Memory comes from a
// per-process cache, so that a second run does not pay for cudaMalloc and cudaHostAlloc (milliseconds) again.
// Used by everything in this folder that holds CUDA resources.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cuda_check.hpp"
#include "slicepool/core/devices.hpp"

namespace slicepool::cuda {

/// Makes `device` the calling thread's device. CUDA's current device belongs to a thread, and a run may make
/// its devices in one thread and drive them in another. Throws CudaError.
inline void useDevice(int device) { SLICEPOOL_CUDA_CHECK(cudaSetDevice(device)); }

/// The same, first of all, for a device that was chosen by number: a member before any that makes a CUDA
/// call. Throws DeviceError for a number that no GPU has.
struct SelectedDevice {
  explicit SelectedDevice(int device);
};

/// A block of memory of the cache. `bytes` is its real size, at least what was asked for.
struct Block {
  void* address = nullptr;
  std::size_t bytes = 0;
  int device = 0;
  std::uint64_t given = 0;  ///< while it is unused: since which of all blocks that were given back
};

/// Free lists of device and pinned memory by size, one per process. Thread-safe. Blocks are given back to
/// CUDA on releaseAll(), when an allocation fails for lack of memory, beyond the limits, and at exit.
class MemoryCache {
 public:
  [[nodiscard]] static MemoryCache& instance();

  /// Device memory on the current device, 256-byte aligned. Its content is that of an earlier user, or zeros:
  /// padding that nobody writes may be copied to the host with the rest. Throws LimitError with the numbers
  /// when the device is short of memory, CudaError otherwise.
  [[nodiscard]] Block takeDevice(std::size_t bytes);
  /// Pinned host memory, contents undefined. Throws LimitError or CudaError.
  [[nodiscard]] Block takePinned(std::size_t bytes);
  /// Whether takePinned(bytes) finds an unused block.
  [[nodiscard]] bool hasPinned(std::size_t bytes) const;
  void giveDevice(const Block& block) noexcept;
  void givePinned(const Block& block) noexcept;

  /// Bytes of device memory that lie unused in the cache and would be given back before an allocation fails.
  [[nodiscard]] std::size_t idleDeviceBytes(int device) const;
  [[nodiscard]] UnusedGpuMemory unused() const;
  /// How much may lie unused on each device, and of pinned memory for each device that has been used. What is
  /// beyond goes back to CUDA at once, longest unused first.
  void setLimits(std::size_t deviceBytes, std::size_t hostBytes) noexcept;
  /// Gives all unused blocks back to CUDA.
  void releaseAll() noexcept;
  /// After an error that ended the context: forget all blocks, keep none that is given back later. Nothing
  /// can be freed any more, and nothing of it may be handed out again.
  void abandon() noexcept;

  MemoryCache(const MemoryCache&) = delete;
  MemoryCache& operator=(const MemoryCache&) = delete;

 private:
  MemoryCache();
  ~MemoryCache();
  struct State;
  State* state_;
};

/// Memory of `bytes` bytes from the cache, by one pair of its functions; empty when default-constructed.
/// Movable.
template <Block (MemoryCache::*kTake)(std::size_t), void (MemoryCache::*kGive)(const Block&) noexcept>
class CachedBuffer {
 public:
  CachedBuffer() = default;
  explicit CachedBuffer(std::size_t bytes) : block_((MemoryCache::instance().*kTake)(bytes)) {}
  ~CachedBuffer() { reset(); }
  CachedBuffer(CachedBuffer&& other) noexcept : block_(std::exchange(other.block_, {})) {}
  CachedBuffer& operator=(CachedBuffer&& other) noexcept {
    if (this != &other) {
      reset();
      block_ = std::exchange(other.block_, {});
    }
    return *this;
  }
  /// Gives the memory back to the cache. Work that uses it must be finished.
  void reset() noexcept {
    if (block_.address != nullptr) (MemoryCache::instance().*kGive)(std::exchange(block_, {}));
  }
  template <class T = std::byte>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(block_.address);
  }
  [[nodiscard]] std::size_t bytes() const { return block_.bytes; }

 private:
  Block block_;
};

/// Device memory.
using DeviceBuffer = CachedBuffer<&MemoryCache::takeDevice, &MemoryCache::giveDevice>;
/// Pinned host memory: copies to and from it are asynchronous and run at the full speed of the bus.
using PinnedBuffer = CachedBuffer<&MemoryCache::takePinned, &MemoryCache::givePinned>;

/// A stream that does not synchronise with the default stream.
class Stream {
 public:
  Stream() { SLICEPOOL_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  /// Waits for the work on the stream, so that buffers declared before their stream outlive their use. When
  /// that work failed the context is lost, and the memory cache with it.
  ~Stream() {
    if (stream_ == nullptr) return;
    if (cudaStreamSynchronize(stream_) != cudaSuccess) MemoryCache::instance().abandon();
    static_cast<void>(cudaStreamDestroy(stream_));
    static_cast<void>(cudaGetLastError());
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// An event that wait() waits for by sleeping, not by spinning; with or without a time stamp.
class Event {
 public:
  enum class Timing : bool { no, yes };

  explicit Event(Timing timing = Timing::no) {
    const unsigned flags = cudaEventBlockingSync | (timing == Timing::no ? cudaEventDisableTiming : 0U);
    SLICEPOOL_CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags));
  }
  ~Event() {
    if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(const Stream& stream) { SLICEPOOL_CUDA_CHECK(cudaEventRecord(event_, stream.get())); }
  /// Makes later work on `stream` wait for everything before the last record().
  void delay(const Stream& stream) const {
    SLICEPOOL_CUDA_CHECK(cudaStreamWaitEvent(stream.get(), event_, 0));
  }
  [[nodiscard]] cudaEvent_t get() const { return event_; }
  /// Blocks until everything before the last record() is done. Throws the CudaError of failed kernels.
  void wait() const { SLICEPOOL_CUDA_CHECK(cudaEventSynchronize(event_)); }
  /// The same for what may be done soon: asks for up to 2 ms before the thread sleeps, since to wake up takes
  /// a twentieth of one.
  void waitSoon() const;
  /// Milliseconds between two recorded and finished events with time stamps.
  [[nodiscard]] double millisecondsSince(const Event& start) const {
    float elapsed = 0;
    SLICEPOOL_CUDA_CHECK(cudaEventElapsedTime(&elapsed, start.event_, event_));
    return static_cast<double>(elapsed);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace slicepool::cuda
