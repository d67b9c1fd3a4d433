// Kernels of the factorizations workload: algorithm `tabulated`, dimensions 9 to 16 and the generic family.
#include "factorizations.hpp"
#include "slicepool/factorizations/types.hpp"
#include "workload.cuh"

namespace slicepool::cuda {

void registerTabulatedHigh() {
  const auto add = []<class W, class S>() { registerKernels<W, S>(); };
#define SLICEPOOL_ADD_FAMILY(D, Word) factorizations::forTabulatedSinks<D, Word>(add);
  SLICEPOOL_FACTORIZATIONS_HIGH_FAMILIES(SLICEPOOL_ADD_FAMILY)
#undef SLICEPOOL_ADD_FAMILY
}

}  // namespace slicepool::cuda
