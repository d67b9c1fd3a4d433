// A pool of typed entries over the pool of bytes that engines have, for tests of the pool.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "slicepool/detail/pool.hpp"

namespace slicepool::test {

template <class Slice>
class SlicePool {
  static_assert(std::is_trivially_copyable_v<Slice> && std::is_trivially_destructible_v<Slice>,
                "pool elements must be trivially copyable and trivially destructible");

 public:
  explicit SlicePool(std::size_t capacity, PoolOrder order = PoolOrder::lifo)
      : slab_(sizeof(Slice), capacity, order) {}

  bool tryPush(const Slice& slice) { return slab_.tryPush(reinterpret_cast<const std::byte*>(&slice)); }
  bool tryPop(Slice& slice) { return slab_.tryPop(reinterpret_cast<std::byte*>(&slice)); }
  /// Pops up to `maximum` slices to the end of `slices`; returns how many.
  std::size_t tryPopBulk(std::vector<Slice>& slices, std::size_t maximum) {
    std::vector<Slice> popped(maximum);
    popped.resize(slab_.tryPopBulk(reinterpret_cast<std::byte*>(popped.data()), maximum));
    slices.insert(slices.end(), popped.begin(), popped.end());
    return popped.size();
  }
  [[nodiscard]] std::size_t approximateSize() const { return slab_.approximateSize(); }
  /// Takes everything out. Only meaningful while no thread pushes.
  std::vector<Slice> drain() {
    std::vector<Slice> slices;
    (void)tryPopBulk(slices, slab_.capacity());
    return slices;
  }

 private:
  SlabPool slab_;
};

}  // namespace slicepool::test
