// The walk of walk.hpp, in the namespace of an instruction set (instances.cmake). Every node of the path
// keeps its windows, so that going back costs nothing. The children of a node three levels above the bound
// are visited in one loop without a stack. Everything that is called here is inlined: a function that is
// merged with that of another translation unit would bring this one's instructions there.
#pragma once

#include "cpu_workers/numerical_semigroups/walk.hpp"

namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE {

namespace {

using namespace numerical_semigroups;

/// A node of the path; windows of one word.
struct WalkLevel {
  std::uint64_t open;  ///< generators whose removal is still to be visited
  std::uint64_t elements;
  std::uint64_t mirror;
  int last;  ///< F - u
};

/// What is the same in the whole class.
struct WalkClass {
  int distance;        ///< u - m - 1
  std::uint64_t near;  ///< the generators whose removal may free one: bits 0 .. distance
  int freed;           ///< m - 1: the bit of one that was freed
};

struct WalkChild {
  std::uint64_t generators, elements, mirror;
  int last;
};

SLICEPOOL_INLINE bool freesOne(const WalkClass& in, std::uint64_t elements, std::uint64_t mirror, int j) {
  return j <= in.distance && (elements & (mirror >> ((in.distance - j) & 63))) == 0;
}

SLICEPOOL_INLINE WalkChild childOf(const WalkClass& in, const WalkLevel& node, std::uint64_t open) {
  const int j = lowestOf(open);
  const std::uint64_t freed = freesOne(in, node.elements, node.mirror, j) ? 1 : 0;
  WalkChild child;
  child.generators = (open >> j >> 1) | freed << in.freed;
  child.mirror = (node.mirror << j << 1) | ((std::uint64_t{2} << j) - 2);
  child.last = node.last + j + 1;
  child.elements = node.elements;
  if (child.last < 64) child.elements &= ~(std::uint64_t{1} << child.last);
  return child;
}

/// Children that free a generator, of a node with these windows.
SLICEPOOL_INLINE std::uint64_t freedBy(const WalkClass& in, const WalkChild& node) {
  std::uint64_t freed = 0;
  for (std::uint64_t near = node.generators & in.near; near != 0; near &= near - 1) {
    const int j = lowestOf(near);
    freed += (node.elements & (node.mirror >> ((in.distance - j) & 63))) == 0 ? 1 : 0;
  }
  return freed;
}

SLICEPOOL_INLINE void countLast(const WalkClass& in, const WalkChild& node, std::uint64_t (&last)[3]) {
  const auto children = static_cast<std::uint64_t>(populationOf(node.generators));
  ++last[2];
  last[1] += children;
  last[0] += children * (children - 1) / 2 + freedBy(in, node);
}

}  // namespace

Turn walkGenusTree(int genus, SearchSlice<1>& slice, Budget& budget, LevelCounts& counts) {
  const WalkClass in{slice.second - slice.multiplicity - 1,
                     (std::uint64_t{1} << (slice.second - slice.multiplicity)) - 1, slice.multiplicity - 1};
  WalkLevel path[Bits<1>::kSize];
  using Wide = Node<1, 2>;
  Wide base{slice.elements, slice.mirror, slice.last};
  for (int at = slice.top; at >= 0; --at) {
    path[at] = {slice.open[at].words[0], base.elements.words[0], base.mirror.words[0], base.last};
    if (at > 0) base.restore();
  }

  std::uint64_t last[3] = {};
  std::uint64_t left = budget.left;
  int top = slice.top;
  const int lastTop = genus - slice.base - 3;  // the path's nodes there have children of genus bound - 2
  Turn turn = Turn::budgetSpent;
  while (true) {
    WalkLevel& node = path[top];
    if (node.open == 0) {
      if (top == 0) {
        turn = Turn::exhausted;
        break;
      }
      --top;
      continue;
    }
    if (top == lastTop) {
      std::uint64_t open = node.open;
      for (; open != 0 && left != 0; open &= open - 1, --left) countLast(in, childOf(in, node, open), last);
      node.open = open;
      if (open != 0) break;
      continue;
    }
    if (left == 0) break;
    --left;
    const WalkChild child = childOf(in, node, node.open);
    node.open &= node.open - 1;
    ++counts.inner[lastTop - top - 1];
    if (child.generators == 0) continue;
    path[++top] = {child.generators, child.elements, child.mirror, child.last};
  }

  budget.left = left;
  for (int i = 0; i < 3; ++i) counts.last[i] += last[i];
  for (int at = 0; at <= top; ++at) {
    slice.open[at].words[0] = path[at].open;
    if (at > 0) base.remove(path[at].last - path[at - 1].last - 1);
  }
  slice.elements = base.elements;
  slice.mirror = base.mirror;
  slice.last = static_cast<std::int16_t>(base.last);
  slice.top = static_cast<std::uint8_t>(top);
  return turn;
}

}  // namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE
