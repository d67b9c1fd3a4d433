// See grow_array.hpp.
#include "runtime/core/grow_array.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace slicepool {
namespace {

constexpr std::size_t kHugePage = 2U << 20;

}  // namespace

void GrowMemory::reserve(std::size_t bytes) {
  if (bytes <= bytes_) return;
  // Room ahead costs addresses only: an untouched page is not there.
  const std::size_t small = std::max<std::size_t>(bytes, 4096);
  const std::size_t wanted = small < kHugePage ? (2 * small + 4095) / 4096 * 4096
                                               : (small + small / 2 + kHugePage - 1) / kHugePage * kHugePage;
  void* moved = data_ == nullptr ? ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                 : ::mremap(data_, bytes_, wanted, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) throw std::bad_alloc();
  data_ = moved;
  bytes_ = wanted;
  // Look-ups are random: with small pages half of their time goes into address translation. Only advice.
  if (wanted >= kHugePage) (void)::madvise(data_, bytes_, MADV_HUGEPAGE);
}

void GrowMemory::release() noexcept {
  if (data_ != nullptr) (void)::munmap(data_, bytes_);
  data_ = nullptr;
  bytes_ = 0;
}

}  // namespace slicepool
