// Semigroups on a GPU, keys of one kind: images of base points, n <= 2^8.
#include "device.cuh"
#include "factories.hpp"

namespace slicepool::cuda {

void registerSemigroupByte() { registerSemigroupDevice<sg::ImageKeys<std::uint8_t>>(); }

}  // namespace slicepool::cuda
