// The work of a rank on its leases: what it returns, when it ends, and how the others reach it.
#include <doctest/doctest.h>

#include <cstdint>

#include "runtime/cluster/engine_work.hpp"
#include "support/interval_workload.hpp"
#include "support/small_turns.hpp"
#include "support/until_lowered.hpp"

using namespace slicepool;
using cluster::EngineWork;

namespace {

constexpr double kForEver = 1e9;  ///< seconds
constexpr std::uint64_t kEndless = std::uint64_t{1} << 50;

using EndlessInterval = TypedProblem<test::IntervalWorkload, Collect<std::uint64_t>>;

EndlessInterval endlessInterval() {
  ProblemTraits traits;
  traits.workload = "interval";
  return {test::IntervalWorkload::View{1, true}, {{0, kEndless}}, traits};
}

Checkpoint parcelOf(const Problem& problem) {
  Checkpoint parcel;
  parcel.slices = problem.roots();
  parcel.shared = problem.sharedStart();
  return parcel;
}

EngineWork::Done await(EngineWork& work) {
  for (;;) {
    if (auto done = work.take()) return std::move(*done);
    work.wait(0.001);
  }
}

}  // namespace

TEST_CASE("a lease that is to end at once takes steps before it does") {
  const EndlessInterval problem = endlessInterval();
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    EngineWork work(problem, test::smallTurns(mode, 1, "one"), true);
    for (int lease = 0; lease < 5; ++lease) {
      work.begin(parcelOf(problem), lease % 2 == 0 ? kForEver : 0);
      work.end();
      const auto done = await(work);
      CHECK(done.delta.steps > 0);
      CHECK_FALSE(done.delta.slices.empty());
      CHECK(done.delta.identity == "one");
      CHECK(done.delta.words.at(0) * sizeof(std::uint64_t) == done.delta.consumer.size());
      CHECK_FALSE(done.report.workers.empty());
    }
  }
}

TEST_CASE("many results end a lease before its time, so that a commit stays small") {
  const EndlessInterval problem = endlessInterval();
  EngineWork work(problem, test::smallTurns(Mode::cpu, 2, "many"), true);
  work.begin(parcelOf(problem), kForEver);
  const std::size_t bytes = await(work).delta.consumer.size();
  CHECK(bytes >= (16U << 20));
  CHECK(bytes < (32U << 20));
}

TEST_CASE("who leaves does not wait for the end of a lease") {
  const EndlessInterval problem = endlessInterval();
  EngineWork work(problem, test::smallTurns(Mode::cpu, 1, "left"), true);
  work.begin(parcelOf(problem), kForEver);
}

TEST_CASE("the shared word reaches a lease, also before its engine is there") {
  ProblemTraits traits;
  traits.workload = "until lowered";
  const TypedProblem<test::UntilLowered, test::WatchShared> problem(test::UntilLowered::View{0}, {{0}, {0}},
                                                                    traits);
  EngineWork work(problem, test::smallTurns(Mode::cpu, 1, "lowered"), false);
  for (const bool early : {true, false}) {
    work.begin(parcelOf(problem), kForEver);
    while (!early && work.steps() == 0) work.wait(0.001);
    work.lower(9);
    work.lower(0);
    work.lower(7);
    const auto done = await(work);  // nothing else ends it
    CHECK(done.delta.slices.empty());
    CHECK(done.delta.shared == 0);
    CHECK(done.delta.consumer.empty());
  }
}
