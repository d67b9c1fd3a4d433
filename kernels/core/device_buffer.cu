// Implementation of device_buffer.cuh: the choice of a device, the memory cache.
#include "device_buffer.cuh"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "pinned_memory.cuh"
#include "slicepool/core/session.hpp"

namespace slicepool::cuda {

namespace {

// Sizes are rounded up so that runs of similar size find each other's blocks: to a power of two while that
// wastes little, to whole 2 MiB pages above.
std::size_t roundedSize(std::size_t bytes) {
  constexpr std::size_t kMinimum = 512;
  constexpr std::size_t kPage = std::size_t{2} << 20U;
  if (bytes > kPage) return (bytes + kPage - 1) / kPage * kPage;
  std::size_t size = kMinimum;
  while (size < bytes) size *= 2;
  return size;
}

// A free block serves a request when at most half of it would lie idle.
constexpr std::size_t kWasteFactor = 2;

using FreeList = std::multimap<std::size_t, Block>;  // by size

FreeList::const_iterator fitting(const FreeList& list, std::size_t bytes) {
  const auto found = list.lower_bound(bytes);
  return found == list.end() || found->first > bytes * kWasteFactor ? list.end() : found;
}

bool takeFrom(FreeList& list, std::size_t bytes, Block& block) {
  const auto found = fitting(list, bytes);
  if (found == list.end()) return false;
  block = found->second;
  list.erase(found);
  return true;
}

std::size_t bytesOf(const FreeList& list) {
  std::size_t total = 0;
  for (const auto& [size, block] : list) total += size;
  return total;
}

/// Takes those that were unused for longest out of the list, until the rest is within the limit.
std::vector<Block> cutTo(FreeList& list, std::size_t limit) {
  std::vector<Block> cut;
  for (std::size_t bytes = bytesOf(list); bytes > limit;) {
    const auto oldest = std::min_element(list.begin(), list.end(), [](const auto& a, const auto& b) {
      return a.second.given < b.second.given;
    });
    bytes -= oldest->first;
    cut.push_back(oldest->second);
    list.erase(oldest);
  }
  return cut;
}

void freeDevice(const std::vector<Block>& blocks) noexcept {
  if (blocks.empty()) return;
  int current = 0;
  const bool known = cudaGetDevice(&current) == cudaSuccess;
  for (const Block& block : blocks) {
    static_cast<void>(cudaSetDevice(block.device));
    static_cast<void>(cudaFree(block.address));
  }
  if (known) static_cast<void>(cudaSetDevice(current));
  static_cast<void>(cudaGetLastError());
}

void freeHost(const std::vector<Block>& blocks) noexcept {
  for (const Block& block : blocks) freePinned(block.address, block.bytes);
  if (!blocks.empty()) static_cast<void>(cudaGetLastError());
}

/// How long an event is asked for: launches of short searches take less than a millisecond. The thread of a
/// device has a core for itself.
constexpr std::chrono::microseconds kPolling{2000};

std::string shortage(const char* kind, std::size_t bytes, const std::string& available) {
  return std::string(kind) + ": " + describeBytes(bytes) + " needed, " + available;
}

}  // namespace

SelectedDevice::SelectedDevice(int device) {
  int devices = 0;
  SLICEPOOL_CUDA_CHECK(cudaGetDeviceCount(&devices));
  if (device < 0 || device >= devices) {
    throw DeviceError("GPU " + std::to_string(device) + " does not exist: CUDA sees " +
                      std::to_string(devices) + ", numbered from 0");
  }
  useDevice(device);
}

void Event::waitSoon() const {
  const auto end = std::chrono::steady_clock::now() + kPolling;
  while (cudaEventQuery(event_) == cudaErrorNotReady) {
    static_cast<void>(cudaGetLastError());  // that was no error
    if (std::chrono::steady_clock::now() >= end) break;
    std::this_thread::yield();
  }
  wait();
}

struct MemoryCache::State {
  std::mutex mutex;
  std::map<int, FreeList> device;
  FreeList pinned;
  std::size_t deviceLimit = SessionOptions{}.deviceBytes;
  std::size_t hostLimit = SessionOptions{}.hostBytes;
  std::uint64_t given = 0;
  bool abandoned = false;

