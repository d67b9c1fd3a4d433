// The tree of numerical semigroups down to a genus, as a workload: slices, steps, splitting. One step visits
// one semigroup of a genus of at most bound - 2, within one class (types.hpp). The last two levels are
// counted and not visited: a semigroup with k generators above its Frobenius number has k children, and the
// child that has lost the i-th of them has k - i children, and one more if a generator was freed (node.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/turn.hpp"
#include "slicepool/detail/packing.hpp"
#include "slicepool/numerical_semigroups/steps/search_lane.hpp"

namespace slicepool::numerical_semigroups {

/// The workload with windows of kWords words.
template <int kWords>
struct Search {
  using View = SearchView;
  using Slice = SearchSlice<kWords>;
  using Wide = Node<kWords, 2 * kWords>;
  using Generators = Bits<kWords>;

  static Slice root(const View&, const Class& in) {
    Slice slice{};
    store(slice, Wide::first());
    slice.multiplicity = static_cast<std::uint8_t>(in.multiplicity);
    slice.second = static_cast<std::uint8_t>(in.second);
    slice.base = static_cast<std::uint8_t>(in.second - 2);
    slice.waits = 1;
    slice.open[0] = firstGenerators<kWords>(in);
    return slice;
  }

  /// Visits at most `budget.left` semigroups. Calls `emit.inClass(class)` and then `emit.add(levels,
  /// number)` for `number` semigroups whose genus is `levels` below the bound.
  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View& view, Slice& slice, Budget& budget, Emit& emit) {
    emit.inClass(classOf(slice));
    return walk(view, slice, budget,
                [&](const Class& in, const Wide& node, const Generators& generators, int levels) {
                  if (levels > kCountedLevels) {
                    emit.add(levels, 1);
                    return generators;
                  }
                  countLast(levels, generators, emit);
                  if (levels == 2)
                    emit.add(0, static_cast<std::uint64_t>(
                                    countFreed(in, node.template narrow<kWords>(), generators)));
                  return Generators{};
                });
  }

  /// Visits at most `budget.left` semigroups in depth-first order. `visit(class, node, generators, levels)`,
  /// with all generators above F and the levels between the semigroup and the bound, returns those whose
  /// removal is to be visited: a beginning of the list, or none. Where a visit has a member refused() that is
  /// true after it, its semigroup is visited again by the next turn.
  template <class Visit>
  SLICEPOOL_INLINE static Turn walk(const View& view, Slice& slice, Budget& budget, const Visit& visit) {
    const Class in = classOf(slice);
    Wide node = nodeOf(slice);
    if (slice.waits != 0) {
      if (budget.left == 0) return Turn::budgetSpent;
      const Generators left = visit(in, node, slice.open[0], view.genus - slice.base);
      if (refused(visit)) return Turn::sinkFull;
      --budget.left;
      slice.waits = 0;
      slice.open[0] = left;
    }
    int top = slice.top;
    Generators open = slice.open[top];  // those of the newest node: in registers
    Turn turn = Turn::budgetSpent;
    while (true) {
      if (open.empty()) {
        if (top == 0) {
          turn = Turn::exhausted;
          break;
        }
        open = slice.open[--top];
        node.restore();
        continue;
      }
      if (budget.left == 0) break;
      const int j = open.lowest();
      const Generators generators = childGenerators(in, open, j, node.frees(in, j));
      Wide child = node;
      child.remove(j);
      const Generators left = visit(in, child, generators, view.genus - slice.base - top - 1);
      if (refused(visit)) {
        turn = Turn::sinkFull;
        break;
      }
      --budget.left;
      open.removeLowest();
      if (left.empty()) continue;
      node = child;
      slice.open[top++] = open;
      open = left;
    }
    slice.open[top] = open;
    slice.top = static_cast<std::uint8_t>(top);
    store(slice, node);
    return turn;
  }

  /// Gives away the first child that is still to be visited of the shallowest open node. It has all other
  /// generators of that node, so more lies below it than below any other child. What is left of a list of
  /// open generators must be its end, because a child has all generators that come after its own.
  SLICEPOOL_HD static bool split(const View&, Slice& kept, Slice& given) {
    const int level = shallowest(kept);
    if (level < 0) return false;
    const Generators open = kept.open[level];
    const int j = open.lowest();
    Generators left = open;
    left.removeLowest();
    const Class in = classOf(kept);
    Wide node = nodeOf(kept);
    if (level != kept.top) node.restore(kept.top - level);
#if !SLICEPOOL_ON_DEVICE
    given = Slice{};  // a GPU copies what is used
#endif
    given.multiplicity = kept.multiplicity;
    given.second = kept.second;
    given.base = static_cast<std::uint8_t>(kept.base + level + 1);
    given.top = 0;
    given.waits = 1;
    given.padding = 0;
    given.open[0] = childGenerators(in, open, j, node.frees(in, j));
    node.remove(j);
    store(given, node);
    kept.open[level] = left;
    return true;
  }

  /// Whether there are two children that are still to be visited.
  SLICEPOOL_HD static bool splittable(const View&, const Slice& slice) { return shallowest(slice) >= 0; }

  /// The windows and the open generators of the path.
  SLICEPOOL_HD static std::size_t usedBytes(const Slice& slice) {
    return offsetof(Slice, open) + (static_cast<std::size_t>(slice.top) + 1) * sizeof(Generators);
  }

