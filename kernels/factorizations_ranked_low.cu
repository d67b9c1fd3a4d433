// Kernels of the factorizations workload: algorithm `ranked`, dimensions 1 to 8.
#include "factorizations.hpp"
#include "slicepool/factorizations/types.hpp"
#include "workload.cuh"

namespace slicepool::cuda {

void registerRankedLow() {
  const auto add = []<class W, class S>() { registerKernels<W, S>(); };
#define SLICEPOOL_ADD_FAMILY(D, Word) factorizations::forRankedSinks<D, Word>(add);
  SLICEPOOL_FACTORIZATIONS_LOW_FAMILIES(SLICEPOOL_ADD_FAMILY)
#undef SLICEPOOL_ADD_FAMILY
}

}  // namespace slicepool::cuda
