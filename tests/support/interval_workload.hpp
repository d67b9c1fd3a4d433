// A synthetic workload whose answer is known in closed form: the integers of an interval, of which every one
// whose mix has its three lowest bits clear is a result. Exact sizes, exact splits. Used by engine tests.
#pragma once

#include <cstdint>
#include <vector>

#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/core/turn.hpp"

namespace slicepool::test {

struct IntervalWorkload {
  struct View {
    std::uint64_t salt;
    bool sized;  ///< false: pretend that sizes are unknown
  };
  struct Slice {
    std::uint64_t begin, end;
  };

  SLICEPOOL_HD static bool isResult(std::uint64_t salt, std::uint64_t value) {
    return (mix64(value ^ salt) & 7) == 0;
  }

  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View& view, Slice& slice, Budget& budget, Emit& emit) {
    while (slice.begin < slice.end) {
      if (budget.left == 0) return Turn::budgetSpent;
      if (isResult(view.salt, slice.begin) && !emit(slice.begin)) return Turn::sinkFull;
      ++slice.begin;
      --budget.left;
    }
    return Turn::exhausted;
  }
  SLICEPOOL_HD static bool split(const View&, Slice& kept, Slice& given) {
    if (kept.end - kept.begin < 2) return false;
    const std::uint64_t middle = kept.begin + (kept.end - kept.begin) / 2;
    given = {middle, kept.end};
    kept.end = middle;
    return true;
  }
  SLICEPOOL_HD static double size(const View& view, const Slice& slice) {
    return view.sized ? static_cast<double>(slice.end - slice.begin) : __builtin_nan("");
  }

  static std::vector<std::uint64_t> expected(std::uint64_t salt, std::uint64_t n) {
    std::vector<std::uint64_t> results;
    for (std::uint64_t i = 0; i < n; ++i)
      if (isResult(salt, i)) results.push_back(i);
    return results;
  }
};

}  // namespace slicepool::test
