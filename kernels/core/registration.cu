// Implementation of registration.hpp: everything that this library brings to a GPU.
#include "registration.hpp"

#include <mutex>

#include "kernels/factorizations/factories.hpp"
#include "kernels/lattice/factories.hpp"
#include "kernels/semigroup/factories.hpp"
#include "kernels/three_in_line/factories.hpp"

namespace slicepool {

void registerCudaKernels() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerCudaProvider();
    cuda::registerCandidateLow();
    cuda::registerCandidateHigh();
    cuda::registerTabulatedLow();
    cuda::registerTabulatedHigh();
    cuda::registerRankedLow();
    cuda::registerRankedHigh();
    cuda::registerLatticeSmall();
    cuda::registerLatticeMiddle();
    cuda::registerLatticeLarge();
    cuda::registerSemigroupPacked();
    cuda::registerSemigroupByte();
    cuda::registerSemigroupShort();
    cuda::registerSemigroupWide();
    cuda::registerSemigroupWords();
    cuda::registerThreeInLineSmall();
    cuda::registerThreeInLineLarge();
    cuda::registerThreeInLineWide();
  });
}

}  // namespace slicepool
