// Semigroups on a GPU, keys of one kind: images of base points, n <= 2^8.
#include "semigroup.hpp"
#include "semigroup_device.cuh"

namespace slicepool::cuda {

void registerSemigroupByte() { registerSemigroupDevice<sg::ImageKeys<std::uint8_t>>(); }

}  // namespace slicepool::cuda
