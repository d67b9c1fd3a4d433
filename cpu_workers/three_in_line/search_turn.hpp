// Problems of the no-three-in-line search whose turns on a CPU worker visit boards by vector code
// (cpu_workers/three_in_line/visit.hpp). Results and nodes are those of the plain step. Included by
// search_problem.hpp.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include "cpu_workers/three_in_line/visit.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/three_in_line/steps/search.hpp"

namespace slicepool::three_in_line {

/// Shapes that the vector code knows: from nine rows on, a word for two.
template <class Shape, class Lines>
inline constexpr bool kHasFastVisit =
    Shape::kRowsInWord == 2 && Shape::kWords >= 5 && std::is_same_v<Lines, TableLines>;

/// Lines: how the plain step finds lines. Computed lines have the plain step only.
template <class Shape, class Lines, class S>
class SearchProblem final : public TypedProblem<Search<Shape, Lines>, S> {
 public:
  using W = Search<Shape, Lines>;
  using Base = TypedProblem<W, S>;

  template <class... Arguments>
  explicit SearchProblem(Arguments&&... arguments) : Base(std::forward<Arguments>(arguments)...) {
    if constexpr (kHasFastVisit<Shape, Lines>) {
      // A group's rules are few and cheap boards: the plain step has them.
      if (this->view().group == 0) visit_ = threeInLineVisit();
      if (visit_ != nullptr) context_ = threeInLineContext(this->view(), Shape::kWords);
    }
  }

  Turn advanceFast(std::byte* bytes, Budget& budget, const SinkMemory& memory) const override {
    if constexpr (kHasFastVisit<Shape, Lines>) {
      if (visit_ != nullptr) return advanceByVisits(bytes, budget, memory);
    }
    return Base::advance(bytes, budget, memory);
  }

 private:
  using Slice = typename W::Slice;

  Turn advanceByVisits(std::byte* bytes, Budget& budget, const SinkMemory& memory) const {
    Slice slice;
    std::memcpy(&slice, bytes, sizeof(Slice));
    typename S::Emitter emit(this->sinkView(), memory);
    Turn turn = Turn::exhausted;
    while (slice.top != slice.bottom) {
      if (budget.left == 0) {
        turn = Turn::budgetSpent;
        break;
      }
      if (!visitOne(slice, budget, emit)) {
        turn = Turn::sinkFull;
        break;
      }
    }
    emit.flush();
    std::memcpy(bytes, &slice, sizeof(Slice));
    return turn;
  }

  /// Visits the next board of the slice; false if a solution was refused, with everything as it was.
  template <class Emit>
  bool visitOne(Slice& slice, Budget& budget, Emit& emit) const {
    const std::uint32_t at = slice.top - 1;
    Pending<Shape>& parent = slice.pending[at];
    const Branch branch = parent.branch;
    if (branch.kind() == Branch::whole) {
      Budget one{1};
      const Turn turn = W::advance(this->view(), slice, one, emit);
      budget.left -= 1 - one.left;
      return turn != Turn::sinkFull;
    }
    const bool more = branch.kind() == Branch::cell;
    Pending<Shape>& next = slice.pending[at + (more ? 1 : 0)];
    Branch nextBranch{};
    ThreeInLineVisit visit;
    visit.on = parent.on.words;
    visit.off = parent.off.words;
    visit.cell = branch.place();
    visit.isOn = branch.kind() != Branch::cellOff;
    visit.points = slice.points;
    visit.count = branch.points();
    visit.openOn = next.on.words;
    visit.openOff = next.off.words;
    visit.branch = &nextBranch;
    const Visit outcome = visit_(context_, visit);
    if (outcome == Visit::complete) {
      Cells<Shape> complete;
      std::memcpy(complete.words, visit.complete, sizeof(complete.words));
      if (!W::emitSolution(this->view(), complete, emit)) return false;
    }
    --budget.left;
    emit.visited();
    slice.top = at;
    if (more) {
      parent.branch = Branch::make(Branch::cellOff, branch.place(), branch.points());
      ++slice.top;
    }
    if (outcome == Visit::open) {
      next.branch = nextBranch;
      ++slice.top;
    }
    return true;
  }

  VisitBoard visit_ = nullptr;
  ThreeInLineContext context_;
};

}  // namespace slicepool::three_in_line
