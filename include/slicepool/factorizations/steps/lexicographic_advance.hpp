// The step function of `candidate` and `tabulated`: Barron 2024a, Algorithm 3.1 with the modulo jump of
// 3.2.4, and Barron 2024b, Algorithm 3.2. Called by candidate.hpp and tabulated.hpp on CPU and GPU.
//
// Three kinds of cursor:
//   spine  the last coordinate is zero; one candidate, examined alone;
//   run    the last coordinate is solved: its successors are (.., a_{d-1} - t, q_t), residuals p + t g_{d-1}.
//          A whole block of them is tested by comparing one excess with precomputed offsets;
//   leaf   (tabulated) the head is fixed and its residual has a list in the table.
// With the loop's order spine, run or leaf, carry, the lanes of a warp meet once an iteration, for all
// kinds of cursors. One file, because the parts are members that the compiler has to inline into that loop.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/turn.hpp"
#include "slicepool/factorizations/rows.hpp"
#include "slicepool/factorizations/steps/block_compare.hpp"
#include "slicepool/factorizations/steps/lexicographic.hpp"

namespace slicepool::factorizations {

template <int D, class Word, bool kTabulated, class Emit>
class LexicographicStepper {
 public:
  using View = LexicographicView<D, Word>;
  using Slice = LexicographicSlice<D, Word, kTabulated>;

  SLICEPOOL_INLINE LexicographicStepper(const View& view, Slice& slice, Budget& budget, Emit& emit)
      : view_(view),
        slice_(slice),
        budget_(budget),
        emit_(emit),
        left_(budget.left),
        position_(slice.position) {
    load();
  }

  SLICEPOOL_INLINE Turn advance() {
    while (left_ > 0) {
      bool carryNeeded = false;
      if (kind_ == Kind::spine) {
        if (!examineSpine()) return stop(Turn::sinkFull);
        if (last() >= 1 && a_[penultimate()] > 0) {
          const Word residual = static_cast<Word>(view_.generators[penultimate()] - excess_);
          a_[penultimate()] = static_cast<Word>(a_[penultimate()] - 1);
          if (!land(penultimate(), residual)) return finish();
        } else {
          rest_ = static_cast<Word>(Word{0} - excess_);
          top_ = last() - 2;
          carryNeeded = true;
        }
      }
      if (kind_ == Kind::run && !carryNeeded && left_ > 0) {
        switch (view_.moduloJump != 0 ? examineRunByJumps() : examineRunBlock()) {
          case Progress::inside: break;
          case Progress::refused: return stop(Turn::sinkFull);
          case Progress::complete:
            if (agree_ >= penultimate()) return finish();
            rest_ = prefixResidual_;
            a_[penultimate()] = 0;
            top_ = last() - 2;
            carryNeeded = true;
        }
      }
      if constexpr (kTabulated) {
        if (kind_ == Kind::leaf && !carryNeeded && left_ > 0) {
          switch (examineLeaves()) {
            case Progress::inside: break;
            case Progress::refused: return stop(Turn::sinkFull);
            case Progress::complete:
              rest_ = residual_;
              top_ = view_.headDimension - 1;
              carryNeeded = true;
          }
        }
      }
      if (carryNeeded && !carry()) return finish();
    }
    return stop(Turn::budgetSpent);
  }

 private:
  enum class Kind : std::uint8_t { spine, run, leaf };
  enum class Progress : std::uint8_t { inside, complete, refused };
  static constexpr int kUnbounded = -1;

  [[nodiscard]] SLICEPOOL_INLINE int last() const { return view_.dims() - 1; }
  /// Index of the last coordinate but one; 0 for d = 1, where it is guarded by last() >= 1.
  [[nodiscard]] SLICEPOOL_INLINE int penultimate() const {
    if constexpr (D == 1)
      return 0;
    else
      return view_.dims() > 1 ? view_.dims() - 2 : 0;
  }

  SLICEPOOL_INLINE void load() {
    forCoordinates<D>(view_.dims(), [&](int k) { a_[k] = slice_.cursor[k]; });
    agree_ =
        slice_.bounded() ? firstDifference<D, Word>(slice_.cursor, slice_.bound, view_.dims()) : kUnbounded;
    excess_ = slice_.excess;
    prefixResidual_ = view_.element;
    forCoordinates<D>(view_.dims(), [&](int k) {
      if (k < penultimate())
        prefixResidual_ = static_cast<Word>(prefixResidual_ - a_[k] * view_.generators[k]);
    });
    if constexpr (kTabulated) {
      if (loadLeaf()) return;
    }
    kind_ = Kind::spine;
    if (last() >= 1 && a_[last()] != 0)
      enterRun(static_cast<Word>(a_[last()] * view_.generators[last()] - excess_), excess_);
  }

