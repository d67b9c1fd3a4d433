// Kernels of the factorizations workload: algorithm `tabulated`, dimensions 1 to 8.
#include "factories.hpp"
#include "kernels/core/register.hpp"
#include "slicepool/factorizations/steps/types.hpp"

namespace slicepool::cuda {

void registerTabulatedLow() {
  const AddKernels add;
#define SLICEPOOL_ADD_FAMILY(D, Word) factorizations::forTabulatedSinks<D, Word>(add);
  SLICEPOOL_FACTORIZATIONS_LOW_FAMILIES(SLICEPOOL_ADD_FAMILY)
#undef SLICEPOOL_ADD_FAMILY
}

}  // namespace slicepool::cuda
