// What mode auto says of its choice, sentence by sentence; devices_that_join.cpp has the engine's.
#include "runtime/core/automatic_choice.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>

#include "runtime/core/report_merge.hpp"

using namespace slicepool;

namespace {

const double kUnknown = std::nan("");

}  // namespace

TEST_CASE("a driver that was asked for: when, by which rate, and how much it left") {
  const AutomaticChoice choice = choiceAfter(SearchLook{0.025, 2e9, 1e10}, true);
  CHECK(choice.devices);
  CHECK(choice.askedSeconds == 0.025);
  CHECK(choice.stepsPerSecond == 2e9);
  CHECK(choice.stepsLeft == 1e10);
  CHECK(choice.secondsLeft == 5);
  CHECK(choice.reason == "the rate of the CPU workers left 5 s of work");
}

TEST_CASE("a driver that was asked for though nothing was known of the rest") {
  const AutomaticChoice choice = choiceAfter(SearchLook{0.0761, 3e8, kUnknown}, true);
  CHECK(choice.devices);
  CHECK(choice.askedSeconds == 0.0761);
  CHECK(choice.stepsPerSecond == 3e8);
  CHECK_FALSE(choice.stepsLeft);
  CHECK_FALSE(choice.secondsLeft);
  CHECK(choice.reason == "the search had taken 0.076 s, and how much was left was unknown");
}

TEST_CASE("a driver that was not asked for: too little was left, or the search ended before that was seen") {
  const AutomaticChoice little = choiceAfter(SearchLook{0.03, 1e9, 1.2e8}, false);
  CHECK_FALSE(little.devices);
  CHECK_FALSE(little.askedSeconds);
  CHECK(little.secondsLeft == 0.12);
  CHECK(little.reason ==
        "the rate of the CPU workers left 0.12 s of work at last, too little for the start of a GPU");
  const char* const early = "the search ended before it was seen to be long";
  CHECK(choiceAfter(std::nullopt, false).reason == early);
  CHECK(choiceAfter(SearchLook{0.03, 1e9, kUnknown}, false).reason == early);
  CHECK(choiceAfter(SearchLook{0.01, 1e9, 1e12}, false).reason == early);  // long, but stopped
  const AutomaticChoice rateless = choiceAfter(SearchLook{0.01, 0, 100}, false);
  CHECK(rateless.reason == early);
  CHECK(rateless.stepsLeft == 100);
  CHECK_FALSE(rateless.stepsPerSecond);
  CHECK_FALSE(rateless.secondsLeft);
}

TEST_CASE("a start before the search is told where the engine did not know of it") {
  const AutomaticChoice early = askedBeforeSearch("2 s of the CPU workers were expected");
  CHECK(early.devices);
  CHECK(early.askedSeconds == 0);
  const auto told = [&](std::optional<AutomaticChoice> choice) {
    tellOfEarlyStart(choice, early);
    return choice ? choice->reason : "nothing";
  };
  CHECK(told(std::nullopt) == "nothing");
  for (const AutomaticChoice& choice :
       {choiceAfter(std::nullopt, false), choiceAfter(SearchLook{0.03, 1e9, 1.2e8}, false),
        alreadyAsked(0.02), choiceAfter(SearchLook{0.025, 2e9, 1e10}, true),
        askedAfterEarlierRuns(0.02, 0.5)})
    CHECK(told(choice) == early.reason);
  for (const AutomaticChoice& choice : {withReadyDevices(), withoutGpus("there is none")})
    CHECK(told(choice) == choice.reason);
}

TEST_CASE("mode hybrid goes by less, and asks where others have") {
  CHECK(choiceAfter(SearchLook{0.03, 1e9, 3e8}, false, Mode::hybrid).reason ==
        "the search ended before it was seen to be long");  // 0.3 s: it was stopped
  CHECK(choiceAfter(SearchLook{0.03, 1e9, 1e8}, false, Mode::hybrid).reason ==
        "the rate of the CPU workers left 0.1 s of work at last, too little for the start of a GPU");
  for (const AutomaticChoice& choice : {alreadyAsked(0.001), askedAfterEarlierRuns(0.001, 0.4)}) {
    CHECK(choice.devices);
    CHECK(choice.askedSeconds == 0.001);
  }
}

