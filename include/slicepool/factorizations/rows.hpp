// What the step functions hand to sinks. Used by candidate, tabulated, ranked and by every sink.
#pragma once

#include <cstdint>
#include <type_traits>

#include "slicepool/core/sink.hpp"
#include "slicepool/factorizations/steps/coordinates.hpp"

namespace slicepool::factorizations {

/// One factorization. `position` is its rank when the run maintains places, else meaningless.
template <int D, class Word>
struct Row {
  const Coordinates<D, Word>& coordinates;
  std::int32_t dimension;
  std::uint64_t position;
};

/// Several results of which only the number matters.
struct Multiple {
  std::uint64_t multiplicity;
};

/// Emitters that only count are given a Multiple instead of rows: a whole table leaf or a block at once.
template <class Emit>
inline constexpr bool kCountsOnly = std::is_same_v<Emit, Count::Emitter>;

}  // namespace slicepool::factorizations
