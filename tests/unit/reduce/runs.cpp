// What a block reduction repeats, and how it goes on after an interruption.
#include <doctest/doctest.h>

#include <filesystem>
#include <random>
#include <string>
#include <thread>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/reduce/reduction_state.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/reduce/reduction.hpp"
#include "support/gpu_list.hpp"
#include "support/reduce/checks.hpp"
#include "support/scale.hpp"
#include "support/stopped_runs.hpp"
#include "support/svp/bases.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"
#include "support/worker_options.hpp"

using namespace slicepool;

namespace {

/// Pruned blocks with several trials.
reduce::Request steadyReduction(std::uint64_t seed = 0) {
  std::mt19937_64 random(41);
  reduce::Request request;
  request.basis = lattice::basisText(test::challengeBasis(test::largest(50, 42), random));
  request.blockSize = 36;
  request.tours = 2;
  request.trials = 2;
  request.seed = seed;
  return request;
}

reduce::Outcome runReduction(reduce::Reduction& reduction) {
  reduction.run();
  return reduction.outcome();
}

reduce::Outcome outcomeOfReduction(const reduce::Request& request, int threads = 1) {
  reduce::Reduction reduction(request, test::onCpu(threads));
  return runReduction(reduction);
}

void checkSameReduction(const reduce::Outcome& a, const reduce::Outcome& b) {
  CHECK(a.basis == b.basis);
  CHECK(a.nodes == b.nodes);
  CHECK(a.trials == b.trials);
  CHECK(a.blocks == b.blocks);
  CHECK(a.inserted == b.inserted);
  CHECK(a.tours.size() == b.tours.size());
}

}  // namespace

TEST_CASE("reduce: any number of threads gives the same basis and nodes, another seed others") {
  if (!test::canReduce()) return;
  const reduce::Outcome once = outcomeOfReduction(steadyReduction());
  for (const int threads : {1, 2, 5})
    checkSameReduction(once, outcomeOfReduction(steadyReduction(), threads));
  CHECK(outcomeOfReduction(steadyReduction(1)).nodes != once.nodes);
}

TEST_CASE("reduce: small blocks in mode hybrid are for CPU workers, and nobody asks the driver") {
  if (!test::canReduce()) return;
  const test::DriverWithoutGpus driver;
  EngineOptions options = test::onCpu(2);
  options.mode = Mode::hybrid;
  reduce::Reduction reduction(steadyReduction(), options);
  const reduce::Outcome outcome = runReduction(reduction);
  CHECK(outcome.run.complete);
  CHECK(outcome.run.automatic.value().reason == "blocks of 36 are too small for a GPU");
  CHECK_FALSE(driverWasAsked());
  reduce::Request large = steadyReduction();
  std::mt19937_64 random(43);
  large.basis = lattice::basisText(test::challengeBasis(72, random));
  large.blockSize = 70;
  reduce::Reduction other(large, options);
  CHECK_THROWS_WITH_AS(other.run(), "no usable GPU: the stand-in has none", DeviceError);
}

TEST_CASE("reduce: a run that is stopped at every step ends with the basis of one that is not") {
  if (!test::canReduce()) return;
  const reduce::Outcome whole = outcomeOfReduction(steadyReduction());
  const auto given = lattice::parseBasis(steadyReduction().basis, "basis");
  const test::TemporaryFolder folder;
  EngineOptions options = test::onCpu(2);
  options.checkpointPath = folder.path("tours.ckpt");
  options.stepLimit = 1;
  reduce::Request request = steadyReduction();
  request.outputPath = folder.path("basis.txt");
  int runs = 0;
  const auto look = [&](const reduce::Outcome& now) {
    CHECK(test::contentOf(request.outputPath) == now.basis + "\n");
    if (runs < 2) CHECK(test::sameLattice(lattice::parseBasis(now.basis, "outcome"), given));
    if (++runs == 5) options.stepLimit = whole.nodes / 20;
  };
  checkSameReduction(whole, test::lastOutcome<reduce::Reduction>(request, options, look));
  CHECK(runs >= 8);
}

