// Implementation of device_buffer.cuh: the choice of a device, the memory cache.
#include "device_buffer.cuh"

#include <map>
#include <mutex>
#include <string>

#include "pinned_memory.cuh"

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

bool takeFrom(FreeList& list, std::size_t bytes, Block& block) {
  const auto found = list.lower_bound(bytes);
  if (found == list.end() || found->first > bytes * kWasteFactor) return false;
  block = found->second;
  list.erase(found);
  return true;
}

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

struct MemoryCache::State {
  std::mutex mutex;
  std::map<int, FreeList> device;
  FreeList pinned;
  bool abandoned = false;

  void releaseDevice() {
    int current = 0;
    const bool known = cudaGetDevice(&current) == cudaSuccess;
    for (auto& [index, list] : device) {
      if (!list.empty()) static_cast<void>(cudaSetDevice(index));
      for (auto& [size, block] : list) static_cast<void>(cudaFree(block.address));
      list.clear();
    }
    if (known) static_cast<void>(cudaSetDevice(current));
    static_cast<void>(cudaGetLastError());
  }
  void releasePinned() {
    for (auto& [size, block] : pinned) freePinned(block.address, size);
    pinned.clear();
    static_cast<void>(cudaGetLastError());
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

Block MemoryCache::takeDevice(std::size_t bytes) {
  Block block;
  const std::size_t size = roundedSize(bytes);
  int device = 0;
  SLICEPOOL_CUDA_CHECK(cudaGetDevice(&device));
  const std::lock_guard lock(state_->mutex);
  if (takeFrom(state_->device[device], size, block)) return block;
  void* address = nullptr;
  cudaError_t status = cudaMalloc(&address, size);
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    state_->releaseDevice();
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
  return {address, size, device};
}

Block MemoryCache::takePinned(std::size_t bytes) {
  Block block;
  const std::size_t size = roundedSize(bytes);
  const std::lock_guard lock(state_->mutex);
  if (takeFrom(state_->pinned, size, block)) return block;
  void* address = nullptr;
  cudaError_t status = allocatePinned(&address, size);
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    state_->releasePinned();
    status = allocatePinned(&address, size);
  }
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    throw LimitError(shortage("pinned host memory", bytes, "the system has less to lock"));
  }
  check(status, "pinned memory");
  return {address, size, 0};
}

void MemoryCache::giveDevice(const Block& block) noexcept {
  const std::lock_guard lock(state_->mutex);
  if (!state_->abandoned) state_->device[block.device].emplace(block.bytes, block);
}

void MemoryCache::givePinned(const Block& block) noexcept {
  const std::lock_guard lock(state_->mutex);
  if (!state_->abandoned) state_->pinned.emplace(block.bytes, block);
}

std::size_t MemoryCache::idleDeviceBytes(int device) const {
  const std::lock_guard lock(state_->mutex);
  std::size_t total = 0;
  const auto list = state_->device.find(device);
  if (list != state_->device.end())
    for (const auto& [size, block] : list->second) total += size;
  return total;
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
