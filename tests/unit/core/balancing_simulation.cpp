// The rules of docs/balancing.md on machines that are not there: CPU workers and batch drivers of the library
// in simulated time. Random searches and machines; nothing is lost, hand-overs are bounded, and hybrid runs
// are held against their halves.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "support/scale.hpp"
#include "support/simulation/cases.hpp"

using namespace slicepool;
using namespace slicepool::test;

namespace {

/// How many cases: as many, the share of SLICEPOOL_TEST_SCALE, or SLICEPOOL_SIMULATED_CASES (10,000: half an
/// hour).
std::size_t cases(std::size_t usual) {
  const char* text = std::getenv("SLICEPOOL_SIMULATED_CASES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : scaled(usual);
}

/// What the ratios of a family are held against.
struct Mark {
  double mean = 0;
  double most = 1;   ///< share of the cases below 0.98
  double least = 0;  ///< of all of them
};

/// Takes ratios of random cases of each family by `ratio(random, family, i)`, says what they are, and holds
/// those of the usual cases against the marks, which are for these.
template <class Ratio>
void holdAgainst(const char* what, std::uint64_t seed, std::size_t usual, const Mark (&marks)[3],
                 Ratio&& ratio) {
  Cases random(seed);
  for (std::size_t family = 0; family < 3; ++family) {
    Ratios ratios;
    for (std::size_t i = 0; i < cases(usual); ++i)
      ratios.values.push_back(ratio(random, kFamilies[family], i));
    MESSAGE(std::string(what) << ", " << std::string(kNames[family]) << ": " << ratios.values.size()
                              << " cases, mean " << ratios.mean() << ", least " << ratios.least()
                              << ", below 0.98 " << 100 * ratios.below(0.98) << " %");
    if (ratios.values.size() != usual) continue;
    CHECK(ratios.mean() >= marks[family].mean);
    CHECK(ratios.below(0.98) <= marks[family].most);
    CHECK(ratios.least() >= marks[family].least);
  }
}

}  // namespace

TEST_CASE("simulated time: one thread at a time, in order; the end wakes all") {
  SimulatedTime time(2);
  std::vector<std::int64_t> seen;
  std::thread early([&] {
    time.join(0);
    seen.push_back(time.now());
    time.sleep(50);
    seen.push_back(time.now());
    time.sleepUntilWoken();
    seen.push_back(time.now());
    time.leave();
  });
  std::thread late([&] {
    time.join(1);
    time.sleep(20);
    seen.push_back(time.now());
    time.sleep(70);
    time.wakeAll();
    time.sleep(5);
    seen.push_back(time.now());
    time.leave();
  });
  early.join();
  late.join();
  CHECK(seen == std::vector<std::int64_t>{0, 20, 50, 90, 95});
  CHECK(time.stuck() == "");

  SimulatedTime alone(1);
  std::thread sleeper([&] {
    alone.join(0);
    alone.sleepUntilWoken();  // no thread can wake it
    alone.leave();
  });
  sleeper.join();
  CHECK(alone.stuck() == "all threads sleep, and none can wake them");
}

TEST_CASE("simulated time: a hang says so") {
  SimulatedTime waits(2, {.joinSeconds = 0});
  std::thread only([&] {
    waits.join(0);  // the other one never comes
    waits.leave();
  });
  only.join();
  CHECK(waits.stuck() == "only 1 of 2 threads take part");

  SimulatedTime endless(1, {.longest = 5'000'000});
  std::thread sleeper([&] {
    endless.join(0);
    while (!endless.over()) endless.sleep(1'000);
    endless.leave();
  });
  sleeper.join();
  CHECK(endless.stuck() == "it goes on after 5 ms");
  CHECK(endless.now() == 5'000'000);
}

TEST_CASE("simulated machines: fibers find what threads find") {
  Cases random(8);
  for (std::size_t i = 0; i < cases(12); ++i) {
    CAPTURE(i);
    Case made = random.draw(kFamilies[i % 3], random.between(0.005, 0.02), random.between(0.5, 20));
    if (i % 2 != 0) made.machine.gpus.push_back(made.machine.gpus.front());
    if (i % 4 < 2) made.machine.gpus.back().joinsAfter = 0.003;
    if (i % 5 == 0) made.machine.gpus.front().failsAt = 20;
    made.machine.fibers = kFibers;
    const SimulatedResult fibers = whole(made.search, made.machine);
    made.machine.fibers = false;
    const SimulatedResult threads = whole(made.search, made.machine);
    CHECK(fibers.seconds == threads.seconds);
    CHECK(fibers.bySteps == threads.bySteps);
  }
}

TEST_CASE("simulated machines: nothing is lost, with any number of GPUs that join at any time or fail") {
  Cases random(1);
  for (std::size_t i = 0; i < cases(150); ++i) {
    CAPTURE(i);
    Case made = random.draw(kFamilies[i % 3], random.between(0.002, 0.05), random.between(0.3, 30));
    const SimulatedGpu gpu = made.machine.gpus.front();
    made.machine.gpus.clear();
    for (std::uint64_t more = 1 + random.below(4); more != 0; --more) {
      made.machine.gpus.push_back(gpu);
      if (random.below(2) != 0) made.machine.gpus.back().joinsAfter = random.between(0.0001, 0.05);
    }
    made.machine.cpuWorkers = random.below(3) != 0;
    made.machine.parcelSlices = i % 4 < 2 ? 1 : 4096;  // every gift is a parcel, or hardly any
    made.machine.spreadBytes = i % 8 < 4 ? 0 : 1U << 20;
    // Where CPU workers go on, a device may fail at any call.
    if (made.machine.cpuWorkers && i % 5 < 3) made.machine.gpus.front().failsAt = 1 + random.below(200);
    (void)whole(made.search, made.machine);
  }
}

TEST_CASE("simulated machines: hand-overs are bounded") {
  Cases random(2);
  for (std::size_t i = 0; i < cases(30); ++i) {
    CAPTURE(i);
    Case made = random.draw(kFamilies[i % 3], random.between(0.02, 0.1), random.between(1, 20));
    made.machine.gpus.front().joinsAfter = i % 2 == 0 ? 0 : 0.02;
    made.machine.traces = true;
    const SimulatedResult result = whole(made.search, made.machine);
    CHECK(exchangesOf(result) <= 40 + 2000 * result.seconds);
  }
}

TEST_CASE("simulated machines: hybrid runs against the better of their halves") {
  constexpr Mark kMarks[] = {{1.2, 0.1, 0.85}, {1.12, 0.35, 0.6}, {1.12, 0.35, 0.6}};
  holdAgainst("better half / hybrid", 3, 60, kMarks, [](Cases& random, Family family, std::size_t) {
    const Case made = random.draw(family, random.between(0.01, 0.1), random.between(0.8, 20));
    const double hybrid = whole(made.search, made.machine).seconds;
    const double cpu = whole(made.search, cpuOnly(made.machine)).seconds;
    const double gpu = whole(made.search, gpuOnly(made.machine)).seconds;
    return std::min(cpu, gpu) / hybrid;
  });
}

TEST_CASE("simulated machines: a GPU that joins a search of the CPU workers gets its part") {
  constexpr Mark kMarks[] = {{0.92}, {0.9}, {0.84}};
  holdAgainst("time of both at full rates / time after joining", 4, 60, kMarks,
              [](Cases& random, Family family, std::size_t) {
                Case made = random.draw(family, 1, random.between(1, 20));
                constexpr double kDelay = 0.05;
                const double rest = random.between(0.02, 0.4);  // if both then worked at their full rates
                made.search.steps = std::floor(kDelay * made.cpuRate + rest * (made.cpuRate + made.gpuRate));
                made.machine.gpus.front().joinsAfter = kDelay;
                made.machine.cores += 1;  // the one that drives the GPU
                return rest / (whole(made.search, made.machine).seconds - kDelay);
              });
}

TEST_CASE("simulated machines: a GPU joins a search that began with many slices of very different sizes") {
  constexpr Mark kMarks[] = {{0.92}, {0.92}, {0.9}};
  holdAgainst("many roots: time of both at full rates / time after joining", 11, 40, kMarks,
              [](Cases& random, Family family, std::size_t i) {
                Case made = random.draw(family == Family::counting ? Family::nodes : family, 1,
                                        random.between(5, 30));
                SimulatedGpu& gpu = made.machine.gpus.front();
                gpu.refills = i % 2 == 0;
                gpu.busyLanes *= 4;
                gpu.lanes *= 4;
                gpu.laneSecondsPerStep *= 4;
                constexpr double kDelay = 0.05;
                const double rest = random.between(0.02, 0.4);
                made.search.steps = std::floor(kDelay * made.cpuRate + rest * (made.cpuRate + made.gpuRate));
                made.search.roots = 2000;
                gpu.joinsAfter = kDelay;
                made.machine.cores += 1;
                return rest / (whole(made.search, made.machine).seconds - kDelay);
              });
}

TEST_CASE("simulated machines: two and four GPUs against one") {
  constexpr Mark kMarks[] = {{0.905}, {0.865}, {0.85}};
  holdAgainst("part of the sum", 5, 40, kMarks, [](Cases& random, Family family, std::size_t i) {
    Case made = random.draw(family, random.between(0.1, 1), 10);
    made.machine.cpuWorkers = false;
    const double one = whole(made.search, made.machine).seconds;
    const SimulatedGpu gpu = made.machine.gpus.front();
    const std::size_t count = i % 2 == 0 ? 2 : 4;
    made.machine.gpus.assign(count, gpu);
    for (std::size_t k = 1; k < count; ++k)
      made.machine.gpus[k].joinsAfter = i % 4 < 2 ? 0 : 0.005 * static_cast<double>(k);
    return one / (static_cast<double>(count) * whole(made.search, made.machine).seconds);
  });
}

namespace {

/// Two or four GPUs, of every second pair with lanes that refill, and cores for their drivers.
std::size_t addGpus(Case& made, Family family, std::size_t i) {
  SimulatedGpu gpu = made.machine.gpus.front();
  gpu.refills = family != Family::counting && i % 4 < 2;
  if (gpu.refills) {
    gpu.busyLanes *= 4;
    gpu.lanes *= 4;
    gpu.laneSecondsPerStep *= 4;
  }
  const std::size_t count = i % 2 == 0 ? 2 : 4;
  made.machine.cores += static_cast<int>(count);
  made.machine.gpus.assign(count, gpu);
  return count;
}

}  // namespace

TEST_CASE(
    "simulated machines: several GPUs beside CPU workers against the sum of rates, and against themselves "
    "alone") {
  constexpr Mark kSum[] = {{0.945}, {0.925}, {0.925}};
  constexpr Mark kAlone[] = {{1.02, 0.2, 0.94}, {1.015, 0.2, 0.94}, {1.03, 0.2, 0.95}};
  for (const bool alone : {false, true})
    holdAgainst(alone ? "several GPUs, alone / hybrid" : "several GPUs, hybrid: part of the sum", 12, 12,
                alone ? kAlone : kSum, [alone](Cases& random, Family family, std::size_t i) {
                  Case made = random.draw(family, 1, random.between(5, 20));
                  const auto count = static_cast<double>(addGpus(made, family, i));
                  const double seconds = random.between(0.1, 0.5);
                  made.search.steps = std::floor(seconds * (count * made.gpuRate + made.cpuRate));
                  const double both = whole(made.search, made.machine).seconds;
                  return (alone ? whole(made.search, gpuOnly(made.machine)).seconds : seconds) / both;
                });
}

TEST_CASE("simulated machines: several GPUs that join a search of CPU workers get their parts") {
  constexpr Mark kMarks[] = {{0.875}, {0.855}, {0.86}};
  holdAgainst("several GPUs: time of all at full rates / time after joining", 13, 12, kMarks,
              [](Cases& random, Family family, std::size_t i) {
                Case made = random.draw(family, 1, random.between(5, 20));
                const std::size_t count = addGpus(made, family, i);
                constexpr double kDelay = 0.05;
                const double rest = random.between(0.1, 0.5);
                for (std::size_t k = 0; k < count; ++k)
                  made.machine.gpus[k].joinsAfter = kDelay + 0.01 * static_cast<double>(k);
                made.search.steps =
                    std::floor(kDelay * made.cpuRate +
                               rest * (made.cpuRate + static_cast<double>(count) * made.gpuRate));
                if (i % 8 < 4) made.search.roots = 1000;
                return rest / (whole(made.search, made.machine).seconds - kDelay);
              });
}

TEST_CASE("simulated machines: a GPU that joins a search of another one gets its part") {
  constexpr Mark kMarks[] = {{0.91}, {0.8}, {0.755}};
  holdAgainst("time of both at full rates / time after joining another", 6, 40, kMarks,
              [](Cases& random, Family family, std::size_t) {
                Case made = random.draw(family, 1, 10);
                constexpr double kDelay = 0.05;
                const double rest = random.between(0.02, 0.4);
                made.search.steps = std::floor((kDelay + 2 * rest) * made.gpuRate);
                made.machine.cpuWorkers = false;
                made.machine.gpus.push_back(made.machine.gpus.front());
                made.machine.gpus.back().joinsAfter = kDelay;
                return rest / (whole(made.search, made.machine).seconds - kDelay);
              });
}

TEST_CASE(
    "simulated machines: a GPU whose lanes refill, alone and beside CPU workers, against the sum of rates") {
  for (const bool hybrid : {false, true}) {
    // Of large searches, as with sizes known: lanes are for trees, which have none.
    constexpr Mark kAlone[] = {{0.97, 1, 0.9}, {0.97, 1, 0.9}, {0.95, 1, 0.85}};
    constexpr Mark kBeside[] = {{0.95, 1, 0.85}, {0.95, 1, 0.85}, {0.92, 1, 0.75}};
    holdAgainst(hybrid ? "lanes, both: part of the sum" : "lanes, alone: part of the rate", 7, 8,
                hybrid ? kBeside : kAlone, [&](Cases& random, Family family, std::size_t) {
                  Case made = random.draw(family == Family::counting ? Family::nodes : family, 1,
                                          random.between(5, 40));
                  SimulatedGpu& gpu = made.machine.gpus.front();
                  gpu.refills = true;
                  gpu.busyLanes *= 4;
                  gpu.lanes *= 4;
                  gpu.laneSecondsPerStep *= 4;
                  const double seconds = random.between(0.1, 1);
                  made.machine.cpuWorkers = hybrid;
                  made.machine.cores += 1;  // the one that drives the GPU
                  made.search.steps = std::floor(seconds * (made.gpuRate + (hybrid ? made.cpuRate : 0)));
                  return seconds / whole(made.search, made.machine).seconds;
                });
  }
}
