// What the engine promises in milliseconds. It runs alone, and only says what it sees: on a busy machine any
// figure is right.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <thread>

#include "slicepool/core/engine.hpp"
#include "support/interval_workload.hpp"

using namespace slicepool;
using namespace std::chrono_literals;
using test::IntervalWorkload;

namespace {

using Counting = TypedProblem<IntervalWorkload, Count>;

ProblemTraits traits(std::uint64_t n) {
  ProblemTraits made;
  made.workload = "interval";
  made.totalSteps = static_cast<double>(n);
  return made;
}

}  // namespace

TEST_CASE("cancel stops a run of tuned turns in a quarter of a second") {
  const std::uint64_t n = std::uint64_t{1} << 40;
  const Counting problem(IntervalWorkload::View{2, true}, {{0, n}}, traits(n));
  for (const auto mode : {Mode::cpu, Mode::emulated}) {
    EngineOptions options;
    options.mode = mode;
    options.threads = 2;
    options.emulator.lanes = 64;
    Engine engine(problem, options);
    std::chrono::steady_clock::time_point asked;
    std::thread canceller([&] {
      std::this_thread::sleep_for(100ms);
      asked = std::chrono::steady_clock::now();
      engine.cancel();
    });
    engine.run();
    const auto took = std::chrono::steady_clock::now() - asked;
    canceller.join();
    CHECK_FALSE(engine.finished());
    MESSAGE("cancel to stopped: " << std::chrono::duration<double, std::milli>(took).count() << " ms");
    WARN(took < 250ms);
  }
}

TEST_CASE("a slow device does not hold the run up: CPU workers take the work") {
  constexpr std::uint64_t kN = 2'000'000;
  EngineOptions options;
  options.mode = Mode::emulated;
  options.threads = 2;
  options.emulator.lanes = 64;
  options.emulator.slowdownMilliseconds = 5;
  options.cpuBudget = 500;
  options.gpuBudget = 50;
  const Counting problem(IntervalWorkload::View{13, false}, {{0, kN}}, traits(kN));
  Engine engine(problem, options);
  engine.run();
  const auto report = engine.report();
  CHECK(report.words.at(0) == IntervalWorkload::expected(13, kN).size());
  std::uint64_t cpuSteps = 0;
  for (const auto& worker : report.workers) cpuSteps += worker.kind == "cpu" ? worker.steps : 0;
  MESSAGE("CPU workers took " << cpuSteps << " of " << kN << " steps");
  WARN(cpuSteps > kN / 2);
}
