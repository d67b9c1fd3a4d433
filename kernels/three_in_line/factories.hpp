// The device factories of the no-three-in-line search by shape, in translation units of their own so that the
// kernels compile side by side (search_instances.cuh). Called by register.cu.
#pragma once

namespace slicepool::cuda {

template <class Shape>
void registerThreeInLine();

}  // namespace slicepool::cuda
