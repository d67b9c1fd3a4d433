// Kernels of the factorizations workload: algorithm `ranked`, dimensions 1 to 8.
#include "expand_rows.cuh"
#include "factorizations.hpp"
#include "reduce_rows.cuh"
#include "register.hpp"
#include "slicepool/factorizations/types.hpp"

namespace slicepool::cuda {

void registerRankedLow() {
  const AddKernels add;
#define SLICEPOOL_ADD_FAMILY(D, Word) factorizations::forRankedSinks<D, Word>(add);
  SLICEPOOL_FACTORIZATIONS_LOW_FAMILIES(SLICEPOOL_ADD_FAMILY)
#undef SLICEPOOL_ADD_FAMILY
}

}  // namespace slicepool::cuda
