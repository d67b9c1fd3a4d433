// Semigroups on a GPU, keys of one kind: images of base points, n <= 2^32.
#include "semigroup.hpp"
#include "semigroup_device.cuh"

namespace slicepool::cuda {

void registerSemigroupWide() { registerSemigroupDevice<sg::ImageKeys<std::uint32_t>>(); }

}  // namespace slicepool::cuda
