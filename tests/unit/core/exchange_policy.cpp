// The decision table of the batch driver: who gives and takes how much, and when nothing moves.
#include "runtime/core/batch/exchange_policy.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

using namespace slicepool;

namespace {

/// 15 CPU workers that do a tenth of all steps; the search has run for 100 ms.
RunView run() {
  RunView view;
  view.cpuWorkers = 15;
  view.totalRate = 1e9;
  view.cpuRate = 1e8;
  view.now = 0.1;
  return view;
}

DeviceView device() {
  DeviceView view;
  view.lanes = 100'000;
  view.busyLanes = 50'000;
  view.rate = 9e8;
  view.laneRate = 4e4;
  view.launchSeconds = 1e-3;
  view.wasLoaded = true;
  view.commitSeconds = 1e-3;
  view.mostLive = 80'000;
  return view;
}

BatchView batch(std::uint32_t live) {
  BatchView view;
  view.live = live;
  view.shares = live != 0;
  return view;
}

RunView dry() {
  RunView view = run();
  view.hungryWorkers = 8;
  return view;
}

}  // namespace

TEST_CASE("a device gives nothing while half of the CPU workers have work") {
  RunView some = run();
  for (std::size_t hungry = 0; hungry < 8; ++hungry) {
    some.hungryWorkers = hungry;
    CHECK(slicesToGive(some, device(), batch(20'000)) == 0);
  }
  CHECK(slicesToGive(dry(), device(), batch(20'000)) == 2'000);   // their share
  CHECK(slicesToGive(dry(), device(), batch(100'000)) == 8'192);  // never more
}

TEST_CASE(
    "a gift is worth half a commit where sizes are known, eight beside a fast device where the total is, "
    "else "
    "two: by the steps that are left, by the last gift, by the time that passed") {
  RunView sized = dry();
  BatchView known = batch(20'000);
  known.work = 1e6;
  sized.stepsLeft = 0.0049 * sized.totalRate;  // 4.9 ms, of which the CPU workers save a tenth
  CHECK(slicesToGive(sized, device(), known) == 0);
  sized.stepsLeft = 0.0051 * sized.totalRate;
  CHECK(slicesToGive(sized, device(), known) == 2'000);

  RunView total = dry();
  total.stepsLeft = 0.079 * total.totalRate;
  CHECK(slicesToGive(total, device(), batch(20'000)) == 0);
  total.stepsLeft = 0.081 * total.totalRate;
  CHECK(slicesToGive(total, device(), batch(20'000)) == 2'000);
  DeviceView slow = device();
  slow.rate = 3.9 * total.cpuRate;
  total.stepsLeft = 0.0049 * total.totalRate;
  CHECK(slicesToGive(total, slow, batch(20'000)) == 0);
  total.stepsLeft = 0.0051 * total.totalRate;
  CHECK(slicesToGive(total, slow, batch(20'000)) == 2'000);
  slow.rate = 4.1 * total.cpuRate;
  CHECK(slicesToGive(total, slow, batch(20'000)) == 0);

  DeviceView taught = device();
  taught.cpuSecondsForAll = 0.19;  // a tenth of them lasts 19 ms, of which a tenth is saved
  CHECK(slicesToGive(dry(), taught, batch(20'000)) == 0);
  taught.cpuSecondsForAll = 0.21;
  CHECK(slicesToGive(dry(), taught, batch(20'000)) == 2'000);

  RunView young = dry();
  young.now = 0.019;
  CHECK(slicesToGive(young, device(), batch(20'000)) == 0);
  young.now = 0.021;
  CHECK(slicesToGive(young, device(), batch(20'000)) == 2'000);
}

TEST_CASE("a gift that needs much new memory has to save a tenth of a second") {
  BatchView large = batch(90'000);
  large.room = false;
  RunView sized = dry();
  sized.stepsLeft = 0.9 * sized.totalRate;
  CHECK(slicesToGive(sized, device(), large) == 0);
  large.spare = true;  // it lies unused
  CHECK(slicesToGive(sized, device(), large) == 8'192);
  large.spare = false;
  sized.stepsLeft = 1.1 * sized.totalRate;
  CHECK(slicesToGive(sized, device(), large) == 8'192);
}

TEST_CASE("CPU workers that have had nothing yet get their first slices as soon as there are enough") {
  RunView fresh = run();
  fresh.cpuRate = 0;
  fresh.now = 5e-4;
  CHECK(slicesToGive(fresh, device(), batch(239)) == 0);
  CHECK(slicesToGive(fresh, device(), batch(240)) == 29);  // 15 of 128, though no worker is asleep
  CHECK(slicesToGive(fresh, device(), batch(2'048)) == 240);
  fresh.waiting = 100;  // they have not got round to taking what waits
  CHECK(slicesToGive(fresh, device(), batch(2'048)) == 0);
}

TEST_CASE("a batch goes to the CPU workers whole where single lanes are slower than they are") {
  const std::uint32_t few = 1'200;  // at 4e4 steps/s each: less than half of what the CPU workers do
  DeviceView late = device();
  CHECK(slicesToGive(dry(), late, batch(few)) == few);
  CHECK(slicesToGive(dry(), late, batch(2'000)) < 1'000);
  BatchView growing = batch(few);
  growing.growing = true;
  CHECK(slicesToGive(dry(), late, growing) < few);
  late.handsOver = false;  // it has done so, and they were not done with it soon
  CHECK(slicesToGive(dry(), late, batch(few)) < few);
  late.handsOver = true;
  late.launchSeconds = 1e-4;  // over at once
  CHECK(slicesToGive(dry(), late, batch(few)) < few);
}

TEST_CASE(
    "a batch does not go to the CPU workers whole where to take its slices lasts longer than a launch") {
  DeviceView late = device();
  late.laneRate = 1e3;  // each of them holds next to nothing
  CHECK(slicesToGive(dry(), late, batch(2'000)) == 2'000);
  CHECK(slicesToGive(dry(), late, batch(2'001)) < 1'000);
}

TEST_CASE("a device that joins calls all slices back, unless earlier rates say that it is no faster") {
  CHECK_FALSE(recalls(0, 0, 0));  // nobody has any
  CHECK(recalls(1e8, 0, 0));
  CHECK(recalls(1e8, 2e8, 1e8));
  CHECK_FALSE(recalls(1e8, 1.9e8, 1e8));

  DeviceView fresh = device();
  fresh.wasLoaded = false;
  CHECK_FALSE(endsRecall(fresh, batch(60'000), 0.029));
  CHECK(endsRecall(fresh, batch(60'000), 0.031));  // they have waited long enough
  CHECK_FALSE(endsRecall(device(), batch(24'999), 0.001));
  CHECK(endsRecall(device(), batch(25'000), 0.001));

  RunView recalling = run();
  recalling.recalling = true;
  recalling.waiting = 2'000;
  CHECK(slicesToTake(recalling, fresh, batch(0), batch(0), {}, 2'000) == 2'000);
  recalling.waiting = 10;  // what comes later goes to the same batch
  CHECK(slicesToTake(recalling, fresh, batch(5'000), batch(0), {}, 2'000) == 10);
  CHECK(slicesToTake(recalling, fresh, batch(0), batch(5'000), {}, 2'000) == 0);

  // It owes them their share then: two commits instead of eight.
  RunView owing = dry();
  owing.stepsLeft = 0.021 * owing.totalRate;
  CHECK(slicesToGive(owing, device(), batch(20'000)) == 0);
  owing.owes = true;
  CHECK(slicesToGive(owing, device(), batch(20'000)) == 2'000);
  owing.stepsLeft = 0.019 * owing.totalRate;
  CHECK(slicesToGive(owing, device(), batch(20'000)) == 0);
  owing.stepsLeft = kUnknown;
  CHECK(slicesToGive(owing, fresh, batch(2'560)) == 150);  // 15 of 256, where the device's rate is unknown
}

TEST_CASE("an empty batch leaves a few slices to the CPU workers while the other one multiplies its own") {
  RunView few = run();
  few.waiting = 100;
  DeviceView starving = device();
  starving.starving = true;
  BatchView growing = batch(401);
  growing.growing = true;
  CHECK(slicesToTake(few, starving, batch(0), growing, {}, 1'000) == 0);
  growing.live = 400;
  CHECK(slicesToTake(few, starving, batch(0), growing, {}, 1'000) != 0);
  growing.live = 401;
  growing.growing = false;
  CHECK(slicesToTake(few, starving, batch(0), growing, {}, 1'000) != 0);
  growing.growing = true;
  starving.endsEarly = true;
  CHECK(slicesToTake(few, starving, batch(0), growing, {}, 1'000) != 0);
}

TEST_CASE("what cannot be cut is for CPU workers where there are some") {
  BatchView stragglers = batch(256);
  stragglers.stuck = true;
  CHECK(slicesToGive(run(), device(), stragglers) == 256);
  RunView alone = run();
  alone.cpuWorkers = 0;
  CHECK(slicesToGive(alone, device(), stragglers) == 0);
}

TEST_CASE("an idle device gets half") {
  RunView idle = run();
  idle.hungryDevices = 1;
  CHECK(slicesToGive(idle, device(), batch(20'000)) == 10'000);
  idle.cpuWorkers = 0;
  CHECK(slicesToGive(idle, device(), batch(90'000)) == 45'000);
  CHECK(slicesToGive(idle, device(), batch(1)) == 0);
}

TEST_CASE("devices that are idle or lack slices get equal parts, of the batch that has many") {
  RunView idle = run();
  idle.cpuWorkers = 0;
  idle.hungryDevices = 1;
  idle.needyDevices = 3;
  CHECK(slicesToGive(idle, device(), batch(80'000)) == 60'000);
  CHECK(slicesToGive(idle, device(), batch(20'000), batch(40'000)) == 15'000);
  CHECK(slicesToGive(idle, device(), batch(20'000), batch(80'000)) == 0);
  CHECK(slicesToGive(idle, device(), batch(80'000), batch(20'000)) == 60'000);
  // Each takes its part of what is given.
  RunView taker = idle;
  taker.waiting = 9'000;
  taker.hungryDevices = 2;
  taker.stepsLeft = 1e6;
  CHECK(slicesToTake(taker, device(), batch(0), batch(0), {}, 9'000) == 3'001);
  taker.hungryDevices = 0;
  CHECK(slicesToTake(taker, device(), batch(0), batch(0), {}, 9'000) == 9'000);
}

TEST_CASE("a device that still works gets something only of one at its full rate, in a long search") {
  /// Of 80,000 slices, in a search of a second, in which all is as it should be but for what `change`
  /// changes.
  const auto given = [](auto&& change) {
    RunView view = run();
    view.cpuWorkers = 0;
    view.cpuRate = 0;
    view.needyDevices = 1;
    view.now = 0.2;
    view.stepsLeft = 1e9;
    DeviceView giver = device();
    giver.fullRate = giver.rate;
    BatchView large = batch(80'000);
    change(view, giver, large);
    return slicesToGive(view, giver, large);
  };
  CHECK(given([](auto&, auto&, auto&) {}) == 40'000);
  CHECK(given([](auto& view, auto&, auto&) { view.now = 0.09; }) == 0);
  CHECK(given([](auto& view, auto&, auto&) { view.stepsLeft = 9e7; }) == 0);
  CHECK(given([](auto&, auto&, auto& large) { large.lastGive = 0.16; }) == 40'000);
  CHECK(given([](auto&, auto&, auto& large) { large.lastGive = 0.18; }) == 0);
  CHECK(given([](auto&, auto&, auto& large) { large.room = false; }) == 0);
  CHECK(given([](auto&, auto&, auto& large) {
          large.room = false;
          large.spare = true;
        }) == 0);
  CHECK(given([](auto&, auto& giver, auto&) { giver.fullRate *= 2; }) == 0);
  CHECK(given([](auto&, auto& giver, auto&) { giver.starving = true; }) == 0);
  // Where it is unknown how much is left: once.
  CHECK(given([](auto& view, auto&, auto&) { view.stepsLeft = kUnknown; }) == 40'000);
  CHECK(given([](auto& view, auto&, auto& large) {
          view.stepsLeft = kUnknown;
          large.lastGive = 0.1;
        }) == 0);
}

TEST_CASE("a device lacks slices when it has none, or its rate has fallen") {
  RunView others = run();
  others.cpuWorkers = 0;
  DeviceView full = device();
  full.fullRate = full.rate;
  CHECK_FALSE(needsMore(others, full, batch(20'000), batch(0)));
  CHECK(needsMore(others, full, batch(0), batch(0)));
  DeviceView slow = full;
  slow.fullRate = 2 * full.rate;
  CHECK(needsMore(others, slow, batch(20'000), batch(0)));
  BatchView growing = batch(20'000);
  growing.growing = true;
  CHECK_FALSE(needsMore(others, slow, growing, batch(0)));
  BatchView sized = batch(20'000);
  sized.work = 1e6;
  BatchView empty = batch(0);
  empty.work = 0;
  CHECK_FALSE(needsMore(others, slow, sized, empty));  // its work is known
  DeviceView fresh = slow;
  fresh.wasLoaded = false;
  CHECK_FALSE(needsMore(others, fresh, batch(20'000), batch(0)));
  others.cpuWorkers = 15;
  CHECK_FALSE(needsMore(others, full, batch(0), batch(0)));
}

TEST_CASE("a device takes more when it runs low, not only when it has run out") {
  RunView alone = run();
  alone.cpuWorkers = 0;
  alone.waiting = 400;
  CHECK(slicesToTake(alone, device(), batch(30'000), batch(0), {}, 1'000) == 0);    // loaded enough
  CHECK(slicesToTake(alone, device(), batch(24'000), batch(0), {}, 1'000) == 200);  // the end may be near
  alone.stepsLeft = 1e12;
  CHECK(slicesToTake(alone, device(), batch(24'000), batch(0), {}, 1'000) == 100);  // it is not: a quarter
  BatchView growing = batch(24'000);
  growing.growing = true;
  CHECK(slicesToTake(alone, device(), growing, batch(0), {}, 1'000) == 0);
  DeviceView topped = device();
  topped.mostLive = 40'000;  // it took some not long ago
  CHECK(slicesToTake(alone, topped, batch(24'000), batch(0), {}, 1'000) == 0);
}

TEST_CASE("beside CPU workers a device takes its share by rate, and leaves them what is done in no time") {
  RunView both = run();
  both.waiting = 1'000;
  DeviceView fresh = device();
  fresh.mostLive = 0;
  CHECK(slicesToTake(both, fresh, batch(0), batch(0), {}, 1'000) == 250);     // a quarter at once,
  CHECK(slicesToTake(both, device(), batch(0), batch(0), {}, 1'000) == 500);  // when it has run dry a half,
  fresh.rate = 1e8;
  CHECK(slicesToTake(both, fresh, batch(0), batch(0), {}, 1'000) == 100);  // and no more than its share
  both.stepsLeft = 2e-4 * both.cpuRate;
  CHECK(slicesToTake(both, device(), batch(0), batch(0), {}, 1'000) == 0);
  DeviceView resting = device();
  resting.restsUntil = both.now + 1e-3;
  both.stepsLeft = kUnknown;
  CHECK(slicesToTake(both, resting, batch(0), batch(0), {}, 1'000) == 0);
}

TEST_CASE(
    "beside CPU workers a device that ran dry asks for as many slices, for each of theirs, as it is faster") {
  RunView both = run();
  both.waiting = 50;
  DeviceView fed = device();
  fed.fullRate = 9e8;  // nine times the CPU workers
  fed.taken = 9 * 15;
  CHECK_FALSE(asksForMore(both, fed, batch(20'000), batch(0)));
  CHECK(slicesToTake(both, fed, batch(20'000), batch(0), {}, 1'000) == 0);
  DeviceView unfed = fed;
  unfed.taken = 9 * 15 - 1;
  CHECK(asksForMore(both, unfed, batch(20'000), batch(0)));
  CHECK(slicesToTake(both, unfed, batch(20'000), batch(0), {}, 1'000) == 45);  // its share of them
  unfed.restsUntil = both.now + 1e-3;
  CHECK(slicesToTake(both, unfed, batch(20'000), batch(0), {}, 1'000) == 0);
  unfed.restsUntil = 0;
  unfed.taken = 0;  // it has none: it is idle, and heard as such
  CHECK_FALSE(asksForMore(both, unfed, batch(20'000), batch(0)));
  unfed.taken = 1;
  BatchView sized = batch(20'000);
  sized.work = 1e6;
  BatchView other = batch(0);
  other.work = 0;
  CHECK_FALSE(asksForMore(both, unfed, sized, other));
  unfed.fullRate = 1e12;  // more than CPU workers can cut
  unfed.taken = 32 * 15;
  CHECK_FALSE(asksForMore(both, unfed, batch(20'000), batch(0)));
  both.cpuWorkers = 0;
  unfed.taken = 1;
  CHECK_FALSE(asksForMore(both, unfed, batch(20'000), batch(0)));
}

TEST_CASE("the first device puts aside the parts of those that will join, where no CPU worker takes them") {
  RunView alone = run();
  alone.cpuWorkers = 0;
  CHECK(slicesToDeal(alone, batch(10'000)) == 0);
  alone.devicesToCome = 3;
  CHECK(slicesToDeal(alone, batch(10'000)) == 7'500);
  CHECK(slicesToDeal(alone, batch(1'023)) == 0);  // not yet
  // What waits is theirs, too, as long as it has any.
  alone.waiting = 1'000;
  CHECK(slicesToTake(alone, device(), batch(0), batch(0), {}, 1'000) == 251);
  CHECK(slicesToTake(alone, device(), batch(0), batch(5), {}, 1'000) == 0);
  alone.cpuWorkers = 15;
  CHECK(slicesToDeal(alone, batch(10'000)) == 0);
}

TEST_CASE("a gift that lasted shortly says little beside a device that is no faster than the CPU workers") {
  RunView hungry = dry();
  hungry.now = 1;
  DeviceView slow = device();
  slow.cpuSecondsForAll = 1e-6;
  slow.rate = 1e8;
  hungry.totalRate = 2e8;
  CHECK(slicesToGive(hungry, slow, batch(20'000)) != 0);
  slow.rate = 2e8;
  hungry.totalRate = 3e8;
  CHECK(slicesToGive(hungry, slow, batch(20'000)) == 0);
}

TEST_CASE("rows: a small batch first, then a share by the rate of copies") {
  RunView both = run();
  both.waiting = 1'000;
  RowView rows{1e5, 0};
  CHECK(slicesToTake(both, device(), batch(0), batch(0), rows, 1'000) == 80);  // 8 MB
  CHECK(slicesToTake(both, device(), batch(0), batch(80), rows, 1'000) == 0);  // until its copy is through
  rows.rate = 3e8;                                                             // three quarters of both
  CHECK(slicesToTake(both, device(), batch(0), batch(0), rows, 1'000) == 250);
  CHECK(slicesToTake(both, device(), batch(0), batch(900), rows, 1'000) == 250);
  rows.rate = 6e7;  // three eighths: what the other batch has is more than its share
  CHECK(slicesToTake(both, device(), batch(0), batch(900), rows, 1'000) == 0);
  both.cpuWorkers = 0;
  CHECK(slicesToTake(both, device(), batch(0), batch(500), rows, 1'000) == 250);
}

TEST_CASE("rows of a device that copies at less than half of the CPU workers' rate are left to them") {
  RunView both = run();
  both.waiting = 1'000;
  RowView rows{1e5, 4.9e7, 0};
  CHECK(slicesToTake(both, device(), batch(0), batch(0), rows, 1'000) == 0);
  rows.rate = 5.1e7;
  CHECK(slicesToTake(both, device(), batch(0), batch(0), rows, 1'000) == 250);
  // At the start the rates of earlier runs say so.
  both.cpuRate = 0;
  CHECK(slicesToTake(both, device(), batch(0), batch(0), rows, 1'000) == 250);
  rows.expectedCpuRate = 2e8;
  CHECK(slicesToTake(both, device(), batch(0), batch(0), rows, 1'000) == 0);
  both.cpuRate = 1e6;  // some of them have begun
  CHECK(slicesToTake(both, device(), batch(0), batch(0), rows, 1'000) == 0);
  both.cpuWorkers = 0;  // nobody else does them
  CHECK(slicesToTake(both, device(), batch(0), batch(0), rows, 1'000) == 250);
}

TEST_CASE("a batch is halved for the empty one when that is worth it, and not twice at once") {
  RunView alone = run();
  alone.cpuWorkers = 0;
  CHECK(worthHalving(alone, device(), batch(20'000), batch(0), -1));
  CHECK_FALSE(worthHalving(alone, device(), batch(20'000), batch(1'250), -1));
  CHECK(worthHalving(alone, device(), batch(20'000), batch(1'249), -1));  // next to nothing
  DeviceView endsEarly = device();
  endsEarly.endsEarly = true;
  CHECK_FALSE(worthHalving(alone, endsEarly, batch(20'000), batch(1'249), -1));
  CHECK(worthHalving(alone, endsEarly, batch(20'000), batch(0), -1));
  BatchView exhausted = batch(0);  // and not settled
  exhausted.shares = true;
  CHECK_FALSE(worthHalving(alone, device(), batch(20'000), exhausted, -1));
  CHECK_FALSE(worthHalving(alone, device(), batch(12'000), batch(0), -1));  // too few for two
  CHECK_FALSE(worthHalving(alone, device(), batch(50'001), batch(0), -1));  // enough for one
  CHECK_FALSE(worthHalving(alone, device(), batch(20'000), batch(0), alone.now - 0.05));
  alone.stepsLeft = 0.05 * alone.totalRate;
  CHECK_FALSE(worthHalving(alone, device(), batch(20'000), batch(0), -1));
}

TEST_CASE("slices worth having, and commits that no worker waits for") {
  CHECK(fillTarget(device(), kUnknown, 4'321) == 4'321);
  CHECK(fillTarget(device(), 1e9, 1) == 100'000);
  CHECK(fillTarget(device(), 16'000, 1) == 1'000);  // 16 steps for each lane at least
  CHECK(commitInterval(1e-3, true) == doctest::Approx(0.5));
  CHECK(commitInterval(1e-3, false) == doctest::Approx(4));
  CHECK(leavesRows(4e8, 1e9));
  CHECK_FALSE(leavesRows(6e8, 1e9));
  CHECK_FALSE(leavesRows(0, 1e9));  // unknown
  for (const bool hasResults : {false, true}) CHECK(commitInterval(0.1, hasResults) == doctest::Approx(5));
}

TEST_CASE(
    "beside CPU workers devices give to devices: to idle ones, and to those that lag behind their like") {
  RunView several = run();
  several.otherDevices = true;
  several.fastest = 9e8;
  several.stepsLeft = 1e9;
  several.now = 1;
  BatchView full = batch(60'000);

  // Who lacks slices: by the rate of another one, also if it has never been loaded itself.
  DeviceView slow = device();
  slow.wasLoaded = false;
  slow.rate = slow.fullRate = 5e8;
  CHECK(needsMore(several, slow, batch(9'000), batch(0)));
  slow.rate = 6e8;
  CHECK(!needsMore(several, slow, batch(9'000), batch(0)));
  slow.rate = 1e8;
  BatchView growing = batch(9'000);
  growing.growing = true;
  CHECK(!needsMore(several, slow, growing, batch(0)));
  RunView single = several;
  single.otherDevices = false;
  CHECK(!needsMore(single, slow, batch(9'000), batch(0)));
  DeviceView resting = slow;
  resting.restsUntil = 1.5;  // it has just given all to the CPU workers
  CHECK(!needsMore(several, resting, batch(0), batch(0)));

  // Who gives: one at its full rate, half, and not to CPU workers that wait as well.
  RunView lacking = several;
  lacking.needyDevices = 1;
  CHECK(slicesToGive(lacking, device(), full) == 30'000);
  CHECK(givesToDevices(lacking, device(), full));
  lacking.hungryWorkers = 15;
  CHECK(slicesToGive(lacking, device(), full) == 30'000);
  full.lastGive = 0.99;  // not again at once: then the CPU workers get theirs
  CHECK(!givesToDevices(lacking, device(), full));
  CHECK(slicesToGive(lacking, device(), full) == 6'000);

  // Of the first slices CPU workers would take most, so that an idle device waits for more of them.
  RunView first = several;
  first.hungryDevices = 1;
  growing.live = 600;
  CHECK(slicesToGive(first, device(), growing) == 0);
  growing.live = 2'000;
  CHECK(slicesToGive(first, device(), growing) == 1'000);
  first.cpuWorkers = 0;
  growing.live = 600;
  CHECK(slicesToGive(first, device(), growing) == 300);

  // What waits is for the one that lacks slices, but for the part of the CPU workers.
  RunView waiting = several;
  waiting.waiting = 20'000;
  waiting.needyDevices = 1;
  CHECK(slicesToTake(waiting, slow, batch(500), batch(500), {}, 20'000) == 18'000);
  DeviceView low = device();
  CHECK(slicesToTake(waiting, low, batch(0), batch(500), {}, 20'000) == 0);
}

TEST_CASE("memory for commits of all lanes is pinned at once where the search is long") {
  CHECK(!makesRoomAtOnce(0, 0, kUnknown));
  CHECK(!makesRoomAtOnce(1e9, 0, 100));
  CHECK(makesRoomAtOnce(1e10, 0, kUnknown));
  CHECK(!makesRoomAtOnce(1e10, 0, 5));  // GPUs end it in less than half a second
  CHECK(makesRoomAtOnce(1e10, 0, 50));
  CHECK(!makesRoomAtOnce(1e10, 3e10, 50));
  CHECK(makesRoomAtOnce(1e11, 3e10, 5));
}
