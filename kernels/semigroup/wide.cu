// Semigroups on a GPU, keys of one kind: images of base points, n <= 2^32.
#include "device.cuh"
#include "factories.hpp"

namespace slicepool::cuda {

void registerSemigroupWide() { registerSemigroupDevice<sg::ImageKeys<std::uint32_t>>(); }

}  // namespace slicepool::cuda
