// Budgets of CPU turns: from measured rates towards a target, short at both ends of a run.
#include "cpu_workers/core/turn_pacer.hpp"

#include <doctest/doctest.h>

#include <cmath>

using slicepool::TurnPacer;

namespace {

const double kUnknown = std::nan("");
constexpr double kRate = 1e6;  // steps/s

TurnPacer learned(double targetMilliseconds) {
  TurnPacer pacer(targetMilliseconds, 0);
  pacer.learn(1'000'000, 1);
  return pacer;
}

}  // namespace

TEST_CASE("a fixed budget stays, whatever was learned and however little is left") {
  TurnPacer pacer(10, 77);
  CHECK(pacer.budget(0, kUnknown) == 77);
  pacer.learn(1'000'000, 1);
  CHECK(pacer.budget(1000, 1e-9) == 77);
  CHECK(pacer.rate() == doctest::Approx(kRate));
}

TEST_CASE("the first turn is short, and a turn too short to measure teaches nothing") {
  TurnPacer pacer(10, 0);
  CHECK(pacer.budget(1000, kUnknown) == 2048);
  pacer.learn(511, 1);
  pacer.learn(5000, 0);
  pacer.learn(5000, -1);
  CHECK(pacer.rate() == 0);
  CHECK(pacer.budget(1000, kUnknown) == 2048);
}

TEST_CASE("turns grow with the run to the target") {
  const TurnPacer pacer = learned(10);
  CHECK(pacer.budget(0, kUnknown) == 200);     // the shortest, 0.2 ms
  CHECK(pacer.budget(0.1, kUnknown) == 2000);  // a fiftieth of what has passed
  CHECK(pacer.budget(0.25, kUnknown) == 5000);
  CHECK(pacer.budget(100, kUnknown) == 10'000);  // the target
}

TEST_CASE("turns become short towards the end, but never empty") {
  const TurnPacer pacer = learned(10);
  CHECK(pacer.budget(100, 0.02) == 5000);  // a quarter of what is left
  CHECK(pacer.budget(100, 0) == 200);
  TurnPacer slow(10, 0);
  slow.learn(512, 1e6);
  CHECK(slow.budget(100, kUnknown) == 1);
}

TEST_CASE("a target below the shortest turn is not reached") {
  CHECK(learned(0.01).budget(100, kUnknown) == 200);
}

TEST_CASE("rates are smoothed, and an outlier counts as a factor of four") {
  TurnPacer pacer = learned(10);
  pacer.learn(2'000'000, 1);
  CHECK(pacer.rate() == doctest::Approx(1.25e6));
  pacer = learned(10);
  pacer.learn(1'000'000, 1000);  // a preempted thread
  CHECK(pacer.rate() == doctest::Approx(0.75e6 + 0.25 * 0.25e6));
  pacer = learned(10);
  pacer.learn(1'000'000, 1e-6);
  CHECK(pacer.rate() == doctest::Approx(0.75e6 + 0.25 * 4e6));
}
