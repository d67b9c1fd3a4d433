// A search in simulated time: slices with a known amount of work, and a step that takes as long as a core is
// said to need.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/problem.hpp"
#include "support/simulation/time.hpp"

namespace slicepool::test {

/// How large the given part of a split is. `even`: a half; `skewed`: anything from nothing to all of it, as
/// in a tree.
enum class Cuts : std::uint8_t { even, skewed };

struct SimulatedSearch {
  double steps = 0;
  double coreSecondsPerStep = 0;
  Cuts cuts = Cuts::even;
  bool sized = true;       ///< slices say how large they are
  bool totalKnown = true;  ///< the run says how many steps it has; always, where slices do
  /// Slices that the search begins with, where there are several: of sizes that differ by orders of
  /// magnitude.
  std::size_t roots = 1;
  std::uint64_t seed = 1;  ///< of the cuts, of one root
};

struct SimulatedSlice {
  std::uint64_t left = 0;
  std::uint64_t seed = 0;
};

class SimulatedProblem final : public Problem {
 public:
  SimulatedProblem(const SimulatedSearch& search, SimulatedTime& time) : search_(search), time_(time) {
    layout_.ranges.push_back({Merge::add, 1, 0});
    std::vector<SimulatedSlice> roots{{static_cast<std::uint64_t>(search.steps), search.seed}};
    if (search.roots > 1) roots = unevenRoots(search);
    roots_.resize(roots.size() * sizeof roots.front());
    std::memcpy(roots_.data(), roots.data(), roots_.size());
  }

  [[nodiscard]] std::string workload() const override { return "simulated"; }
  [[nodiscard]] std::size_t sliceBytes() const override { return sizeof(SimulatedSlice); }
  [[nodiscard]] std::size_t resultBytes() const override { return 0; }
  [[nodiscard]] const WordLayout& words() const override { return layout_; }
  [[nodiscard]] const std::vector<std::byte>& roots() const override { return roots_; }

  /// Word 0 counts steps: at the end it says whether any was lost or taken twice.
  Turn advance(std::byte* slice, Budget& budget, const SinkMemory& memory) const override {
    SimulatedSlice typed;
    std::memcpy(&typed, slice, sizeof typed);
    const std::uint64_t steps = std::min(budget.left, typed.left);
    typed.left -= steps;
    budget.left -= steps;
    memory.words[0] += steps;
    std::memcpy(slice, &typed, sizeof typed);
    return typed.left == 0 ? Turn::exhausted : Turn::budgetSpent;
  }
  /// What CPU workers call.
  Turn advanceFast(std::byte* slice, Budget& budget, const SinkMemory& memory) const override {
    const std::uint64_t granted = budget.left;
    const Turn turn = advance(slice, budget, memory);
    const double seconds = static_cast<double>(granted - budget.left) * search_.coreSecondsPerStep;
    time_.sleep(static_cast<std::int64_t>(seconds * 1e9) + kTurnNanoseconds);
    return turn;
  }
  bool split(std::byte* kept, std::byte* given) const override {
    SimulatedSlice typed;
    std::memcpy(&typed, kept, sizeof typed);
    SimulatedSlice other;
    if (!cut(typed, other)) return false;
    std::memcpy(kept, &typed, sizeof typed);
    std::memcpy(given, &other, sizeof other);
    return true;
  }
  [[nodiscard]] bool cut(SimulatedSlice& kept, SimulatedSlice& given) const {
    if (kept.left < 2) return false;
    kept.seed = mix64(kept.seed);
    double part = 0.5;
    // Half of the mass near nothing and near all: the cube of a uniform number, from either end.
    if (search_.cuts == Cuts::skewed) {
      const double uniform = static_cast<double>(kept.seed >> 12) * 0x1p-52;
      const double small = uniform * uniform * uniform;
      part = (kept.seed & 1) != 0 ? small : 1 - small;
    }
    const auto all = static_cast<double>(kept.left);
    given.left = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(part * all), 1, kept.left - 1);
    given.seed = mix64(kept.seed ^ 0x9e3779b97f4a7c15U);
    kept.left -= given.left;
    return true;
  }
  [[nodiscard]] double size(const std::byte* slice) const override {
    SimulatedSlice typed;
    std::memcpy(&typed, slice, sizeof typed);
    return search_.sized ? static_cast<double>(typed.left) : std::numeric_limits<double>::quiet_NaN();
  }
  [[nodiscard]] std::optional<double> totalSteps() const override {
    if (!search_.sized && !search_.totalKnown) return std::nullopt;
    return search_.steps;
  }
  [[nodiscard]] bool decided(const std::uint64_t*) const override { return false; }
  [[nodiscard]] bool mayDecide() const override { return false; }
  [[nodiscard]] std::type_index type() const override { return typeid(SimulatedProblem); }

 private:
  /// In random order, as start boards of three in line: of 2,600 the largest is hundreds of times the mean.
  static std::vector<SimulatedSlice> unevenRoots(const SimulatedSearch& search) {
    std::vector<double> weights;
    double sum = 0;
    for (std::size_t i = 0; i < search.roots; ++i) {
      const double uniform = (static_cast<double>(mix64(i + 1) >> 12) + 0.5) * 0x1p-52;
      weights.push_back(std::pow(uniform, -kTail));
      sum += weights.back();
    }
    std::vector<SimulatedSlice> roots;
    auto left = static_cast<std::uint64_t>(search.steps);
    for (std::size_t i = 0; i < search.roots; ++i) {
      const bool last = i + 1 == search.roots;
      const auto most = left - (search.roots - 1 - i);
      const auto share = static_cast<std::uint64_t>(search.steps * weights[i] / sum);
      const std::uint64_t size = last ? left : std::clamp<std::uint64_t>(share, 1, most);
      roots.push_back({size, mix64(i)});
      left -= size;
    }
    return roots;
  }

  static constexpr double kTail = 0.75;
  static constexpr std::int64_t kTurnNanoseconds = 1000;  // beside the steps
  SimulatedSearch search_;
  SimulatedTime& time_;
  WordLayout layout_;
  std::vector<std::byte> roots_;
};

}  // namespace slicepool::test
