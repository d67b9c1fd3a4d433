// See pinned_memory.cuh.
#include "pinned_memory.cuh"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

namespace slicepool::cuda {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20U;
/// Below this, starting threads costs more than touching pages.
constexpr std::size_t kLarge = 4 * kHugePage;
constexpr std::size_t kMaximumThreads = 8;

/// Writes to every small page, so that it exists even where there are no huge ones.
void touch(std::byte* begin, std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  for (std::size_t at = 0; at < bytes; at += kPage) begin[at] = std::byte{0};
}

void touchByThreads(std::byte* begin, std::size_t bytes) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t count = std::min({kMaximumThreads, cores, bytes / kLarge});
  const std::size_t part = (bytes / std::max<std::size_t>(count, 1) + kHugePage - 1) / kHugePage * kHugePage;
  std::vector<std::thread> threads;
  for (std::size_t from = part; from < bytes; from += part)
    threads.emplace_back(touch, begin + from, std::min(part, bytes - from));
  touch(begin, std::min(part, bytes));
  for (auto& thread : threads) thread.join();
}

}  // namespace

cudaError_t allocatePinned(void** address, std::size_t bytes) {
  *address = nullptr;
  if (bytes < kLarge) return cudaHostAlloc(address, bytes, cudaHostAllocPortable);
  void* const pages = std::aligned_alloc(kHugePage, bytes / kHugePage * kHugePage + kHugePage);
  if (pages == nullptr) return cudaErrorMemoryAllocation;
  static_cast<void>(madvise(pages, bytes, MADV_HUGEPAGE));
  touchByThreads(static_cast<std::byte*>(pages), bytes);
  const cudaError_t status = cudaHostRegister(pages, bytes, cudaHostRegisterPortable);
  if (status != cudaSuccess) {
    std::free(pages);
    return status;
  }
  *address = pages;
  return cudaSuccess;
}

void freePinned(void* address, std::size_t bytes) noexcept {
  if (bytes < kLarge) {
    static_cast<void>(cudaFreeHost(address));
    return;
  }
  static_cast<void>(cudaHostUnregister(address));
  std::free(address);
}

}  // namespace slicepool::cuda