  /// A cursor whose head leaves a residual in [1, limit) stands for that head's leaf.
  SLICEPOOL_INLINE bool loadLeaf() {
    Word used = 0;
    forCoordinates<D>(view_.dims(), [&](int k) {
      if (k < view_.headDimension) used = static_cast<Word>(used + a_[k] * view_.generators[k]);
    });
    if (used >= view_.element || static_cast<Word>(view_.element - used) >= view_.leafLimit) return false;
    leafOffset_ = slice_.leafOffset;
    enterLeaf(static_cast<Word>(view_.element - used));
    return true;
  }

  // ---- examining -------------------------------------------------------------------------------------

  /// Emits the row in a_. False when the sink refused it.
  SLICEPOOL_INLINE bool emitRow() {
    const Row<D, Word> row{a_, view_.dims(), position_};
    if (!emit_(row)) return false;
    ++position_;
    return true;
  }
  SLICEPOOL_INLINE void emitMultiple(std::uint64_t count) {
    emit_(Multiple{count});
    position_ += count;
  }

  SLICEPOOL_INLINE bool examineSpine() {
    a_[last()] = last() == 0 ? a_[last()] : Word{0};
    if constexpr (kCountsOnly<Emit>)
      emitMultiple(excess_ == 0 ? 1U : 0U);
    else if (excess_ == 0 && !emitRow())
      return false;
    --left_;
    return true;
  }

  /// Emits the run's candidate `t` places below the cursor, known to be a factorization.
  SLICEPOOL_INLINE bool emitFromRun(Word t) {
    const Word above = a_[penultimate()];
    const Word residual = static_cast<Word>(residual_ + t * view_.generators[penultimate()]);
    a_[penultimate()] = static_cast<Word>(above - t);
    a_[last()] = view_.dividers[last()].quotient(residual);
    const bool taken = emitRow();
    a_[penultimate()] = above;
    return taken;
  }

  /// Moves the run's cursor `t` <= kRunBlock places down.
  SLICEPOOL_INLINE void moveInRun(Word t, Word offset) {
    a_[penultimate()] = static_cast<Word>(a_[penultimate()] - t);
    residual_ = static_cast<Word>(residual_ + t * view_.generators[penultimate()]);
    const Word lifted = excess_ < offset ? view_.generators[last()] : Word{0};
    excess_ = static_cast<Word>(excess_ - offset + lifted);
  }

  /// The candidate t places down is a factorization iff excess = t g_{d-1} mod g_d. Bit t of the answer.
  template <int kBlock>
  SLICEPOOL_INLINE std::uint32_t hitsInBlock() const {
#if SLICEPOOL_FACTORIZATIONS_SSE2
    if constexpr (sizeof(Word) == 4 && kBlock == 16) return equalOf16(view_.blockOffsets, excess_);
#endif
    std::uint32_t hits = 0;
    SLICEPOOL_UNROLL
    for (int t = 0; t < kBlock; ++t) hits |= excess_ == view_.blockOffsets[t] ? 1U << t : 0U;
    return hits;
  }

  SLICEPOOL_INLINE Progress examineRunBlock() {
#if SLICEPOOL_ON_DEVICE
    constexpr int kBlock = kDeviceRunBlock;
#else
    constexpr int kBlock = kRunBlock;
#endif
    const Word available = static_cast<Word>(a_[penultimate()] - lowest_ + 1);
    Word count = available < kBlock ? available : Word{kBlock};
    if (left_ < count) count = static_cast<Word>(left_);
    std::uint32_t hits = hitsInBlock<kBlock>() & ((1U << static_cast<unsigned>(count)) - 1);
    if constexpr (kCountsOnly<Emit>) {
      emitMultiple(bitCount(hits));
    } else {
      while (hits != 0) {
        const auto t = static_cast<Word>(lowestBit(hits));
        if (!emitFromRun(t)) {
          left_ -= t;
          moveInRun(t, view_.blockOffsets[t]);
          return Progress::refused;
        }
        hits &= hits - 1;
      }
    }
    left_ -= count;
    if (count == available) return Progress::complete;
    moveInRun(count, view_.blockOffsets[static_cast<unsigned>(count)]);
    return Progress::inside;
  }

  /// Examines only the candidates of the run that can be factorizations. The cursor itself need not be one:
  /// everything follows from its residual.
  SLICEPOOL_INLINE Progress examineRunByJumps() {
    const Jump<Word>& jump = view_.jumps[penultimate()];
    const Word first = jump.decrements(excess_);
    if (first == Jump<Word>::kNever || first > static_cast<Word>(a_[penultimate()] - lowest_))
      return Progress::complete;
    jumpInRun(first);
    for (;;) {
      if constexpr (kCountsOnly<Emit>)
        emitMultiple(1);
      else if (!emitFromRun(0))
        return Progress::refused;
      --left_;
      if (static_cast<Word>(a_[penultimate()] - lowest_) < jump.period) return Progress::complete;
      jumpInRun(jump.period);
      if (left_ == 0) return Progress::inside;
    }
  }
  SLICEPOOL_INLINE void jumpInRun(Word t) {
    a_[penultimate()] = static_cast<Word>(a_[penultimate()] - t);
    residual_ = static_cast<Word>(residual_ + t * view_.generators[penultimate()]);
    excess_ = 0;
  }

