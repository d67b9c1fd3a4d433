// Kernels of the factorizations workload, for the algorithm and the families of each unit in instances.cmake.
// Called by register.cu.
#pragma once

#include "factories.hpp"
#include "kernels/core/register.hpp"
#include "reduce_rows.cuh"
#include "rows.cuh"
#include "slicepool/factorizations/steps/types.hpp"
#include "stored_tails.cuh"

namespace slicepool::cuda {

template <int D, class Word>
void registerCandidate() {
  factorizations::forCandidateSinks<D, Word>(AddKernels{});
}
template <int D, class Word>
void registerTabulated() {
  factorizations::forTabulatedSinks<D, Word>(AddKernels{});
}
template <int D, class Word>
void registerRanked() {
  factorizations::forRankedSinks<D, Word>(AddKernels{});
}

#define SLICEPOOL_CANDIDATE(D, Word) template void registerCandidate<D, Word>();
#define SLICEPOOL_TABULATED(D, Word) template void registerTabulated<D, Word>();
#define SLICEPOOL_RANKED(D, Word) template void registerRanked<D, Word>();
SLICEPOOL_INSTANCES
#undef SLICEPOOL_CANDIDATE
#undef SLICEPOOL_TABULATED
#undef SLICEPOOL_RANKED

}  // namespace slicepool::cuda
