// Lengths of launches: towards the target, shorter where much of the device has nothing to do, and longer
// again.
#include "runtime/core/batch/launch_pacer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

using namespace slicepool;

namespace {

constexpr double kTarget = 12;         // ms
constexpr double kStepsPerMs = 10000;  // of one slice, on a device whose launches last in proportion
constexpr double kElapsed = 100;       // s: long enough that the start of a run does not shorten launches

LaunchPacer pacer() { return {kTarget, 0, 64, {}, LaunchPacer::kFirstOfSized}; }

/// The next budget after one launch, as a multiple of the budget that it had.
double factorAfter(double milliseconds, double useful, bool spent = true) {
  LaunchPacer made = pacer();
  const std::uint64_t budget = 1'000'000;
  made.learn({64, budget, 1, milliseconds, true, spent, useful, kElapsed, std::nan("")});
  return static_cast<double>(made.budget()) / static_cast<double>(budget);
}

/// Launches with its own budgets; the length of the one after them in ms.
double lengthAfter(LaunchPacer& made, int launches, double useful) {
  const auto length = [&] { return static_cast<double>(made.budget()) / kStepsPerMs; };
  for (int i = 0; i < launches; ++i)
    made.learn({64, made.budget(), 1, length(), true, true, useful, kElapsed, std::nan("")});
  return length();
}

}  // namespace

TEST_CASE("a launch with enough to do is paced by its target alone") {
  for (const double useful : {0.7, 0.9, 1.0, 1.5}) {
    CAPTURE(useful);
    CHECK(factorAfter(8, useful) == doctest::Approx(1.5));
    CHECK(factorAfter(24, useful) == doctest::Approx(0.5));
  }
}

TEST_CASE("the next launch is shorter in proportion where less than 0.7 of the device was busy") {
  CHECK(factorAfter(8, 0.35) == doctest::Approx(0.5));
  CHECK(factorAfter(8, 0.56) == doctest::Approx(0.8));
  CHECK(factorAfter(12, 0.63) == doctest::Approx(0.9));
  CHECK(factorAfter(8, 0.01) == doctest::Approx(0.25));     // not more than four times at once
  CHECK(factorAfter(36, 0.6) == doctest::Approx(1.0 / 3));  // what the target asks for is shorter still
}

TEST_CASE("at the start and before the end launches last as long as the device says, at least") {
  const auto after = [](double least, double elapsed, double left) {
    LaunchPacer made(kTarget, 0, 64, {}, LaunchPacer::kFirstOfSized, least);
    made.learn({64, 1'000'000, 1, 1, true, true, 1, elapsed, left});
    return static_cast<double>(made.budget()) / 1'000'000;
  };
  for (const double least : {0.5, 2.0}) {
    CAPTURE(least);
    CHECK(after(least, 0.001, std::nan("")) == doctest::Approx(least));
    CHECK(after(least, kElapsed, 0.001) == doctest::Approx(least));
    CHECK(after(least, 0.03, std::nan("")) == doctest::Approx(3));
  }
  // A launch that is no longer than that is not made shorter, however few were busy.
  LaunchPacer made(kTarget, 0, 64, {}, LaunchPacer::kFirstOfSized, 2);
  made.learn({64, 1'000'000, 1, 1.5, true, true, 0.01, kElapsed, std::nan("")});
  CHECK(made.budget() == 4'000'000);
}

TEST_CASE("launches last a millisecond while other devices wait for a part of the slices") {
  LaunchPacer made = pacer();
  const std::uint64_t budget = made.budget();
  made.learn({64, budget, 1, 2, true, true, 1, kElapsed, std::nan(""), true});
  CHECK(made.budget() == budget / 2);
  made.learn({64, budget, 1, 2, true, true, 1, kElapsed, std::nan(""), false});
  CHECK(made.budget() == 4 * budget);
}

TEST_CASE("idle lanes do not shorten launches of half a millisecond or less") {
  for (const double milliseconds : {0.1, 0.3, 0.5}) {
    CAPTURE(milliseconds);
    CHECK(factorAfter(milliseconds, 0.01) == doctest::Approx(4));
  }
  CHECK(factorAfter(0.51, 0.35) == doctest::Approx(0.5));
}

TEST_CASE("launches shrink while lanes are idle and reach the target again when they are not") {
  LaunchPacer made = pacer();
  CHECK(lengthAfter(made, 10, 1.0) == doctest::Approx(kTarget).epsilon(0.01));
  CHECK(lengthAfter(made, 1, 0.35) == doctest::Approx(kTarget / 2).epsilon(0.01));
  CHECK(lengthAfter(made, 1, 0.35) == doctest::Approx(kTarget / 4).epsilon(0.01));
  CHECK(lengthAfter(made, 10, 1.0) == doctest::Approx(kTarget).epsilon(0.01));
}

TEST_CASE("a launch that used no budget up teaches nothing, and a fixed budget stays") {
  LaunchPacer untaught = pacer();
  const std::uint64_t first = untaught.budget();
  untaught.learn({64, first, 1, 0.01, true, false, 0.1, kElapsed, std::nan("")});
  CHECK(untaught.budget() == first);
  LaunchPacer fixed(kTarget, 200, 64, {});
  fixed.learn({64, 200, 1, 30, true, true, 0.1, kElapsed, std::nan("")});
  CHECK(fixed.budget() == 200);
}

TEST_CASE(
    "the first launch of slices without sizes is short, and the second one is not where steps are cheap") {
  LaunchPacer cheap(kTarget, 0, 64, {});
  CHECK(cheap.budget() == LaunchPacer::kFirstOfUnsized);
  cheap.learn({64, cheap.budget(), 1, 0.3, true, true, 0.01, 0.001, std::nan("")});
  CHECK(cheap.budget() == LaunchPacer::kFirstOfSized);
  LaunchPacer dear(kTarget, 0, 64, {});
  dear.learn({64, dear.budget(), 1, 1.25, true, true, 1, 0.001, std::nan("")});
  CHECK(dear.budget() < LaunchPacer::kFirstOfUnsized);
  dear.learn({64, dear.budget(), 1, 0.1, true, true, 1, 0.001, std::nan("")});  // only the first one jumps
  CHECK(dear.budget() < 4 * LaunchPacer::kFirstOfUnsized);
}
