// Drives a problem of the lattice search without an engine: whole, in small turns, by random splits, into a
// sink that is often full. Included by unit and property tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

#include "slicepool/core/problem.hpp"
#include "slicepool/lattice/sinks.hpp"

namespace slicepool::test {

class LatticeDriver {
 public:
  using Slice = std::vector<std::byte>;
  using Words = std::vector<std::uint64_t>;

  /// `fast`: turns by advanceFast. `capacity`: vectors that the sink takes in one turn. `mostSteps`: of a
  /// turn in runInPieces.
  LatticeDriver(const Problem& problem, int dimension, bool fast = false, std::uint32_t capacity = 1000,
                std::uint64_t mostSteps = 40)
      : problem_(problem),
        dimension_(dimension),
        fast_(fast),
        steps_(mostSteps),
        words_(problem.words().fresh()),
        buffer_(capacity * problem.resultBytes()),
        capacity_(capacity),
        shared_(problem.sharedStart()) {}

  /// All roots, each to its end in turns of this many steps.
  LatticeDriver& runWhole(std::uint64_t most = ~std::uint64_t{0}) {
    for (const Slice& root : roots()) {
      Slice slice = root;
      while (turn(slice, most) != Turn::exhausted) {}
    }
    return *this;
  }

  /// All roots by small turns and random splits.
  LatticeDriver& runInPieces(std::mt19937_64& random) {
    std::vector<Slice> waiting = roots();
    while (!waiting.empty()) {
      std::swap(waiting[random() % waiting.size()], waiting.back());
      Slice& slice = waiting.back();
      if (random() % 4 == 0) {
        const Slice before = slice;
        Slice given(slice.size());
        if (problem_.split(slice.data(), given.data())) {
          ++splits;
          waiting.push_back(given);
        } else if (slice != before) {
          throw std::logic_error("a failed split changed the slice");
        }
      } else if (turn(slice, random() % steps_) == Turn::exhausted) {
        waiting.pop_back();
      }
    }
    return *this;
  }

  [[nodiscard]] const Words& words() const { return words_; }
  [[nodiscard]] std::uint64_t found() const { return words_[lattice::kCountWord]; }
  [[nodiscard]] std::vector<std::uint64_t> levels() const {
    return {words_.begin() + lattice::kNodesWord, words_.begin() + lattice::kNodesWord + dimension_};
  }
  [[nodiscard]] std::uint64_t nodes() const {
    const auto all = levels();
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  }
  /// Those that were collected; throws if one came twice.
  [[nodiscard]] std::set<std::vector<int>> vectorSet() const {
    std::set<std::vector<int>> set;
    for (std::size_t at = 0; at < collected_.size(); at += problem_.resultBytes()) {
      const std::byte* coefficients = collected_.data() + at + sizeof(double);
      std::vector<int> vector;
      for (int i = 0; i < dimension_; ++i) {
        std::int16_t value = 0;
        std::memcpy(&value, coefficients + static_cast<std::size_t>(i) * sizeof value, sizeof value);
        vector.push_back(value);
      }
      if (!set.insert(vector).second) throw std::logic_error("a vector came twice");
    }
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

  Turn turn(Slice& slice, std::uint64_t most) {
    std::uint32_t used = 0;
    const SinkMemory memory{words_.data(), buffer_.data(), &used, capacity_, &shared_};
    Budget budget{most};
    const Turn turn = fast_ ? problem_.advanceFast(slice.data(), budget, memory)
                            : problem_.advance(slice.data(), budget, memory);
    if (budget.left > most) throw std::logic_error("budget grew");
    if (turn == Turn::budgetSpent && budget.left != 0) throw std::logic_error("budget not spent");
    steps += most - budget.left;
    refusals += turn == Turn::sinkFull ? 1 : 0;
    if (problem_.resultBytes() != 0) {
      collected_.insert(collected_.end(), buffer_.begin(),
                        buffer_.begin() + static_cast<std::ptrdiff_t>(used * problem_.resultBytes()));
    }
    return turn;
  }

  std::uint64_t steps = 0;
  std::uint64_t splits = 0;
  std::uint64_t refusals = 0;

 private:
  const Problem& problem_;
  int dimension_;
  bool fast_;
  std::uint64_t steps_;
  Words words_;
  std::vector<std::byte> buffer_;
  std::uint32_t capacity_;
  std::uint64_t shared_;
  std::vector<std::byte> collected_;
};

}  // namespace slicepool::test