  // On a GPU, chosen on an H100.
  static constexpr unsigned kDeviceThreads = 128;
  static constexpr unsigned kDeviceBlocks = 8;
  static constexpr unsigned kDeviceRound = 128;  // passes
  using Lane = SearchLane<kWords>;

  // A checkpoint has the windows and the open generators of the path.
  static constexpr const char* kPacking = "genus-1";
  static void pack(const View&, const Slice& slice, ByteWriter& to) {
    to.byte(slice.multiplicity);
    to.byte(slice.second);
    to.byte(slice.base);
    to.byte(slice.waits);
    to.byte(slice.top);
    to.signedNumber(slice.last);
    to.raw(&slice.elements, sizeof slice.elements);
    to.raw(&slice.mirror, sizeof slice.mirror);
    for (int i = 0; i <= slice.top; ++i)
      for (const std::uint64_t word : slice.open[i].words) to.number(word);
  }
  static bool unpack(const View& view, ByteReader& from, Slice& slice) {
    return unpack(view, from, slice, kCountedLevels);
  }

 protected:
  /// `counted`: levels above the bound whose semigroups have no visited children.
  static bool unpack(const View& view, ByteReader& from, Slice& slice, int counted) {
    slice.multiplicity = static_cast<std::uint8_t>(from.byte());
    slice.second = static_cast<std::uint8_t>(from.byte());
    slice.base = static_cast<std::uint8_t>(from.byte());
    slice.waits = static_cast<std::uint8_t>(from.byte());
    slice.top = static_cast<std::uint8_t>(from.byte());
    const std::int64_t last = from.signedNumber();
    from.raw(&slice.elements, sizeof slice.elements);
    from.raw(&slice.mirror, sizeof slice.mirror);
    const Class in = classOf(slice);
    const bool known = in.multiplicity >= 2 && in.second > in.multiplicity &&
                       in.second <= 2 * in.multiplicity && in.second <= view.genus + 2;
    if (!from.good() || !known || slice.waits > 1 || (slice.waits == 1 && slice.top != 0) || last < -1 ||
        last >= Bits<2 * kWords>::kSize)
      return false;
    const int genus = slice.base + slice.top;
    // A Frobenius number is less than twice the genus; u - 1, which stands for it, at most that.
    if (slice.base < in.second - 2 || genus > view.genus || last + in.second > std::int64_t{2} * genus)
      return false;
    slice.last = static_cast<std::int16_t>(last);
    const Generators every = Generators::below(in.multiplicity);
    for (int i = 0; i <= slice.top; ++i) {
      for (std::uint64_t& word : slice.open[i].words) word = from.number();
      if (!slice.open[i].without(every).empty()) return false;
      // What waits is visited itself; no other has open generators where its children are none to visit.
      const int levels = view.genus - slice.base - i;
      if (slice.waits == 0 && levels <= counted && !slice.open[i].empty()) return false;
    }
    return isPath(slice);
  }

 public:
  SLICEPOOL_INLINE static Class classOf(const Slice& slice) { return {slice.multiplicity, slice.second}; }
  SLICEPOOL_INLINE static Wide nodeOf(const Slice& slice) {
    return {slice.elements, slice.mirror, slice.last};
  }
  SLICEPOOL_INLINE static void store(Slice& slice, const Wide& node) {
    slice.elements = node.elements;
    slice.mirror = node.mirror;
    slice.last = static_cast<std::int16_t>(node.last);
  }

 private:
  template <class Visit>
  SLICEPOOL_INLINE static bool refused(const Visit& visit) {
    if constexpr (requires { visit.refused(); })
      return visit.refused();
    else
      return false;
  }

  /// The level of the first child to be visited, if it is not the only one; else -1.
  SLICEPOOL_HD static int shallowest(const Slice& slice) {
    if (slice.waits != 0) return -1;
    int level = 0;
    while (level < slice.top && slice.open[level].empty()) ++level;
    Generators open = slice.open[level];
    if (open.empty()) return -1;
    open.removeLowest();
    return open.empty() && !openBelow(slice, level) ? -1 : level;
  }

  SLICEPOOL_HD static bool openBelow(const Slice& slice, int level) {
    for (int i = level + 1; i <= slice.top; ++i)
      if (!slice.open[i].empty()) return true;
    return false;
  }

  /// Whether the node has its genus, and its parents can be restored: no generator above F has an index
  /// beyond m - 1.
  static bool isPath(const Slice& slice) {
    Wide node = nodeOf(slice);
    const auto every = Bits<2 * kWords>::below(node.last + 1);
    const int gaps = slice.second - 2 + node.last + 1 - node.mirror.population();
    if (!node.mirror.without(every).empty() || gaps != slice.base + slice.top) return false;
    for (int at = slice.top; at > 0; --at) {
      if (node.mirror.has(0) || node.last < 0) return false;
      const Generators lost = Generators::full().without(node.mirror.down(1).template low<kWords>());
      if (lost.empty() || lost.lowest() >= slice.multiplicity) return false;
      node.restore();
      if (node.last < -1) return false;
    }
    return true;
  }
};

}  // namespace slicepool::numerical_semigroups
