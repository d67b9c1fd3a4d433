// Cost of the engine around the steps: one run of a workload whose step is a counter, per CPU turn. The
// overhead at a turn of t is this figure divided by t.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/run.hpp"

namespace {

/// Counts down; every step is one result.
struct CountDown {
  struct View {};
  struct Slice {
    std::uint64_t left;
  };

  template <class Emit>
  SLICEPOOL_HD static slicepool::Turn advance(const View&, Slice& slice, slicepool::Budget& budget, Emit& emit) {
    while (slice.left != 0) {
      if (budget.left == 0) return slicepool::Turn::budgetSpent;
      --budget.left;
      if (!emit(slice.left)) return slicepool::Turn::sinkFull;
      --slice.left;
    }
    return slicepool::Turn::exhausted;
  }
  SLICEPOOL_HD static bool split(const View&, Slice& kept, Slice& given) {
    if (kept.left < 2) return false;
    given.left = kept.left / 2;
    kept.left -= given.left;
    return true;
  }
};

/// One thread, one step a turn: what remains is the turn itself.
void turn(benchmark::State& state) {
  constexpr std::uint64_t kTurns = 100'000;
  slicepool::EngineOptions options;
  options.threads = 1;
  options.cpuBudget = 1;
  for (auto _ : state) {
    slicepool::Run<CountDown> run{{}, {{kTurns}}, options};
    run.run();
    benchmark::DoNotOptimize(run.results());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kTurns));
}

/// From construction to the report, almost no work. Argument: threads.
void startAndStop(benchmark::State& state) {
  slicepool::EngineOptions options;
  options.threads = static_cast<int>(state.range(0));
  for (auto _ : state) {
    slicepool::Run<CountDown> run{{}, {{1000}}, options};
    run.run();
    benchmark::DoNotOptimize(run.results());
  }
}

}  // namespace

BENCHMARK(turn)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(startAndStop)->ArgName("threads")->Arg(1)->Arg(2)->Arg(16)->UseRealTime()->Unit(benchmark::kMicrosecond);
