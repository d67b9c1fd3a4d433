// The workload: slices of all phases of a staged exploration of a transformation semigroup. Rounds of slices
// with barriers between them are made by runtime/semigroup/explorer.hpp; within a round slices are
// independent, any of them may be cut, repeated, or executed anywhere.
#pragma once

#include <cstdint>

#include "slicepool/core/turn.hpp"
#include "slicepool/semigroup/steps/check.hpp"
#include "slicepool/semigroup/steps/expand.hpp"
#include "slicepool/semigroup/steps/replay.hpp"
#include "slicepool/semigroup/steps/rows.hpp"
#include "slicepool/semigroup/steps/sinks.hpp"
#include "slicepool/semigroup/steps/view.hpp"
#include "slicepool/semigroup/types.hpp"

namespace slicepool::semigroup {

template <class Keys>
struct Exploration {
  using View = semigroup::View<Keys>;
  using Slice = semigroup::Slice;

  /// A step is one index of the range. Work goes in pieces of some hundred, so that look-ups ahead overlap.
  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View& view, Slice& slice, Budget& budget, Emit& emit) {
    while (slice.begin < slice.end) {
      if (budget.left == 0) return Turn::budgetSpent;
      std::uint64_t count = slice.end - slice.begin;
      if (count > kPiece) count = kPiece;
      if (count > budget.left) count = budget.left;
      piece(view, static_cast<Phase>(slice.phase), static_cast<std::uint32_t>(slice.begin),
            static_cast<std::uint32_t>(slice.begin + count), emit);
      slice.begin += count;
      budget.left -= count;
    }
    return Turn::exhausted;
  }

  SLICEPOOL_HD static bool split(const View&, Slice& kept, Slice& given) { return halve(kept, given); }

  SLICEPOOL_HD static double size(const View&, const Slice& slice) {
    return static_cast<double>(slice.end - slice.begin);
  }

 private:
  static constexpr std::uint64_t kPiece = 512;

  template <class Emit>
  SLICEPOOL_HD static void piece(const View& view, Phase phase, std::uint32_t begin, std::uint32_t end,
                                 Emit& emit) {
    switch (phase) {
      case Phase::measure: emit(Found{productsOf(view, begin, end)}); return;
      case Phase::expand: return expand(view, begin, end);
      case Phase::derive:
        return derive(view, begin, end,
                      [&](Element x, std::uint32_t g) { emit(Failure{failureCode(x, g, 0)}); });
      case Phase::rehash: return rehash(view, begin, end);
      case Phase::left: return fillLeft(view, begin, end);
      case Phase::check:
        return checkElements(view, begin, end, [&](Element x, std::uint32_t g, std::uint32_t f) {
          emit(Failure{failureCode(x, g, f)});
        });
      case Phase::resolve:
        return resolve(view, begin, end,
                       [&](Element x, std::uint32_t g) { emit(Failure{failureCode(x, g, 0)}); });
      default: break;
    }
    for (std::uint32_t i = begin; i < end; ++i) one(view, phase, i, emit);
  }

  template <class Emit>
  SLICEPOOL_HD static void one(const View& view, Phase phase, std::uint32_t i, Emit& emit) {
    switch (phase) {
      case Phase::count: return countBlock(view, i);
      case Phase::number: return numberBlock(view, i);
      case Phase::adopt: return adoptBlock(view, i);
      case Phase::checkRules:
        return checkRulesOf(view, i, [&](Element x, std::uint32_t g, std::uint32_t f) {
          emit(Failure{failureCode(x, g, f)});
        });
      case Phase::idempotents:
        if (isIdempotent(view, i)) emit(Found{1});
        return;
      case Phase::idempotentsEverywhere:
        if (isIdempotentEverywhere(view, i)) emit(Found{1});
        return;
      default: return;
    }
  }
};

}  // namespace slicepool::semigroup
