// What this folder brings to a GPU. Called by registerCudaKernels(), which finds it by the name of this file.
#include "kernels/factorizations/factories.hpp"

namespace slicepool::cuda::factorizations {

void registerKernels() {
  registerCandidateLow();
  registerCandidateHigh();
  registerTabulatedLow();
  registerTabulatedHigh();
  registerRankedLow();
  registerRankedHigh();
  registerLeafTable();
}

}  // namespace slicepool::cuda::factorizations
