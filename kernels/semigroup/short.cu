// Semigroups on a GPU, keys of one kind: images of base points, n <= 2^16.
#include "device.cuh"
#include "factories.hpp"

namespace slicepool::cuda {

void registerSemigroupShort() { registerSemigroupDevice<sg::ImageKeys<std::uint16_t>>(); }

}  // namespace slicepool::cuda
