// Kernels of the factorizations workload: algorithm `candidate`, dimensions 1 to 8.
#include "factorizations.hpp"
#include "slicepool/factorizations/types.hpp"
#include "workload.cuh"

namespace slicepool::cuda {

void registerCandidateLow() {
  const auto add = []<class W, class S>() { registerKernels<W, S>(); };
#define SLICEPOOL_ADD_FAMILY(D, Word) factorizations::forCandidateSinks<D, Word>(add);
  SLICEPOOL_FACTORIZATIONS_LOW_FAMILIES(SLICEPOOL_ADD_FAMILY)
#undef SLICEPOOL_ADD_FAMILY
}

}  // namespace slicepool::cuda
