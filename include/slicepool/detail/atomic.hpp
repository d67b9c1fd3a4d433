// Relaxed atomic access to plain arrays, for step functions whose slices share tables: the same names on host
// and device. Nothing here orders other memory: what a round publishes is read after its barrier.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"

namespace slicepool {

template <class T>
SLICEPOOL_INLINE T loadRelaxed(const T* address) {
#if SLICEPOOL_ON_DEVICE
  return *static_cast<const volatile T*>(address);
#else
  return __atomic_load_n(address, __ATOMIC_RELAXED);
#endif
}

template <class T>
SLICEPOOL_INLINE void storeRelaxed(T* address, T value) {
#if SLICEPOOL_ON_DEVICE
  *static_cast<volatile T*>(address) = value;
#else
  __atomic_store_n(address, value, __ATOMIC_RELAXED);
#endif
}

/// Replaces `expected` by `desired`; returns whether it did, and leaves in `expected` what was there.
SLICEPOOL_INLINE bool compareAndSwap(std::uint64_t* address, std::uint64_t& expected, std::uint64_t desired) {
#if SLICEPOOL_ON_DEVICE
  const auto seen = static_cast<std::uint64_t>(atomicCAS(reinterpret_cast<unsigned long long*>(address),
                                                         static_cast<unsigned long long>(expected),
                                                         static_cast<unsigned long long>(desired)));
  const bool swapped = seen == expected;
  expected = seen;
  return swapped;
#else
  return __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

/// Asks for the cache line of `address`; never faults. Nothing on a device, where other threads hide latency.
SLICEPOOL_INLINE void prefetch(const void* address) {
#if SLICEPOOL_ON_DEVICE
  (void)address;
#else
  __builtin_prefetch(address);
#endif
}

}  // namespace slicepool
