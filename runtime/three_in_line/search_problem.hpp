// Shared by the translation units that instantiate problems of the no-three-in-line search: from a
// specification to a Problem of one shape, and the frontier of that shape. Included by problem_instances.hpp.
#pragma once

#include <algorithm>
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

/// Everything about a problem but what takes its solutions.
template <class Shape, class Lines>
struct SearchParts {
  explicit SearchParts(const ProblemSpec& spec)
      : table(std::make_shared<const LineTable>(makeTableFor<Shape, Lines>(spec.n))),
        view(searchView<Shape>(spec, table->data())) {
    using W = Search<Shape, Lines>;
    roots.reserve(std::max<std::size_t>(1, spec.roots.size()));
    if (spec.roots.empty()) roots.push_back(W::root(view, RootBoard{}));
    for (const RootBoard& board : spec.roots) roots.push_back(W::root(view, board));
    traits.workload = "three_in_line";
    traits.expectedSteps = spec.expectedSteps;
  }
  std::shared_ptr<const LineTable> table;
  SearchView view;
  std::vector<SearchSlice<Shape>> roots;
  ProblemTraits traits;
};

/// The captured table lives as long as the problem.
inline auto viewMaker(SearchView view, std::shared_ptr<const LineTable> table) {
  return [view, table = std::move(table)](std::span<const void* const> addresses) {
    SearchView there = view;
    there.lines = static_cast<const std::uint32_t*>(addresses[0]);
    return there;
  };
}

template <class Shape, class Lines>
std::unique_ptr<Problem> problemOf(const ProblemSpec& spec) {
  SearchParts<Shape, Lines> parts(spec);
  const std::vector<Table> tables{{parts.table->data(), parts.table->bytes()}};
  const auto join = [&]<class S>(S) -> std::unique_ptr<Problem> {
    return std::make_unique<SearchProblem<Shape, Lines, S>>(
        tables, viewMaker(parts.view, parts.table), std::move(parts.roots), S::layout(),
        [](std::byte*) { return typename S::View{}; }, std::move(parts.traits));
  };
  if (spec.collect) return join(CollectSolutions{});
  return join(Tally{});
}

template <class Shape>
std::unique_ptr<Problem> buildProblem(const ProblemSpec& spec) {
  if (spec.algorithm == Algorithm::posts) return problemOf<Shape, ComputedLines>(spec);
  return problemOf<Shape, TableLines>(spec);
}

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
  // A visit finds one solution at most.
  Configuration solution{};
  std::uint32_t found = 0;
  CollectSolutions::Emitter emit({},
                                 {result.words.data(), reinterpret_cast<std::byte*>(&solution), &found, 1});
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
      if (std::exchange(found, 0U) != 0) result.found.push_back(solution);
      appendChildren<Shape>(view, slice, waiting);
    }
  }
  emit.flush();
  result.roots.assign(waiting.begin(), waiting.end());
  return result;
}

}  // namespace slicepool::three_in_line