  // ---- leaves (tabulated) ----------------------------------------------------------------------------

  /// How far the head's last coordinate may fall without a carry, leaf after leaf.
  struct LeafRun {
    int index;  ///< -1: the head is empty
    Word value;
    Word lowest;
    Word step;  ///< growth of the residual
  };
  SLICEPOOL_INLINE LeafRun leafRun() const {
    const int i = view_.headDimension - 1;
    if (i < 0) return {i, 0, 0, 0};
    const Word value = pick<D, Word>(a_, i);
    Word lowest = agree_ == i ? static_cast<Word>(pick<D, Word>(slice_.bound, i) + 1) : Word{0};
    if (view_.moduloJump != 0 && view_.jumps[i].modulus != 1) lowest = value;  // the carry jumps
    return {i, value, lowest, view_.generators[i]};
  }
  /// To the leaf after this one. False: that takes a carry.
  SLICEPOOL_INLINE bool nextLeaf(LeafRun& run) {
    leafOffset_ = 0;
    if (run.value <= run.lowest || residual_ + run.step >= view_.leafLimit) return false;
    --run.value;
    residual_ = static_cast<Word>(residual_ + run.step);
    return true;
  }
  [[nodiscard]] SLICEPOOL_INLINE std::uint64_t leafSize() const {
    return view_.leafOffsets[residual_ + 1] - view_.leafOffsets[residual_];
  }

  SLICEPOOL_INLINE Progress examineLeaves() {
    LeafRun run = leafRun();
    Progress progress = Progress::inside;
    if constexpr (kCountsOnly<Emit>) {
      std::uint64_t count = 0;
      while (left_ > 0 && progress == Progress::inside) {
        count += leafSize() - leafOffset_;
        --left_;
        if (!nextLeaf(run)) progress = Progress::complete;
      }
      emitMultiple(count);
    } else {
      while (progress == Progress::inside && left_ > 0 && leafSize() == 0) {
        --left_;
        if (!nextLeaf(run)) progress = Progress::complete;
      }
    }
    if (run.index >= 0) put<D, Word>(a_, run.index, run.value);
    if constexpr (!kCountsOnly<Emit>) {
      if (progress == Progress::inside && left_ > 0) progress = emitLeafRows();
    }
    return progress;
  }

  /// One step a row.
  SLICEPOOL_INLINE Progress emitLeafRows() {
    const std::uint64_t begin = view_.leafOffsets[residual_];
    const std::uint64_t size = leafSize();
    const int head = view_.headDimension;
    const auto width = static_cast<std::uint64_t>(view_.dims() - head);
    while (leafOffset_ < size) {
      if (left_ == 0) return Progress::inside;
      const std::uint32_t* row = view_.leafRows + (begin + leafOffset_) * width;
      forCoordinates<D>(view_.dims(), [&](int k) {
        if (k >= head) a_[k] = static_cast<Word>(row[k - head]);
      });
      if (!emitRow()) return Progress::refused;
      ++leafOffset_;
      --left_;
    }
    clearTail();
    leafOffset_ = 0;
    return Progress::complete;
  }
  SLICEPOOL_INLINE void clearTail() {
    forCoordinates<D>(
        view_.dims(),
        [&](int k) {
          if (k >= view_.headDimension) a_[k] = 0;
        });
  }

  // ---- moving ----------------------------------------------------------------------------------------

  /// To the next cursor left of index top_ + 1, given rest_ = n - phi of all coordinates up to top_ (modulo
  /// 2^bits) and zeros between. False: nothing is left in the slice.
  SLICEPOOL_INLINE bool carry() {
    if constexpr (D == 1) return false;
    int top = top_;
    for (;;) {
      const int i = lastNonZero<D, Word>(a_, top);
      if (i < 0) return false;
      const Word value = pick<D, Word>(a_, i);
      const Word g = view_.generators[i];
      const Word residual = static_cast<Word>(rest_ + g);
      Word more = 0;
      if (view_.moduloJump != 0) more = view_.jumps[i].decrementsAt(residual);
      if (more < value) {
        put<D, Word>(a_, i, static_cast<Word>(value - 1 - more));
        return land(i, static_cast<Word>(residual + more * g));
      }
      // No decrement of a_i leads to a residual that the generators to its right can make: on to its left.
      rest_ = static_cast<Word>(rest_ + value * g);
      put<D, Word>(a_, i, Word{0});
      top = i - 1;
    }
  }

