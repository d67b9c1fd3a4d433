// The steps of search.hpp for a thread that stays with a slice for many turns, and whose neighbours execute
// the same instructions: a lane of a GPU. Same visits in the same order; tests compare the two.
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

template <int kWords>
class SearchLane {
 public:
  using View = SearchView;
  using Slice = SearchSlice<kWords>;
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
  static constexpr int kMaximumFrames = Generators::kSize;

  template <class Stack>
  SLICEPOOL_INLINE void load(const View& view, const Slice& slice, Stack& stack) {
    in_ = {slice.multiplicity, slice.second};
    near_ = Generators::below(in_.second - in_.multiplicity);
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
    stack.begin(frames);
    SLICEPOOL_NO_UNROLL
    for (int level = top - 1; level >= 0; --level) {
      node.restore();
      if (slice.open[level].empty()) continue;
      stack.write(--frames,
                  {slice.open[level], node.mirror.template low<kWords>(), node.last, levels_ + top - level});
    }
  }

  /// Makes at most `passes` passes, at most Emit::kVisits, of at most one step each; adds the steps to
  /// `steps`.
  template <class Stack, class Emit>
  SLICEPOOL_INLINE Turn advance(const View&, unsigned passes, std::uint64_t& steps, Stack& stack,
                                Emit& emit) {
    emit.inClass(in_.multiplicity);
    Turn turn = Turn::budgetSpent;
    std::uint32_t visits = 0;
    if (waits_ && passes != 0) {
      --passes;
      ++visits;
      waits_ = false;
      open_ = enter(levels_, open_, emit);
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
      open_.removeLowest();
      if (levels_ == kCountedLevels) {
        emit.add(0, frees ? 1 : 0);
        continue;
      }
      ++visits;
      const Generators open = enter(levels_ - 1, childGenerators(in_, open_, j, frees), emit);
      if (open.empty()) continue;
      if (!open_.empty()) stack.push(size_++, {open_, now_.mirror, now_.last, levels_});
      now_.remove(j);
      open_ = open;
      --levels_;
    }
    emit.settle();
    steps += visits;
    return turn;
  }

  /// Makes what is left of a visit, so that the lane can be stored. Returns whether anything is left to
  /// visit.
  template <class Stack, class Emit>
  SLICEPOOL_INLINE bool finish(Stack& stack, Emit& emit) {
    if (waits_) return true;
    if (levels_ == kCountedLevels) {
      emit.add(0, static_cast<std::uint64_t>(countFreed(in_, now_, open_)));
      open_ = Generators::below(0);
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
    const bool visits = levels_ > kCountedLevels && !open_.empty();
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
    const Frame from = fromStack ? stack.read(bottom_) : Frame{open_, now_.mirror, now_.last, levels_};
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
    else
      stack.write(bottom_, {left, from.mirror, from.last, from.levels});
  }

 private:
  /// Counts a visited semigroup. Returns the generators that are to be looked at.
  template <class Emit>
  SLICEPOOL_INLINE Generators enter(int levels, const Generators& generators, Emit& emit) const {
    if (levels > kCountedLevels) {
      emit.visited(levels);
      return generators;
    }
    countLast(levels, generators, emit);
    return levels == kCountedLevels ? generators & near_ : Generators::below(0);
  }

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
  Generators near_;  ///< those whose removal may free one
  int base_;         ///< genus of the top of the slice's path
  int bottom_;       ///< the first frame of the stack; those before it were given away
  int size_;
  bool waits_;
  Node<kWords> now_;  ///< the newest node
  Generators open_;   ///< its generators whose removal is still to be visited or, on the last visited level,
                      ///< to be looked at
  int levels_;        ///< from its genus to the bound
};

}  // namespace slicepool::numerical_semigroups
