// Implementation of registration.hpp: everything that this library brings to a GPU.
#include "registration.hpp"

#include <mutex>

namespace slicepool {
namespace cuda {

/// Calls registerKernels() of every folder beside this one that has a register.cu. Defined in a source that
/// CMake writes.
void registerFoundKernels();

}  // namespace cuda

void registerCudaKernels() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerCudaProvider();
    cuda::registerFoundKernels();
  });
}

}  // namespace slicepool
