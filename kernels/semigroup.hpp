// What semigroup_*.cu bring to a GPU, by kind of keys. Called by registerCudaKernels().
#pragma once

namespace slicepool::cuda {

void registerSemigroupPacked();
void registerSemigroupByte();
void registerSemigroupShort();
void registerSemigroupWide();

}  // namespace slicepool::cuda
