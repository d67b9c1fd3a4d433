// What this folder brings to a GPU. Called by registerCudaKernels(), which finds it by the name of this file.
#include <cstdint>

#include "kernels/semigroup/factories.hpp"
#include "slicepool/semigroup/steps/keys.hpp"

namespace slicepool::cuda::semigroup {

void registerKernels() {
  using namespace slicepool::semigroup;
  registerSemigroupDevice<PackedKeys>();
  registerSemigroupDevice<ImageKeys<std::uint8_t>>();
  registerSemigroupDevice<ImageKeys<std::uint16_t>>();
  registerSemigroupDevice<ImageKeys<std::uint32_t>>();
  registerSemigroupWords();
}

}  // namespace slicepool::cuda::semigroup