  /// Coordinate i < d - 1 has just been decremented and all to its right are to be set; `residual` = n - phi
  /// of coordinates 0..i, at least 1. False: the new cursor is not above the bound.
  SLICEPOOL_INLINE bool land(int i, Word residual) {
    if constexpr (D == 1) return false;
    if (i <= agree_ && !staysAboveBound(i, residual)) return false;
    if constexpr (kTabulated) {
      if (i == view_.headDimension - 1 && residual < view_.leafLimit) {
        leafOffset_ = 0;
        enterLeaf(residual);
        return true;
      }
    }
    const Word solved = view_.solve(i + 1, residual);
    excess_ = static_cast<Word>(solved * view_.generators[i + 1] - residual);
    if (i == penultimate()) {
      enterRun(residual, excess_);
    } else {
      prefixResidual_ = residual;  // what the carry after the run needs, should i + 1 be where a run falls
      put<D, Word>(a_, i + 1, solved);
      kind_ = Kind::spine;
    }
    return true;
  }

  /// Rare: the prefix up to i may now equal the bound's, or have passed it.
  SLICEPOOL_INLINE bool staysAboveBound(int i, Word residual) {
    if (i < agree_) return false;
    const Word value = pick<D, Word>(a_, i);
    const Word limit = pick<D, Word>(slice_.bound, i);
    if (value != limit) return value > limit;
    agree_ = i + 1;
    return view_.solve(i + 1, residual) > pick<D, Word>(slice_.bound, i + 1);
  }

  SLICEPOOL_INLINE void enterRun(Word residual, Word excess) {
    kind_ = Kind::run;
    residual_ = residual;
    excess_ = excess;
    lowest_ = 0;
    if (agree_ >= penultimate()) lowest_ = lowestInBoundedRun();
  }

  /// Least value of the falling coordinate in a run whose prefix is the bound's.
  SLICEPOOL_INLINE Word lowestInBoundedRun() const {
    const Word current = a_[penultimate()];
    if (agree_ == last()) return current;
    const Word limit = slice_.bound[penultimate()];
    const Word residual = static_cast<Word>(residual_ + (current - limit) * view_.generators[penultimate()]);
    return view_.solve(last(), residual) > slice_.bound[last()] ? limit : static_cast<Word>(limit + 1);
  }

  SLICEPOOL_INLINE void enterLeaf(Word residual) {
    kind_ = Kind::leaf;
    residual_ = residual;
    clearTail();
  }

  // ---- ending a turn ---------------------------------------------------------------------------------

  SLICEPOOL_INLINE Turn stop(Turn turn) {
    if (kind_ == Kind::spine) {
      if (last() >= 1) a_[last()] = 0;
    } else if (kind_ == Kind::run) {
      a_[last()] = view_.solve(last(), residual_);
    } else if constexpr (kTabulated) {
      // The leaf's first candidate stands for all of it, so that bounds never cut through a leaf.
      clearTail();
      const Word solved = view_.solve(view_.headDimension, residual_);
      put<D, Word>(a_, view_.headDimension, solved);
      excess_ = static_cast<Word>(solved * view_.generators[view_.headDimension] - residual_);
      slice_.leafOffset = leafOffset_;
    }
    if constexpr (kTabulated) {
      if (kind_ != Kind::leaf) slice_.leafOffset = 0;
    }
    forCoordinates<D>(view_.dims(), [&](int k) { slice_.cursor[k] = a_[k]; });
    slice_.excess = excess_;
    slice_.position = position_;
    budget_.left = left_;
    return turn;
  }
  SLICEPOOL_INLINE Turn finish() {
    slice_.position = position_;
    budget_.left = left_;
    return Turn::exhausted;
  }

  const View& view_;
  Slice& slice_;
  Budget& budget_;
  Emit& emit_;
  std::uint64_t left_;
  std::uint64_t position_;
  std::uint64_t leafOffset_ = 0;
  Coordinates<D, Word> a_;
  Word excess_ = 0;          ///< spine: phi - n; run: phi - n of the cursor
  Word residual_ = 0;        ///< run: n - phi of all but the last coordinate; leaf: of the head
  Word lowest_ = 0;          ///< run: where the falling coordinate ends
  Word rest_ = 0;            ///< see carry()
  Word prefixResidual_ = 0;  ///< run: n - phi of all but the last two coordinates, modulo 2^bits
  int top_ = 0;
  int agree_ = kUnbounded;  ///< first index where cursor and bound differ
  Kind kind_ = Kind::spine;
};

}  // namespace slicepool::factorizations
