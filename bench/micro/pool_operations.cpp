// Cost of one push and one pop of the slice pool, by slice size and number of threads. For scale: a slice is
// held for milliseconds.
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>

#include "slicepool/detail/pool.hpp"

namespace {

template <std::size_t kBytes>
void pushAndPop(benchmark::State& state) {
  static slicepool::SlabPool* pool = nullptr;
  if (state.thread_index() == 0) {
    const auto order = state.range(0) == 0 ? slicepool::PoolOrder::lifo : slicepool::PoolOrder::fifo;
    pool = new slicepool::SlabPool(kBytes, 1U << 12, order);
  }
  std::array<std::byte, kBytes> entry{};
  for (auto _ : state) {
    benchmark::DoNotOptimize(pool->tryPush(entry.data()));
    benchmark::DoNotOptimize(pool->tryPop(entry.data()));
  }
  if (state.thread_index() == 0) delete pool;
}

}  // namespace

BENCHMARK(pushAndPop<72>)->ArgName("fifo")->Arg(0)->Arg(1)->ThreadRange(1, 16)->UseRealTime();
BENCHMARK(pushAndPop<136>)->ArgName("fifo")->Arg(0)->Arg(1)->ThreadRange(1, 16)->UseRealTime();
BENCHMARK(pushAndPop<512>)->ArgName("fifo")->Arg(0)->Arg(1)->ThreadRange(1, 16)->UseRealTime();
