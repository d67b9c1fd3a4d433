// Kernels of the factorizations workload: algorithm `ranked`, dimensions 1 to 8.
#include "factories.hpp"
#include "kernels/core/register.hpp"
#include "reduce_rows.cuh"
#include "rows.cuh"
#include "slicepool/factorizations/steps/types.hpp"

namespace slicepool::cuda {

void registerRankedLow() {
  const AddKernels add;
#define SLICEPOOL_ADD_FAMILY(D, Word) factorizations::forRankedSinks<D, Word>(add);
  SLICEPOOL_FACTORIZATIONS_LOW_FAMILIES(SLICEPOOL_ADD_FAMILY)
#undef SLICEPOOL_ADD_FAMILY
}

}  // namespace slicepool::cuda
