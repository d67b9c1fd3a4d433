// The vector code of CPUs for the no-three-in-line search against the plain step, node by node. Skipped where
// the CPU has none.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cpu_workers/three_in_line/visit.hpp"
#include "runtime/three_in_line/line_table.hpp"
#include "slicepool/three_in_line/steps/search.hpp"
#include "slicepool/three_in_line/steps/shapes.hpp"
#include "support/skip.hpp"

using namespace slicepool;
using namespace slicepool::three_in_line;

namespace {

/// Walks the search depth-first and compares each visit with the vector code's.
template <class Shape>
std::uint64_t compareVisits(int n, VisitBoard fast) {
  using W = Search<Shape>;
  const LineTable table = makeLineTable<Shape>(n);
  const SearchView view{table.data(), geometryOf<Shape>(n), 0, 0xfe};
  const ThreeInLineContext context = threeInLineContext(view, Shape::kWords);
  struct Node {
    Pending<Shape> pending;
    std::vector<std::uint8_t> points;
  };
  typename Shape::Cell points[Shape::kMaximumPoints] = {};
  std::vector<Node> stack{{W::root(view, RootBoard{}).pending[0], {}}};
  std::uint64_t nodes = 0;
  while (!stack.empty()) {
    const Node node = stack.back();
    Board<Shape> board;
    board.points = points;
    std::copy(node.points.begin(), node.points.end(), points);
    Branch rest;
    const bool more = W::takeChild(node.pending, board, rest);
    const Branch branch = node.pending.branch;
    if (more)
      stack.back().pending.branch = rest;
    else
      stack.pop_back();
    const Visit outcome = W::visit(view, board);
    ++nodes;
    Pending<Shape> next{board.on, board.off, {}};
    if (outcome == Visit::open) next.branch = chooseBranch(view.geometry, board.on, board.off, board.count);
    if (branch.kind() != Branch::whole) {
      Pending<Shape> written{};
      std::vector<std::uint8_t> list = node.points;
      list.resize(Shape::kMaximumPoints);
      ThreeInLineVisit visit;
      visit.on = node.pending.on.words;
      visit.off = node.pending.off.words;
      visit.cell = branch.place();
      visit.isOn = branch.kind() != Branch::cellOff;
      visit.points = list.data();
      visit.count = branch.points();
      visit.openOn = written.on.words;
      visit.openOff = written.off.words;
      visit.branch = &written.branch;
      REQUIRE(fast(context, visit) == outcome);
      if (outcome == Visit::complete)
        REQUIRE(std::memcmp(visit.complete, board.on.words, sizeof(board.on)) == 0);
      if (outcome == Visit::open) {
        REQUIRE(std::memcmp(&written, &next, sizeof(next)) == 0);
        std::vector<std::uint8_t> expected(points, points + board.count);
        list.resize(static_cast<std::size_t>(board.count));
        std::sort(expected.begin(), expected.end());
        std::sort(list.begin(), list.end());
        REQUIRE(list == expected);
      }
    }
    if (outcome == Visit::open) stack.push_back({next, {points, points + board.count}});
  }
  return nodes;
}

}  // namespace

TEST_CASE("the vector code closes and branches as the plain step does, on every node") {
  bool some = false;
  for (const std::string name : {"avx2", "avx512"}) {
    const VisitBoard fast = threeInLineVisitNamed(name.c_str());
    if (fast == nullptr) continue;
    some = true;
    CAPTURE(name);
    CHECK(compareVisits<Packed<5>>(9, fast) == 20917);
    CHECK(compareVisits<Packed<5>>(10, fast) == 113915);
  }
  if (!some) slicepool::test::skip("this CPU has no vector code for the search");
}
