// A user's own workload: place n queens on an n x n board so that none attacks another. Every CPU worker and
// every GPU thread executes these functions; nqueens.cpp runs them, nqueens.cu lends them to the GPU.
#pragma once

#include <slicepool/core/error.hpp>
#include <slicepool/core/platform.hpp>
#include <slicepool/core/turn.hpp>

#include <cstdint>
#include <string>

struct NQueens {
  static constexpr int kMaximum = 20;  // board sizes 1..kMaximum

  struct View {
    int n;  // board size
  };
  // One depth-first search, stopped between two steps. Queens stand in rows 0..row-1.
  struct Slice {
    std::uint64_t sums, differences;  // attacked diagonals: bit row + column, bit column - row + n
    std::uint32_t columns;            // attacked columns
    int row;                          // row to fill next; -1: nothing is left
    std::uint32_t queen[kMaximum];    // the column, as a bit, of the queen in each filled row
    std::uint32_t open[kMaximum];     // the columns still to be tried in each row up to `row`
  };
  struct Solution {
    std::uint32_t queen[kMaximum];  // as in Slice
  };

  static Slice root(const View& view) {
    if (view.n < 1 || view.n > kMaximum)
      throw slicepool::ConfigError("n", std::to_string(view.n),
                                   "an integer from 1 to " + std::to_string(kMaximum));
    Slice slice{};
    slice.open[0] = (1U << view.n) - 1;
    return slice;
  }

  // At most budget.left steps; a step tries one queen or leaves one row.
  template <class Emit>
  SLICEPOOL_HD static slicepool::Turn advance(const View& view, Slice& slice, slicepool::Budget& budget,
                                              Emit& emit) {
    while (slice.row >= 0) {
      if (budget.left == 0) return slicepool::Turn::budgetSpent;
      --budget.left;
      const std::uint32_t open = slice.open[slice.row];
      const std::uint32_t queen = open & (0U - open);
      if (queen == 0) {
        if (--slice.row >= 0) toggle(view, slice);
        continue;
      }
      slice.queen[slice.row] = queen;
      if (slice.row == view.n - 1 && !emit(solution(slice))) return slicepool::Turn::sinkFull;
      slice.open[slice.row] = open ^ queen;
      if (slice.row == view.n - 1) continue;
      toggle(view, slice);
      ++slice.row;
      slice.open[slice.row] = ((1U << view.n) - 1) & ~slice.columns &
                              ~static_cast<std::uint32_t>(slice.sums >> slice.row) &
                              ~static_cast<std::uint32_t>(slice.differences >> (view.n - slice.row));
    }
    return slicepool::Turn::exhausted;
  }

  // Gives away every second open column of the shallowest row that has any.
  SLICEPOOL_HD static bool split(const View& view, Slice& kept, Slice& given) {
    int row = 0;
    while (row < kept.row && kept.open[row] == 0) ++row;
    if (kept.row < 0) return false;
    bool give = row < kept.row;  // in the current row the first open column stays here
    std::uint32_t away = 0;
    for (std::uint32_t open = kept.open[row]; open != 0; open &= open - 1, give = !give)
      if (give) away |= open & (0U - open);
    if (away == 0) return false;
    given = kept;
    while (given.row > row) {
      --given.row;
      toggle(view, given);
    }
    given.open[row] = away;
    kept.open[row] ^= away;
    return true;
  }

 private:
  // Places or takes away the queen of row `slice.row`.
  SLICEPOOL_HD static void toggle(const View& view, Slice& slice) {
    const std::uint64_t queen = slice.queen[slice.row];
    slice.columns ^= slice.queen[slice.row];
    slice.sums ^= queen << slice.row;
    slice.differences ^= queen << (view.n - slice.row);
  }

  SLICEPOOL_HD static Solution solution(const Slice& slice) {
    Solution result{};
    for (int row = 0; row <= slice.row; ++row) result.queen[row] = slice.queen[row];
    return result;
  }
};
