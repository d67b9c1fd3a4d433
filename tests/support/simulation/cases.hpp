// Random searches and machines for tests of the rules of docs/balancing.md, and what is made of their times.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/simulation/run.hpp"

namespace slicepool::test {

enum class Family : std::uint8_t { counting, nodes, tree };  // sizes known; the total known; nothing known
inline constexpr Family kFamilies[] = {Family::counting, Family::nodes, Family::tree};
inline constexpr const char* kNames[] = {"sizes known", "total known", "nothing known"};

struct Case {
  SimulatedSearch search;
  SimulatedMachine machine;  ///< one GPU
  double cpuRate = 0;        ///< steps/s of all cores
  double gpuRate = 0;
};

class Cases {
 public:
  explicit Cases(std::uint64_t seed) : random_(seed) {}

  double uniform() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }
  double between(double least, double most) { return least * std::exp(uniform() * std::log(most / least)); }
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  /// A search that takes the better half about `seconds`, on a GPU that is `ratio` times as fast as all
  /// cores.
  Case draw(Family family, double seconds, double ratio) {
    Case made;
    SimulatedGpu gpu;
    made.machine.cores = 4 + static_cast<int>(below(9));
    gpu.busyLanes = 256U << below(3);
    gpu.lanes = 2 * gpu.busyLanes;
    gpu.copiesDuringLaunch = below(2) != 0;
    made.search.sized = family == Family::counting;
    made.search.totalKnown = family != Family::tree;
    // Where sizes are known steps are cheap and cut evenly; a tree has neither.
    made.search.cuts = family == Family::counting ? Cuts::even : Cuts::skewed;
    made.search.coreSecondsPerStep =
        family == Family::counting ? between(2e-9, 10e-9) : between(10e-9, 150e-9);
    made.cpuRate = made.machine.cores / made.search.coreSecondsPerStep;
    made.gpuRate = ratio * made.cpuRate;
    gpu.laneSecondsPerStep = gpu.busyLanes / made.gpuRate;
    made.search.steps = std::floor(seconds * std::max(made.cpuRate, made.gpuRate));
    made.machine.gpus = {gpu};
    return made;
  }

 private:
  std::mt19937_64 random_;
};

inline SimulatedResult whole(const SimulatedSearch& search, const SimulatedMachine& machine) {
  SimulatedResult result = simulate(search, machine);
  CHECK(result.stuck == "");
  CHECK(result.steps == static_cast<std::uint64_t>(search.steps));
  return result;
}

inline SimulatedMachine cpuOnly(SimulatedMachine machine) {
  machine.gpus.clear();
  return machine;
}
inline SimulatedMachine gpuOnly(SimulatedMachine machine) {
  machine.cpuWorkers = false;
  return machine;
}

/// Commits and gifts of the devices. Of a run with traces.
inline double exchangesOf(const SimulatedResult& result) {
  double exchanges = 0;
  for (const auto& trace : result.traces)
    exchanges +=
        static_cast<double>(std::count_if(trace.spans.begin(), trace.spans.end(), [](const TraceSpan& span) {
          return span.kind == TraceSpan::Kind::commit || span.kind == TraceSpan::Kind::give;
        }));
  return exchanges;
}

/// One search in several ways: times of one over another.
struct Ratios {
  std::vector<double> values;
  [[nodiscard]] double mean() const {
    double sum = 0;
    for (const double value : values) sum += std::log(value);
    return std::exp(sum / static_cast<double>(values.size()));
  }
  [[nodiscard]] double below(double mark) const {
    const auto count =
        std::count_if(values.begin(), values.end(), [&](double value) { return value < mark; });
    return static_cast<double>(count) / static_cast<double>(values.size());
  }
  /// What a part of them is below.
  [[nodiscard]] double quantile(double part) const {
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    return sorted.at(static_cast<std::size_t>(part * static_cast<double>(sorted.size())));
  }
  [[nodiscard]] double least() const { return *std::min_element(values.begin(), values.end()); }
};

}  // namespace slicepool::test
