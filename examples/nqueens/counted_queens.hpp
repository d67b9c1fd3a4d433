// The search of nqueens.hpp made fast for those who only want the count. Left out: where the queens stand.
// Then a row is 16 bytes, and a row without open columns needs no place on the stack. Every placement is
// counted together with its mirror image. `Lane` is the form in which a GPU thread keeps a search: the row
// that it works on in registers, all others on a stack in shared memory (docs/adding-a-workload.md, "Lanes").
#pragma once

#include <slicepool/core/platform.hpp>
#include <slicepool/core/turn.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

struct CountedQueens {
  static constexpr int kMaximum = 27;                        // board sizes 2..kMaximum
  static constexpr std::uint32_t kNextRow = 1U << kMaximum;  // of `rowAndColumns`

  struct View {
    int n;  // board size
    SLICEPOOL_HD std::uint32_t all() const { return (1U << n) - 1; }
    SLICEPOOL_HD std::uint32_t lastRow() const { return static_cast<std::uint32_t>(n - 1) * kNextRow; }
  };
  // A row to be filled: its number in the upper five bits, the columns and diagonals that are attacked in it,
  // and the columns that are still to be tried.
  struct Row {
    std::uint32_t rowAndColumns, left, right, open;

    // The next row, with a queen in column `queen` (a bit) of this one.
    SLICEPOOL_INLINE Row below(std::uint32_t queen, std::uint32_t all) const {
      Row next{rowAndColumns + (queen | kNextRow), (left | queen) << 1U, (right | queen) >> 1U, 0};
      next.open = all & ~(next.rowAndColumns | next.left | next.right);
      return next;
    }
    SLICEPOOL_INLINE std::uint32_t takeFirst() {
      const std::uint32_t queen = open & (0U - open);
      open ^= queen;
      return queen;
    }
    // Takes away every second open column, or the only one.
    SLICEPOOL_INLINE std::uint32_t takeHalf() {
      std::uint32_t away = open;
      if ((open & (open - 1)) != 0) {
        bool give = false;
        for (std::uint32_t rest = open; rest != 0; rest &= rest - 1, give = !give)
          if (!give) away ^= rest & (0U - rest);
      }
      open ^= away;
      return away;
    }
  };
  // Rows with open columns, the deepest one last; `found` waits to be emitted.
  struct Slice {
    std::uint32_t size, found;
    Row rows[kMaximum];
  };
  struct Pair {  // placements and their mirror images
    std::uint64_t multiplicity;
  };

  // The first queen stands in the left half of the first row; or in its middle, and then the second one in
  // the left half of the second row.
  static std::vector<Slice> roots(const View& view) {
    const std::uint32_t middle = 1U << (view.n / 2);
    std::vector<Slice> roots{{1, 0, {{0, 0, 0, middle - 1}}}};
    Row second = Row{}.below(middle, view.all());
    second.open &= middle - 1;
    if (view.n % 2 != 0 && second.open != 0) roots.push_back({1, 0, {second}});
    return roots;
  }

  // One step tries one queen.
  template <class Emit>
  SLICEPOOL_HD static slicepool::Turn advance(const View& view, Slice& slice, slicepool::Budget& budget,
                                              Emit& emit) {
    const std::uint32_t all = view.all();
    const std::uint32_t last = view.lastRow();
    while (slice.size != 0 && budget.left != 0) {
      --budget.left;
      Row& row = slice.rows[slice.size - 1];
      const Row next = row.below(row.takeFirst(), all);
      if (row.open == 0) --slice.size;
      if (next.rowAndColumns >= last)
        slice.found += next.open != 0 ? 1 : 0;
      else if (next.open != 0)
        slice.rows[slice.size++] = next;
    }
    return settle(slice.found, emit) ? turn(slice.size != 0) : slicepool::Turn::sinkFull;
  }

  SLICEPOOL_HD static bool splittable(const View&, const Slice& slice) {
    return slice.size > 1 || (slice.size == 1 && (slice.rows[0].open & (slice.rows[0].open - 1)) != 0);
  }
  // Gives away half of what is open in the shallowest row.
  SLICEPOOL_HD static bool split(const View& view, Slice& kept, Slice& given) {
    if (!splittable(view, kept)) return false;
    given.size = 1;
    given.found = 0;
    given.rows[0] = kept.rows[0];
    given.rows[0].open = kept.rows[0].takeHalf();
    if (kept.rows[0].open == 0) {
      --kept.size;
      for (std::uint32_t i = 0; i < kept.size; ++i) kept.rows[i] = kept.rows[i + 1];
    }
    return true;
  }
  SLICEPOOL_HD static std::size_t usedBytes(const Slice& slice) {
    return offsetof(Slice, rows) + slice.size * sizeof(Row);
  }

