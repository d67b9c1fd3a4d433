// Kernels of the factorizations workload: algorithm `candidate`, dimensions 1 to 8.
#include "factories.hpp"
#include "kernels/core/register.hpp"
#include "slicepool/factorizations/steps/types.hpp"

namespace slicepool::cuda {

void registerCandidateLow() {
  const AddKernels add;
#define SLICEPOOL_ADD_FAMILY(D, Word) factorizations::forCandidateSinks<D, Word>(add);
  SLICEPOOL_FACTORIZATIONS_LOW_FAMILIES(SLICEPOOL_ADD_FAMILY)
#undef SLICEPOOL_ADD_FAMILY
}

}  // namespace slicepool::cuda
