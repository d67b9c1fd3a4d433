// Drives a problem of the no-three-in-line search without an engine: whole, in small turns, by random splits,
// into a sink that is often full. Included by unit and property tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "slicepool/core/problem.hpp"
#include "slicepool/three_in_line/sinks.hpp"
#include "support/three_in_line_oracle.hpp"

namespace slicepool::test {

/// Sorted points (x, y) of a configuration.
inline GridPoints gridPoints(const three_in_line::Configuration& configuration) {
  GridPoints points;
  for (int x = 0; x < three_in_line::kMostSize; ++x) {
    for (int y = 0; y < three_in_line::kMostSize; ++y) {
      if ((configuration.rows[y] >> x & 1U) != 0) points.emplace_back(x, y);
    }
  }
  return points;
}

class ThreeInLineDriver {
 public:
  using Slice = std::vector<std::byte>;
  using Words = std::vector<std::uint64_t>;

  /// `fast`: turns by advanceFast. `capacity`: solutions that the sink takes in one turn.
  explicit ThreeInLineDriver(const Problem& problem, bool fast = false, std::uint32_t capacity = 4)
      : problem_(problem), fast_(fast), words_(problem.words().fresh()), buffer_(capacity) {}

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
        const Slice before = slice;
        Slice given(slice.size());
        if (problem_.split(slice.data(), given.data())) {
          ++splits_;
          waiting.push_back(given);
        } else if (slice != before) {
          throw std::logic_error("a failed split changed the slice");
        }
      } else if (turn(slice, random() % 40) == Turn::exhausted) {
        waiting.pop_back();
      }
    }
    return *this;
  }

  [[nodiscard]] const Words& words() const { return words_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] std::uint64_t splits() const { return splits_; }
  [[nodiscard]] std::uint64_t refusals() const { return refusals_; }
  [[nodiscard]] const std::vector<three_in_line::Configuration>& solutions() const { return solutions_; }
  [[nodiscard]] std::set<GridPoints> solutionSet() const {
    std::set<GridPoints> set;
    for (const auto& solution : solutions_) set.insert(gridPoints(solution));
    return set;
  }

  [[nodiscard]] std::vector<Slice> roots() const {
    std::vector<Slice> slices;
    const auto& bytes = problem_.roots();
    for (std::size_t at = 0; at < bytes.size(); at += problem_.sliceBytes()) {
      slices.emplace_back(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                          bytes.begin() + static_cast<std::ptrdiff_t>(at + problem_.sliceBytes()));
    }
    return slices;
  }

 private:
  Turn turn(Slice& slice, std::uint64_t steps) {
    std::uint32_t used = 0;
    SinkMemory memory;
    memory.words = words_.data();
    memory.results = reinterpret_cast<std::byte*>(buffer_.data());
    memory.resultCount = &used;
    memory.resultCapacity = static_cast<std::uint32_t>(buffer_.size());
    Budget budget{steps};
    const Turn turn = fast_ ? problem_.advanceFast(slice.data(), budget, memory)
                            : problem_.advance(slice.data(), budget, memory);
    if (budget.left > steps) throw std::logic_error("budget grew");
    if (turn == Turn::budgetSpent && budget.left != 0) throw std::logic_error("budget not spent");
    steps_ += steps - budget.left;
    refusals_ += turn == Turn::sinkFull ? 1 : 0;
    if (problem_.resultBytes() != 0)
      solutions_.insert(solutions_.end(), buffer_.begin(), buffer_.begin() + used);
    return turn;
  }

  const Problem& problem_;
  bool fast_;
  Words words_;
  std::vector<three_in_line::Configuration> buffer_;
  std::vector<three_in_line::Configuration> solutions_;
  std::uint64_t steps_ = 0;
  std::uint64_t splits_ = 0;
  std::uint64_t refusals_ = 0;
};

}  // namespace slicepool::test