  static constexpr unsigned kDeviceThreads = 128;
  static constexpr unsigned kDeviceBlocks = 12;
  static constexpr unsigned kDeviceRound = 256;  // steps

  class Lane {
   public:
    using Frame = Row;
    static constexpr int kFastFrames = 8;
    static constexpr int kMaximumFrames = kMaximum;

    template <class Stack>
    SLICEPOOL_INLINE void load(const View&, const Slice& slice, Stack& stack) {
      found_ = slice.found;
      bottom_ = 0;
      size_ = slice.size > 1 ? static_cast<int>(slice.size) - 1 : 0;
      now_ = slice.size != 0 ? slice.rows[size_] : Row{};
      stack.begin(size_);
      SLICEPOOL_NO_UNROLL
      for (int i = 0; i < size_; ++i) stack.write(i, slice.rows[i]);
    }
    template <class Stack, class Emit>
    SLICEPOOL_INLINE slicepool::Turn advance(const View& view, unsigned passes, std::uint64_t& steps,
                                             Stack& stack, Emit& emit) {
      const std::uint32_t all = view.all();
      const std::uint32_t last = view.lastRow();
      unsigned left = passes;
      SLICEPOOL_NO_UNROLL
      for (; left != 0; --left) {
        if (now_.open == 0) {
          if (size_ == bottom_) break;
          now_ = stack.pop(--size_);
        }
        const Row next = now_.below(now_.takeFirst(), all);
        if (next.open == 0) continue;
        if (next.rowAndColumns >= last) {
          ++found_;
          continue;
        }
        if (now_.open != 0) stack.push(size_++, now_);
        now_ = next;
      }
      steps += passes - left;
      return settle(found_, emit) ? turn(left == 0) : slicepool::Turn::sinkFull;
    }
    // Whether anything is left to be tried; if so, it can be stored.
    template <class Stack, class Emit>
    SLICEPOOL_INLINE bool finish(Stack& stack, Emit&) {
      if (now_.open == 0 && size_ != bottom_) now_ = stack.pop(--size_);
      return now_.open != 0 || found_ != 0;
    }
    template <class Stack>
    SLICEPOOL_INLINE void store(const View&, Slice& slice, const Stack& stack) const {
      slice.size = 0;
      slice.found = found_;
      SLICEPOOL_NO_UNROLL
      for (int i = bottom_; i < size_; ++i) slice.rows[slice.size++] = stack.read(i);
      if (now_.open != 0) slice.rows[slice.size++] = now_;
    }
    template <class Stack>
    SLICEPOOL_INLINE bool splittable(const View&, const Stack& stack) const {
      const int rows = size_ - bottom_ + (now_.open != 0 ? 1 : 0);
      const std::uint32_t open = size_ == bottom_ ? now_.open : stack.read(bottom_).open;
      return rows > 1 || (open & (open - 1)) != 0;
    }
    template <class Stack>
    SLICEPOOL_INLINE void split(const View&, Slice& given, Stack& stack) {
      const bool fromStack = size_ != bottom_;
      Row kept = fromStack ? stack.read(bottom_) : now_;
      Row away = kept;
      away.open = kept.takeHalf();
      given.size = 1;
      given.found = 0;
      given.rows[0] = away;
      if (!fromStack)
        now_ = kept;
      else if (kept.open == 0)
        ++bottom_;
      else
        stack.write(bottom_, kept);
    }

   private:
    Row now_;
    int bottom_;  // the first row of the stack that was not given away
    int size_;
    std::uint32_t found_;
  };

 private:
  SLICEPOOL_INLINE static slicepool::Turn turn(bool workIsLeft) {
    return workIsLeft ? slicepool::Turn::budgetSpent : slicepool::Turn::exhausted;
  }
  template <class Emit>
  SLICEPOOL_INLINE static bool settle(std::uint32_t& found, Emit& emit) {
    if (found != 0 && !emit(Pair{2ULL * found})) return false;
    found = 0;
    return true;
  }
};
