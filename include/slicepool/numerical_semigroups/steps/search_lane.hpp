// The steps of search.hpp for a thread that stays with a slice for many turns, and whose neighbours execute
// the same instructions: a lane of a GPU. Same visits in the same order; tests compare the two. The walk is
// written once, over what a visit does: CountVisits here, StatisticsVisits in statistics_lane.hpp.
//
// A lane has windows of one width and keeps those of the nodes that it comes back to, so that going back
// costs a load. Each pass looks at one generator: it goes to a child or, at a node of the last visited level,
// asks whether the removal frees a generator. A lane needs more passes than steps then, but passes are short
// and alike, and no lane waits for the node with most generators among its neighbours'.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/turn.hpp"
#include "slicepool/numerical_semigroups/steps/search_slice.hpp"

namespace slicepool::numerical_semigroups {

/// The visits of Search: semigroups are counted, and those of the last two genera with their grandparents. A
/// type of visits has what a node carries beside its windows; an object is that of the newest node.
template <int kWords>
struct CountVisits {
  using View = SearchView;
  using Generators = Bits<kWords>;

  /// A node to come back to, with generators whose removal is still to be visited. Its elements follow from
  /// those of any node below it.
  struct Frame {
    Generators open;
    Bits<kWords> mirror;
    std::int32_t last;
    std::int32_t levels;  ///< from its genus to the bound
  };
  /// Only nodes with open generators have a frame: few beyond the last eight are looked at.
  static constexpr int kFastFrames = 8;
  /// Levels above the bound whose semigroups have no visit of their own.
  static constexpr int kCounted = kCountedLevels;
  /// What a semigroup carries while it is visited.
  struct Child {};

  /// Of this node, from its windows.
  SLICEPOOL_INLINE void load(const View&, const Class&, const Node<kWords, 2 * kWords>&) {}
  [[nodiscard]] SLICEPOOL_INLINE Frame frame(const Generators& open, const Node<kWords>& node,
                                             int levels) const {
    return {open, node.mirror, node.last, levels};
  }
  /// The newest node is that of a frame; `frobenius`: its F.
  SLICEPOOL_INLINE void goBack(const Frame&, int) {}
  /// The newest node is this child of it, whose Frobenius number is F.
  SLICEPOOL_INLINE void enter(const Child&, int) {}
  /// Of the newest node itself.
  [[nodiscard]] SLICEPOOL_INLINE Child own() const { return {}; }
  /// Of its child with these generators above the Frobenius number, which has lost F + 1 + j.
  [[nodiscard]] SLICEPOOL_INLINE Child child(const View&, const Generators&, int, bool) const { return {}; }

  /// Counts a semigroup with these generators above F; false: the sink is full. Leaves those that are to be
  /// looked at. `nodeOf()` makes its windows; `last` is F - u.
  template <class Emit, class NodeOf>
  SLICEPOOL_INLINE static bool visit(const View&, const Class& in, Child&, const NodeOf&, int, int levels,
                                     Generators& generators, Emit& emit) {
    if (levels > kCounted) {
      emit.visited(levels);
      return true;
    }
    countLast(levels, generators, emit);
    generators = levels == kCounted ? generators & Generators::below(in.second - in.multiplicity)
                                    : Generators::below(0);
    return true;
  }
  template <class Emit>
  SLICEPOOL_INLINE static void begin(const Class& in, Emit& emit) {
    emit.inClass(in);
  }
  template <class Emit>
  SLICEPOOL_INLINE static void end(Emit& emit) {
    emit.settle();
  }
};

template <int kWords, class Visits>
class TreeLane {
 public:
  using View = typename Visits::View;
  using Slice = SearchSlice<kWords>;
  using Generators = Bits<kWords>;
  using Frame = typename Visits::Frame;
  static constexpr int kFastFrames = Visits::kFastFrames;
  static constexpr int kMaximumFrames = Generators::kSize;

