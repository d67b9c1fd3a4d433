// Implementation of registration.hpp: everything that this library brings to a GPU.
#include "registration.hpp"

#include <mutex>

#include "factorizations.hpp"

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
  });
}

}  // namespace slicepool
