// Problems of the tree of numerical semigroups whose turns on a CPU worker go by walk.hpp. Steps and counts
// are those of the plain step. Included by runtime/numerical_semigroups/problem_factory.cpp.
#pragma once

#include <cstring>
#include <utility>

#include "cpu_workers/numerical_semigroups/walk.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/numerical_semigroups/sinks.hpp"
#include "slicepool/numerical_semigroups/steps/search.hpp"

namespace slicepool::numerical_semigroups {

/// Search with the sink S, Tally or ClassTally. Wider windows than one word have the plain step only.
template <int kWords, class S>
class SearchProblem final : public TypedProblem<Search<kWords>, S> {
 public:
  using Base = TypedProblem<Search<kWords>, S>;
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

}  // namespace slicepool::numerical_semigroups