  template <class Stack>
  SLICEPOOL_INLINE void load(const View& view, const Slice& slice, Stack& stack) {
    in_ = {slice.multiplicity, slice.second};
    base_ = slice.base;
    waits_ = slice.waits != 0;
    Node<kWords, 2 * kWords> node{slice.elements, slice.mirror, slice.last};
    const int top = slice.top;
    int frames = 0;
    SLICEPOOL_NO_UNROLL
    for (int level = 0; level < top; ++level) frames += slice.open[level].empty() ? 0 : 1;
    bottom_ = 0;
    size_ = frames;
    levels_ = view.genus - slice.base - top;
    open_ = slice.open[top];
    now_ = node.template narrow<kWords>();
    visits_.load(view, in_, node);
    stack.begin(frames);
    SLICEPOOL_NO_UNROLL
    for (int level = top - 1; level >= 0; --level) {
      node.restore();
      if (slice.open[level].empty()) continue;
      Visits above;
      above.load(view, in_, node);
      stack.write(--frames,
                  above.frame(slice.open[level], node.template narrow<kWords>(), levels_ + top - level));
    }
  }

  /// Makes at most `passes` passes, at most Emit::kVisits where the visits are CountVisits, of at most one
  /// step each; adds the steps to `steps`. A visit that a full sink refused is made again by the next call.
  template <class Stack, class Emit>
  SLICEPOOL_INLINE Turn advance(const View& view, unsigned passes, std::uint64_t& steps, Stack& stack,
                                Emit& emit) {
    Visits::begin(in_, emit);
    Turn turn = Turn::budgetSpent;
    std::uint32_t visits = 0;
    if (waits_ && passes != 0) {
      Generators open = open_;
      typename Visits::Child own = visits_.own();
      const auto itself = [&] { return now_; };
      if (!Visits::visit(view, in_, own, itself, now_.last, levels_, open, emit)) return Turn::sinkFull;
      --passes;
      ++visits;
      waits_ = false;
      open_ = open;
    }
    SLICEPOOL_NO_UNROLL
    for (; passes != 0; --passes) {
      if (open_.empty()) {
        if (size_ == bottom_) {
          turn = Turn::exhausted;
          break;
        }
        goBack(stack);
      }
      const int j = open_.lowest();
      const bool frees = now_.frees(in_, j);
      Generators rest = open_;
      rest.removeLowest();
      if constexpr (Visits::kCounted != 0) {
        if (levels_ == Visits::kCounted) {
          emit.add(0, frees ? 1 : 0);
          open_ = rest;
          continue;
        }
      }
      Generators open = childGenerators(in_, rest, j, frees);
      typename Visits::Child child = visits_.child(view, open, j, frees);
      const auto childNode = [&] {
        Node<kWords> node = now_;
        node.remove(j);
        return node;
      };
      if (!Visits::visit(view, in_, child, childNode, now_.last + j + 1, levels_ - 1, open, emit)) {
        turn = Turn::sinkFull;
        break;
      }
      ++visits;
      open_ = rest;
      if (open.empty()) continue;
      if (!rest.empty()) stack.push(size_++, visits_.frame(rest, now_, levels_));
      now_.remove(j);
      visits_.enter(child, now_.last + in_.second);
      open_ = open;
      --levels_;
    }
    Visits::end(emit);
    steps += visits;
    return turn;
  }

  /// Makes what is left of a visit, so that the lane can be stored. Returns whether anything is left to
  /// visit.
  template <class Stack, class Emit>
  SLICEPOOL_INLINE bool finish(Stack& stack, Emit& emit) {
    if (waits_) return true;
    if constexpr (Visits::kCounted != 0) {
      if (levels_ == Visits::kCounted) {
        emit.add(0, static_cast<std::uint64_t>(countFreed(in_, now_, open_)));
        open_ = Generators::below(0);
      }
    }
    if (open_.empty() && size_ != bottom_) goBack(stack);
    return !open_.empty();
  }

