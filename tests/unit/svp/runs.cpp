// Searches for a shortest vector by several workers: what these share, cancel and lose, and when GPUs are
// asked for.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <random>
#include <thread>

#include "runtime/lattice/reduction.hpp"
#include "runtime/svp/saved_search.hpp"
#include "runtime/svp/trial_reduction.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/svp/enumeration.hpp"
#include "support/gpu_list.hpp"
#include "support/scale.hpp"
#include "support/svp/bases.hpp"
#include "support/svp/steady_requests.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"
#include "support/worker_options.hpp"

using namespace slicepool;

namespace {
namespace svp_runs_test {

using test::finish;
using test::fixedRequest;
using test::outcomeOf;
using test::steadyRequest;

/// The numbers and probabilities of the trials of a search that finds nothing, up to some number of nodes.
std::map<std::uint64_t, double> trialsOf(const svp::Request& request, int threads, std::uint64_t nodes) {
  const test::TemporaryFolder folder;
  EngineOptions options = test::onCpu(threads);
  options.checkpointPath = folder.path("search.ckpt");
  options.stepLimit = nodes;
  CHECK_FALSE(outcomeOf(request, options).run.complete);
  const lattice::IntegerBasis basis = lattice::parseBasis(request.basis, "basis");
  const svp::SavedSearch saved =
      svp::readSavedSearch(options.checkpointPath, svp::searchIdentity(request, basis), basis.dimension);
  return {saved.state.trials.begin(), saved.state.trials.end()};
}

/// Looks for a shortest vector of a random lattice of this dimension.
svp::Enumeration searchOf(int dimension, std::uint64_t seed, Mode mode) {
  std::mt19937_64 random(seed);
  svp::Request request;
  request.basis = lattice::basisText(test::challengeBasis(dimension, random));
  EngineOptions options = test::onCpu(2);
  options.mode = mode;
  return {request, options};
}

svp::Outcome inHybrid(int dimension, std::uint64_t seed) {
  svp::Enumeration search = searchOf(dimension, seed, Mode::hybrid);
  return finish(search);
}

TEST_CASE("svp: with fixed rates threads share the trials of one thread, as long as nothing is found") {
  if (!test::canReduce()) return;
  svp::Request request = fixedRequest();
  // Its first row is a shortest vector already.
  const lattice::IntegerBasis row = lattice::parseBasis("[" + outcomeOf(request).text + "]", "vector");
  request.basis =
      lattice::basisText(svp::withVector(lattice::parseBasis(request.basis, "basis"), row.entries));
  request.probability = 0.999999;
  const std::uint64_t nodes = test::runsAll() ? 30'000'000 : 12'000'000;
  const auto alone = trialsOf(request, 1, nodes);
  const auto together = trialsOf(request, 3, nodes);
  int common = 0;
  for (const auto& [number, probability] : together) {
    const auto same = alone.find(number);
    if (same == alone.end()) continue;
    ++common;
    CHECK(probability == same->second);
  }
  CHECK(common >= 2);
}

TEST_CASE("svp: a small tree in mode hybrid is for CPU workers, and nobody asks the driver") {
  if (!test::canReduce()) return;
  const test::DriverWithoutGpus driver;
  const svp::Outcome outcome = inHybrid(24, 12);
  CHECK(outcome.proven);
  CHECK_FALSE(outcome.run.automatic.value().devices);
  CHECK(outcome.run.automatic->reason.ends_with("few enough for CPU workers alone"));
  CHECK_FALSE(driverWasAsked());
}

TEST_CASE("svp: a large tree in mode hybrid is an error where the driver finds no GPU") {
  if (!test::canReduce()) return;
  const test::DriverWithoutGpus driver;
  CHECK_THROWS_WITH_AS(inHybrid(80, 13), "no usable GPU: the stand-in has none", DeviceError);
}

TEST_CASE("svp: from 70 rows on the driver is asked before the first LLL ends, and of fewer rows after it") {
  if (!test::canReduce()) return;
  for (const Mode mode : {Mode::hybrid, Mode::automatic, Mode::cpu}) {
    for (const int rows : {69, 70}) {
      CAPTURE(rows);
      const test::DriverWithoutGpus driver;
      svp::Enumeration search = searchOf(rows, 14, mode);
      search.cancel();  // within LLL
      CHECK_THROWS_AS(search.run(), Error);
      CHECK(driverWasAsked() == (rows == 70 && mode != Mode::cpu));
    }
  }
}

TEST_CASE("svp: devices search trees side by side, and launches that fail lose no tree") {
  if (!test::canReduce()) return;
  EngineOptions options;
  options.mode = Mode::emulated;
  options.threads = 4;
  options.emulator.devices = 2;
  options.emulator.withCpuWorkers = false;  // so that devices search all trees
  const svp::Outcome both = outcomeOf(steadyRequest(), options);
  CHECK(both.found);
  CHECK(both.squaredNorm == outcomeOf(steadyRequest()).squaredNorm);
  int searched = 0;
  for (const auto& worker : both.run.workers) {
    if (worker.name.rfind("emulated", 0) != 0 || worker.steps == 0) continue;
    ++searched;
    // By the clock of the run, not by those of engines.
    CHECK(0 <= worker.readySeconds.value());
    CHECK(worker.readySeconds.value() <= worker.firstSeconds.value());
    CHECK(worker.firstSeconds.value() < worker.lastSeconds.value());
    CHECK(worker.lastSeconds.value() <= both.run.seconds);
    CHECK(worker.waitingSeconds.value() <= both.run.seconds);
    CHECK(worker.exchangeSeconds.has_value());
  }
  CHECK(searched >= 1);
  CHECK(both.deviceBusyShare > 0);

  options.emulator.failAtLaunch = 0;  // of every engine
  const svp::Outcome failing = outcomeOf(steadyRequest(), options);
  CHECK(failing.found);
  CHECK(failing.squaredNorm == both.squaredNorm);
  REQUIRE_FALSE(failing.run.warnings.empty());
  CHECK(test::contains(failing.run.warnings.front(), "launch"));
}

TEST_CASE("svp: a cancel from another thread ends trials in their middle") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(13);
  svp::Request request;
  request.basis = lattice::basisText(test::challengeBasis(test::largest(90, 72), random));
  request.proofLimit = 0;
  EngineOptions options = test::onCpu(1);
  options.threads = 2;
  svp::Enumeration search(request, options);
  std::thread canceller([&] {
    while (!search.stepping()) std::this_thread::yield();
    search.cancel();
  });
  const svp::Outcome outcome = finish(search);
  canceller.join();
  CHECK_FALSE(search.finished());
  CHECK_FALSE(outcome.run.complete);
  CHECK_FALSE(outcome.proven);
  CHECK_FALSE(outcome.text.empty());
}

TEST_CASE("svp: LLL of the input ends between rows when the search is cancelled, and there is no outcome") {
  if (!test::canReduce()) return;
  std::mt19937_64 random(13);
  svp::Request request;
  request.basis = lattice::basisText(test::challengeBasis(72, random));
  svp::Enumeration search(request, test::onCpu(1));
  search.cancel();
  CHECK_THROWS_AS(search.run(), Error);
  CHECK_FALSE(search.finished());
}

}  // namespace svp_runs_test
}  // namespace
