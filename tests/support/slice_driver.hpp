// Takes the slices of a Problem through turns and splits without an engine, as one worker would, and checks
// what every step function promises. Base of the drivers of the workloads, which decide when to split and
// what to keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "slicepool/core/problem.hpp"

namespace slicepool::test {

class SliceDriver {
 public:
  using Slice = std::vector<std::byte>;
  using Words = std::vector<std::uint64_t>;

  /// `capacity`: results that the sink takes in one turn. `fast`: turns by advanceFast.
  explicit SliceDriver(const Problem& problem, std::uint32_t capacity, bool fast = false)
      : problem_(problem),
        fast_(fast),
        capacity_(capacity),
        words_(problem.words().fresh()),
        results_((problem.resultBytes() * capacity + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t)) {}
  virtual ~SliceDriver() = default;

  [[nodiscard]] std::vector<Slice> roots() const {
    std::vector<Slice> slices;
    const auto& bytes = problem_.roots();
    for (std::size_t at = 0; at < bytes.size(); at += problem_.sliceBytes()) {
      slices.emplace_back(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                          bytes.begin() + static_cast<std::ptrdiff_t>(at + problem_.sliceBytes()));
    }
    return slices;
  }

  /// One turn of at most `steps`. Results go to keep() in order of emission.
  Turn turn(Slice& slice, std::uint64_t steps) {
    std::uint32_t used = 0;
    SinkMemory memory;
    memory.words = words_.data();
    memory.results = reinterpret_cast<std::byte*>(results_.data());
    memory.resultCount = &used;
    memory.resultCapacity = capacity_;
    Budget budget{steps};
    const Turn turn = fast_ ? problem_.advanceFast(slice.data(), budget, memory)
                            : problem_.advance(slice.data(), budget, memory);
    if (budget.left > steps) throw std::logic_error("budget grew");
    if (turn == Turn::budgetSpent && budget.left != 0) throw std::logic_error("budget not spent");
    steps_ += steps - budget.left;
    refusals_ += turn == Turn::sinkFull ? 1 : 0;
    for (std::uint32_t i = 0; i < used && problem_.resultBytes() != 0; ++i)
      keep(memory.results + i * problem_.resultBytes());
    return turn;
  }

  /// False: the slice cannot be cut, and is what it was.
  bool split(Slice& slice, Slice& given) {
    const Slice before = slice;
    given.resize(slice.size());
    if (problem_.split(slice.data(), given.data())) {
      ++splits_;
      return true;
    }
    if (slice != before) throw std::logic_error("a failed split changed the slice");
    return false;
  }

  [[nodiscard]] const Words& words() const { return words_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] std::uint64_t splits() const { return splits_; }
  [[nodiscard]] std::uint64_t refusals() const { return refusals_; }  ///< turns that a full sink ended

 protected:
  [[nodiscard]] const Problem& problem() const { return problem_; }
  /// A result that was emitted: problem().resultBytes() bytes.
  virtual void keep(const std::byte* result) = 0;

 private:
  const Problem& problem_;
  bool fast_;
  std::uint32_t capacity_;
  Words words_;
  std::vector<std::uint64_t> results_;  ///< words, for their alignment
  std::uint64_t steps_ = 0;
  std::uint64_t splits_ = 0;
  std::uint64_t refusals_ = 0;
};

}  // namespace slicepool::test
