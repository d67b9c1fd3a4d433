// Ten thousand random searches in simulated time: what a hybrid run may cost beside the better of its halves,
// as the first one of a process and as a later one of a session, slices that may be lost and hand-overs that
// may go on. Release builds only: elsewhere a machine is simulated by threads, which takes ten times as long,
// and fewer cases run without marks.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>

#include "runtime/core/automatic_choice.hpp"
#include "support/scale.hpp"
#include "support/simulation/cases.hpp"

using namespace slicepool;
using namespace slicepool::test;

namespace {

constexpr std::size_t kCases = 10'000;  // of the three families together

/// A search that takes the better half 5 to 50 ms, on a GPU of 0.8 to 20 times the rate of all cores.
Case drawn(Cases& random, Family family) {
  const double ratio = random.between(0.8, 20);
  return random.draw(family, random.between(0.005, 0.05), ratio);
}

/// What the ratios of a family are held against: their geometric mean, the least of them, what one in a
/// hundred is below, and the part that is below 0.98.
struct HybridMark {
  double mean, least, hundredth, below;
};

constexpr double kFaster[] = {0, 0.5, 1, 2, 4, 8};  // the GPU, than all cores
constexpr double kMostExchanges = 40;               // of the device, in a run of some hundredths of a second

/// What a session knows before the next search of the kind: its size, and the rates of the one before.
Forecast forecastAfter(const SimulatedResult& before, const Case& made) {
  return {made.search.totalKnown ? made.search.steps : 0, before.coreRate * made.machine.cores,
          before.deviceRate, false, 1};
}

void hold(const std::string& name, const Ratios& ratios, const HybridMark& mark) {
  CAPTURE(name);
  MESSAGE(name << ": better half / hybrid: mean " << ratios.mean() << ", least " << ratios.least()
               << ", 1 % below " << ratios.quantile(0.01) << ", 10 % below " << ratios.quantile(0.1)
               << ", below 0.98 " << 100 * ratios.below(0.98) << " %");
  if (ratios.values.size() <= kCases / 3) return;
  CHECK(ratios.mean() >= mark.mean);
  CHECK(ratios.least() >= mark.least);
  CHECK(ratios.quantile(0.01) >= mark.hundredth);
  CHECK(ratios.below(0.98) <= mark.below);
}

}  // namespace

TEST_CASE("ten thousand simulated searches: hybrid runs against the better of their halves") {
  constexpr HybridMark kFirst[] = {
      {1.19, 0.80, 0.89, 0.085}, {1.11, 0.32, 0.64, 0.25}, {1.13, 0.37, 0.62, 0.24}};
  // Where nothing is known of the size, a later run is as the first one.
  constexpr HybridMark kLater[] = {{1.12, 0.97, 0.99, 0.002}, {1.10, 0.32, 0.74, 0.04}};
  const std::size_t each = scaled(kFibers ? kCases : 100) / 3 + 1;
  Cases random(9);
  for (std::size_t family = 0; family < 3; ++family) {
    Ratios first, later;
    std::array<Ratios, std::size(kFaster)> byRate;
    double exchanges = 0;
    for (std::size_t i = 0; i < each; ++i) {
      CAPTURE(family);
      CAPTURE(i);
      Case made = drawn(random, kFamilies[family]);
      made.search.seed = i + 1;
      made.machine.traces = true;
      const SimulatedResult hybrid = whole(made.search, made.machine);
      made.machine.traces = false;
      const double cpu = whole(made.search, cpuOnly(made.machine)).seconds;
      const double gpu = whole(made.search, gpuOnly(made.machine)).seconds;
      const Searchers next = searchersOf(forecastAfter(hybrid, made), Mode::hybrid);
      first.values.push_back(std::min(cpu, gpu) / hybrid.seconds);
      const double faster = hybrid.deviceRate / (hybrid.coreRate * made.machine.cores);
      const auto* const above = std::upper_bound(std::begin(kFaster), std::end(kFaster), faster);
      byRate.at(static_cast<std::size_t>(above - std::begin(kFaster)) - 1)
          .values.push_back(first.values.back());
      later.values.push_back(std::min(cpu, gpu) / (next == Searchers::both      ? hybrid.seconds
                                                   : next == Searchers::devices ? gpu
                                                                                : cpu));
      exchanges = std::max(exchanges, exchangesOf(hybrid));
      CHECK(exchangesOf(hybrid) <= kMostExchanges);
    }
    MESSAGE(std::string(kNames[family]) << ": " << each << " cases, at most " << exchanges << " exchanges");
    for (std::size_t i = 0; i < byRate.size(); ++i)
      if (!byRate[i].values.empty())
        MESSAGE("first runs, GPU from "
                << kFaster[i] << " times as fast as all cores, by the rates that they learn: "
                << byRate[i].values.size() << " cases, mean " << byRate[i].mean() << ", below 0.98 "
                << 100 * byRate[i].below(0.98) << " %");
    hold(std::string(kNames[family]) + ", first", first, kFirst[family]);
    if (family < std::size(kLater)) hold(std::string(kNames[family]) + ", later", later, kLater[family]);
  }
}

TEST_CASE("where sizes are unknown a search takes longer or shorter by how its slices happen to be cut") {
  // What the mark of a single case is to be seen beside: the better half against itself, with other cuts.
  const std::size_t each = scaled(kFibers ? 1000 : 10);
  Cases random(10);
  for (std::size_t family = 1; family < 3; ++family) {
    Ratios scatter;
    for (std::size_t i = 0; i < each; ++i) {
      Case made = drawn(random, kFamilies[family]);
      const auto better = [&](std::uint64_t seed) {
        made.search.seed = seed;
        return std::min(whole(made.search, cpuOnly(made.machine)).seconds,
                        whole(made.search, gpuOnly(made.machine)).seconds);
      };
      scatter.values.push_back(better(i + 1) / better(1'000'000 + i));
    }
    MESSAGE(std::string(kNames[family]) << ": better half / itself with other cuts: mean " << scatter.mean()
                                        << ", below 0.98 " << 100 * scatter.below(0.98) << " %");
    if (each < 1000) continue;
    CHECK(scatter.mean() == doctest::Approx(1).epsilon(0.02));
    CHECK(scatter.below(0.98) > 0.2);
  }
}
