// What trials are made of: bases by a seed, and the success probability that the pruner promises.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/lattice/reduction.hpp"
#include "runtime/svp/fixed_rates.hpp"
#include "runtime/svp/proof.hpp"
#include "runtime/svp/search_state.hpp"
#include "runtime/svp/trees.hpp"
#include "runtime/svp/trial_reduction.hpp"
#include "runtime/svp/trials.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/session.hpp"
#include "support/scale.hpp"
#include "support/svp/bases.hpp"
#include "support/svp/successes.hpp"

using namespace slicepool;
using lattice::Integer;

namespace {

using test::start;

/// Whether all rows of `a` are in the lattice of `b`.
bool isWithin(const lattice::IntegerBasis& a, const lattice::IntegerBasis& b) {
  for (int i = 0; i < a.dimension; ++i) {
    std::vector<Integer> row(a.entries.begin() + static_cast<std::ptrdiff_t>(i) * a.columns,
                             a.entries.begin() + static_cast<std::ptrdiff_t>(i + 1) * a.columns);
    std::string text = "[";
    Integer norm = 0;
    for (const Integer& entry : row) {
      text += entry.str() + " ";
      norm += entry * entry;
    }
    if (!test::isVectorOf(b, text + "]", norm.str())) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a trial is a basis of the same lattice, and a function of start, seed, number and tours") {
  if (!test::canReduce()) return;
  const auto basis = start(16, 1, 0);
  const svp::TrialReduction reduction(basis);
  const svp::Tours tours = {2, 3};  // weak, so that the bases differ
  std::set<std::string> different;
  for (const std::uint64_t seed : {0, 1}) {
    for (const std::uint64_t number : {0, 1, 2}) {
      const auto once = reduction.trial(seed, number, tours, {});
      REQUIRE(once != nullptr);
      CHECK(once->basis == svp::TrialReduction(basis).trial(seed, number, tours, {})->basis);
      CHECK(isWithin(once->basis, basis));
      CHECK(isWithin(basis, once->basis));
      different.insert(lattice::basisText(once->basis));
    }
  }
  CHECK(different.size() >= 5);
  CHECK(reduction.trial(0, 0, tours, [] { return true; }) == nullptr);
}

TEST_CASE("tours grow to the block size, and none is larger than the lattice") {
  CHECK(svp::toursTo(52, 90) == svp::Tours{20, 30, 40, 50, 52});
  CHECK(svp::toursTo(52, 25) == svp::Tours{20, 25});
  CHECK(svp::toursTo(20, 90) == svp::Tours{20});
  CHECK(svp::toursTo(30, 1).empty());
}

TEST_CASE("a vector of the lattice goes in front of the starting basis") {
  if (!test::canReduce()) return;
  const auto basis = start(20, 2);
  // The sum of two rows is no part of the basis.
  std::vector<Integer> vector;
  for (int j = 0; j < 20; ++j) vector.push_back(basis.at(3, j) + basis.at(7, j));
  const auto with = svp::withVector(basis, vector);
  CHECK(with.dimension == 20);
  CHECK(isWithin(with, basis));
  CHECK(isWithin(basis, with));
}

TEST_CASE("with fixed rates the basis of a proof is the same, however long its tours take") {
  if (!test::canReduce()) return;
  const auto strengthened = [](std::chrono::milliseconds block) {
    svp::SearchState state;
    state.start = state.reduced = start(40, 4, 0);
    svp::BestVector best(0);
    best.offer(svp::shortestRow(state.reduced));
    // So that tours may take 0.3 s, before the first of them.
    const double rate = svp::unprunedNodes(svp::normsOf(state.reduced), best.bound()) * 0.1 / 0.3;
    svp::strengthen(state, best, 20, rate, svp::RateSource::fixed, [block] {
      std::this_thread::sleep_for(block);
      return false;
    });
    return lattice::basisText(state.reduced);
  };
  const std::string basis = strengthened(std::chrono::milliseconds(0));
  CHECK(basis != lattice::basisText(start(40, 4, 0)));
  CHECK(basis == strengthened(std::chrono::milliseconds(20)));
}

TEST_CASE("pruned trials find the shortest vector as often as the pruner says") {
  if (!test::canReduce()) return;
  const auto seeds = static_cast<std::uint64_t>(test::largest(6, 2));
  const test::Successes counted = test::countSuccesses(seeds, (test::scaled(360) + 5) / 6);
  MESSAGE(counted.found << " of " << counted.done << " found, " << counted.expected << " expected");
  CHECK(counted.expected > 0.4 * static_cast<double>(counted.done));
  CHECK(counted.deviations() < 4);
}

namespace {

/// A device of a test.
class TestDevice : public svp::TreeSearch {
 public:
  void beginAt(std::chrono::steady_clock::time_point) override {}
  [[nodiscard]] RunReport report(double) const override { return {}; }
};

class BrokenDevice final : public TestDevice {
 public:
  svp::TreeResult search(const svp::Tree&, svp::BestVector&, const std::function<bool()>&) override {
    throw DeviceError("it is gone");
  }
};

/// Searches none of its trees before another device has one as well.
class MeetingDevice final : public TestDevice {
 public:
  struct Place {
    std::mutex mutex;
    std::condition_variable changed;
    int came = 0;
  };
  explicit MeetingDevice(Place& place) : place_(place) {}

  svp::TreeResult search(const svp::Tree& tree, svp::BestVector& best,
                         const std::function<bool()>& stop) override {
    {
      std::unique_lock lock(place_.mutex);
      if (!here_) ++place_.came;
      here_ = true;
      place_.changed.notify_all();
      // Only a run that is wrong waits so long.
      if (!place_.changed.wait_for(lock, std::chrono::minutes(5), [&] { return place_.came == 2; }))
        throw Error("no other device has a tree");
    }
    return svp::searchTree(tree, best, stop);
  }

 private:
  Place& place_;
  bool here_ = false;
};

/// Some trials of a lattice whose proof would take long.
struct DeviceTrials {
  svp::SearchState state;
  svp::Request request;
  svp::BestVector best{0};
  svp::Rates rates;
  svp::TrialSettings settings;

  explicit DeviceTrials(std::vector<svp::TreeSearch*> devices, bool coresSearch) {
    state.start = state.reduced = start(54, 5);
    request.probability = 0.5;
    request.trialProbability = 0.2;
    request.proofLimit = 0;
    best.offer(svp::shortestRow(state.start));
    rates.device = 1e6;
    settings.request = &request;
    settings.threads = 2;
    settings.coresSearch = coresSearch;
    settings.devices = std::move(devices);
    settings.tours = {20};
    settings.reducedNorms = svp::normsOf(state.reduced);
    settings.gaussianSquaredRadius = lattice::gaussianSquaredRadius(settings.reducedNorms);
    settings.session = Session::ofProcess();
  }
  svp::Trials make(std::function<bool()> cancelled = [] { return false; }) {
    return {settings, state, best, rates, std::move(cancelled)};
  }
};

}  // namespace

TEST_CASE("a device finds the shortest vector of a basis whose coefficients do not fit 8 bits") {
  if (!test::canReduce()) return;
  svp::Tree tree;
  tree.basis = svp::TrialReduction(start(38, 3)).reduced({}, [] { return false; });
  lattice::IntegerBasis& basis = tree.basis->basis;
  const int d = basis.dimension;
  // A row and a hundred times those before it.
  constexpr int kTimes = 100;
  const int skewed = d / 2;
  for (int i = 0; i < d / 4; ++i) {
    for (int j = 0; j < basis.columns; ++j)
      test::entryOf(basis, skewed, j) += kTimes * Integer(basis.at(i, j));
    double* const mu = tree.basis->mu.data() + static_cast<std::ptrdiff_t>(skewed) * d;
    for (int j = 0; j < i; ++j) mu[j] += kTimes * tree.basis->mu[static_cast<std::size_t>(i * d + j)];
    mu[i] += kTimes;
  }
  tree.profile.coefficients.assign(static_cast<std::size_t>(d), 1.0);
  const svp::KnownVector shortestOfRows = svp::shortestRow(basis);
  svp::BestVector ofCore(0);
  ofCore.offer(shortestOfRows);
  const svp::TreeResult onCore = svp::searchTree(tree, ofCore, [] { return false; });
  REQUIRE(onCore.complete);
  REQUIRE(ofCore.known().squaredNorm < shortestOfRows.squaredNorm);
  svp::BestVector ofDevice(0);
  ofDevice.offer(shortestOfRows);
  const auto devices = svp::makeTreeSearches({.mode = Mode::emulated});
  const svp::TreeResult onDevice = devices.front()->search(tree, ofDevice, [] { return false; });
  REQUIRE(onDevice.complete);
  CHECK(ofDevice.known().squaredNorm == ofCore.known().squaredNorm);
}

TEST_CASE("trials go on without a device that is lost, if there are others that search") {
  if (!test::canReduce()) return;
  BrokenDevice one;
  BrokenDevice other;
  DeviceTrials both({&one, &other}, true);
  svp::Trials trials = both.make();
  CHECK(trials.run([] {}) == svp::TrialsEnd::enough);
  CHECK(both.state.failure <= 0.5);
  DeviceTrials alone({&one, &other}, false);
  svp::Trials lost = alone.make();
  CHECK_THROWS_AS((void)lost.run([] {}), DeviceError);
}

TEST_CASE("the tree of a device that is lost is searched by others") {
  if (!test::canReduce()) return;
  BrokenDevice one;
  BrokenDevice other;
  DeviceTrials both({&one, &other}, true);
  both.request.probability = 0.999999;
  both.request.trialProbability = 0.005;
  std::atomic<bool> over{false};
  svp::Trials trials = both.make([&] { return over.load(); });
  std::size_t before = 0;
  bool searched = false;
  (void)trials.run([&] {
    const auto& done = both.state.trials;
    searched = std::any_of(done.begin(), done.end(), [](const auto& trial) { return trial.first == 0; });
    if (trials.warnings().size() < 2) before = done.size();
    over = searched || done.size() > before + 200;
  });
  CHECK(searched);
}

TEST_CASE("each of several devices has a tree of its own at the same time") {
  if (!test::canReduce()) return;
  MeetingDevice::Place place;
  MeetingDevice one(place);
  MeetingDevice other(place);
  DeviceTrials both({&one, &other}, false);
  svp::Trials trials = both.make();
  CHECK(trials.run([] {}) == svp::TrialsEnd::enough);
  CHECK(place.came == 2);
}

namespace {

/// Trials by two threads in the Leech lattice, whose minimum is 32: nothing is within 28.
struct LeechTrials {
  explicit LeechTrials(int goal) : best(goal) {
    state.start = lattice::reduced(lattice::readBasis(std::string(std::getenv("SLICEPOOL_SOURCE_DIR")) +
                                                      "/tests/data/lattices/leech.txt"));
    state.reduced = state.start;
    request.probability = 0.9;
    request.proofLimit = 0;
    best.offer(svp::shortestRow(state.start));
    settings.request = &request;
    settings.threads = 2;
    settings.coresSearch = false;  // a proof would take for ever
    settings.tours = {20};
    settings.reducedNorms = svp::normsOf(state.reduced);
    settings.gaussianSquaredRadius = lattice::gaussianSquaredRadius(settings.reducedNorms);
    settings.session = Session::ofProcess();
  }
  svp::Trials make() {
    return {settings, state, best, rates, [] { return false; }};
  }

  svp::SearchState state;
  svp::Request request;
  svp::BestVector best;
  svp::Rates rates;
  svp::TrialSettings settings;
};

}  // namespace

TEST_CASE("a lattice without vectors where random ones have some is searched up to what is known") {
  if (!test::canReduce()) return;
  LeechTrials leech(0);
  const svp::SearchState& state = leech.state;
  const svp::BestVector& best = leech.best;
  leech.request.trialProbability = 0.5;
  CHECK(best.known().squaredNorm == 32);
  leech.best.setCap(28);
  svp::Trials trials = leech.make();
  CHECK(trials.run([] {}) == svp::TrialsEnd::enough);
  CHECK(state.uncapped);
  CHECK(best.radius() == 31);
  CHECK(state.failure <= 0.1);
  CHECK(state.trials.size() >= 8);  // 4 of 1/2 for each of the two radii
  CHECK(best.known().squaredNorm == 32);
}

TEST_CASE("where random lattices have thousands of vectors and this one has none, trials look for one") {
  if (!test::canReduce()) return;
  LeechTrials leech(28);
  leech.settings.exact = false;
  leech.settings.fixedReduction = svp::fixedReductionSeconds(leech.settings.tours, 24);
  CHECK(svp::expectedVectors(24, 28, leech.settings.gaussianSquaredRadius) > 1000);
  const svp::SearchState& state = leech.state;
  svp::Trials trials = leech.make();
  CHECK(trials.run([] {}) == svp::TrialsEnd::enough);
  CHECK(leech.best.known().squaredNorm == 32);
  CHECK(state.failure <= 0.1);
  // The first counts on the many; the last looks for a given one.
  CHECK(state.trials.front().second < 0.2);
  CHECK(state.trials.back().second > 0.5);
  CHECK(state.trials.size() < 20);  // 33 trials with the pruning of the first
  for (const auto& worker : trials.coreReports()) {
    if (worker.turns == 0) continue;
    CHECK(0 <= worker.firstSeconds.value());
    CHECK(worker.firstSeconds.value() < worker.lastSeconds.value());
    CHECK(worker.lastSeconds.value() <= trials.seconds());
    CHECK(worker.busySeconds <= worker.lastSeconds.value() - worker.firstSeconds.value() + 1e-9);
  }
}

TEST_CASE("the state of a search survives packing, and damage is an error") {
  svp::SearchState state;
  state.start = lattice::parseBasis("[[1 2] [3 -400000000000000000000000]]", "a");
  state.reduced = lattice::parseBasis("[[1 2] [3 5]]", "b");
  state.best = {Integer("5"), {1, 2}};
  state.uncapped = true;
  state.failure = 0.123456789012345678;
  state.trials = {{0, 0.5}, {2, 0.25}, {7, 1e-9}};
  state.inserted = 3;
  state.nodes = 1ULL << 60;
  state.seconds = 1.5;
  auto bytes = svp::packState(state);
  const svp::SearchState back = svp::unpackState(bytes);
  CHECK(back.start == state.start);
  CHECK(back.reduced == state.reduced);
  CHECK(back.best.squaredNorm == 5);
  CHECK(back.best.entries == state.best.entries);
  CHECK(back.uncapped);
  CHECK(back.failure == state.failure);
  CHECK(back.trials == state.trials);
  CHECK(back.nodes == state.nodes);
  CHECK(back.seconds == state.seconds);
  CHECK(back.nextTrial(0) == 1);
  CHECK(back.nextTrial(2) == 3);
  bytes.resize(bytes.size() / 2);
  CHECK_THROWS_AS((void)svp::unpackState(bytes), CheckpointError);
}
