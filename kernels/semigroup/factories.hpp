// What this folder brings to a GPU: by kind of keys, in translation units of their own so that the kernels
// compile side by side (device_instances.cuh), and for algorithm `words` (words.cu). Called by register.cu.
#pragma once

namespace slicepool::cuda {

/// Puts it into the registry. Makes no CUDA call.
template <class Keys>
void registerSemigroupDevice();

void registerSemigroupWords();

}  // namespace slicepool::cuda