  /// The lane, which is finished and has something left, as a slice.
  template <class Stack>
  SLICEPOOL_INLINE void store(const View& view, Slice& slice, const Stack& stack) const {
    const int levels = view.genus - base_;
    storeNode(slice, now_);
    slice.base = static_cast<std::uint8_t>(base_);
    slice.top = static_cast<std::uint8_t>(levels - levels_);
    slice.waits = waits_ ? 1 : 0;
    SLICEPOOL_NO_UNROLL
    for (int level = 0; level < slice.top; ++level) slice.open[level] = Generators::below(0);
    SLICEPOOL_NO_UNROLL
    for (int i = bottom_; i < size_; ++i) {
      const Frame frame = stack.read(i);
      slice.open[levels - frame.levels] = frame.open;
    }
    slice.open[slice.top] = open_;
  }

  /// Whether there are two children that are still to be visited.
  template <class Stack>
  [[nodiscard]] SLICEPOOL_INLINE bool splittable(const View&, const Stack& stack) const {
    if (waits_) return false;
    const bool visits = levels_ > Visits::kCounted && !open_.empty();
    if (size_ - bottom_ >= 2 || (size_ != bottom_ && visits)) return true;
    if (size_ == bottom_ && !visits) return false;
    Generators open = size_ == bottom_ ? open_ : stack.read(bottom_).open;
    open.removeLowest();
    return !open.empty();
  }

  /// Gives away the first child that is still to be visited of the shallowest open node, as Search::split
  /// does. The lane is splittable.
  template <class Stack>
  SLICEPOOL_INLINE void split(const View& view, Slice& given, Stack& stack) {
    const bool fromStack = size_ != bottom_;
    Frame from = fromStack ? stack.read(bottom_) : visits_.frame(open_, now_, levels_);
    Node<kWords> child = nodeOf(from);
    const int j = from.open.lowest();
    Generators left = from.open;
    left.removeLowest();
    given.open[0] = childGenerators(in_, from.open, j, child.frees(in_, j));
    child.remove(j);
    storeNode(given, child);
    given.base = static_cast<std::uint8_t>(view.genus - from.levels + 1);
    given.top = 0;
    given.waits = 1;
    if (!fromStack)
      open_ = left;
    else if (left.empty())
      ++bottom_;
    else {
      from.open = left;
      stack.write(bottom_, from);
    }
  }

 private:
  /// The node of a frame: above its Frobenius number all are elements.
  [[nodiscard]] SLICEPOOL_INLINE Node<kWords> nodeOf(const Frame& frame) const {
    return {now_.elements | Bits<kWords>::from(frame.last + 1), frame.mirror, frame.last};
  }

  template <class Stack>
  SLICEPOOL_INLINE void goBack(Stack& stack) {
    const Frame frame = stack.pop(--size_);
    now_ = nodeOf(frame);
    open_ = frame.open;
    levels_ = frame.levels;
    visits_.goBack(frame, now_.last + in_.second);
  }

  SLICEPOOL_INLINE void storeNode(Slice& slice, const Node<kWords>& node) const {
    slice.mirror = wideMirror(node);
    slice.elements = node.elements;
    slice.last = static_cast<std::int16_t>(node.last);
    slice.multiplicity = static_cast<std::uint8_t>(in_.multiplicity);
    slice.second = static_cast<std::uint8_t>(in_.second);
    slice.padding = 0;
  }

  Class in_;
  int base_;    ///< genus of the top of the slice's path
  int bottom_;  ///< the first frame of the stack; those before it were given away
  int size_;
  bool waits_;
  Node<kWords> now_;  ///< the newest node
  Generators open_;   ///< its generators whose removal is still to be visited or, on the last visited level,
                      ///< to be looked at
  int levels_;        ///< from its genus to the bound
  Visits visits_;     ///< what it carries
};

/// The lane of Search.
template <int kWords>
using SearchLane = TreeLane<kWords, CountVisits<kWords>>;

}  // namespace slicepool::numerical_semigroups
