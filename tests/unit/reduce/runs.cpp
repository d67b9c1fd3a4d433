// What a block reduction repeats, and how it goes on after an interruption.
#include <doctest/doctest.h>

#include <filesystem>
#include <random>
#include <string>
#include <thread>

#include "slicepool/core/error.hpp"
#include "slicepool/reduce/reduction.hpp"
#include "support/reduce/checks.hpp"
#include "support/svp/bases.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool;

namespace {

/// Pruned blocks with several trials.
reduce::Request steadyReduction(std::uint64_t seed = 0) {
  std::mt19937_64 random(41);
  reduce::Request request;
  request.basis = lattice::basisText(test::challengeBasis(50, random));
  request.blockSize = 36;
  request.tours = 2;
  request.trials = 2;
  request.seed = seed;
  return request;
}

EngineOptions reductionThreads(int threads) {
  EngineOptions options;
  options.mode = Mode::cpu;
  options.threads = threads;
  return options;
}

reduce::Outcome runReduction(reduce::Reduction& reduction) {
  reduction.run();
  return reduction.outcome();
}

reduce::Outcome outcomeOfReduction(const reduce::Request& request, int threads = 1) {
  reduce::Reduction reduction(request, reductionThreads(threads));
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

TEST_CASE("reduce: a run that is stopped at every step ends with the basis of one that is not") {
  if (!test::canReduce()) return;
  const reduce::Outcome whole = outcomeOfReduction(steadyReduction());
  const auto given = lattice::parseBasis(steadyReduction().basis, "basis");
  const test::TemporaryFolder folder;
  EngineOptions options = reductionThreads(2);
  options.checkpointPath = folder.path("tours.ckpt");
  options.stepLimit = 1;
  reduce::Request request = steadyReduction();
  request.outputPath = folder.path("basis.txt");
  int runs = 0;
  reduce::Outcome last;
  for (bool finished = false; !finished && runs < 500; ++runs) {
    if (runs == 5) options.stepLimit = whole.nodes / 20;
    reduce::Reduction reduction(request, options);
    CHECK(reduction.resumeIfSaved() == (runs != 0));
    last = runReduction(reduction);
    finished = reduction.finished();
    CHECK(std::filesystem::exists(options.checkpointPath) != finished);
    CHECK(last.checkpointPath.empty() == finished);
    CHECK(last.run.complete == finished);
    CHECK(test::contentOf(request.outputPath) == last.basis + "\n");
    if (runs < 2) CHECK(test::sameLattice(lattice::parseBasis(last.basis, "outcome"), given));
  }
  CHECK(runs >= 8);
  checkSameReduction(whole, last);
}

TEST_CASE("reduce: checkpoints of another reduction are refused") {
  if (!test::canReduce()) return;
  const test::TemporaryFolder folder;
  EngineOptions options = reductionThreads(1);
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

TEST_CASE("reduce: a cancel from another thread ends trials in their middle, and the basis is one") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(42);
  reduce::Request request;
  const auto basis = test::challengeBasis(40, random);
  request.basis = lattice::basisText(basis);
  request.blockSize = 40;
  request.tours = 1;
  request.trials = 10'000;  // far more than anybody waits for
  reduce::Reduction reduction(request, reductionThreads(2));
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
