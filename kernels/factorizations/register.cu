// What this folder brings to a GPU. Called by registerCudaKernels(), which finds it by the name of this file.
#include "kernels/factorizations/factories.hpp"
#include "slicepool/factorizations/steps/types.hpp"

namespace slicepool::cuda::factorizations {

void registerKernels() {
#define SLICEPOOL_REGISTER(D, Word) \
  registerCandidate<D, Word>();     \
  registerTabulated<D, Word>();     \
  registerRanked<D, Word>();
  SLICEPOOL_FACTORIZATIONS_FAMILIES(SLICEPOOL_REGISTER)
#undef SLICEPOOL_REGISTER
  registerLeafTable();
}

}  // namespace slicepool::cuda::factorizations
