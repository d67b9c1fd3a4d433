// Semigroups on a GPU, keys of one kind: n <= 16, the element is its key.
#include "device.cuh"
#include "factories.hpp"

namespace slicepool::cuda {

void registerSemigroupPacked() { registerSemigroupDevice<sg::PackedKeys>(); }

}  // namespace slicepool::cuda
