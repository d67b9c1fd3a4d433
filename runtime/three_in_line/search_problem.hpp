// Shared by the translation units that instantiate problems of the no-three-in-line search: from a
// specification to a Problem of one shape, and the frontier of that shape. Included by problem_instances.hpp.
#pragma once

#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cpu_workers/core/setup_stop.hpp"
#include "cpu_workers/three_in_line/search_turn.hpp"
#include "runtime/three_in_line/line_table.hpp"
#include "runtime/three_in_line/problem_build.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/three_in_line/problem_factory.hpp"
#include "slicepool/three_in_line/sinks.hpp"
#include "slicepool/three_in_line/steps/search.hpp"

namespace slicepool::three_in_line {

template <class Shape>
SearchView searchView(const ProblemSpec& spec, const std::uint32_t* lines) {
  SearchView view{};
  view.lines = lines;
  view.geometry = geometryOf<Shape>(spec.n);
  view.group = imagesOf(spec.group) & 0xfeU;
  view.rivals = rivalsOf(spec.group);
  return view;
}

template <class Shape, class Lines, class S>
std::unique_ptr<Problem> typedProblem(const ProblemSpec& spec) {
  using W = Search<Shape, Lines>;
  // The captured tables live as long as the problem.
  const auto table = std::make_shared<const LineTable>(makeTableFor<Shape, Lines>(spec.n));
  const SearchView view = searchView<Shape>(spec, table->data());
  std::vector<typename W::Slice> roots;
  if (spec.roots.empty()) roots.push_back(W::root(view, RootBoard{}));
  for (const RootBoard& board : spec.roots) roots.push_back(W::root(view, board));
  const auto makeView = [view, table](std::span<const void* const> addresses) {
    SearchView there = view;
    there.lines = static_cast<const std::uint32_t*>(addresses[0]);
    return there;
  };
  ProblemTraits traits;
  traits.workload = "three_in_line";
  traits.expectedSteps = spec.expectedSteps;
  return std::make_unique<SearchProblem<Shape, Lines, S>>(
      std::vector<Table>{{table->data(), table->bytes()}}, makeView, std::move(roots), S::layout(),
      [](std::byte*) { return typename S::View{}; }, std::move(traits));
}

template <class Shape>
std::unique_ptr<Problem> buildProblem(const ProblemSpec& spec) {
  if (spec.algorithm == Algorithm::posts) {
    if (spec.collect) return typedProblem<Shape, ComputedLines, CollectSolutions>(spec);
    return typedProblem<Shape, ComputedLines, Tally>(spec);
  }
  if (spec.collect) return typedProblem<Shape, TableLines, CollectSolutions>(spec);
  return typedProblem<Shape, TableLines, Tally>(spec);
}

/// Collects what a visit of the frontier emits.
struct FrontierEmitter {
  explicit FrontierEmitter(Frontier& target)
      : frontier(target), tally(Tally::View{}, {target.words.data()}) {}
  bool operator()(const Solution& solution) {
    frontier.found.push_back(solution.points);
    return tally(solution);
  }
  void visited() { tally.visited(); }
  Frontier& frontier;
  Tally::Emitter tally;
};

/// All children of the board that a slice of one visit left behind.
template <class Shape>
void appendChildren(const SearchView& view, const SearchSlice<Shape>& slice, std::deque<RootBoard>& waiting) {
  if (slice.top == slice.bottom) return;
  Pending<Shape> pending = slice.pending[slice.top - 1];
  typename Shape::Cell points[Shape::kMaximumPoints];
  for (bool more = true; more;) {
    Board<Shape> child;
    child.points = points;
    Branch rest;
    more = Search<Shape>::takeChild(pending, child, rest);
    pending.branch = rest;
    RootBoard board;
    const int n = view.geometry.n;
    board.on = configurationOf<Shape>(child.on, n);
    board.off = configurationOf<Shape>(child.off, n);
    waiting.push_back(board);
  }
}

constexpr std::size_t kVisitsBetweenChecks = 64;

/// The boards wait in one list and are then copied into another.
inline void requireFrontierMemory(std::size_t bytes, std::size_t limit) {
  if (bytes <= limit / 2) return;
  throw LimitError("shards: cutting the search takes more than " + std::to_string(2 * (bytes >> 20U)) +
                   " MiB for its boards, the memory limit is " + std::to_string(limit >> 20U) +
                   " MiB; use fewer shards or raise --memory-limit");
}

template <class Shape>
Frontier buildFrontier(const ProblemSpec& spec, std::size_t atLeast, std::size_t memoryLimit) {
  const LineTable table = makeLineTable<Shape>(spec.n);
  const SearchView view = searchView<Shape>(spec, table.data());
  Frontier result;
  result.words = Tally::layout().fresh();
  FrontierEmitter emit(result);
  std::deque<RootBoard> waiting{RootBoard{}};
  while (!waiting.empty() && waiting.size() < atLeast) {
    for (std::size_t level = waiting.size(); level != 0; --level) {
      if (level % kVisitsBetweenChecks == 0) {
        checkSetup();
        requireFrontierMemory(waiting.size() * sizeof(RootBoard), memoryLimit);
      }
      auto slice = Search<Shape>::root(view, waiting.front());
      waiting.pop_front();
      Budget budget{1};
      Search<Shape>::advance(view, slice, budget, emit);
      appendChildren<Shape>(view, slice, waiting);
    }
  }
  emit.tally.flush();
  result.roots.assign(waiting.begin(), waiting.end());
  return result;
}

}  // namespace slicepool::three_in_line
