// Kernels of the factorizations workload: algorithm `ranked`, dimensions 9 to 16 and the generic family.
#include "factories.hpp"
#include "kernels/core/register.hpp"
#include "reduce_rows.cuh"
#include "rows.cuh"
#include "slicepool/factorizations/steps/types.hpp"

namespace slicepool::cuda {

void registerRankedHigh() {
  const AddKernels add;
#define SLICEPOOL_ADD_FAMILY(D, Word) factorizations::forRankedSinks<D, Word>(add);
  SLICEPOOL_FACTORIZATIONS_HIGH_FAMILIES(SLICEPOOL_ADD_FAMILY)
#undef SLICEPOOL_ADD_FAMILY
}

}  // namespace slicepool::cuda
