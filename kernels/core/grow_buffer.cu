// See grow_buffer.cuh. The driver's calls for virtual memory are asked for at run time, so that a program
// with this in it starts where there is no driver.
#include "grow_buffer.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "cuda_check.hpp"
#include "device_buffer.cuh"
#include "slicepool/core/error.hpp"

namespace slicepool::cuda {

namespace {

struct Driver {
  decltype(&cuMemGetAllocationGranularity) granularity;
  decltype(&cuMemAddressReserve) reserve;
  decltype(&cuMemAddressFree) free;
  decltype(&cuMemCreate) create;
  decltype(&cuMemRelease) release;
  decltype(&cuMemMap) map;
  decltype(&cuMemUnmap) unmap;
  decltype(&cuMemSetAccess) setAccess;
};

template <class Function>
void ask(const char* name, Function& function) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  constexpr unsigned kVersion = 12000;
  SLICEPOOL_CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &address, kVersion, cudaEnableDefault, &found));
#else
  SLICEPOOL_CUDA_CHECK(cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &found));
#endif
  if (found != cudaDriverEntryPointSuccess)
    throw DeviceError(std::string(name) + ": the NVIDIA driver is too old for growing device memory");
  function = reinterpret_cast<Function>(address);
}

const Driver& driver() {
  static const Driver loaded = [] {
    Driver d{};
    ask("cuMemGetAllocationGranularity", d.granularity);
    ask("cuMemAddressReserve", d.reserve);
    ask("cuMemAddressFree", d.free);
    ask("cuMemCreate", d.create);
    ask("cuMemRelease", d.release);
    ask("cuMemMap", d.map);
    ask("cuMemUnmap", d.unmap);
    ask("cuMemSetAccess", d.setAccess);
    return d;
  }();
  return loaded;
}

void checkDriver(CUresult status, const char* call) {
  if (status == CUDA_SUCCESS) return;
  throw CudaError(call, "driver error " + std::to_string(static_cast<int>(status)), static_cast<int>(status));
}

CUmemAllocationProp memoryOf(int device) {
  CUmemAllocationProp prop{};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  prop.location.id = device;
  return prop;
}

std::size_t roundUp(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

void GrowBuffer::open() {
  SLICEPOOL_CUDA_CHECK(cudaGetDevice(&device_));
  const CUmemAllocationProp prop = memoryOf(device_);
  checkDriver(driver().granularity(&granularity_, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
              "cuMemGetAllocationGranularity");
  std::size_t free = 0;
  std::size_t total = 0;
  SLICEPOOL_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  const std::size_t bytes = roundUp(total, granularity_);
  checkDriver(driver().reserve(&address_, bytes, 0, 0, 0), "cuMemAddressReserve");
  reserved_ = bytes;
}

/// Backs the next `bytes` bytes (a multiple of the granularity); false when the device has too little memory.
bool GrowBuffer::extend(std::size_t bytes) {
  const CUmemAllocationProp prop = memoryOf(device_);
  CUmemGenericAllocationHandle handle{};
  const CUresult status = driver().create(&handle, bytes, &prop, 0);
  if (status == CUDA_ERROR_OUT_OF_MEMORY) return false;
  checkDriver(status, "cuMemCreate");
  const CUresult mapped = driver().map(address_ + mapped_, bytes, 0, handle, 0);
  static_cast<void>(driver().release(handle));  // the mapping keeps it
  checkDriver(mapped, "cuMemMap");
  CUmemAccessDesc access{};
  access.location = prop.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  const CUresult set = driver().setAccess(address_ + mapped_, bytes, &access, 1);
  if (set != CUDA_SUCCESS) {
    static_cast<void>(driver().unmap(address_ + mapped_, bytes));
    checkDriver(set, "cuMemSetAccess");
  }
  pieces_.emplace_back(mapped_, bytes);
  mapped_ += bytes;
  return true;
}

void GrowBuffer::reserve(std::size_t bytes) {
  if (bytes <= mapped_) return;
  if (address_ == 0) open();
  const std::size_t needed = roundUp(bytes - mapped_, granularity_);
  const std::size_t wanted =
      std::min(std::max(needed, roundUp(mapped_ / 2, granularity_)), reserved_ - mapped_);
  if (needed <= reserved_ - mapped_) {
    if (extend(std::max(needed, wanted)) || extend(needed)) return;
    MemoryCache::instance().releaseAll();
    if (extend(needed)) return;
  }
  std::size_t free = 0;
  std::size_t total = 0;
  SLICEPOOL_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  throw LimitError("device memory: " + describeBytes(needed) + " more are needed, " + describeBytes(free) +
                   " of " + describeBytes(total) + " are free");
}

void GrowBuffer::release() noexcept {
  if (address_ == 0) return;
  for (const auto& [offset, bytes] : pieces_) static_cast<void>(driver().unmap(address_ + offset, bytes));
  static_cast<void>(driver().free(address_, reserved_));
  pieces_.clear();
  address_ = 0;
  reserved_ = mapped_ = 0;
}

}  // namespace slicepool::cuda