  void releaseDevice() {
    for (auto& [index, list] : device) freeDevice(cutTo(list, 0));
  }
  /// Slices go from one GPU to another through pinned memory, so that each needs as much as a single one.
  [[nodiscard]] std::size_t hostLimitOfAll() const {
    const std::size_t devices = std::max<std::size_t>(1, device.size());
    return std::min(hostLimit, ~std::size_t{0} / devices) * devices;
  }
  void releasePinned() { freeHost(cutTo(pinned, 0)); }
  bool takeUnusedDevice(int index, std::size_t size, Block& block) {
    const std::lock_guard lock(mutex);
    return takeFrom(device[index], size, block);
  }
  bool takeUnusedPinned(std::size_t size, Block& block) {
    const std::lock_guard lock(mutex);
    return takeFrom(pinned, size, block);
  }
};

MemoryCache::MemoryCache() : state_(new State) {}

MemoryCache::~MemoryCache() {
  releaseAll();
  delete state_;
  state_ = nullptr;
}

MemoryCache& MemoryCache::instance() {
  static MemoryCache cache;
  return cache;
}

// Without the lock while CUDA allocates, which can take tens of milliseconds: what other devices need may be
// there.
Block MemoryCache::takeDevice(std::size_t bytes) {
  Block block;
  const std::size_t size = roundedSize(bytes);
  int device = 0;
  SLICEPOOL_CUDA_CHECK(cudaGetDevice(&device));
  if (state_->takeUnusedDevice(device, size, block)) return block;
  void* address = nullptr;
  cudaError_t status = cudaMalloc(&address, size);
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    {
      const std::lock_guard lock(state_->mutex);
      state_->releaseDevice();
    }
    status = cudaMalloc(&address, size);
  }
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    std::size_t freeBytes = 0;
    std::size_t totalBytes = 0;
    static_cast<void>(cudaMemGetInfo(&freeBytes, &totalBytes));
    throw LimitError(shortage("device memory", bytes,
                              describeBytes(freeBytes) + " of " + describeBytes(totalBytes) + " free"));
  }
  check(status, "cudaMalloc");
  status = cudaMemsetAsync(address, 0, size, cudaStreamPerThread);
  if (status == cudaSuccess) status = cudaStreamSynchronize(cudaStreamPerThread);
  if (status != cudaSuccess) static_cast<void>(cudaFree(address));
  check(status, "clearing of device memory");
  return {address, size, device};
}

Block MemoryCache::takePinned(std::size_t bytes) {
  Block block;
  const std::size_t size = roundedSize(bytes);
  if (state_->takeUnusedPinned(size, block)) return block;
  void* address = nullptr;
  cudaError_t status = allocatePinned(&address, size);
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    {
      const std::lock_guard lock(state_->mutex);
      state_->releasePinned();
    }
    status = allocatePinned(&address, size);
  }
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    throw LimitError(shortage("pinned host memory", bytes, "the system has less to lock"));
  }
  check(status, "pinned memory");
  return {address, size, 0};
}

bool MemoryCache::hasPinned(std::size_t bytes) const {
  const std::lock_guard lock(state_->mutex);
  return fitting(state_->pinned, roundedSize(bytes)) != state_->pinned.end();
}

void MemoryCache::giveDevice(const Block& block) noexcept {
  if (state_ == nullptr) return;
  std::vector<Block> cut;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->abandoned) return;
    FreeList& list = state_->device[block.device];
    list.emplace(block.bytes, block)->second.given = ++state_->given;
    cut = cutTo(list, state_->deviceLimit);
  }
  freeDevice(cut);
}

void MemoryCache::givePinned(const Block& block) noexcept {
  if (state_ == nullptr) return;
  std::vector<Block> cut;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->abandoned) return;
    state_->pinned.emplace(block.bytes, block)->second.given = ++state_->given;
    cut = cutTo(state_->pinned, state_->hostLimitOfAll());
  }
  freeHost(cut);
}

std::size_t MemoryCache::idleDeviceBytes(int device) const {
  const std::lock_guard lock(state_->mutex);
  const auto list = state_->device.find(device);
  return list == state_->device.end() ? 0 : bytesOf(list->second);
}

UnusedGpuMemory MemoryCache::unused() const {
  if (state_ == nullptr) return {};
  const std::lock_guard lock(state_->mutex);
  UnusedGpuMemory memory;
  for (const auto& [index, list] : state_->device) memory.deviceBytes += bytesOf(list);
  memory.hostBytes = bytesOf(state_->pinned);
  return memory;
}

void MemoryCache::setLimits(std::size_t deviceBytes, std::size_t hostBytes) noexcept {
  if (state_ == nullptr) return;  // a session that is destroyed after static objects
  const std::lock_guard lock(state_->mutex);
  state_->deviceLimit = deviceBytes;
  state_->hostLimit = hostBytes;
  for (auto& [index, list] : state_->device) freeDevice(cutTo(list, deviceBytes));
  freeHost(cutTo(state_->pinned, state_->hostLimitOfAll()));
}

void MemoryCache::releaseAll() noexcept {
  const std::lock_guard lock(state_->mutex);
  state_->releaseDevice();
  state_->releasePinned();
}

void MemoryCache::abandon() noexcept {
  const std::lock_guard lock(state_->mutex);
  state_->abandoned = true;
  state_->device.clear();
  state_->pinned.clear();
}

}  // namespace slicepool::cuda
