// What the engine costs beside the steps themselves. Each benchmark does the same steps, so that times
// compare:
//   bareLoop          the step function in a loop with turns of 10 ms, no engine
//   engine            the same through the engine on one thread, turns tuned to 10 ms
//   engineProgress    the same with a progress callback every 50 ms
//   cancelToStopped   time from cancel() until run() has returned, all cores busy
// and for the set-up and tear-down of a run, which has 1000 steps here:
//   secondRun         in a session, with 1 or 2 threads
//   firstRun          each in a session of its own
#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/session.hpp"
#include "support/interval_workload.hpp"

namespace {

using slicepool::test::IntervalWorkload;
using Problem = slicepool::TypedProblem<IntervalWorkload, slicepool::Count>;

constexpr std::uint64_t kSteps = 600'000'000;

Problem problem(std::uint64_t n) {
  slicepool::ProblemTraits traits;
  traits.workload = "interval";
  traits.totalSteps = static_cast<double>(n);
  return {IntervalWorkload::View{1, true}, {{0, n}}, traits};
}

void bareLoop(benchmark::State& state) {
  const auto concrete = problem(kSteps);
  const slicepool::Problem* erased = &concrete;
  benchmark::DoNotOptimize(erased);  // the engine does not know the type either
  const slicepool::Problem& made = *erased;
  for (auto _ : state) {
    auto slice = made.roots();
    auto words = made.words().fresh();
    const slicepool::SinkMemory memory{words.data(), nullptr, nullptr, 0, nullptr};
    slicepool::Budget budget{0};
    do {
      budget.left = 10'000'000;
    } while (made.advance(slice.data(), budget, memory) != slicepool::Turn::exhausted);
    benchmark::DoNotOptimize(words.data());
  }
}

void runEngine(benchmark::State& state, bool progress) {
  const auto made = problem(kSteps);
  for (auto _ : state) {
    slicepool::EngineOptions options;
    options.threads = 1;
    std::uint64_t calls = 0;
    if (progress) {
      options.progressInterval = std::chrono::milliseconds(50);
      options.onProgress = [&](const slicepool::Progress&) { ++calls; };
    }
    slicepool::Engine engine(made, options);
    engine.run();
    benchmark::DoNotOptimize(calls);
  }
}
void engine(benchmark::State& state) { runEngine(state, false); }
void engineProgress(benchmark::State& state) { runEngine(state, true); }

void cancelToStopped(benchmark::State& state) {
  const auto made = problem(std::uint64_t{1} << 50);
  for (auto _ : state) {
    slicepool::Engine running(made, {});
    std::chrono::steady_clock::time_point asked;
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(700));
      asked = std::chrono::steady_clock::now();
      running.cancel();
    });
    running.run();
    const auto stopped = std::chrono::steady_clock::now();
    canceller.join();
    state.SetIterationTime(std::chrono::duration<double>(stopped - asked).count());
  }
}

void smallRun(const slicepool::Problem& made, int threads,
              const std::shared_ptr<slicepool::Session>& session) {
  slicepool::EngineOptions options;
  options.threads = threads;
  options.session = session;
  slicepool::Engine engine(made, options);
  engine.run();
}
void secondRun(benchmark::State& state) {
  const auto made = problem(1000);
  const auto session = std::make_shared<slicepool::Session>();
  smallRun(made, static_cast<int>(state.range(0)), session);
  for (auto _ : state) smallRun(made, static_cast<int>(state.range(0)), session);
}
void firstRun(benchmark::State& state) {
  const auto made = problem(1000);
  for (auto _ : state)
    smallRun(made, static_cast<int>(state.range(0)), std::make_shared<slicepool::Session>());
}

}  // namespace

BENCHMARK(secondRun)->Unit(benchmark::kMicrosecond)->UseRealTime()->Arg(1)->Arg(2);
BENCHMARK(firstRun)->Unit(benchmark::kMicrosecond)->UseRealTime()->Arg(1)->Arg(2);
BENCHMARK(bareLoop)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(engine)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(engineProgress)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(cancelToStopped)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(5);
