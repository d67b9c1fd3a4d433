// Problems of the tree of numerical semigroups whose turns on a CPU worker go by walk.hpp or, where numbers
// of semigroups are wanted, by a lane: ten times as fast as the plain step, which computes them from the set
// of elements. Steps and counts are those of the plain step. Included by
// runtime/numerical_semigroups/problem_factory.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "cpu_workers/numerical_semigroups/walk.hpp"
#include "slicepool/detail/lane_problem.hpp"
#include "slicepool/detail/spilling_stack.hpp"
#include "slicepool/numerical_semigroups/sinks.hpp"
#include "slicepool/numerical_semigroups/steps/search.hpp"
#include "slicepool/numerical_semigroups/steps/statistics.hpp"

namespace slicepool::numerical_semigroups {

/// Search with the sink S, Tally or ClassTally. Wider windows than one word have the plain step only.
template <int kWords, class S>
class SearchProblem final : public LaneProblem<Search<kWords>, S> {
 public:
  using Base = LaneProblem<Search<kWords>, S>;
  using Base::Base;

  Turn advanceFast(std::byte* bytes, Budget& budget, const SinkMemory& memory) const override {
    if constexpr (kWords == 1) {
      if (walk_ != nullptr) return advanceByWalk(bytes, budget, memory);
    }
    return Base::advance(bytes, budget, memory);
  }

 private:
  Turn advanceByWalk(std::byte* bytes, Budget& budget, const SinkMemory& memory) const {
    SearchSlice<kWords> slice;
    std::memcpy(&slice, bytes, sizeof slice);
    if (slice.waits != 0) {
      Budget one{budget.left == 0 ? std::uint64_t{0} : 1};
      const std::uint64_t before = one.left;
      const Turn turn = Base::advance(bytes, one, memory);
      budget.left -= before - one.left;
      if (turn == Turn::exhausted) return turn;
      std::memcpy(&slice, bytes, sizeof slice);
      if (slice.waits != 0) return Turn::budgetSpent;
    }
    typename S::Emitter emit(this->sinkView(), memory);
    emit.inClass(Search<kWords>::classOf(slice));
    LevelCounts counts;
    const Turn turn = walk_(this->view().genus, slice, budget, counts);
    for (int levels = 0; levels <= this->view().genus; ++levels) emit.add(levels, counts.of(levels));
    emit.flush();
    std::memcpy(bytes, &slice, sizeof slice);
    return turn;
  }

  WalkGenusTree walk_ = genusTreeWalk();
};

/// Statistics with the sink S.
template <int kWords, class S>
class StatisticsProblem final : public LaneProblem<Statistics<kWords>, S> {
 public:
  using Base = LaneProblem<Statistics<kWords>, S>;
  using Base::Base;

  Turn advanceFast(std::byte* bytes, Budget& budget, const SinkMemory& memory) const override {
    if (plain_) return Base::advance(bytes, budget, memory);
    using Lane = typename Statistics<kWords>::Lane;
    using Frame = typename Lane::Frame;
    constexpr std::uint64_t kMaximumPasses = std::uint64_t{1} << 30;
    SearchSlice<kWords> slice;
    std::memcpy(&slice, bytes, sizeof slice);
    Frame others[Lane::kMaximumFrames];
    SpillingStack<Frame, Lane::kFastFrames, HostFrames<Frame, Lane::kFastFrames>> stack{{}, others};
    typename S::Emitter emit(this->sinkView(), memory);
    Lane lane;
    lane.load(this->view(), slice, stack);
    Turn turn = Turn::budgetSpent;
    // A pass is a step.
    while (budget.left != 0 && turn == Turn::budgetSpent) {
      std::uint64_t steps = 0;
      turn = lane.advance(this->view(), static_cast<unsigned>(std::min(budget.left, kMaximumPasses)), steps,
                          stack, emit);
      budget.left -= steps;
    }
    if (turn != Turn::exhausted && !lane.finish(stack, emit)) turn = Turn::exhausted;
    emit.flush();
    if (turn == Turn::exhausted) return turn;
    lane.store(this->view(), slice, stack);
    std::memcpy(bytes, &slice, sizeof slice);
    return turn;
  }

 private:
  bool plain_ = genusTreeByPlainStep();
};

}  // namespace slicepool::numerical_semigroups
