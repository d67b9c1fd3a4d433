// The instantiations of the factorizations workload, for runtime/factorizations (problems) and kernels/
// (device factories): a family is a compile-time dimension with its word, and each workload runs with each
// sink below.
#pragma once

#include <cstdint>

#include "slicepool/core/problem.hpp"
#include "slicepool/core/sink.hpp"
#include "slicepool/factorizations/sinks.hpp"
#include "slicepool/factorizations/steps/candidate.hpp"
#include "slicepool/factorizations/steps/ranked.hpp"
#include "slicepool/factorizations/steps/tabulated.hpp"

/// X(D, Word): 1..16 coordinates of 32 bits. Split in two so that translation units can share the work.
#define SLICEPOOL_FACTORIZATIONS_LOW_FAMILIES(X) \
  X(1, std::uint32_t)                            \
  X(2, std::uint32_t)                            \
  X(3, std::uint32_t)                            \
  X(4, std::uint32_t)                            \
  X(5, std::uint32_t)                            \
  X(6, std::uint32_t)                            \
  X(7, std::uint32_t)                            \
  X(8, std::uint32_t)
/// X(D, Word): the rest; D = 0 is the generic family (up to 64 coordinates of 64 bits).
#define SLICEPOOL_FACTORIZATIONS_HIGH_FAMILIES(X) \
  X(9, std::uint32_t)                             \
  X(10, std::uint32_t)                            \
  X(11, std::uint32_t)                            \
  X(12, std::uint32_t)                            \
  X(13, std::uint32_t)                            \
  X(14, std::uint32_t)                            \
  X(15, std::uint32_t)                            \
  X(16, std::uint32_t)                            \
  X(0, std::uint64_t)
#define SLICEPOOL_FACTORIZATIONS_FAMILIES(X) \
  SLICEPOOL_FACTORIZATIONS_LOW_FAMILIES(X)   \
  SLICEPOOL_FACTORIZATIONS_HIGH_FAMILIES(X)

namespace slicepool::factorizations {

/// Calls f.template operator()<W, S>() for every sink S that workload W runs with. Places are known to
/// `ranked` always, so that it never collects.
template <int D, class Word, class F>
void forCandidateSinks(F&& f) {
  f.template operator()<Candidate<D, Word>, Count>();
  f.template operator()<Candidate<D, Word>, Reduce<D, Word>>();
  f.template operator()<Candidate<D, Word>, PlaceRows<D, Word>>();
  f.template operator()<Candidate<D, Word>, CollectRows<D, Word>>();
}
template <int D, class Word, class F>
void forTabulatedSinks(F&& f) {
  f.template operator()<Tabulated<D, Word>, Count>();
  f.template operator()<Tabulated<D, Word>, Reduce<D, Word>>();
  f.template operator()<Tabulated<D, Word>, PlaceRows<D, Word>>();
  f.template operator()<Tabulated<D, Word>, CollectRows<D, Word>>();
}
template <int D, class Word, class F>
void forRankedSinks(F&& f) {
  f.template operator()<Ranked<D, Word>, Count>();
  f.template operator()<Ranked<D, Word>, Reduce<D, Word>>();
  f.template operator()<Ranked<D, Word>, PlaceRows<D, Word>>();
}

}  // namespace slicepool::factorizations
