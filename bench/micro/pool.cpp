// Cost of the pool: one push and one pop of a slice, by slice size, order and number of threads.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "slicepool/core/pool.hpp"

namespace {

constexpr std::size_t kCapacity = 1U << 14;

std::unique_ptr<slicepool::SlabPool> sharedPool;

/// Arguments: bytes of a slice, order (0 newest first, 1 oldest first).
void pushAndPop(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  if (state.thread_index() == 0) {
    const auto order = state.range(1) == 0 ? slicepool::PoolOrder::lifo : slicepool::PoolOrder::fifo;
    sharedPool = std::make_unique<slicepool::SlabPool>(bytes, kCapacity, order);
  }
  std::vector<std::byte> slice(bytes);
  for (auto _ : state) {
    benchmark::DoNotOptimize(sharedPool->tryPush(slice.data()));
    benchmark::DoNotOptimize(sharedPool->tryPop(slice.data()));
  }
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() == 0) sharedPool.reset();
}

}  // namespace

BENCHMARK(pushAndPop)->ArgNames({"bytes", "fifo"})->ArgsProduct({{24, 136, 512}, {0, 1}})->ThreadRange(1, 16)->UseRealTime();