TEST_CASE(
    "who searches where the GPUs are ready: GPUs that are much faster, alone, unless the others save 20 ms") {
  // CPU workers a twentieth of the devices: of 0.42 s they save 20 ms.
  CHECK(searchersOf({4.1e9, 5e8, 1e10, false}, Mode::hybrid) == Searchers::devices);
  CHECK(searchersOf({4.3e9, 5e8, 1e10, false}, Mode::hybrid) == Searchers::both);
  CHECK(searchersOf({4.1e9, 5e8, 1e10, false}, Mode::automatic) == Searchers::devices);
  // A GPU at most twice as fast as the CPU workers: both from 5 ms of it on, and always where it is slower.
  CHECK(searchersOf({4.9e7, 1e10, 1e10, false}, Mode::hybrid) == Searchers::devices);
  CHECK(searchersOf({5.1e7, 1e10, 1e10, false}, Mode::hybrid) == Searchers::both);
  for (const double slower : {9.9e9, 2e9, 1e8})
    for (const double steps : {1.1e7, 4.5e7, 5.1e7, 1e12})
      CHECK(searchersOf({steps, 1e10, slower, false}, Mode::automatic) == Searchers::both);
  CHECK(searchersOf({9e6, 1e10, 2e9, false}, Mode::automatic) == Searchers::cpuWorkers);  // 0.9 ms
  CHECK(searchersOf({4.5e7, 1e10, 2e9, false, 2}, Mode::hybrid) == Searchers::devices);
  CHECK(searchersOf({3e8, 1e10, 2e10, false}, Mode::hybrid) == Searchers::both);
  CHECK(searchersOf({3e8, 1e10, 2.1e10, false}, Mode::hybrid) == Searchers::devices);
  CHECK(searchersOf({3e8, 1e10, 1e10, false, 2}, Mode::hybrid) == Searchers::devices);
  // Several GPUs stop each other for what CPU workers lack: these have to save 0.2 s.
  CHECK(searchersOf({2e10, 1e9, 1.9e10, false, 1}, Mode::hybrid) == Searchers::both);
  CHECK(searchersOf({2e10, 1e9, 1.9e10, false, 2}, Mode::hybrid) == Searchers::devices);
  CHECK(searchersOf({7e10, 1e9, 1.9e10, false, 2}, Mode::hybrid) == Searchers::devices);
  CHECK(searchersOf({8e10, 1e9, 1.9e10, false, 2}, Mode::automatic) == Searchers::both);
  // Unknown: the size, or a rate.
  CHECK(searchersOf({0, 5e8, 1e10, false}, Mode::hybrid) == Searchers::both);
  CHECK(searchersOf({1e6, 0, 1e10, false}, Mode::hybrid) == Searchers::both);
  CHECK(searchersOf({1e6, 5e8, 0, false}, Mode::hybrid) == Searchers::both);
  // Below a millisecond of the CPU workers, unless the user wants GPUs.
  CHECK(searchersOf({4.9e5, 5e8, 1e10, false}, Mode::automatic) == Searchers::cpuWorkers);
  CHECK(searchersOf({5.1e5, 5e8, 1e10, false}, Mode::automatic) == Searchers::devices);
  CHECK(searchersOf({4.9e5, 5e8, 1e10, false}, Mode::hybrid) == Searchers::devices);
  // Rows by the rate of their copies.
  CHECK(searchersOf({1e9, 1e10, 4.9e9, true}, Mode::hybrid) == Searchers::cpuWorkers);
  CHECK(searchersOf({1e9, 1e10, 5.1e9, true}, Mode::hybrid) == Searchers::both);
  CHECK(searchersOf({1e9, 1e10, 0, true}, Mode::hybrid) == Searchers::both);

  const AutomaticChoice alone = choiceOf({4.1e9, 5e8, 1e10, false}, Mode::hybrid);
  CHECK(alone.devices);
  CHECK(alone.stepsLeft == 4.1e9);
  CHECK(alone.reason == "by earlier runs' rates the GPUs need 0.41 s, of which CPU workers would save 0.02");
  const AutomaticChoice rows = choiceOf({1e9, 1e10, 4.9e9, true}, Mode::hybrid);
  CHECK_FALSE(rows.devices);
  CHECK(rows.stepsPerSecond == 1e10);
  CHECK(rows.reason ==
        "earlier runs have copied rows from the GPUs at less than half of the CPU workers' rate");
  CHECK(choiceOf({4.9e5, 5e8, 1e10, false}, Mode::automatic).reason ==
        "an earlier run's rate of the CPU workers leaves less than a millisecond of work");
  const AutomaticChoice both = choiceOf({6e8, 1e10, 1e10, false}, Mode::hybrid);
  CHECK(both.devices);
  CHECK(both.reason == "the GPUs were ready");
}

TEST_CASE("without a GPU the reason is what is missing") {
  CHECK(withoutGpus("it is broken").reason == "there is no usable GPU: it is broken");
  CHECK_FALSE(withoutGpus().devices);
  CHECK(withoutGpus().reason.starts_with("there is no usable GPU: "));
}

TEST_CASE("of several engines the first that asked for GPUs says when, else the last says why not") {
  RunReport part;
  part.seconds = 1;
  part.automatic = withoutDevices("first");
  RunReport into;
  addReport(into, part);
  part.automatic = withoutDevices("second");
  addReport(into, part);
  addReport(into, RunReport{});  // one without a choice
  REQUIRE(into.automatic);
  CHECK(into.automatic->reason == "second");
  part.automatic = choiceAfter(SearchLook{0.5, 1, 10}, true);
  addReport(into, part);
  CHECK(into.automatic->devices);
  CHECK(into.automatic->askedSeconds == 2.5);  // two seconds of enumeration before
  addReport(into, part);
  part.automatic = withoutDevices("third");
  addReport(into, part);
  CHECK(into.automatic->askedSeconds == 2.5);
}
