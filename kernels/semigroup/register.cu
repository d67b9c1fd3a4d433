// What this folder brings to a GPU. Called by registerCudaKernels(), which finds it by the name of this file.
#include "kernels/semigroup/factories.hpp"

namespace slicepool::cuda::semigroup {

void registerKernels() {
  registerSemigroupPacked();
  registerSemigroupByte();
  registerSemigroupShort();
  registerSemigroupWide();
  registerSemigroupWords();
}

}  // namespace slicepool::cuda::semigroup
