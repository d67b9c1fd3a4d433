// Drives a problem of the no-three-in-line search without an engine: whole, in small turns, by random splits,
// into a sink that is often full. Included by unit and property tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "slicepool/core/problem.hpp"
#include "slicepool/three_in_line/sinks.hpp"
#include "support/slice_driver.hpp"
#include "support/three_in_line/oracle.hpp"

namespace slicepool::test {

/// Sorted points (x, y) of a configuration.
inline GridPoints gridPoints(const three_in_line::Configuration& configuration) {
  GridPoints points;
  for (int x = 0; x < three_in_line::kMaximumSize; ++x) {
    for (int y = 0; y < three_in_line::kMaximumSize; ++y)
      if ((configuration.rows[y] >> x & 1U) != 0) points.emplace_back(x, y);
  }
  return points;
}

class ThreeInLineDriver final : public SliceDriver {
 public:
  /// `fast`: turns by advanceFast. `capacity`: solutions that the sink takes in one turn.
  explicit ThreeInLineDriver(const Problem& problem, bool fast = false, std::uint32_t capacity = 4)
      : SliceDriver(problem, capacity, fast) {}

  /// All roots, each to its end in one turn after another.
  ThreeInLineDriver& runWhole() {
    for (const Slice& root : roots()) {
      Slice slice = root;
      while (turn(slice, ~std::uint64_t{0}) != Turn::exhausted) {}
    }
    return *this;
  }

  /// All roots by small turns and random splits.
  ThreeInLineDriver& runInPieces(std::mt19937_64& random) {
    std::vector<Slice> waiting = roots();
    while (!waiting.empty()) {
      std::swap(waiting[random() % waiting.size()], waiting.back());
      Slice& slice = waiting.back();
      if (random() % 4 == 0) {
        Slice given;
        if (split(slice, given)) waiting.push_back(std::move(given));
      } else if (turn(slice, random() % 40) == Turn::exhausted) {
        waiting.pop_back();
      }
    }
    return *this;
  }

  [[nodiscard]] const std::vector<three_in_line::Configuration>& solutions() const { return solutions_; }
  [[nodiscard]] std::set<GridPoints> solutionSet() const {
    std::set<GridPoints> set;
    for (const auto& solution : solutions_) set.insert(gridPoints(solution));
    return set;
  }

 private:
  void keep(const std::byte* result) override {
    three_in_line::Configuration solution;
    std::memcpy(&solution, result, sizeof solution);
    solutions_.push_back(solution);
  }

  std::vector<three_in_line::Configuration> solutions_;
};

}  // namespace slicepool::test
