// Semigroups on a GPU, keys of one kind: n <= 16, the element is its key.
#include "semigroup.hpp"
#include "semigroup_device.cuh"

namespace slicepool::cuda {

void registerSemigroupPacked() { registerSemigroupDevice<sg::PackedKeys>(); }

}  // namespace slicepool::cuda