TEST_CASE("reduce: checkpoints of another reduction are refused") {
  if (!test::canReduce()) return;
  const test::TemporaryFolder folder;
  EngineOptions options = test::onCpu(1);
  options.checkpointPath = folder.path("tours.ckpt");
  options.stepLimit = 1;
  reduce::Reduction first(steadyReduction(), options);
  CHECK(runReduction(first).checkpointPath == options.checkpointPath);
  const auto refused = [&](auto change) {
    reduce::Request request = steadyReduction();
    change(request);
    reduce::Reduction reduction(request, options);
    CHECK_THROWS_AS((void)reduction.resumeIfSaved(), CheckpointError);
  };
  refused([](reduce::Request& r) { r.seed = 1; });
  refused([](reduce::Request& r) { r.blockSize = 35; });
  refused([](reduce::Request& r) { r.tours = 3; });
  refused([](reduce::Request& r) { r.trials = 0; });
  refused([](reduce::Request& r) { r.basis = "[[1 0] [0 2]]"; });
}

TEST_CASE("reduce: every member of a state survives its checkpoint") {
  reduce::ReductionState state;
  state.basis = lattice::parseBasis("[[1 2] [3 -400000000000000000000000]]", "a");
  state.tour = 3;
  state.step = 7;
  state.changed = true;
  state.tourSeconds = 0.1;
  state.tourInserted = 11;
  state.unchanged = true;
  state.hermiteFactorBefore = 1.0219;
  state.tours = {{20, 0.25, 5, 1.015, -0.06}, {30, 0.5, 6, 1.014, -0.055}};
  state.blocks = 13;
  state.inserted = 17;
  state.trials = 19;
  state.nodes = 1ULL << 60;
  state.lllSeconds = 0.2;
  state.preprocessingSeconds = 0.3;
  state.searchSeconds = 0.4;
  state.deviceSeconds = 0.5;
  state.sizeReductionSeconds = 0.6;
  state.seconds = 0.7;
  const test::TemporaryFolder folder;
  const std::string path = folder.path("state.ckpt");
  const std::uint64_t bytes = reduce::writeReductionState(path, "mine", state);
  CHECK(bytes == std::filesystem::file_size(path));
  CHECK_THROWS_AS((void)reduce::readReductionState(path, "another"), CheckpointError);
  const reduce::ReductionState back = reduce::readReductionState(path, "mine");
  CHECK(back.basis == state.basis);
  CHECK(back.tour == state.tour);
  CHECK(back.step == state.step);
  CHECK(back.changed == state.changed);
  CHECK(back.tourSeconds == state.tourSeconds);
  CHECK(back.tourInserted == state.tourInserted);
  CHECK(back.unchanged == state.unchanged);
  CHECK(back.hermiteFactorBefore == state.hermiteFactorBefore);
  REQUIRE(back.tours.size() == 2);
  CHECK(back.tours[1].blockSize == 30);
  CHECK(back.tours[1].seconds == 0.5);
  CHECK(back.tours[1].inserted == 6);
  CHECK(back.tours[1].hermiteFactor == 1.014);
  CHECK(back.tours[1].slope == -0.055);
  CHECK(back.blocks == state.blocks);
  CHECK(back.inserted == state.inserted);
  CHECK(back.trials == state.trials);
  CHECK(back.nodes == state.nodes);
  CHECK(back.lllSeconds == state.lllSeconds);
  CHECK(back.preprocessingSeconds == state.preprocessingSeconds);
  CHECK(back.searchSeconds == state.searchSeconds);
  CHECK(back.deviceSeconds == state.deviceSeconds);
  CHECK(back.sizeReductionSeconds == state.sizeReductionSeconds);
  CHECK(back.seconds == state.seconds);
}

TEST_CASE("reduce: a cancelled run ends within LLL of its input") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(43);
  reduce::Request request;
  request.basis =
      lattice::basisText(test::challengeBasis(68, random));  // more rows than the first prefix has
  reduce::Reduction reduction(request, test::onCpu(1));
  reduction.cancel();
  CHECK_THROWS_AS(reduction.run(), SetupStopped);
}

TEST_CASE("reduce: a cancel from another thread ends trials in their middle, and the basis is one") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(42);
  reduce::Request request;
  const auto basis = test::challengeBasis(40, random);
  request.basis = lattice::basisText(basis);
  request.blockSize = 40;
  request.tours = 1;
  request.trials = 10'000;  // far more than a test waits for
  reduce::Reduction reduction(request, test::onCpu(2));
  std::thread canceller([&] {
    while (!reduction.stepping()) std::this_thread::yield();
    reduction.cancel();
  });
  const reduce::Outcome outcome = runReduction(reduction);
  canceller.join();
  CHECK_FALSE(reduction.finished());
  CHECK_FALSE(outcome.run.complete);
  CHECK(test::sameLattice(lattice::parseBasis(outcome.basis, "outcome"), basis));
}
